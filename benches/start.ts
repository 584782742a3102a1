import { HOMED, serve } from "../tests/kit/homed.ts";
import { tempFolder } from "../tests/kit/temp_folder.ts";
import { ms, percentile, type Row, times } from "./kit/measure.ts";

const ROUNDS = 15;
const ROOT = new URL("../", import.meta.url);

/** The floor: an empty program compiled with the same runtime. */
async function compileEmpty(folder: string): Promise<string> {
  await Deno.writeTextFile(`${folder}/empty.ts`, "console.log(1);");
  const [denort] = [...Deno.readDirSync(new URL("dist/denort/", ROOT))];
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["compile", "--no-check", "--no-prompt", "--output", `${folder}/empty`, `${folder}/empty.ts`],
    env: denort ? { DENORT_BIN: decodeURIComponent(new URL(`dist/denort/${denort.name}`, ROOT).pathname) } : {},
    stdout: "null",
    stderr: "null",
  }).output();
  if (!success) throw new Error("The empty program could not be compiled");
  return `${folder}/empty`;
}

async function timeRun(command: string, args: string[]): Promise<number> {
  const from = performance.now();
  await new Deno.Command(command, { args, stdout: "null", stderr: "null", stdin: "null" }).output();
  return performance.now() - from;
}

/** Kilobytes of proportional set size of a process and all its descendants. */
export function proportionalSize(pid: number): number {
  const parents = new Map<number, number>();
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = Deno.readTextFileSync(`/proc/${name}/stat`);
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // ended while we looked
    }
  }
  const isBelow = (child: number): boolean => child === pid || (parents.has(child) && isBelow(parents.get(child)!));
  let total = 0;
  for (const child of parents.keys()) {
    if (!isBelow(child)) continue;
    const match = /^Pss:\s+(\d+) kB/m.exec(Deno.readTextFileSync(`/proc/${child}/smaps_rollup`));
    total += Number(match?.[1] ?? 0);
  }
  return total;
}

/** What the executable weighs and how fast it is there. Needs `dist/homed` (`HOMED_BIN`). */
export async function startBench(): Promise<Row[]> {
  if (HOMED.length > 1) throw new Error("The start is measured on the executable: set HOMED_BIN");
  await using folder = await tempFolder();
  const empty = await compileEmpty(folder.path);
  const floor: number[] = [], version: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    floor.push(await timeRun(empty, []));
    version.push(await timeRun(HOMED[0]!, ["--version"]));
  }
  const ratio = percentile(version, 0.5) / percentile(floor, 0.5);
  const ready: number[] = [], pss: number[] = [];
  for (let i = 0; i < 5; i++) {
    const from = performance.now();
    await using daemon = await serve({ home: `${folder.path}/home` });
    ready.push(performance.now() - from);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    pss.push(proportionalSize(daemon.pid) / 1024);
  }
  const { size } = await Deno.stat(HOMED[0]!);
  return [
    {
      what: "`homed --version` against an empty compiled program, p50",
      figure: `${ms(percentile(version, 0.5))} = ${times(ratio)}`,
      floor: `${ms(percentile(floor, 0.5))} empty program`,
      reach: "≤ 1.50×",
      ok: ratio <= 1.5,
    },
    {
      what: "`serve` to ready, p50",
      figure: ms(percentile(ready, 0.5)),
      floor: `${ms(percentile(floor, 0.5))} empty program`,
      reach: "≤ 600 ms",
      ok: percentile(ready, 0.5) <= 600,
    },
    {
      what: "resident when idle: proportional set size of the whole tree",
      figure: `${percentile(pss, 0.5).toFixed(0)} MB`,
      floor: "52 MB empty program",
      reach: "≤ 140 MB",
      ok: percentile(pss, 0.5) <= 140,
    },
    {
      what: "size of the executable",
      figure: `${(size / 1e6).toFixed(0)} MB`,
      floor: `${((await Deno.stat(empty)).size / 1e6).toFixed(0)} MB empty program`,
      reach: "≤ 140 MB",
      ok: size <= 140e6,
    },
  ];
}

if (import.meta.main) { for (const row of await startBench()) console.log(row); }

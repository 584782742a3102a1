import { js, jsTool, type PluginFiles, raw, testHost } from "../tests/plugins/host/kit.ts";
import { until } from "../tests/kit/until.ts";
import { ms, percentile, type Row, timeEach, times } from "./kit/measure.ts";

const ROUNDS = 3000;
const MIB = 1 << 20;

/** Plugins in processes of their own: calls, crashes, large results, events, floods, memory. `HOMED_BIN` runs them
 * with the executable. */
export async function pluginsBench(): Promise<Row[]> {
  return [
    await callRow(),
    await crashRow(),
    await resultRow(),
    ...await eventRows(),
    await readRow(),
    await floodRow(),
    ...await memoryRows(),
  ];
}

/** A tool call to a native plugin and back, against bare NDJSON to a program of the same runtime that echoes. */
async function callRow(): Promise<Row> {
  const code = "for await (const chunk of Deno.stdin.readable) Deno.stdout.writeSync(chunk);";
  const file = await Deno.makeTempFile({ suffix: ".mjs" });
  await Deno.writeTextFile(file, code);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", file],
    stdin: "piped",
    stdout: "piped",
  })
    .spawn();
  const writer = child.stdin.getWriter(), reader = child.stdout.getReader();
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tool.invoke",
    params: { name: "raw-echo_run", args: { a: 1 }, turn: "t1" },
  };
  const bounce = async () => {
    await writer.write(encoder.encode(JSON.stringify(message) + "\n"));
    JSON.parse(decoder.decode((await reader.read()).value));
  };
  await using test = await testHost({ plugins: { "raw-echo": raw() } });
  const call = () => test.tool("raw-echo_run", { a: 1 });
  const floor: number[] = [], ours: number[] = [];
  for (let i = 0; i < 6; i++) {
    floor.push(...await timeEach(ROUNDS / 6, bounce));
    ours.push(...await timeEach(ROUNDS / 6, call));
  }
  await writer.close();
  await reader.cancel();
  await child.status;
  await Deno.remove(file);
  const ratio = percentile(ours, 0.5) / percentile(floor, 0.5);
  const beyond = percentile(ours, 0.95) - percentile(floor, 0.95);
  return {
    what: "plugins: tool call to a process, p50 (p95 beyond the floor's)",
    figure: `${ms(percentile(ours, 0.5))} = ${times(ratio)} (${ms(beyond)})`,
    floor: `${ms(percentile(floor, 0.5))} bare NDJSON echo`,
    reach: "≤ 1.50×, p95 < 1 ms beyond",
    ok: ratio <= 1.5 && beyond < 1,
  };
}

async function crashRow(): Promise<Row> {
  await using test = await testHost({ plugins: { phoenix: js(jsTool("phoenix_run", "return 1;")) } });
  const took: number[] = [];
  for (let i = 0; i < 3; i++) {
    const { pid } = test.info("phoenix");
    const from = performance.now();
    Deno.kill(pid!, "SIGKILL");
    await until(
      "it answers",
      () => test.info("phoenix").pid !== pid && test.tool("phoenix_run").then(() => true, () => false),
    );
    took.push(performance.now() - from);
    await test.host.reload("phoenix");
  }
  const worst = Math.max(...took);
  return {
    what: "plugins: crash of a JS plugin → its tools answer again, worst of 3",
    figure: ms(worst),
    floor: "first restart at once",
    reach: "≤ 1 s",
    ok: worst <= 1000,
  };
}

async function resultRow(): Promise<Row> {
  await using test = await testHost({
    plugins: { big: js(`const text = "x".repeat(${4 * MIB});` + jsTool("big_run", "return text;")) },
  });
  const folder = await Deno.stat("/dev/shm").then(() => "/dev/shm", () => undefined);
  const file = await Deno.makeTempFile(folder ? { dir: folder } : {});
  await Deno.writeFile(file, new Uint8Array(4 * MIB));
  const copy = () => Deno.copyFile(file, `${file}.copy`);
  const call = () => test.tool("big_run");
  const floor: number[] = [], ours: number[] = [];
  for (let i = 0; i < 4; i++) {
    floor.push(...await timeEach(20, copy));
    ours.push(...await timeEach(20, call));
  }
  await Deno.remove(file);
  await Deno.remove(`${file}.copy`);
  const ratio = percentile(ours, 0.5) / percentile(floor, 0.5);
  return {
    what: "plugins: a result of 4 MiB from a JS plugin through the segment",
    figure: `${ms(percentile(ours, 0.5))} = ${times(ratio)}`,
    floor: `${ms(percentile(floor, 0.5))} file copy in memory`,
    reach: "≤ 3×",
    ok: ratio <= 3,
  };
}

const listener: PluginFiles = {
  ...js(
    `let seen = 0, missed = 0; await sdk.events.subscribe(["response"], (event) => { seen++; missed += event.missed; });` +
      jsTool("ear_seen", "return {seen, missed};"),
  ),
  manifest: { capabilities: ["events"] },
};

async function eventRows(): Promise<Row[]> {
  const count = 500_000;
  await using test = await testHost({ plugins: { ear: listener } });
  const publish = () => {
    const from = performance.now();
    for (let i = 0; i < count; i++) test.bus.publish({ type: "response", source: "bench", payload: { i } });
    return performance.now() - from;
  };
  const { pid } = test.info("ear");
  await using deaf = await testHost();
  const toNobody = () => {
    const from = performance.now();
    for (let i = 0; i < count; i++) deaf.bus.publish({ type: "response", source: "bench", payload: { i } });
    return performance.now() - from;
  };
  publish();
  toNobody();
  await new Promise((resolve) => setTimeout(resolve, 500));
  // In turns, so that both see the same machine; the best of each counts.
  let running = Infinity, stopped = Infinity, none = Infinity;
  for (let i = 0; i < 3; i++) {
    none = Math.min(none, toNobody());
    running = Math.min(running, publish());
    await new Promise((resolve) => setTimeout(resolve, 300));
    Deno.kill(pid!, "SIGSTOP");
    stopped = Math.min(stopped, publish());
    Deno.kill(pid!, "SIGCONT");
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  const { result } = await test.tool("ear_seen") as { result: { seen: number; missed: number } };
  const rate = count / running * 1000;
  return [{
    what: "plugins: events written for a plugin process",
    figure: `${(rate / 1000).toFixed(0)}k/s (read ${result.seen}, missed ${result.missed} of ${7 * count})`,
    floor: "one thread writes, one process reads",
    reach: "≥ 500k/s",
    ok: rate >= 500_000,
  }, {
    what: "plugins: publishing with a stopped reader",
    figure: `${ms(stopped)} = ${times(stopped / running)}`,
    floor: `${ms(running)} with a running one`,
    reach: "≤ 1.10×",
    ok: stopped / running <= 1.1,
  }, {
    what: "plugins: publishing with a stopped reader, against no subscriber at all",
    figure: `${perEvent(stopped, count)} = ${times(stopped / none)}`,
    floor: `${perEvent(none, count)}: with nobody subscribed no event is encoded`,
    reach: "stated: the difference is the event's JSON and its copy",
    ok: true,
  }];
}

/** What a JS plugin reads, one listener call an event, while homed goes on publishing and serving. The publisher waits
 * when the plugin is two thirds of a ring behind, so that nothing is missed. */
async function readRow(): Promise<Row> {
  const total = 1_500_000, chunk = 2_000, ahead = 24_000;
  await using test = await testHost({ plugins: { ear: listener } });
  const seen = async () => (await test.tool("ear_seen") as { result: { seen: number; missed: number } }).result;
  const burst = async (count: number) => {
    const begun = (await seen()).seen;
    let published = 0, read = 0;
    while (read < count) {
      if (published < count && published - read < ahead) {
        for (let i = 0; i < chunk; i++) test.bus.publish({ type: "response", source: "bench", payload: { i } });
        published += chunk;
      }
      if (published - read >= ahead || published === count) read = (await seen()).seen - begun;
      else await new Promise((resolve) => setTimeout(resolve, 0));
    }
  };
  await burst(100_000);
  const from = performance.now();
  await burst(total);
  const rate = total / (performance.now() - from) * 1000;
  const { missed } = await seen();
  return {
    what: "plugins: events read by a JS plugin, one listener call each",
    figure: `${(rate / 1000).toFixed(0)}k/s, ${missed} missed`,
    floor: "homed publishes on the other core",
    reach: "≥ 500k/s, none missed",
    ok: rate >= 500_000 && missed === 0,
  };
}

async function floodRow(): Promise<Row> {
  await using test = await testHost({ plugins: { "raw-flood": raw() } });
  await test.tool("raw-flood_run", { ms: 300 });
  const before = Deno.memoryUsage().rss;
  let printed = 0, peak = before;
  const timer = setInterval(() => peak = Math.max(peak, Deno.memoryUsage().rss), 20);
  while (printed < 1 << 30) {
    printed += (await test.tool("raw-flood_run", { ms: 5000 }, { deadline: 60_000 })).result as number;
  }
  clearInterval(timer);
  const grown = (peak - before) / MIB;
  return {
    what: "plugins: a plugin prints 1 GB to stdout; homed grows by",
    figure: `${grown.toFixed(0)} MiB`,
    floor: "0",
    reach: "< 32 MiB",
    ok: grown < 32,
  };
}

const perEvent = (milliseconds: number, count: number) => `${(milliseconds / count * 1e6).toFixed(0)} ns an event`;

/** Proportional set size of a process, in MiB. */
async function proportional(pid: number): Promise<number> {
  const text = await Deno.readTextFile(`/proc/${pid}/smaps_rollup`);
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
}

async function memoryRows(): Promise<Row[]> {
  if (Deno.build.os !== "linux") return [];
  await using test = await testHost({
    plugins: {
      quiet: js(""),
      moon: { manifest: { entry: "main.lua" }, files: { "main.lua": "return {start = function() end}" } },
      native: {
        manifest: { entry: "main", permissions: { run: ["sed"] } },
        files: {
          main: `#!/bin/sh\nwhile read -r line; do id=$(printf %s "$line" | sed 's/.*"id":\\([0-9]*\\).*/\\1/'); ` +
            `case "$line" in *handshake*) echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":$id,\\"result\\":{\\"protocol\\":1,\\"sdk_version\\":\\"sh\\",\\"shm\\":false}}";; ` +
            `*) echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":$id,\\"result\\":{}}";; esac; done\n`,
        },
      },
    },
  });
  await test.host.reload("native").catch(() => {/* told by its state */});
  const rows: Row[] = [];
  for (
    const [name, why] of [["quiet", "one runtime and one worker"], ["moon", "the same, and a Lua machine"], [
      "native",
      "the program's own",
    ]] as const
  ) {
    const { pid, state, reason } = test.info(name);
    const size = pid ? await proportional(pid) : 0;
    rows.push({
      what: `plugins: an idle ${
        name === "quiet" ? "JS" : name === "moon" ? "Lua" : "native (sh)"
      } plugin, proportional set size`,
      figure: pid ? `${size.toFixed(1)} MiB` : `${state}: ${reason}`,
      floor: why,
      reach: "stated",
      ok: pid !== undefined,
    });
  }
  return rows;
}

if (import.meta.main) {
  for (const row of await pluginsBench()) {
    console.log(`${row.ok ? "ok" : "✗ "} ${row.what}: ${row.figure} | ${row.floor} | ${row.reach}`);
  }
}

/** Runs the recall sets in one process: `deno run -A benches/recall/sets.ts FOLDER`, or HOMED_EVAL=FOLDER. `--misses`
 * prints the questions that failed. @module */
import { join } from "node:path";
import { type EvidenceQuery, type HomeQuery, judgeEvidence, judgeHome, type Marks, means } from "./score.ts";
import { MemoryHome } from "./memory_home.ts";

const folder = Deno.args.find((arg) => !arg.startsWith("-")) ?? Deno.env.get("HOMED_EVAL");
const only = Deno.args.find((arg) => arg.startsWith("--only="))?.slice(7);
const showMisses = Deno.args.includes("--misses");
if (folder === undefined) {
  console.log("skipped: name the folder of the recall sets as an argument or in HOMED_EVAL");
  Deno.exit(0);
}

const rows = <T>(path: string) =>
  Deno.readTextFileSync(path).split("\n").filter((line) => line.trim() !== "").map((line) => JSON.parse(line) as T);

function print(title: string, marks: Marks): void {
  console.log(title.padEnd(22), Object.entries(marks).map(([name, value]) => `${name} ${value}`).join("  "));
}

const times: number[] = [];
/** LoCoMo's category of questions that ask about the wrong person. */
const ADVERSARIAL = 5;

async function run<T extends { q: string; id: string }>(
  corpus: string,
  queries: T[],
  judge: (query: T, home: Awaited<ReturnType<MemoryHome["recall"]["recall"]>>) => Marks,
): Promise<{ query: T; marks: Marks }[]> {
  using home = new MemoryHome();
  await home.import(corpus);
  const judged: { query: T; marks: Marks }[] = [];
  for (const query of queries) {
    const start = performance.now();
    const result = await home.recall.recall(query.q, { top: 50 });
    times.push(performance.now() - start);
    const marks = judge(query, result);
    judged.push({ query, marks });
    const isMiss = ["hit@5", "current_first", "right_time_first", "answered", "silent"].some((name) =>
      marks[name] === 0
    );
    if (showMisses && isMiss) {
      console.log(JSON.stringify(query), JSON.stringify(marks));
      for (const hit of result.hits.slice(0, 5)) console.log("   ", hit.score, hit.why.join(), hit.text.slice(0, 110));
    }
  }
  return judged;
}

async function runHome(name: string): Promise<void> {
  const queries = rows<HomeQuery>(join(folder!, name, "queries.jsonl"));
  const judged = await run(join(folder!, name, "corpus.jsonl"), queries, judgeHome);
  const apart = new Set(["paraphrase", "crosslingual"]);
  const known = judged.filter(({ query }) => query.kind !== "absent" && !apart.has(query.kind));
  print(`${name}`, means(known.map(({ marks }) => marks)));
  for (const kind of new Set(judged.map(({ query }) => query.kind))) {
    print(`  ${kind}`, means(judged.filter(({ query }) => query.kind === kind).map(({ marks }) => marks)));
  }
}

async function runEvidence(name: string, pairs: [string, string][]): Promise<void> {
  const judged: { query: EvidenceQuery; marks: Marks }[] = [];
  for (const [corpus, queries] of pairs) {
    judged.push(
      ...await run(join(folder!, name, corpus), rows<EvidenceQuery>(join(folder!, name, queries)), judgeEvidence),
    );
  }
  print(name, means(judged.map(({ marks }) => marks)));
  const rest = judged.filter(({ query }) => query.category !== ADVERSARIAL);
  if (rest.length < judged.length) print("  without adversarial", means(rest.map(({ marks }) => marks)));
  for (const category of new Set(judged.map(({ query }) => query.category))) {
    if (category === undefined) continue;
    const { n, "t@10": turns } = means(judged.filter(({ query }) => query.category === category).map((j) => j.marks));
    print(`  category ${category}`, { n: n!, "t@10": turns! });
  }
}

if (!only || only === "home") await runHome("home_dev");
if (!only || only === "cmrc") await runEvidence("cmrc_dev", [["corpus.jsonl", "queries.jsonl"]]);
if (!only || only === "locomo") {
  const names = [...Deno.readDirSync(join(folder, "locomo_dev"))].map((entry) => entry.name);
  const conversations = names.flatMap((name) => name.endsWith("_corpus.jsonl") ? name.slice(0, -13) : []).sort();
  await runEvidence("locomo_dev", conversations.map((name) => [`${name}_corpus.jsonl`, `${name}_queries.jsonl`]));
}
times.sort((a, b) => a - b);
print("milliseconds a query", {
  p50: Math.round(times[times.length >> 1]! * 100) / 100,
  p95: Math.round(times[Math.floor(times.length * 0.95)]! * 100) / 100,
});

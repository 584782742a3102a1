/** Recall, commit and import at 1×, 10× and 100× of a thousand documents with five relations each, in one run. `--max=N`
 * stops at N documents. @module */
import { corpus, question, Writer } from "./corpus.ts";
import { MemoryHome } from "./memory_home.ts";

const most = Number(Deno.args.find((arg) => arg.startsWith("--max="))?.slice(6) ?? 100_000);

/** Questions before the clock counts: the first ones load the lexicon and are compiled. */
const WARM_UP = 150;

const at = (times: number[], share: number) => times.sort((a, b) => a - b)[Math.floor(times.length * share)]!;
const round = (value: number) => Math.round(value * 100) / 100;

using home = new MemoryHome();
let emptyCommit = 0;

function measureCommits(): number {
  const times: number[] = [];
  for (let i = 0; i < 300; i++) {
    const start = performance.now();
    home.graph.commit([{ subject: `who ${i % 50}`, predicate: "port", object: `${performance.now()}` }], {
      sentence: `s ${i}`,
    });
    times.push(performance.now() - start);
  }
  home.recall.sync();
  return at(times, 0.95);
}

emptyCommit = measureCommits();
console.log(`commit p95 of an empty graph: ${round(emptyCommit)} ms`);
let done = 0;
const writer = new Writer(7, 30_000);
for (const size of [1000, 10_000, 100_000].filter((n) => n <= most)) {
  const path = `${home.folder}/import.jsonl`;
  const file = await Deno.create(path);
  const encoder = new TextEncoder();
  for (const line of corpus({ from: done, to: size, relations: 5 }, writer)) {
    await file.write(encoder.encode(line + "\n"));
  }
  file.close();
  let start = performance.now();
  await home.import(path);
  const seconds = (performance.now() - start) / 1000;
  const times: number[] = [];
  for (let i = 0; i < 400; i++) {
    const query = question(i, writer);
    start = performance.now();
    await home.recall.recall(query, { top: 8 });
    if (i >= WARM_UP) times.push(performance.now() - start);
  }
  const commit = measureCommits();
  console.log(
    `${size} documents, ${size * 5} relations: import ${Math.round((size - done) / seconds)} documents/s with their ` +
      `relations; recall p50 ${round(at(times, 0.5))} p95 ${round(at(times, 0.95))} ms; commit p95 ${
        round(commit)
      } ms ` +
      `(${round(commit / emptyCommit)} of empty); ${Math.round(Deno.memoryUsage().rss / 1e6)} MB resident`,
  );
  done = size;
}
await new Promise((resolve) => setTimeout(resolve, 3000));
console.log(`after idling: ${Math.round(Deno.memoryUsage().rss / 1e6)} MB resident`);

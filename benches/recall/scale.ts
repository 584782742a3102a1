/** Recall, commit and import at 1×, 10× and 100× of a thousand documents with five relations each, in one run. `--max=N`
 * stops at N documents. @module */
import { MemoryHome } from "./memory_home.ts";

const most = Number(Deno.args.find((arg) => arg.startsWith("--max="))?.slice(6) ?? 100_000);

/** Questions before the clock counts: the first ones load the lexicon and are compiled. */
const WARM_UP = 150;

/** A random generator that gives the same numbers every time (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const SYLLABLES = "ba de fo gu ki la me no pu ra se ti vo wa zu mi ro ta ne lo".split(" ");
const HAN =
  "山水火木金石田雨雪风云花草树鸟鱼马牛羊门窗桌椅灯书笔纸茶饭米面衣鞋帽床车船桥路城村河海星月日天地人手口目耳心头";
const PREDICATES = [
  "端口",
  "型号",
  "住址",
  "喜欢",
  "工作单位",
  "extension",
  "model",
  "owner",
  "颜色",
  "生日",
  "located in",
  "price",
];

/** Words whose frequency falls as in real text: the k-th is met about 1/k as often as the first. */
class Writer {
  readonly #random: () => number;
  readonly #words: string[];

  constructor(seed: number, words: number) {
    this.#random = generator(seed);
    this.#words = Array.from({ length: words }, (_, i) => i % 2 === 0 ? this.#latin() : this.#han());
  }

  word(): string {
    return this.#words[Math.floor(this.#words.length ** this.#random()) - 1]!;
  }

  rare(): string {
    return this.#words[Math.floor(this.#random() * this.#words.length)]!;
  }

  sentence(length: number): string {
    return Array.from({ length }, () => this.word()).join(" ");
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)]!;
  }

  number(below: number): number {
    return Math.floor(this.#random() * below);
  }

  #latin(): string {
    return Array.from({ length: 2 + this.number(3) }, () => this.pick(SYLLABLES)).join("");
  }

  #han(): string {
    return Array.from({ length: 2 + this.number(2) }, () => this.pick([...HAN])).join("");
  }
}

function* corpus(from: number, to: number, writer: Writer): Generator<string> {
  for (let i = from; i < to; i++) {
    const at = new Date(1_700_000_000_000 + i * 60_000).toISOString();
    const thread = `t${Math.floor(i / 20)}`;
    yield JSON.stringify({ kind: "document", id: `d${i}`, content: writer.sentence(25), at, thread, n: i % 20 });
    for (let k = 0; k < 5; k++) {
      const [subject, object] = [`${writer.rare()}${writer.number(40)}`, `${writer.rare()} ${writer.number(10_000)}`];
      const predicate = writer.pick(PREDICATES);
      const sentence = `${subject} ${predicate} ${object} ${writer.sentence(3)}`;
      yield JSON.stringify({ kind: "relation", id: `r${i}-${k}`, subject, predicate, object, sentence, at });
    }
  }
}

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
  for (const line of corpus(done, size, writer)) await file.write(encoder.encode(line + "\n"));
  file.close();
  let start = performance.now();
  await home.import(path);
  const seconds = (performance.now() - start) / 1000;
  const times: number[] = [];
  for (let i = 0; i < 400; i++) {
    const query = i % 3 === 0
      ? `${writer.word()}的${writer.rare()}是多少`
      : i % 3 === 1
      ? `what is the ${writer.pick(PREDICATES)} of ${writer.rare()} ${writer.word()}?`
      : `${writer.rare()}${writer.number(40)} ${writer.pick(PREDICATES)} ${writer.word()}`;
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

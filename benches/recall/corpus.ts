/** A corpus for measuring, the same every time: documents with relations, in words whose frequency falls as in real text.
 * @module */

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
export const PREDICATES = [
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
export class Writer {
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

/** Lines of an import: each document, and `relations` relations behind it. */
export function* corpus(range: { from: number; to: number; relations: number }, writer: Writer): Generator<string> {
  for (let i = range.from; i < range.to; i++) {
    const at = new Date(1_700_000_000_000 + i * 60_000).toISOString();
    const thread = `t${Math.floor(i / 20)}`;
    yield JSON.stringify({ kind: "document", id: `d${i}`, content: writer.sentence(25), at, thread, n: i % 20 });
    for (let k = 0; k < range.relations; k++) {
      const [subject, object] = [`${writer.rare()}${writer.number(40)}`, `${writer.rare()} ${writer.number(10_000)}`];
      const predicate = writer.pick(PREDICATES);
      const sentence = `${subject} ${predicate} ${object} ${writer.sentence(3)}`;
      yield JSON.stringify({ kind: "relation", id: `r${i}-${k}`, subject, predicate, object, sentence, at });
    }
  }
}

/** The i-th of the questions that are asked of it. */
export function question(i: number, writer: Writer): string {
  if (i % 3 === 0) return `${writer.word()}的${writer.rare()}是多少`;
  if (i % 3 === 1) return `what is the ${writer.pick(PREDICATES)} of ${writer.rare()} ${writer.word()}?`;
  return `${writer.rare()}${writer.number(40)} ${writer.pick(PREDICATES)} ${writer.word()}`;
}

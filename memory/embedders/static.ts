import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { measured } from "../../core/base/progress.ts";
import type { Vector } from "../../core/wire/memory.ts";
import { ENGLISH_FREQUENCY } from "../words/english_frequency.ts";
import { fold, isHan } from "../words/fold.ts";
import { englishShare, lexicon } from "../words/lexicon.ts";
import { tokenizeFolded } from "../words/tokens.ts";
import { type Embedder, normalize } from "./embedder.ts";
import { type ModelPath, readVectorFile, type VectorFileReport } from "./vector_file.ts";
import { VectorTable, writeVectorTable } from "./vector_table.ts";

/** Longest Chinese word that is looked for. */
const HAN_WORD = 6;
/** Characters; longer texts are told by their beginning. */
const TEXT_LIMIT = 30_000;

/** A converted model and what its file had that could not be used. */
export interface ConvertedModel {
  path: string;
  report: VectorFileReport | null;
}

/** Makes the table of one model in `folder` if it is not there yet, from the source's text file. `progress` is told the
 * words so far and the share of the file that they came from, 0 to 1. The name tells source,
 * size and time, so a changed source is converted again. */
export async function convertModel(
  model: ModelPath,
  options: { folder: string; progress: (rows: number, share: number) => void },
): Promise<ConvertedModel> {
  const info = await Deno.stat(model.path);
  const identity = JSON.stringify([basename(model.path), info.size, info.mtime?.getTime() ?? 0, model.top ?? 0, 1]);
  const fingerprint = createHash("sha256").update(identity).digest("hex").slice(0, 16);
  const path = join(options.folder, `${fingerprint}.vectors`);
  try {
    new VectorTable(path)[Symbol.dispose]();
    return { path, report: null };
  } catch {
    // Not there, or cut by a crash of an older kind: it is made (again) now.
  }
  await Deno.mkdir(options.folder, { recursive: true, mode: 0o700 });
  const report: VectorFileReport = { rows: 0, rejected: 0 };
  const source = await Deno.open(model.path, { read: true });
  let share = 0;
  const counted = measured(source.readable, info.size, (read) => void (share = read));
  const rows = readVectorFile(counted, { gzip: model.path.endsWith(".gz"), top: model.top, report });
  await writeVectorTable(path, rows, {
    fingerprint,
    progress: (count) => options.progress(count, share),
  });
  return { path, report };
}

/** A block of the vector: models in it share a space, so a word is taken from the first that knows it. */
type Block = VectorTable[];

/** A word that is this part of its language counts half (S. Arora and others, "A Simple but Tough-to-Beat Baseline for
 * Sentence Embeddings", 2017). */
const HALF = 1e-3;
/** So many frequent words of a language have to be in a model before it is known what they have in common. */
const ENOUGH = 100;

/** Static word vectors: the weighted mean of a text's words, each without what the frequent words of its language have in
 * common (J. Mu and P. Viswanath, "All-but-the-Top", 2018): with it every text is near every other. Several models: those of Numberbatch are one space (they are aligned
 * with each other) and complete one another; any other has a block of its own in the vector, for numbers of two spaces
 * say nothing about each other. */
export class StaticEmbedder implements Embedder, Disposable {
  readonly name: string;
  readonly dimension: number;
  readonly fingerprint: string;
  readonly #blocks: Block[];
  readonly #common = new Map<Block, { english: Float32Array; chinese: Float32Array }>();

  constructor(models: { path: string; name: string }[]) {
    const blocks = new Map<string, Block>();
    for (const [i, { path, name }] of models.entries()) {
      const table = new VectorTable(path);
      const space = /numberbatch/i.test(name) ? `numberbatch ${table.dimension}` : `model ${i}`;
      blocks.set(space, [...blocks.get(space) ?? [], table]);
    }
    this.#blocks = [...blocks.values()];
    this.name = `static: ${models.map(({ name }) => basename(name)).join(", ")}`;
    this.dimension = this.#blocks.reduce((sum, [table]) => sum + table!.dimension, 0);
    this.fingerprint = `static2-${this.#blocks.map((block) => block.map((t) => t.fingerprint).join("+")).join("-")}`;
  }

  embed(texts: string[]): Promise<Vector[]> {
    return Promise.resolve(texts.map((text) => this.#vector(text)));
  }

  [Symbol.dispose](): void {
    for (const table of this.#blocks.flat()) table[Symbol.dispose]();
  }

  /** What the frequent words of each language have in common; read once. */
  #commonOf(block: Block): { english: Float32Array; chinese: Float32Array } {
    let common = this.#common.get(block);
    if (!common) {
      const stems = ENGLISH_FREQUENCY.flatMap(([, words]) => words.split(" "));
      common = { english: meanOf(stems, block), chinese: meanOf(lexicon().frequent(), block) };
      this.#common.set(block, common);
    }
    return common;
  }

  #vector(text: string): Vector {
    const values = new Float32Array(this.dimension);
    const folded = fold(text.slice(0, TEXT_LIMIT));
    let from = 0;
    for (const block of this.#blocks) {
      const part = values.subarray(from, from += block[0]!.dimension);
      const common = this.#commonOf(block);
      for (const { vector, share, isChinese } of vectorsOf(folded, block)) {
        const weight = HALF / (HALF + share);
        const shared = isChinese ? common.chinese : common.english;
        for (let i = 0; i < part.length; i++) part[i]! += weight * (vector[i]! - shared[i]!);
      }
      normalize(part);
    }
    normalize(values);
    return { space: this.fingerprint, values };
  }
}

/** The mean of the vectors of these words; zeros where too few of them are known to say anything. */
function meanOf(words: string[], block: Block): Float32Array {
  const mean = new Float32Array(block[0]!.dimension);
  const vectors = words.flatMap((word) => find(word, block) ?? []);
  if (vectors.length < ENOUGH) return mean;
  for (const vector of vectors) for (let i = 0; i < mean.length; i++) mean[i]! += vector[i]! / vectors.length;
  return mean;
}

/** The vector of a word in the first model that knows it. */
function find(word: string, block: Block): Float32Array | undefined {
  for (const table of block) {
    const vector = table.get(word);
    if (vector) return vector;
  }
}

interface WordVector {
  vector: Float32Array;
  /** What part of its language the word is. */
  share: number;
  isChinese: boolean;
}

const RUN = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu;

/** The vectors of a text's words; Chinese is cut by the longest words that the model itself knows. */
function* vectorsOf(folded: string, block: Block): Generator<WordVector> {
  for (const [run] of folded.matchAll(RUN)) {
    if (!isHan(run.codePointAt(0)!)) {
      // The tokenizer knows which words say nothing.
      const [stemmed] = tokenizeFolded(run);
      const vector = stemmed === undefined ? undefined : find(run, block) ?? find(stemmed, block);
      if (vector) yield { vector, share: englishShare(stemmed!), isChinese: false };
      continue;
    }
    const characters = [...run];
    for (let i = 0; i < characters.length;) {
      let length = Math.min(HAN_WORD, characters.length - i);
      let vector: Float32Array | undefined;
      let word = "";
      for (; length > 0 && !vector; length--) {
        word = characters.slice(i, i + length).join("");
        if (length > 1 || tokenizeFolded(word).length > 0) vector = find(word, block);
      }
      if (vector) yield { vector, share: lexicon().share(word), isChinese: true };
      i += vector ? length + 1 : 1;
    }
  }
}

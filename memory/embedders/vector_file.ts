import { fold } from "../words/fold.ts";

/** One model out of `core.agent.embedding_model_path`: a file, and how many of its rows to take (frequent words come
 * first in all three formats). */
export interface ModelPath {
  path: string;
  /** `#200000` at the end of the path. */
  top: number | undefined;
}

/** The comma-separated models of the setting. */
export function parseModelPaths(setting: string): ModelPath[] {
  return setting.split(",").map((part) => part.trim()).filter((part) => part !== "").map((part) => {
    const [, path, top] = part.match(/^(.*?)(?:#(\d+))?$/s)!;
    return { path: path!, top: top ? Number(top) : undefined };
  });
}

/** One word with its vector, as the file has it. */
export interface VectorRow {
  word: string;
  values: Float32Array;
}

/** What reading a vector file tells on its way. */
export interface VectorFileReport {
  rows: number;
  /** Lines that had no vector of the right length, or one that is not made of numbers. */
  rejected: number;
}

/** Reads the text formats of word vectors, plain or gzipped, row by row: fastText and Numberbatch (a first line `count
 * dimension`) and GloVe (none). Numberbatch's multilingual file writes words as `/c/en/word`. Words come folded as
 * everywhere in the memory. Bounded memory: one line at a time.
 * @throws TypeError when the file has no row at all */
export async function* readVectorFile(
  bytes: ReadableStream<Uint8Array<ArrayBuffer>>,
  options: { gzip: boolean; top?: number | undefined; report: VectorFileReport },
): AsyncGenerator<VectorRow> {
  const plain = options.gzip ? bytes.pipeThrough(new DecompressionStream("gzip")) : bytes;
  const { report, top = Infinity } = options;
  let dimension = 0;
  let first = true;
  for await (const line of linesOf(plain)) {
    if (first) {
      first = false;
      const header = line.match(/^(\d+) (\d+)\s*$/);
      if (header) {
        dimension = Number(header[2]);
        continue;
      }
    }
    const row = parseRow(line, dimension);
    if (!row) {
      if (line !== "") report.rejected++;
      continue;
    }
    dimension ||= row.values.length;
    report.rows++;
    yield row;
    if (report.rows >= top) return;
  }
  if (report.rows === 0) throw new TypeError("the file has no word vectors in it");
}

/** Characters. */
const LONGEST_LINE = 1 << 24;

/** A word may have blanks in it (GloVe has ". . ."): the last `dimension` fields are the numbers. */
function parseRow(line: string, dimension: number): VectorRow | undefined {
  const fields = line.trimEnd().split(" ");
  const count = dimension || fields.length - 1;
  if (fields.length <= count || count < 2) return undefined;
  const values = new Float32Array(count);
  for (let i = 0, at = fields.length - count; i < count; i++, at++) {
    const field = fields[at]!;
    const value = field === "" ? NaN : Math.fround(Number(field));
    if (!Number.isFinite(value)) return undefined;
    values[i] = value;
  }
  const word = fields.slice(0, fields.length - count).join(" ").replace(/^\/c\/[a-z_-]+\//, "").replaceAll("_", " ");
  return word === "" ? undefined : { word: fold(word), values };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    yield* lines;
    if (rest.length > LONGEST_LINE) {
      throw new TypeError("a line of it does not end: it is no text file of word vectors");
    }
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}

import { newId } from "../../core/base/ids.ts";
import { HomedError, messageOf } from "../../core/base/errors.ts";
import type { VectorRow } from "./vector_file.ts";

/** A converted model on disk: a header of one page (JSON, padded), then a row for each word (its scale as a float and
 * one signed byte a value: a quarter of the size, cosines within a hundredth), then the index: hash of the word (two
 * u32) and row (u32), sorted. Little-endian. */
const HEADER_BYTES = 4096;
const INDEX_ENTRY = 12;
/** Index entries between two that are kept in memory. */
const STRIDE = 256;
/** Rows kept after they were read. */
const CACHE_ROWS = 4096;

interface Header {
  format: "homed-vectors-1";
  fingerprint: string;
  dimension: number;
  rows: number;
  index: number;
}

/** Writes the table of a model. `progress` is told the rows so far, now and then, and never throws. A table that was
 * begun and not finished is never taken for one: it gets its name at the end. */
export async function writeVectorTable(
  path: string,
  rows: AsyncIterable<VectorRow>,
  options: { fingerprint: string; progress: (rows: number) => void },
): Promise<void> {
  // Another one may be made of the same model: a choice that was overtaken goes on until it notices.
  const temporary = `${path}.${newId()}.tmp`;
  try {
    await writeRows(temporary, rows, options);
    await Deno.rename(temporary, path);
  } catch (error) {
    await Deno.remove(temporary).catch(() => {
      // It was never made, or the disk refuses this too.
    });
    throw error;
  }
}

async function writeRows(
  path: string,
  rows: AsyncIterable<VectorRow>,
  options: { fingerprint: string; progress: (rows: number) => void },
): Promise<void> {
  const file = await Deno.open(path, { write: true, create: true, truncate: true, mode: 0o600 });
  try {
    const hashes: number[] = [];
    let dimension = 0, count = 0, buffer = new Uint8Array(1 << 20), used = 0;
    const flush = async () => {
      for (let at = 0; at < used;) at += await file.write(buffer.subarray(at, used));
      used = 0;
    };
    used = HEADER_BYTES;
    for await (const { word, values } of rows) {
      if (dimension === 0) {
        dimension = values.length;
        if (dimension + 4 > buffer.length) buffer = new Uint8Array(HEADER_BYTES + dimension + 4);
      }
      if (used + dimension + 4 > buffer.length) await flush();
      encodeRow(values, buffer.subarray(used, used + dimension + 4));
      used += dimension + 4;
      hashes.push(...hashWord(word));
      count++;
      if (count % 10_000 === 0) options.progress(count);
    }
    await flush();
    const index = encodeIndex(hashes);
    for (let at = 0; at < index.length;) at += await file.write(index.subarray(at));
    const header: Header = {
      format: "homed-vectors-1",
      fingerprint: options.fingerprint,
      dimension,
      rows: index.length / INDEX_ENTRY,
      index: HEADER_BYTES + count * (dimension + 4),
    };
    await file.seek(0, Deno.SeekMode.Start);
    await file.write(new TextEncoder().encode(JSON.stringify(header).padEnd(HEADER_BYTES)));
    await file.sync();
    options.progress(count);
  } finally {
    file.close();
  }
}

/** A table open for reading. Memory: one index entry in 256, and some thousand rows. */
export class VectorTable implements Disposable {
  readonly fingerprint: string;
  readonly dimension: number;
  readonly rows: number;
  readonly #file: Deno.FsFile;
  readonly #index: number;
  /** The first hash of every stride, as one number each (53 bits of it). */
  readonly #strides: Float64Array;
  readonly #cache = new Map<string, Float32Array | null>();

  /** @throws HomedError `damaged` when the file is no whole table */
  constructor(path: string) {
    this.#file = Deno.openSync(path, { read: true });
    try {
      const header = JSON.parse(new TextDecoder().decode(this.#read(0, HEADER_BYTES)).trimEnd()) as Header;
      if (header.format !== "homed-vectors-1") throw new TypeError("its format is unknown");
      if (this.#file.statSync().size !== header.index + header.rows * INDEX_ENTRY) throw new TypeError("it is cut");
      this.fingerprint = header.fingerprint;
      this.dimension = header.dimension;
      this.rows = header.rows;
      this.#index = header.index;
      this.#strides = new Float64Array(Math.ceil(header.rows / STRIDE));
      for (let i = 0; i < this.#strides.length; i++) {
        const entry = this.#read(this.#index + i * STRIDE * INDEX_ENTRY, 8);
        const view = new DataView(entry.buffer);
        this.#strides[i] = view.getUint32(0, true) * 0x200000 + (view.getUint32(4, true) >>> 11);
      }
    } catch (error) {
      this.#file.close();
      throw new HomedError("damaged", `Cannot use the converted model ${path}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** The vector of a folded word, or undefined when the model does not know it. */
  get(word: string): Float32Array | undefined {
    let values = this.#cache.get(word);
    if (values === undefined) {
      const row = this.#find(word);
      values = row === undefined ? null : this.#row(row);
      if (this.#cache.size >= CACHE_ROWS) this.#cache.delete(this.#cache.keys().next().value!);
      this.#cache.set(word, values);
    }
    return values ?? undefined;
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }

  #find(word: string): number | undefined {
    const [high, low] = hashWord(word);
    const key = high * 0x200000 + (low >>> 11);
    let from = 0, to = this.#strides.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#strides[middle]! <= key) from = middle + 1;
      else to = middle;
    }
    // Equal keys may begin in the stride before.
    for (let stride = from - 1; stride >= Math.max(0, from - 2); stride--) {
      const start = stride * STRIDE, count = Math.min(STRIDE, this.rows - start);
      const view = new DataView(this.#read(this.#index + start * INDEX_ENTRY, count * INDEX_ENTRY).buffer);
      let low0 = 0, high0 = count;
      while (low0 < high0) {
        const middle = (low0 + high0) >>> 1, at = middle * INDEX_ENTRY;
        const order = view.getUint32(at, true) - high || view.getUint32(at + 4, true) - low;
        if (order === 0) return view.getUint32(at + 8, true);
        if (order < 0) low0 = middle + 1;
        else high0 = middle;
      }
    }
  }

  #row(row: number): Float32Array {
    const bytes = this.#read(HEADER_BYTES + row * (this.dimension + 4), this.dimension + 4);
    const scale = new DataView(bytes.buffer).getFloat32(0, true);
    return Float32Array.from(new Int8Array(bytes.buffer, 4), (value) => value * scale);
  }

  #read(at: number, length: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(length);
    this.#file.seekSync(at, Deno.SeekMode.Start);
    for (let done = 0; done < length;) {
      const read = this.#file.readSync(bytes.subarray(done));
      if (read === null) throw new TypeError("it is cut");
      done += read;
    }
    return bytes;
  }
}

/** Scales to length 1 first: only directions matter. */
function encodeRow(values: Float32Array, into: Uint8Array): void {
  let sum = 0, largest = 0;
  for (const value of values) {
    sum += value * value;
    largest = Math.max(largest, Math.abs(value));
  }
  const length = Math.sqrt(sum) || 1;
  const view = new DataView(into.buffer, into.byteOffset, into.byteLength);
  view.setFloat32(0, largest / length / 127, true);
  for (let i = 0; i < values.length; i++) {
    view.setInt8(4 + i, largest === 0 ? 0 : Math.round(values[i]! / largest * 127));
  }
}

/** Sorted by hash; of equal words the first in the file stays, which is the more frequent one. */
function encodeIndex(hashes: number[]): Uint8Array {
  const order = Uint32Array.from({ length: hashes.length / 2 }, (_, row) => row);
  order.sort((a, b) => hashes[2 * a]! - hashes[2 * b]! || hashes[2 * a + 1]! - hashes[2 * b + 1]! || a - b);
  const bytes = new Uint8Array(order.length * INDEX_ENTRY);
  const view = new DataView(bytes.buffer);
  let used = 0, lastHigh = -1, lastLow = -1;
  for (const row of order) {
    const high = hashes[2 * row]!, low = hashes[2 * row + 1]!;
    if (high === lastHigh && low === lastLow) continue;
    view.setUint32(used, lastHigh = high, true);
    view.setUint32(used + 4, lastLow = low, true);
    view.setUint32(used + 8, row, true);
    used += INDEX_ENTRY;
  }
  return bytes.subarray(0, used);
}

/** Two FNV-1a hashes with different starts: among two million words the chance of one false match is about 1e-7. */
function hashWord(word: string): [number, number] {
  let high = 0x811c9dc5, low = 0x01234567;
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x01000193) ^ (low >>> 15);
  }
  return [high >>> 0, low >>> 0];
}

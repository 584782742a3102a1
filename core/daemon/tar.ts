/** An entry of an archive: a folder has no bytes. */
export interface TarEntry {
  path: string;
  kind: "file" | "folder";
  size: number;
  mode: number;
}

const BLOCK = 512;

/** The header of an entry, in the POSIX form with an extended header for paths that are long or not plain ASCII. */
export function tarHeader(entry: TarEntry): Uint8Array {
  const plain = /^[\x20-\x7e]{1,99}$/.test(entry.path);
  const head = header(plain ? entry.path : "long", entry, entry.kind === "folder" ? "5" : "0");
  if (plain) return head;
  const record = paxRecord("path", entry.path);
  const padded = new Uint8Array(padTo(record.length));
  padded.set(record);
  const extended = header("pax", { ...entry, size: record.length }, "x");
  const whole = new Uint8Array(extended.length + padded.length + head.length);
  whole.set(extended);
  whole.set(padded, extended.length);
  whole.set(head, extended.length + padded.length);
  return whole;
}

/** Bytes up to the next full block. */
export function tarPadding(size: number): Uint8Array {
  return new Uint8Array(padTo(size) - size);
}

/** What ends an archive. */
export const TAR_END = new Uint8Array(2 * BLOCK);

/** Reads an archive: for each file, `body` yields its bytes and must be drained before the next entry is taken.
 * @throws {Error} when the archive is cut off, damaged, or has entries other than files and folders */
export async function* readTar(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<{ entry: TarEntry; body: AsyncGenerator<Uint8Array, void> }, void> {
  const reader = new BlockReader(stream.getReader());
  let longPath: string | undefined;
  for (;;) {
    const block = await reader.exactly(BLOCK);
    if (block.every((byte) => byte === 0)) return;
    if (readOctal(block, 148, 8) !== checksum(block)) throw new Error("it is damaged, or no backup of homed");
    const size = readOctal(block, 124, 12);
    const type = String.fromCharCode(block[156]!);
    if (type === "x") {
      const text = new TextDecoder().decode(await reader.exactly(size));
      await reader.exactly(padTo(size) - size);
      longPath = /^\d+ path=(.*)\n$/s.exec(text)?.[1];
      continue;
    }
    if (type !== "0" && type !== "5") throw new Error(`it holds an entry of the kind "${type}"`);
    const path = longPath ?? readText(block, 0, 100);
    longPath = undefined;
    const entry: TarEntry = {
      path,
      kind: type === "5" ? "folder" : "file",
      size,
      mode: readOctal(block, 100, 8),
    };
    let left = size;
    const body = async function* () {
      while (left > 0) {
        const bytes = await reader.some(left);
        left -= bytes.length;
        yield bytes;
      }
    };
    yield { entry, body: body() };
    while (left > 0) left -= (await reader.some(left)).length;
    await reader.exactly(padTo(size) - size);
  }
}

class BlockReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #rest = new Uint8Array();

  constructor(reader: ReadableStreamDefaultReader<Uint8Array>) {
    this.#reader = reader;
  }

  /** At least one byte, at most `limit`. */
  async some(limit: number): Promise<Uint8Array> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#reader.read();
      if (done) throw new Error("it is cut off");
      this.#rest = value as Uint8Array<ArrayBuffer>;
    }
    const bytes = this.#rest.subarray(0, limit);
    this.#rest = this.#rest.subarray(bytes.length);
    return bytes;
  }

  async exactly(size: number): Promise<Uint8Array> {
    const whole = new Uint8Array(size);
    for (let at = 0; at < size;) {
      const bytes = await this.some(size - at);
      whole.set(bytes, at);
      at += bytes.length;
    }
    return whole;
  }
}

const padTo = (size: number) => Math.ceil(size / BLOCK) * BLOCK;

function header(path: string, { size, mode }: { size: number; mode: number }, type: string): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const put = (at: number, text: string) => void new TextEncoder().encodeInto(text, block.subarray(at));
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  put(0, path);
  put(100, octal(mode & 0o777, 7));
  put(108, octal(0, 7));
  put(116, octal(0, 7));
  put(124, octal(size, 11));
  put(136, octal(0, 11));
  put(148, "        ");
  put(156, type);
  put(257, "ustar\x0000");
  put(148, `${octal(checksum(block), 6)}\0 `);
  return block;
}

function checksum(block: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? 32 : block[i]!;
  return sum;
}

function paxRecord(key: string, value: string): Uint8Array {
  const tail = new TextEncoder().encode(` ${key}=${value}\n`);
  let length = tail.length + 1;
  while (String(length).length + tail.length !== length) length = String(length).length + tail.length;
  return new TextEncoder().encode(`${length} ${key}=${value}\n`);
}

function readText(block: Uint8Array, at: number, length: number): string {
  const end = block.indexOf(0, at);
  return new TextDecoder().decode(block.subarray(at, end === -1 ? at + length : Math.min(end, at + length)));
}

function readOctal(block: Uint8Array, at: number, length: number): number {
  const value = parseInt(readText(block, at, length).trim() || "0", 8);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error("it is damaged, or no backup of homed");
  return value;
}

import { createHash, type Hash } from "node:crypto";
import { HomedError, messageOf } from "../../base/errors.ts";
import { isThere, readIfThere, removeIfThere, writeAtomically } from "../../base/files.ts";

/** Bytes between two notes of how far it is: what a kill costs. */
const NOTE_EVERY = 32 << 20;
/** Milliseconds without a byte after which a connection is given up. */
const SILENCE = 60_000;

export interface DownloadOptions {
  signal: AbortSignal;
  fetch?: typeof fetch;
  /** Told after each piece. `total` is undefined when the server does not say. Must not throw. */
  progress?: (done: number, total: number | undefined) => void;
  /** What the whole file must hash to, where that is known. */
  sha256?: string;
}

/** What was downloaded, as it stands in `<path>.json` beside it. */
export interface DownloadRecord {
  url: string;
  bytes: number;
  sha256: string;
  at: string;
}

/** How far a part has come: only what is noted here is taken to be sound. */
interface PartNote {
  url: string;
  /** The server's mark of the file's version, if it gave one. */
  tag: string | null;
  bytes: number;
  sha256: string;
}

/** Downloads a file, or the rest of one that was begun: what is there already is hashed and compared with what was noted
 * of it, and the server is asked for the rest of that same version. The file has its name only when it is whole.
 * @throws HomedError `download` saying what happened; what was fetched stays, for the next time */
export async function download(url: string, path: string, options: DownloadOptions): Promise<DownloadRecord> {
  const part = `${path}.part`;
  const begun = await soundPart(url, path);
  const offset = begun?.bytes ?? 0;
  using guard = new SilenceGuard(options.signal);
  try {
    const response = await (options.fetch ?? fetch)(url, {
      signal: guard.signal,
      headers: {
        "accept-encoding": "identity",
        ...(begun && { "range": `bytes=${offset}-`, ...(begun.tag !== null && { "if-range": begun.tag }) }),
      },
    });
    if (response.status === 416 && begun) {
      await response.body?.cancel();
      removePart(path);
      return await download(url, path, options);
    }
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      throw new HomedError("download", `the server answered ${response.status} ${response.statusText}`.trim());
    }
    const resumed = begun !== undefined && response.status === 206;
    const tag = response.headers.get("etag") ?? response.headers.get("last-modified");
    const rest = Number(response.headers.get("content-length") ?? NaN);
    const writer = new PartWriter(path, { url, tag, hash: resumed ? begun.hash : createHash("sha256") });
    const total = Number.isFinite(rest) ? rest + (resumed ? offset : 0) : undefined;
    await writer.take(response.body, {
      from: resumed ? offset : 0,
      onPiece(done) {
        guard.touch();
        options.progress?.(done, total);
      },
    });
    if (total !== undefined && writer.bytes !== total) {
      throw new HomedError("download", `the connection ended after ${writer.bytes} of ${total} bytes`);
    }
    const record = { url, bytes: writer.bytes, sha256: writer.sha256, at: new Date().toISOString() };
    if (options.sha256 !== undefined && options.sha256 !== record.sha256) {
      removePart(path);
      throw new HomedError("download", `its checksum is ${record.sha256}, not ${options.sha256}`);
    }
    writeAtomically(`${path}.json`, JSON.stringify(record) + "\n");
    Deno.renameSync(part, path);
    removePart(path);
    return record;
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason;
    const reason = guard.signal.aborted ? `no byte came for ${SILENCE / 1000} seconds` : messageOf(error);
    throw new HomedError("download", `Cannot download ${url}: ${reason}`, {
      fix: "look at the network; what was fetched is kept, and it is tried again",
      cause: error,
    });
  }
}

/** What is noted of a whole download; undefined when there is none, or its file has another size now. */
export function recordOf(path: string): DownloadRecord | undefined {
  const record = noteIn<DownloadRecord>(`${path}.json`);
  return record && isThere(path) && Deno.statSync(path).size === record.bytes ? record : undefined;
}

/** What is there of a file and can be gone on with, hashed anew: bytes that came after the last note are cut off. */
async function soundPart(url: string, path: string): Promise<PartNote & { hash: Hash } | undefined> {
  const note = noteIn<PartNote>(`${path}.part.json`);
  const part = `${path}.part`;
  if (!note || note.url !== url || !isThere(part) || Deno.statSync(part).size < note.bytes) {
    removePart(path);
    return undefined;
  }
  await Deno.truncate(part, note.bytes);
  const hash = createHash("sha256");
  const file = await Deno.open(part, { read: true });
  for await (const piece of file.readable) hash.update(piece);
  if (hash.copy().digest("hex") === note.sha256) return { ...note, hash };
  removePart(path);
  return undefined;
}

function removePart(path: string): void {
  removeIfThere(`${path}.part`);
  removeIfThere(`${path}.part.json`);
}

function noteIn<T>(path: string): T | undefined {
  try {
    return JSON.parse(readIfThere(path) ?? "null") ?? undefined;
  } catch {
    return undefined; // Cut off while it was written by an older kind of crash: as if it were not there.
  }
}

/** Writes the part, and notes how far it is now and then and at the end, however that comes. */
class PartWriter {
  bytes = 0;
  readonly #path: string;
  readonly #note: { url: string; tag: string | null };
  readonly #hash: Hash;

  constructor(path: string, options: { url: string; tag: string | null; hash: Hash }) {
    this.#path = path;
    this.#note = { url: options.url, tag: options.tag };
    this.#hash = options.hash;
  }

  get sha256(): string {
    return this.#hash.copy().digest("hex");
  }

  async take(
    body: ReadableStream<Uint8Array>,
    { from, onPiece }: { from: number; onPiece: (done: number) => void },
  ): Promise<void> {
    using file = await Deno.open(`${this.#path}.part`, { write: true, create: true, mode: 0o600 });
    await file.truncate(from);
    await file.seek(from, Deno.SeekMode.Start);
    this.bytes = from;
    let noted = from;
    const note = async () => {
      await file.sync();
      const { bytes, sha256 } = this;
      writeAtomically(`${this.#path}.part.json`, JSON.stringify({ ...this.#note, bytes, sha256 }) + "\n");
      noted = bytes;
    };
    try {
      for await (const piece of body) {
        for (let at = 0; at < piece.length;) at += await file.write(piece.subarray(at));
        this.#hash.update(piece);
        this.bytes += piece.length;
        onPiece(this.bytes);
        if (this.bytes - noted >= NOTE_EVERY) await note();
      }
    } finally {
      await note();
    }
  }
}

/** A signal that follows another, and gives up when nothing came for too long. */
class SilenceGuard implements Disposable {
  readonly signal: AbortSignal;
  readonly #quiet = new AbortController();
  #timer: ReturnType<typeof setTimeout>;

  constructor(signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#quiet.signal]);
    this.#timer = setTimeout(() => this.#quiet.abort(), SILENCE);
  }

  touch(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#quiet.abort(), SILENCE);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

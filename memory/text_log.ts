import { join } from "node:path";
import type { TextRecord } from "../core/wire/memory.ts";
import { AppendLog } from "./append_log.ts";
import type { FileStore } from "./files.ts";

/** A place between two records. Files are read in the order of their names. */
export interface TextCursor {
  file: string;
  offset: number;
}

export interface TextLogOptions {
  store: FileStore;
  folder: string;
  /** A file is closed before it grows beyond this. */
  rotateBytes: number;
  now: () => number;
  /** Told once a file of what in it cannot be read. It must not throw. */
  onProblem?: (text: string) => void;
}

/** Everything that was said, word for word: `memory/text/<time>.jsonl`, one `TextRecord` a line. */
export class TextLog {
  readonly #options: TextLogOptions;
  readonly #log: AppendLog;
  readonly #told = new Set<string>();
  readonly #counts = new Map<string, { size: number; lines: number }>();
  #size = 0;

  /** Goes on in the newest file, or in a new one when a crash left that with half a line. */
  constructor(options: TextLogOptions) {
    this.#options = options;
    const newest = this.#files().at(-1);
    const bytes = newest && options.store.read(join(options.folder, newest.name));
    const torn = bytes && bytes.length > 0 && bytes.at(-1) !== 10;
    this.#size = newest && !torn ? newest.size : 0;
    this.#log = new AppendLog(options.store, join(options.folder, newest && !torn ? newest.name : this.#newName()));
  }

  /** Durable when it resolves. */
  append(record: TextRecord): Promise<void> {
    return this.appendAll([record]);
  }

  /** Several records with one wait for the disk. */
  async appendAll(records: TextRecord[]): Promise<void> {
    const lines = records.map((record) => JSON.stringify(record) + "\n").join("");
    const bytes = new TextEncoder().encode(lines);
    if (this.#size > 0 && this.#size + bytes.length > this.#options.rotateBytes) {
      while (this.#log.busy) await this.#log.idle();
      this.#log.moveTo(join(this.#options.folder, this.#newName()));
      this.#size = 0;
    }
    this.#size += bytes.length;
    await this.#log.append(bytes);
  }

  /** Records after a place (null: from the start), each with the place behind it. Lines that are no record, as a crash
   * may leave one, are passed over. */
  *read(after: TextCursor | null): Generator<{ record: TextRecord; next: TextCursor }> {
    for (const { name } of this.#files()) {
      if (after && name < after.file) continue;
      const bytes = this.#options.store.read(join(this.#options.folder, name)) ?? new Uint8Array();
      let start = after?.file === name ? after.offset : 0;
      for (let end = bytes.indexOf(10, start); end !== -1; end = bytes.indexOf(10, start)) {
        const record = decodeRecord(bytes.subarray(start, end));
        if (!record && end > start) this.#tell(name);
        start = end + 1;
        if (record) yield { record, next: { file: name, offset: start } };
      }
      // Half a line is what a kill leaves of a record that was never acknowledged; anything else is damage.
      if (start < bytes.length && bytes[start] !== BRACE) this.#tell(name);
    }
  }

  #tell(name: string): void {
    if (this.#told.has(name)) return;
    this.#told.add(name);
    const path = join(this.#options.folder, name);
    this.#options.onProblem?.(
      `Not all of ${path} can be read: the other messages are（部分消息记录已损坏，其余不受影响）`,
    );
  }

  /** Removes closed files whose last record is older than `before` (milliseconds since the epoch) and that lie wholly
   * before `done`. Imported messages stay: a person gave them to be kept. Returns how many files went or shrank. */
  expire(before: number, done: TextCursor | null): number {
    let expired = 0;
    for (const { name } of this.#files()) {
      const path = join(this.#options.folder, name);
      if (path === this.#log.path || !done || name >= done.file) break;
      let kept = "", records = 0, imported = 0, newest = -Infinity;
      for (const { record, next } of this.read({ file: name, offset: 0 })) {
        if (next.file !== name) break;
        records++;
        if (record.id === undefined) newest = Math.max(newest, record.at);
        else {
          imported++;
          kept += JSON.stringify(record) + "\n";
        }
      }
      if (newest >= before || (records > 0 && imported === records)) continue;
      if (imported === 0) this.#options.store.remove(path);
      else this.#options.store.write(path, new TextEncoder().encode(kept));
      this.#counts.delete(name);
      expired++;
    }
    return expired;
  }

  /** Passes every record through `change`; null takes it out. Only files in which something changed are written.
   * Answers with how many were changed, and with where `cursor` is now. */
  async rewrite(
    change: (record: TextRecord) => TextRecord | null,
    cursor: TextCursor | null = null,
  ): Promise<{ changed: number; cursor: TextCursor | null }> {
    while (this.#log.busy) await this.#log.idle();
    let changed = 0, moved = cursor;
    for (const { name, size } of this.#files()) {
      const path = join(this.#options.folder, name);
      const before = changed;
      let kept = "", offset = 0, readable = 0;
      for (const { record, next } of this.read({ file: name, offset: 0 })) {
        if (next.file !== name) break;
        const after = change(record);
        if (after !== record) changed++;
        readable += new TextEncoder().encode(JSON.stringify(record)).length + 1;
        if (after) kept += JSON.stringify(after) + "\n";
        if (cursor?.file === name && next.offset <= cursor.offset) offset = new TextEncoder().encode(kept).length;
      }
      // What is no record may have in it what was to go: it goes too.
      if (changed === before && readable === size) continue;
      const bytes = new TextEncoder().encode(kept);
      this.#options.store.write(path, bytes);
      if (path === this.#log.path) this.#size = bytes.length;
      if (cursor?.file === name) moved = { file: name, offset };
    }
    return { changed, cursor: moved };
  }

  /** How many records there are. Counted once a file and size. */
  count(): number {
    let sum = 0;
    for (const { name, size } of this.#files()) {
      let known = this.#counts.get(name);
      if (known?.size !== size) {
        const bytes = this.#options.store.read(join(this.#options.folder, name)) ?? new Uint8Array();
        let lines = 0;
        for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines++;
        this.#counts.set(name, known = { size, lines });
      }
      sum += known.lines;
    }
    return sum;
  }

  bytes(): number {
    return this.#files().reduce((sum, file) => sum + file.size, 0);
  }

  #files() {
    return this.#options.store.list(this.#options.folder).filter((entry) => NAME.test(entry.name) && !entry.folder);
  }

  /** Later than every name there is, also when the clock was set back. */
  #newName(): string {
    const last = this.#files().at(-1)?.name;
    const [, hour, minute, second, millisecond] = last?.match(NAME) ?? [];
    const after = last ? Date.parse(`${hour}:${minute}:${second}.${millisecond}`) + 1 : 0;
    return new Date(Math.max(this.#options.now(), after)).toISOString().replace(/[:.]/g, "-") + ".jsonl";
  }
}

/** The time in a file's name, in parts: 2026-12-01T15-12-00-000Z.jsonl. */
const NAME = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)\.jsonl$/;

const BRACE = "{".charCodeAt(0);

function decodeRecord(line: Uint8Array | string): TextRecord | undefined {
  try {
    const value = JSON.parse(typeof line === "string" ? line : new TextDecoder().decode(line));
    return typeof value?.text === "string" && typeof value.at === "number" ? value : undefined;
  } catch {
    return undefined;
  }
}

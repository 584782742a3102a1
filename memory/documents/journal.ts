import type { FileStore } from "../files.ts";
import { jsonBytes } from "../files.ts";
import { documentOf, type MemoryDocument } from "./document.ts";

/** One change of a batch: a document as it is now, or the id of one that is gone. */
export type JournalLine = { put: MemoryDocument } | { remove: string };

const NAME = /^\d{10}\.jsonl$/;

/** The durable point of bulk writes: a batch is one file, written and synced before any document is touched, and kept
 * until every file of it has been synced on its own. Later batches win over earlier ones. */
export class Journal {
  readonly #files: FileStore;
  readonly #folder: string;
  #next: number;
  readonly #pending: string[];

  constructor(files: FileStore, folder: string) {
    this.#files = files;
    this.#folder = folder;
    this.#pending = files.list(folder).filter((entry) => !entry.folder && NAME.test(entry.name)).map((entry) =>
      entry.name
    );
    this.#next = Number(this.#pending.at(-1)?.slice(0, 10) ?? 0) + 1;
  }

  /** Batches whose files are not all synced yet. */
  get pending(): number {
    return this.#pending.length;
  }

  /** Writes a batch; durable when it returns. */
  write(lines: JournalLine[]): void {
    const name = `${String(this.#next).padStart(10, "0")}.jsonl`;
    const text = lines.map((line) => JSON.stringify(line)).join("\n") + "\n";
    this.#files.write(`${this.#folder}/${name}`, new TextEncoder().encode(text));
    this.#next++;
    this.#pending.push(name);
  }

  /** The changes of one pending batch, 0 being the oldest, in order. */
  batch(index: number): JournalLine[] {
    return this.check(index).lines;
  }

  /** The same, with how many lines could not be read. A batch is written all or nothing, so that is damage: the
   * documents of such lines keep the files they have. */
  check(index: number): { path: string; lines: JournalLine[]; damaged: number } {
    const path = `${this.#folder}/${this.#pending[index]}`;
    const texts = new TextDecoder().decode(this.#files.read(path) ?? new Uint8Array()).split("\n").filter((text) =>
      text !== ""
    );
    const lines = texts.flatMap((text) => lineOf(text) ?? []);
    return { path, lines, damaged: texts.length === 0 ? 1 : texts.length - lines.length };
  }

  /** Drops the oldest batch: its files are safe by themselves. */
  dropOldest(): void {
    const name = this.#pending[0];
    if (name === undefined) return;
    this.#files.remove(`${this.#folder}/${name}`);
    this.#pending.shift();
  }
}

/** The bytes of a document's file. */
export function documentBytes(document: MemoryDocument): Uint8Array {
  return jsonBytes(document);
}

function lineOf(text: string): JournalLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // Counted as damage.
  }
  const { put, remove } = (value ?? {}) as { put?: unknown; remove?: unknown };
  const document = documentOf(put);
  if (document) return { put: document };
  return typeof remove === "string" ? { remove } : undefined;
}

import type { FileStore } from "../files.ts";
import { jsonBytes } from "../files.ts";
import { documentOf, type MemoryDocument } from "./document.ts";

/** One change of a batch: a document as it is now, or the id of one that is gone. */
export type JournalLine = { put: MemoryDocument } | { remove: string };

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
    this.#pending = files.list(folder).filter((entry) => /^\d{10}\.jsonl$/.test(entry.name)).map((entry) => entry.name);
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
    const bytes = this.#files.read(`${this.#folder}/${this.#pending[index]}`);
    if (bytes === null) return [];
    return new TextDecoder().decode(bytes).split("\n").flatMap((text) => lineOf(text) ?? []);
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
  if (text === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // A batch is written all or nothing, so this is damage: the line's document keeps the file it has.
    return undefined;
  }
  const { put, remove } = value as { put?: unknown; remove?: unknown };
  const document = documentOf(put);
  if (document) return { put: document };
  return typeof remove === "string" ? { remove } : undefined;
}

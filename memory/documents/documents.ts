import { newId } from "../../core/base/ids.ts";
import { type FileStore, isDiskFull, keepAside, readChecked, setAside } from "../files.ts";
import type { SearchIndex, Unit } from "../index/search_index.ts";
import { settleDatabase, transaction } from "../sqlite.ts";
import { contentHash, documentEcho, documentOf, documentPath, type MemoryDocument } from "./document.ts";
import { documentBytes, Journal, type JournalLine } from "./journal.ts";

/** What `put` takes: the id is made when there is none, the time is now. */
export type NewDocument = Omit<MemoryDocument, "id" | "at" | "content"> & { id?: string; at?: number; content: string };

/** So many documents a batch are synced themselves; more go through the journal, which is one wait for the disk. */
const DIRECT = 1;

/** What a document's row in the index says besides its text. Times in milliseconds. */
export interface DocumentState {
  id: string;
  at: number;
  accesses: number;
  accessed: number;
  derived: boolean;
  bytes: number;
  source?: string;
}

/** The document tier: one JSON file each below `folder`, which are the truth, and rows of the index, which can be made
 * again from them. A put, a batch or a removal is durable when its call returns. */
export class Documents implements Disposable {
  /** What opening found, for the person. */
  readonly notices: string[] = [];
  /** The last process closed it, and the index had all that is here. */
  wasClean = false;
  readonly #files: FileStore;
  readonly #folder: string;
  readonly #index: SearchIndex;
  readonly #now: () => number;
  readonly #journal: Journal;
  #tell = (text: string): void => void this.notices.push(text);
  /** What of the oldest batch is not synced yet. */
  #settling: JournalLine[] | undefined;

  constructor(
    options: {
      files: FileStore;
      folder: string;
      index: SearchIndex;
      now?: () => number;
      /** Names the present run of the machine, where that is known: what was written in it is there. */
      boot?: string | undefined;
      /** Told, after opening, of what is found damaged. It must not throw. */
      onProblem?: (text: string) => void;
    },
  ) {
    this.#files = options.files;
    this.#folder = options.folder;
    this.#index = options.index;
    this.#now = options.now ?? Date.now;
    this.#journal = new Journal(this.#files, `${this.#folder}/journal`);
    try {
      this.#recover(options.boot ?? "");
    } catch (error) {
      throw this.#index.condemned(error);
    }
    if (options.onProblem) this.#tell = options.onProblem;
  }

  /** Keeps one document; the same id again replaces it, the same content under it changes nothing. Answers with its id. */
  put(document: NewDocument): string {
    return this.putMany([document])[0]!;
  }

  /** Keeps a batch with one durable point: after a crash all of it is there, or none. Answers with the ids. */
  putMany(batch: NewDocument[]): string[] {
    const all = batch.map((document) => this.#complete(document));
    const changed = all.filter((document) => this.#row(document.id)?.hash !== stateHash(document));
    if (changed.length > 0) this.#store(changed);
    return all.map((document) => document.id);
  }

  /** The document, or undefined when there is none. One whose file is broken is set aside and noticed, and made again
   * from what the index has of it. */
  get(id: string): MemoryDocument | undefined {
    const document = this.#read(this.#path(id));
    if (!document && this.#row(id)) this.#forgetRows([id]);
    return document;
  }

  has(id: string): boolean {
    return this.#row(id) !== undefined;
  }

  /** What is known of it besides its content. */
  state(id: string): DocumentState | undefined {
    const row = this.#row(id);
    return row && stateOf(row);
  }

  remove(id: string): boolean {
    return this.removeMany([id]) > 0;
  }

  /** Removes several; answers with how many there were. */
  removeMany(ids: string[]): number {
    const there = ids.filter((id) => this.#row(id) !== undefined || this.#files.read(this.#path(id)) !== null);
    if (there.length === 0) return 0;
    if (there.length > 1 || this.#journal.pending > 0) this.#announceRemoval(there);
    for (const id of there) this.#files.remove(this.#path(id));
    this.#forgetRows(there);
    return there.length;
  }

  /** Counts an access: what was given to the model stays warm. */
  touch(ids: string[]): void {
    this.#index.batch(() => {
      const statement = this.#index.statement(
        "UPDATE documents SET accesses = accesses + 1, accessed = ? WHERE id = ?",
      );
      for (const id of ids) statement.run(this.#now(), id);
    });
  }

  /** Documents last used before `before` and at most `maxAccesses` times, oldest first; never derived ones. */
  cold(before: number, options: { maxAccesses: number; limit?: number }): DocumentState[] {
    const rows = this.#index.statement(
      `SELECT * FROM documents WHERE derived = 0 AND accessed < ? AND accesses <= ? ORDER BY accessed LIMIT ?`,
    ).all(before, options.maxAccesses, options.limit ?? 100);
    return (rows as unknown as DocumentRow[]).map(stateOf);
  }

  /** All documents, from their files, in no order. Broken ones are set aside and left out. */
  *iterate(): Generator<MemoryDocument> {
    for (const path of this.#paths()) {
      const document = this.#read(path);
      if (document) yield document;
    }
  }

  stats(): { documents: number; bytes: number } {
    const row = this.#index.statement("SELECT count(*) AS documents, total(bytes) AS bytes FROM documents").get();
    const { documents, bytes } = row as { documents: number; bytes: number };
    return { documents, bytes };
  }

  /** Makes the index's rows again from the files. Access counts start anew, as if all had been used now. */
  rebuild(): { documents: number } {
    this.#index.batch(() => {
      this.#index.removeKind("document");
      this.#index.db.exec("DELETE FROM documents");
      let batch: MemoryDocument[] = [];
      for (const document of this.iterate()) {
        batch.push(document);
        if (batch.length < 500) continue;
        this.#indexRows(batch, this.#now());
        batch = [];
      }
      this.#indexRows(batch, this.#now());
    });
    return this.stats();
  }

  /** Batches in the journal whose files are not synced one by one yet. */
  get unsettled(): number {
    return this.#journal.pending;
  }

  /** Syncs files of the oldest pending batch, at most so many, and drops it from the journal when all are: idle work.
   * False when nothing is left. Before something is erased for good, call it until it says so. */
  settle(most = Infinity): boolean {
    if (this.#journal.pending === 0) return false;
    this.#settling ??= this.#journal.batch(0);
    for (let done = 0; done < most; done++) {
      const line = this.#settling[0];
      if (!line) break;
      this.#settleFile(this.#path("put" in line ? line.put.id : line.remove));
      this.#settling.shift();
    }
    if (this.#settling.length === 0) {
      this.#journal.dropOldest();
      this.#settling = undefined;
    }
    return this.#journal.pending > 0;
  }

  /** Without room for a batch the files go one by one, once no pending batch could bring them back: what takes less
   * room than before must not need any. */
  #announceRemoval(ids: string[]): void {
    try {
      this.#journal.write(ids.map((id) => ({ remove: id })));
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      while (this.settle());
    }
  }

  #settleFile(path: string): void {
    if (this.#files.draft && this.#files.settle) return this.#files.settle(path);
    const bytes = this.#files.read(path);
    if (bytes !== null) this.#files.write(path, bytes);
  }

  /** Notes that files and rows agree, so that the next start need not compare them. */
  [Symbol.dispose](): void {
    if (this.#index.db.isOpen) this.#index.setMeta("documents_clean", 1);
  }

  #complete(document: NewDocument): MemoryDocument {
    const at = document.at ?? this.#now();
    return { ...document, id: document.id ?? newId(at), at, content: document.content };
  }

  #store(documents: MemoryDocument[]): void {
    if (documents.length <= DIRECT && this.#journal.pending === 0) {
      for (const document of documents) this.#files.write(this.#path(document.id), documentBytes(document));
    } else {
      this.#journal.write(documents.map((document) => ({ put: document })));
      for (const document of documents) this.#draft(document);
    }
    this.#index.batch(() => this.#indexRows(documents, this.#now()));
  }

  #draft(document: MemoryDocument): void {
    const path = this.#path(document.id);
    const bytes = documentBytes(document);
    if (this.#files.draft) this.#files.draft(path, bytes);
    else this.#files.write(path, bytes);
  }

  #indexRows(documents: MemoryDocument[], now: number): void {
    const statement = this.#index.statement(
      `INSERT INTO documents (id, at, accessed, derived, bytes, hash, source) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET at = excluded.at, derived = excluded.derived, bytes = excluded.bytes,
        hash = excluded.hash, source = excluded.source`,
    );
    for (const document of documents) {
      const { id, at, derived = false, source = null, content } = document;
      statement.run(id, at, now, derived ? 1 : 0, content.length, stateHash(document), source);
    }
    this.#index.putMany(documents.map(unitOf));
  }

  #forgetRows(ids: string[]): void {
    this.#index.batch(() => {
      const statement = this.#index.statement("DELETE FROM documents WHERE id = ?");
      for (const id of ids) {
        statement.run(id);
        this.#index.remove("document", id);
      }
    });
  }

  /** Brings files and rows to agree after whatever happened to the last process. While the machine has been running
   * since, what was written is there, synced or not: only the newest batch may have been cut off by a kill. */
  #recover(boot: string): void {
    const isSameRun = boot !== "" && this.#index.meta("documents_boot") === boot;
    const from = isSameRun ? Math.max(0, this.#journal.pending - 1) : 0;
    this.#replay(from);
    this.wasClean = this.#index.meta("documents_clean") === 1 && this.#journal.pending === 0 && !this.#index.stale;
    if (!this.wasClean && !this.#reconcile(from)) {
      this.#replay(0);
      this.#reconcile(0);
    }
    this.#index.setMeta("documents_clean", 0);
    this.#index.setMeta("documents_boot", boot);
    // On disk at once: an index that loses its log with the power must not take itself for clean.
    settleDatabase(this.#index.db);
  }

  #replay(from: number): void {
    for (let i = from; i < this.#journal.pending; i++) {
      const { path, lines, damaged } = this.#journal.check(i);
      for (const line of lines) {
        if ("remove" in line) this.#files.remove(this.#path(line.remove));
        else this.#draft(line.put);
      }
      if (damaged === 0) continue;
      const instead = `${damaged} of its lines could not be read, those documents stay as they are`;
      this.#tell(keepAside(this.#files, path, { reason: "it is not whole", now: this.#now(), instead }));
    }
  }

  /** `from`: the batches before it were not replayed. False when one of their files is not there after all: nothing was
   * changed then. */
  #reconcile(from: number): boolean {
    const rows = new Map<string, { id: string; hash: string }>();
    for (const row of this.#index.db.prepare("SELECT id, hash FROM documents").iterate()) {
      const { id, hash } = row as { id: string; hash: string };
      rows.set(this.#path(id), { id, hash });
    }
    const wrong: MemoryDocument[] = [];
    const journaled = this.#journaledPaths(from);
    for (const path of this.#paths({ tidy: true })) {
      const row = rows.get(path);
      rows.delete(path);
      if (row && !journaled.has(path)) continue;
      const document = this.#read(path);
      if (document && document.id !== row?.id) wrong.push(document);
      else if (document && stateHash(document) !== row?.hash) wrong.push(document);
      else if (!document && row) this.#forgetRows([row.id]);
    }
    if (rows.size > 0 && from > 0) return false;
    this.#forgetRows([...rows.values()].map((row) => row.id));
    transaction(this.#index.db, () => {
      for (let i = 0; i < wrong.length; i += 500) this.#indexRows(wrong.slice(i, i + 500), this.#now());
    });
    return true;
  }

  #journaledPaths(from: number): Set<string> {
    const paths = new Set<string>();
    for (let i = from; i < this.#journal.pending; i++) {
      for (const line of this.#journal.batch(i)) paths.add(this.#path("put" in line ? line.put.id : line.remove));
    }
    return paths;
  }

  /** `tidy`: what a kill left of files that were never finished is removed on the way. */
  *#paths({ tidy = false } = {}): Generator<string> {
    for (const folder of this.#files.list(this.#folder)) {
      if (!folder.folder || !/^[0-9a-f]{2}$/.test(folder.name)) continue;
      for (const file of this.#files.list(`${this.#folder}/${folder.name}`)) {
        const path = `${this.#folder}/${folder.name}/${file.name}`;
        if (file.name.endsWith(".json") && !file.folder) yield path;
        else if (tidy && file.name.endsWith(".json.tmp") && !file.folder) this.#files.remove(path);
      }
    }
  }

  #path(id: string): string {
    return `${this.#folder}/${documentPath(id)}`;
  }

  #read(path: string): MemoryDocument | undefined {
    const checked = readChecked(this.#files, path, documentOf);
    if (checked.kind === "sound") return checked.value;
    if (checked.kind === "missing") return undefined;
    const restored = this.#restored(path);
    const instead = restored
      ? "its text was restored from the index, the other documents are not touched"
      : "the other documents are not touched";
    this.#tell(setAside(this.#files, path, { reason: checked.reason, now: this.#now(), instead }));
    if (restored) this.#files.write(path, documentBytes(restored));
    return restored;
  }

  /** What the index still has of a document whose file is broken: its text as it was said or noted. What it does not
   * have is whether the text is the owner's own, so that it is never distilled. */
  #restored(path: string): MemoryDocument | undefined {
    const rows = this.#index.statement("SELECT id FROM documents WHERE derived = 0").all() as { id: string }[];
    const id = rows.find((row) => this.#path(row.id) === path)?.id;
    const unit = id === undefined ? undefined : this.#index.get("document", id);
    if (!unit) return undefined;
    const { text, title, at, source, thread, n, echo } = unit;
    const said = echo === "agent" ? { kind: "agent", response: text } : { kind: "user", input: text };
    return {
      id: unit.id,
      content: text,
      at,
      untrusted: true,
      ...(title !== undefined && { title }),
      ...(source !== undefined && { source }),
      ...(thread !== undefined && { thread }),
      ...(n !== undefined && { n }),
      ...(echo && { event: { id: unit.id, at, turn: "", source: source ?? "", channel: thread ?? "", ...said } }),
    };
  }

  #row(id: string): DocumentRow | undefined {
    return this.#index.statement("SELECT * FROM documents WHERE id = ?").get(id) as DocumentRow | undefined;
  }
}

interface DocumentRow {
  id: string;
  at: number;
  accesses: number;
  accessed: number;
  derived: number;
  bytes: number;
  hash: string;
  source: string | null;
}

function stateOf({ id, at, accesses, accessed, derived, bytes, source }: DocumentRow): DocumentState {
  return { id, at, accesses, accessed, derived: derived === 1, bytes, ...(source !== null && { source }) };
}

/** A hash of everything in it: a put of the same again is nothing. */
function stateHash(document: MemoryDocument): string {
  return contentHash({ ...document, content: JSON.stringify(document) });
}

function unitOf(document: MemoryDocument): Unit {
  const { id, title, content, at, thread, n, source } = document;
  const echo = documentEcho(document);
  return {
    kind: "document",
    id,
    text: content,
    at,
    ...(title !== undefined && title !== "" && { title }),
    ...(thread !== undefined && { thread }),
    ...(n !== undefined && { n }),
    ...(source !== undefined && { source }),
    ...(echo && { echo }),
  };
}

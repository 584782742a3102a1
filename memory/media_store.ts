import { createHash } from "node:crypto";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { HomedError } from "../core/base/errors.ts";
import { mimeOf } from "../core/base/mime.ts";
import type { MediaBlob } from "../core/wire/memory.ts";
import type { FileStore } from "./files.ts";
import { checkpoint, copyDatabase, openDatabase, Statements, transaction } from "./sqlite.ts";
import { scrubDatabase } from "./sqlite_scrub.ts";

/** Who refers to a blob: a context event, a document, a sentence of the graph; each by its id. */
export type MediaOwner = "context" | "document" | "graph_sentence";

const SCHEMA = [`
  CREATE TABLE blobs (
    digest TEXT PRIMARY KEY, mime TEXT NOT NULL, bytes INTEGER NOT NULL, description TEXT NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL, used_at INTEGER NOT NULL,
    -- 0: evicted or damaged; the description is what remains.
    present INTEGER NOT NULL,
    -- When collection first found it without references; NULL while it has some.
    unreferenced_since INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE refs (
    owner_kind TEXT NOT NULL, owner_id TEXT NOT NULL, digest TEXT NOT NULL,
    PRIMARY KEY (owner_kind, owner_id, digest)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX refs_of_digest ON refs(digest);
`];

/** Up to this size the whole database is checked at every start. */
const CHECKED = 32 * 1024 * 1024;

const UNREFERENCED = "NOT EXISTS (SELECT 1 FROM refs WHERE refs.digest = blobs.digest)";

interface Row {
  digest: string;
  mime: string;
  bytes: number;
  description: string;
  present: number;
}

/** Content-addressed images and sounds: `media.db` knows them, `blobs/ab/<sha256>` holds them. */
export class MediaStore {
  readonly #store: FileStore;
  readonly #folder: string;
  readonly #now: () => number;
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  readonly #backup: string;
  /** What was found damaged when it was opened. */
  readonly notices: string[];
  /** It may not have all references: who refers to media has to say so again. */
  readonly isDoubtful: boolean;
  /** Blobs whose rows were lost: their descriptions are not known. */
  readonly adopted: string[];

  constructor(options: { store: FileStore; folder: string; now: () => number }) {
    this.#store = options.store;
    this.#folder = options.folder;
    this.#now = options.now;
    const path = join(options.folder, "media.db");
    this.#backup = `${path}.bak`;
    const opened = openDatabase(path, { schema: SCHEMA, cacheKiB: 512, checked: CHECKED, backup: this.#backup });
    this.#db = opened.db;
    this.#statements = new Statements(this.#db);
    this.notices = opened.notices;
    const isRestored = opened.fresh || opened.notices.length > 0;
    this.adopted = isRestored || opened.unclean ? this.#adopt() : [];
    this.isDoubtful = isRestored || this.adopted.length > 0;
    if (this.adopted.length > 0 && isRestored) {
      this.notices.push(
        `${path} had lost ${this.adopted.length} images and sounds: they were found again by their files ` +
          "（媒体数据库缺失的条目已根据文件恢复）",
      );
    }
  }

  /** Stores bytes once, whoever brings them how often. The blob is whole on disk before the row that names it. */
  put(mime: string, data: Uint8Array, description = ""): string {
    const digest = digestOf(data);
    if (!this.#row(digest)?.present || !this.#isWhole(digest)) this.#store.write(this.#path(digest), data);
    this.#statements.of(`
      INSERT INTO blobs (digest, mime, bytes, description, created_at, used_at, present) VALUES (?, ?, ?, ?, ?, ?, 1)
      ON CONFLICT (digest) DO UPDATE SET present = 1, used_at = excluded.used_at, unreferenced_since = NULL,
        description = CASE WHEN excluded.description = '' THEN description ELSE excluded.description END
    `).run(digest, mime, data.length, description, this.#now(), this.#now());
    return digest;
  }

  /** Notes a blob whose bytes are not here (an export without them). One that is known stays as it is. */
  know(digest: string, mime: string, description: string): void {
    this.#statements.of(`INSERT OR IGNORE INTO blobs (digest, mime, bytes, description, created_at, used_at, present)
      VALUES (?, ?, 0, ?, ?, ?, 0)`).run(digest, mime, description, this.#now(), this.#now());
  }

  /** The bytes are checked against the digest at every read.
   * @throws HomedError `damaged` once, when they are not what was stored: the file is set aside, and later reads give the
   * description alone. */
  get(digest: string): MediaBlob | null {
    const row = this.#row(this.resolve(digest) ?? digest);
    if (!row) return null;
    const blob = { digest: row.digest, mime: row.mime, bytes: row.bytes, description: row.description };
    if (!row.present) return blob;
    const path = this.#path(row.digest);
    const data = this.#store.read(path);
    if (data === null || digestOf(data) !== row.digest) {
      this.#statements.of("UPDATE blobs SET present = 0 WHERE digest = ?").run(row.digest);
      if (data) this.#store.rename(path, `${path}.damaged-${this.#now()}`);
      const what = data ? "its bytes are not what was stored" : "its file is gone";
      throw new HomedError("damaged", `Cannot read media ${row.digest.slice(0, 12)}: ${what}; its description is kept`);
    }
    this.#statements.of("UPDATE blobs SET used_at = ? WHERE digest = ?").run(this.#now(), row.digest);
    return { ...blob, data };
  }

  describe(digest: string, description: string): void {
    const done = this.#statements.of("UPDATE blobs SET description = ? WHERE digest = ?").run(description, digest);
    if (done.changes === 0) throw new HomedError("not_found", `There is no media ${digest.slice(0, 12)}`);
  }

  /** The full digest of which `prefix` (twelve or more hex digits, as in a marker) is the beginning. */
  resolve(prefix: string): string | undefined {
    if (!/^[0-9a-f]{12,64}$/.test(prefix)) return undefined;
    const rows = this.#statements.of("SELECT digest FROM blobs WHERE digest >= ? AND digest < ? LIMIT 2")
      .all(prefix, prefix + "g") as { digest: string }[];
    return rows.length === 1 ? rows[0]!.digest : undefined;
  }

  /** Makes the references of one owner exactly these. Doing it again changes nothing. */
  setReferences(kind: MediaOwner, owner: string, digests: string[]): void {
    if (digests.length === 0 && !this.#hasReferences(kind, owner)) return;
    transaction(this.#db, () => {
      this.#statements.of("DELETE FROM refs WHERE owner_kind = ? AND owner_id = ?").run(kind, owner);
      const add = this.#statements.of("INSERT OR IGNORE INTO refs VALUES (?, ?, ?)");
      const seen = this.#statements.of("UPDATE blobs SET unreferenced_since = NULL WHERE digest = ?");
      for (const digest of digests) {
        add.run(kind, owner, digest);
        seen.run(digest);
      }
    });
  }

  /** Every owner of one kind. */
  owners(kind: MediaOwner): string[] {
    const rows = this.#statements.of("SELECT DISTINCT owner_id FROM refs WHERE owner_kind = ?").all(kind);
    return rows.map((row) => row.owner_id as string);
  }

  references(digest: string): { kind: MediaOwner; owner: string }[] {
    return this.#statements.of("SELECT owner_kind AS kind, owner_id AS owner FROM refs WHERE digest = ?")
      .all(digest) as { kind: MediaOwner; owner: string }[];
  }

  /** Two stages: what has no reference is marked; what is still without one `minAge` milliseconds after it was marked is
   * removed with its row. A referenced blob is never touched. Returns how many were removed. */
  collect(minAge: number): number {
    const now = this.#now();
    this.#statements.of(`UPDATE blobs SET unreferenced_since = NULL WHERE unreferenced_since IS NOT NULL
      AND NOT ${UNREFERENCED}`).run();
    const due = this.#statements.of(`SELECT digest FROM blobs WHERE ${UNREFERENCED} AND unreferenced_since <= ?
      AND used_at <= ?`).all(now - minAge, now - minAge) as { digest: string }[];
    for (const { digest } of due) this.#delete(digest);
    this.#statements.of(`UPDATE blobs SET unreferenced_since = ? WHERE ${UNREFERENCED} AND unreferenced_since IS NULL`)
      .run(now);
    return due.length + this.#collectStrays(minAge);
  }

  /** Drops the bytes of blobs that were used longest ago until the rest fits, first those without references; what came
   * within `minAge` stays. Rows stay with their descriptions. Returns how many were evicted. */
  evict(maxBytes: number, minAge: number): number {
    let { bytes } = this.stats();
    if (maxBytes <= 0 || bytes <= maxBytes) return 0;
    const oldest = this.#statements.of(`SELECT digest, bytes FROM blobs WHERE present = 1 AND created_at <= ?
      ORDER BY ${UNREFERENCED} DESC, used_at`).all(this.#now() - minAge) as { digest: string; bytes: number }[];
    let evicted = 0;
    for (const row of oldest) {
      if (bytes <= maxBytes) break;
      // The row first: a row that says "present" without a file would be told as damage.
      this.#statements.of("UPDATE blobs SET present = 0 WHERE digest = ?").run(row.digest);
      this.#store.remove(this.#path(row.digest));
      bytes -= row.bytes;
      evicted++;
    }
    return evicted;
  }

  /** Removes a blob that nobody may have any more. */
  forget(digest: string): void {
    this.#statements.of("DELETE FROM refs WHERE digest = ?").run(digest);
    this.#delete(digest);
  }

  /** Blobs whose description `matches`. */
  search(matches: (description: string) => boolean): string[] {
    const rows = this.#statements.of("SELECT digest, description FROM blobs").all() as unknown as Row[];
    return rows.filter((row) => matches(row.description)).map((row) => row.digest);
  }

  /** Every blob that is known, without its bytes. */
  all(): MediaBlob[] {
    return this.#statements.of("SELECT digest, mime, bytes, description FROM blobs ORDER BY digest")
      .all() as unknown as MediaBlob[];
  }

  stats(): { items: number; bytes: number } {
    const row = this.#statements.of("SELECT count(*) AS items, coalesce(sum(bytes * present), 0) AS bytes FROM blobs")
      .get();
    return { ...row as { items: number; bytes: number } };
  }

  /** Leaves nothing of what was deleted in any file. */
  settle(): void {
    for (const folder of this.#store.list(join(this.#folder, "blobs"))) {
      for (const file of this.#store.list(join(this.#folder, "blobs", folder.name))) {
        if (file.name.includes(".damaged-")) this.#store.remove(join(this.#folder, "blobs", folder.name, file.name));
      }
    }
    scrubDatabase(this.#db, join(this.#folder, "media.db"));
  }

  /** Changes whenever something is worth a new backup. */
  get sum(): string {
    return Object.values(
      this.#statements.of(`SELECT count(*), total(bytes), total(length(description)), total(present),
        (SELECT count(*) FROM refs) FROM blobs`).get()!,
    ).join(" ");
  }

  /** Keeps a copy to fall back on. Answers with whether it could. */
  keepBackup(): Promise<boolean> {
    return copyDatabase(this.#db, this.#backup);
  }

  checkpoint(): void {
    checkpoint(this.#db);
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  #isWhole(digest: string): boolean {
    const data = this.#store.read(this.#path(digest));
    return data !== null && digestOf(data) === digest;
  }

  /** Whole blobs without a row get one again. Those that a kill left between the two are collected like any that nobody
   * refers to. */
  #adopt(): string[] {
    const blobs = join(this.#folder, "blobs");
    return this.#store.list(blobs).filter((entry) => entry.folder).flatMap((folder) =>
      this.#store.list(join(blobs, folder.name)).flatMap(({ name, folder: isFolder, modified }) => {
        if (isFolder || !/^[0-9a-f]{64}$/.test(name) || this.#row(name)) return [];
        const data = this.#store.read(this.#path(name));
        if (data === null || digestOf(data) !== name) return [];
        const at = Math.round(modified);
        this.#statements.of(`INSERT INTO blobs (digest, mime, bytes, description, created_at, used_at, present)
          VALUES (?, ?, ?, '', ?, ?, 1)`).run(name, mimeOf(data) ?? "application/octet-stream", data.length, at, at);
        return [name];
      })
    );
  }

  #row(digest: string): Row | undefined {
    return this.#statements.of("SELECT * FROM blobs WHERE digest = ?").get(digest) as Row | undefined;
  }

  #hasReferences(kind: MediaOwner, owner: string): boolean {
    return this.#statements.of("SELECT 1 FROM refs WHERE owner_kind = ? AND owner_id = ? LIMIT 1").get(kind, owner) !==
      undefined;
  }

  #delete(digest: string): void {
    this.#statements.of("DELETE FROM blobs WHERE digest = ?").run(digest);
    this.#store.remove(this.#path(digest));
  }

  /** Files that a crash left between a blob and its row. */
  #collectStrays(minAge: number): number {
    let removed = 0;
    const blobs = join(this.#folder, "blobs");
    for (const folder of this.#store.list(blobs)) {
      for (const file of this.#store.list(join(blobs, folder.name))) {
        const isKnown = /^[0-9a-f]{64}$/.test(file.name) && this.#row(file.name);
        if (isKnown || file.name.includes(".damaged-") || file.modified > this.#now() - minAge) continue;
        this.#store.remove(join(blobs, folder.name, file.name));
        removed++;
      }
    }
    return removed;
  }

  #path(digest: string): string {
    return join(this.#folder, "blobs", digest.slice(0, 2), digest);
  }
}

/** The sha256 of bytes in hex. */
export function digestOf(data: Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

import { DatabaseSync } from "node:sqlite";
import { HomedError, messageOf } from "../base/errors.ts";
import { isThere, removeIfThere } from "../base/files.ts";

/** Where settings are kept: texts by key, in one table for the core and one for each plugin. */
export interface SettingStore {
  all(): Map<string, string>;
  /** Durable when it returns; `null` removes the key. */
  write(changes: ReadonlyMap<string, string | null>): void;
  /** Whether the database finds itself whole. */
  isWhole(): boolean;
  /** Writes a whole copy to `path`, where nothing may be yet. */
  copyTo(path: string): void;
  close(): void;
}

/** Opens `config.db`, readable by its owner alone. A damaged file is set aside, and the copy that is made after every
 * change takes its place; `notices` says so in sentences for the person. Never throws for a damaged file. */
export function openSettingStore(path: string): { store: SettingStore; notices: string[] } {
  const notices: string[] = [];
  for (const rest of ["-wal", "-shm"]) requireFile(path + rest);
  const copy = `${path}.bak`;
  const isGone = !isThere(path) && isThere(copy);
  let db = isGone || isEmptied(path) ? undefined : tryOpen(path);
  if (!db) {
    const aside = setAside(path);
    if (isGone && checks(copy)) {
      Deno.copyFileSync(copy, path);
      notices.push("The settings in config.db were not there any more: the copy of the last change is in use");
    } else if (isThere(copy) && checks(copy)) {
      Deno.copyFileSync(copy, path);
      notices.push(
        `The settings in config.db were damaged. They are set aside as ${aside}, and the copy of the last change is in use`,
      );
    } else {
      notices.push(
        `The settings in config.db were damaged and there was no good copy. They are set aside as ${aside}, and ` +
          "everything is at its default",
      );
    }
    protect(path);
    db = open(path);
  }
  return { store: new SqliteSettings(path, db), notices };
}

class SqliteSettings implements SettingStore {
  readonly #path: string;
  readonly #db: DatabaseSync;

  constructor(path: string, db: DatabaseSync) {
    this.#path = path;
    this.#db = db;
  }

  all(): Map<string, string> {
    const values = new Map<string, string>();
    for (const table of this.#tables()) {
      for (const row of this.#db.prepare(`SELECT key, value FROM ${quote(table)}`).all()) {
        values.set(String(row.key), String(row.value));
      }
    }
    return values;
  }

  write(changes: ReadonlyMap<string, string | null>): void {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      for (const [key, value] of changes) {
        const table = quote(tableOf(key));
        this.#db.exec(createTable(table));
        if (value === null) this.#db.prepare(`DELETE FROM ${table} WHERE key = ?`).run(key);
        else {
          this.#db.prepare(
            `INSERT INTO ${table} (key, value, changed_at) VALUES (?, ?, ?)
             ON CONFLICT (key) DO UPDATE SET value = excluded.value, changed_at = excluded.changed_at`,
          ).run(key, value, Date.now());
        }
      }
      this.#db.exec("COMMIT");
    } catch (error) {
      // A full disk has rolled it back already.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
    this.#copy();
  }

  isWhole(): boolean {
    return this.#db.prepare("PRAGMA integrity_check(1)").all()[0]?.integrity_check === "ok";
  }

  copyTo(path: string): void {
    protect(path);
    this.#db.prepare("VACUUM INTO ?").run(path);
  }

  close(): void {
    this.#db.close();
  }

  #tables(): string[] {
    const rows = this.#db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    return rows.map((row) => String(row.name)).filter((name) => name === "config" || name.startsWith("config_"));
  }

  /** The copy that a damaged file is replaced by. It is extra: without it the change still stands. */
  #copy(): void {
    const fresh = `${this.#path}.bak.new`;
    try {
      // Settings change seldom: the file is whole by itself, and a lost log takes none along.
      this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      removeIfThere(fresh);
      this.copyTo(fresh);
      Deno.renameSync(fresh, `${this.#path}.bak`);
    } catch {
      // A full disk: the older copy stays.
      removeIfThere(fresh);
    }
  }
}

/** `config` for `core.*`, `config_<plugin>` for `plugin.<plugin>.*`. */
function tableOf(key: string): string {
  const plugin = /^plugin\.([^.]+)\./.exec(key)?.[1];
  return plugin === undefined ? "config" : `config_${plugin}`;
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
const createTable = (quoted: string) =>
  `CREATE TABLE IF NOT EXISTS ${quoted} (key TEXT PRIMARY KEY, value TEXT NOT NULL, changed_at INTEGER NOT NULL)`;

function open(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 5000 });
  try {
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON");
    db.exec(createTable('"config"'));
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function tryOpen(path: string): DatabaseSync | undefined {
  protect(path);
  if (!checks(path)) return undefined;
  return open(path);
}

/** Whether SQLite finds the file whole. Anything but damage (a full disk, no right to read) is thrown. */
function checks(path: string): boolean {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: 5000 });
    return db.prepare("PRAGMA quick_check(1)").all()[0]?.quick_check === "ok";
  } catch (error) {
    if (/not a database|malformed|corrupt|disk image/i.test(messageOf(error))) return false;
    throw error;
  } finally {
    db?.close();
  }
}

/** SQLite opens nothing but files beside a database, and does not say which it could not open. */
function requireFile(path: string): void {
  let info: Deno.FileInfo;
  try {
    info = Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  if (info.isFile) return;
  throw new HomedError("not_a_file", `Cannot use ${path}: it is no file`, { fix: "move it away, or name another" });
}

/** A file that lost its content though there were settings once. */
function isEmptied(path: string): boolean {
  return isThere(path) && Deno.statSync(path).size === 0 && isThere(`${path}.bak`);
}

function setAside(path: string): string {
  const stamp = new Date().toISOString().replace(/[:.]/g, "-");
  const aside = `${path}.damaged-${stamp}`;
  if (isThere(path)) Deno.renameSync(path, aside);
  for (const rest of ["-wal", "-shm"]) if (isThere(path + rest)) Deno.renameSync(path + rest, aside + rest);
  return aside;
}

/** Makes the file if it is not there, and its owner's alone. */
function protect(path: string): void {
  Deno.openSync(path, { create: true, write: true, mode: 0o600 }).close();
  if (Deno.build.os !== "windows") Deno.chmodSync(path, 0o600);
}

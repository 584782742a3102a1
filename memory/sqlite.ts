import { DatabaseSync, type StatementSync } from "node:sqlite";
import { HomedError, messageOf } from "../core/base/errors.ts";

/** How a database is opened. */
export interface DatabaseOptions {
  /** One SQL script a version, oldest first; `user_version` says how many have run. Never change one, only add. */
  schema: readonly string[];
  /** Every commit reaches the disk before it returns. False only for what can be rebuilt. Default true. */
  durable?: boolean;
  /** Memory for pages, in KiB. Default 8 MiB. */
  cacheKiB?: number;
  /** A sound copy to fall back on when the file cannot be read. */
  backup?: string;
  /** Up to this many bytes all of it is checked when it is opened; a larger one when it was condemned. Default 0. */
  checked?: number;
}

/** An open database and what the person should know about it. */
export interface OpenedDatabase {
  db: DatabaseSync;
  /** Sentences for the person: what was found damaged, where it was set aside. */
  notices: string[];
  /** It was empty, or had to be begun anew: what can be rebuilt must be. */
  fresh: boolean;
}

/** Opens (or makes) a SQLite database: WAL, one writer, deleted content overwritten. A file that is not a database any
 * more is set aside under `<path>.damaged-<time>`, the backup or an empty one takes its place, and a notice says so.
 * @throws HomedError `newer_schema` when a newer homed wrote it. */
export function openDatabase(path: string, options: DatabaseOptions): OpenedDatabase {
  const notices: string[] = [];
  try {
    const opened = prepare(path, options);
    if (path !== ":memory:") checkOpened(opened.db, path, options.checked ?? 0);
    return { ...opened, notices };
  } catch (error) {
    if (path === ":memory:" || !isDamage(error)) throw error;
    const aside = `${path}.damaged-${new Date().toISOString().replace(/[:.]/g, "-")}`;
    Deno.renameSync(path, aside);
    for (const suffix of ["-wal", "-shm"]) {
      try {
        Deno.renameSync(path + suffix, aside + suffix);
      } catch (cause) {
        if (!(cause instanceof Deno.errors.NotFound)) throw cause;
      }
    }
    const restored = options.backup !== undefined && copyIfThere(options.backup, path);
    notices.push(
      restored
        ? `${path} was damaged (${
          messageOf(error)
        }): its backup is in use now, the damaged file is kept as ${aside}. ` +
          `数据库已损坏：现用备份，损坏的文件保留在 ${aside}。`
        : `${path} was damaged (${messageOf(error)}): it was begun anew, the damaged file is kept as ${aside}. ` +
          `数据库已损坏：已重新建立，损坏的文件保留在 ${aside}。`,
    );
    return { ...prepare(path, options), fresh: !restored, notices };
  }
}

/** Runs `work` in one transaction: all of it stands, or nothing. Inside another one it joins that. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
  if (db.isTransaction) return work();
  db.exec("BEGIN IMMEDIATE");
  let result: T;
  try {
    result = work();
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
  db.exec("COMMIT");
  return result;
}

/** Statements prepared once and kept; at most a few dozen different texts. What is run often must be: a statement is
 * kilobytes that the collector sees nothing of, so those that were let go would stay for hundreds of turns. */
export class Statements {
  readonly #db: DatabaseSync;
  readonly #kept = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** The prepared statement of `sql`. */
  of(sql: string): StatementSync {
    let statement = this.#kept.get(sql);
    if (!statement) this.#kept.set(sql, statement = this.#db.prepare(sql));
    return statement;
  }

  /** Forgets all, before the database closes. */
  clear(): void {
    this.#kept.clear();
  }
}

/** What SQLite finds wrong with the file, or nothing. Reads all of it: for `doctor`, not for a start. */
export function checkDatabase(db: DatabaseSync): string[] {
  const rows = db.prepare("PRAGMA quick_check(20)").all() as { quick_check: string }[];
  return rows.map((row) => row.quick_check).filter((text) => text !== "ok");
}

/** Whether SQLite finds nothing wrong with the database. Reads all of it. */
export function isSound(db: DatabaseSync): boolean {
  try {
    return checkDatabase(db).length === 0;
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

/** The same of a file. */
export function isSoundFile(path: string): boolean {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return isSound(db);
  } finally {
    db.close();
  }
}

/** Marks a database that was found broken while it was in use: the next start checks all of it. */
export function condemn(path: string): void {
  Deno.writeTextFileSync(condemnedMark(path), "");
}

/** Takes the mark away; whether there was one. */
export function takeCondemned(path: string): boolean {
  try {
    Deno.removeSync(condemnedMark(path));
    return true;
  } catch (error) {
    // Where only the database's own files are ours there is no mark either.
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) return false;
    throw error;
  }
}

const condemnedMark = (path: string) => `${path}.condemned`;

/** @throws when pages of the file do not fit together; the database is closed then */
function checkOpened(db: DatabaseSync, path: string, limit: number): void {
  if (!takeCondemned(path) && Deno.statSync(path).size > limit) return;
  let wrong: string[];
  try {
    wrong = checkDatabase(db);
  } catch (error) {
    db.close();
    throw error;
  }
  if (wrong.length === 0) return;
  db.close();
  throw new HomedError("damaged", `database disk image is malformed: ${wrong[0]}`);
}

/** Empties the write-ahead log into the file, so that what was deleted is nowhere on disk any more. */
export function settleDatabase(db: DatabaseSync): void {
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** True when the error says that the file itself is broken. */
export function isDamage(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode ?? 0;
  return (code & 0xff) === 11 || (code & 0xff) === 26 || /malformed|not a database|corrupt/i.test(messageOf(error));
}

function prepare(path: string, options: DatabaseOptions): { db: DatabaseSync; fresh: boolean } {
  const db = new DatabaseSync(path, { timeout: 5000 });
  try {
    db.exec(
      `PRAGMA journal_mode=WAL; PRAGMA synchronous=${options.durable === false ? "NORMAL" : "FULL"};
      PRAGMA secure_delete=ON; PRAGMA foreign_keys=ON; PRAGMA cache_size=-${options.cacheKiB ?? 8192};
      PRAGMA temp_store=MEMORY; PRAGMA journal_size_limit=16777216`,
    );
    const version = (db.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;
    if (version > options.schema.length) {
      throw new HomedError(
        "newer_schema",
        `Cannot open ${path} as its schema is ${version}: this homed knows ${options.schema.length}`,
        { fix: "Use the newer homed that wrote it." },
      );
    }
    if (version < options.schema.length) {
      transaction(db, () => {
        for (const script of options.schema.slice(version)) db.exec(script);
        db.exec(`PRAGMA user_version=${options.schema.length}`);
      });
    }
    return { db, fresh: version === 0 };
  } catch (error) {
    db.close();
    throw error;
  }
}

function copyIfThere(from: string, to: string): boolean {
  try {
    Deno.copyFileSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

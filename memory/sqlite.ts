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
    return { ...prepare(path, options), notices };
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

/** Statements prepared once and kept; at most a few dozen different texts. */
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

import { basename, dirname, join } from "node:path";
import { backup, DatabaseSync, type StatementSync } from "node:sqlite";
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
  /** The last process did not close it: it was killed, or the machine went down. */
  unclean: boolean;
}

/** Opens (or makes) a SQLite database: WAL, one writer, deleted content overwritten. A file that is not a database any
 * more is set aside under `<path>.damaged-<time>`, the backup or an empty one takes its place, and a notice says so. One
 * that is gone or empty while there is a backup is taken for damaged too.
 * @throws HomedError `newer_schema` when a newer homed wrote it, `not_a_file` when something else is in its place. */
export function openDatabase(path: string, options: DatabaseOptions): OpenedDatabase {
  if (path === ":memory:") return { ...prepare(path, options), notices: [], unclean: false };
  const notices: string[] = [];
  const size = sizeOfFile(path), unclean = (sizeOfFile(`${path}-wal`) ?? 0) > 0;
  for (const suffix of ["-wal", "-shm"]) requireOwn(path + suffix);
  const { backup } = options;
  if (backup !== undefined && !size && (sizeOfFile(backup) ?? 0) > 0) {
    notices.push(takeBackup(path, { backup, reason: size === undefined ? "it is not there any more" : "it is empty" }));
  }
  for (let isRestored = notices.length > 0;; isRestored = true) {
    try {
      return { ...openSound(path, options), notices, unclean };
    } catch (error) {
      if (!isDamage(error)) throw error;
      const reason = messageOf(error);
      if (backup !== undefined && !isRestored && (sizeOfFile(backup) ?? 0) > 0) {
        notices.push(takeBackup(path, { backup, reason }));
        continue;
      }
      const aside = putAside(path, backup);
      notices.push(
        `${path} was damaged (${reason}): it was begun anew, the damaged file is kept as ${aside}. ` +
          `数据库已损坏：已重新建立，损坏的文件保留在 ${aside}。`,
      );
      return { ...prepare(path, options), fresh: true, notices, unclean };
    }
  }
}

/** Puts a database that is not open aside and its backup in its place. Answers with a sentence for the person. */
export function takeBackup(path: string, { backup, reason }: { backup: string; reason: string }): string {
  const aside = putAside(path, backup);
  Deno.copyFileSync(backup, path);
  return `${path} was damaged (${reason}): its backup is in use now` +
    (aside === undefined
      ? ". 数据库已损坏：现用备份。"
      : `, the damaged file is kept as ${aside}. 数据库已损坏：现用备份，损坏的文件保留在 ${aside}。`);
}

/** With what SQLite keeps beside it, which belongs to it alone; beside the backup where nothing beside the file is ours.
 * Answers with the file's new name, if there was one. */
function putAside(path: string, backup: string | undefined): string | undefined {
  const stamp = `.damaged-${new Date().toISOString().replace(/[:.]/g, "-")}`;
  const places = [path, ...backup === undefined ? [] : [join(dirname(backup), basename(path))]];
  let aside: string | undefined;
  for (const suffix of ["", "-wal", "-shm"]) {
    if (sizeOfFile(path + suffix) === undefined) continue;
    for (const [i, place] of places.entries()) {
      let to = place + stamp;
      while (sizeOfFile(to + suffix) !== undefined) to += "-";
      try {
        if (i === 0) Deno.renameSync(path + suffix, to + suffix);
        else {
          Deno.copyFileSync(path + suffix, to + suffix);
          Deno.removeSync(path + suffix);
        }
        if (suffix === "") aside = to;
        break;
      } catch (cause) {
        if (!(cause instanceof Deno.errors.NotCapable) || i + 1 === places.length) throw cause;
      }
    }
  }
  return aside;
}

/** SQLite opens no link in the place of what it keeps beside a database, and does not say which it was. */
function requireOwn(path: string): void {
  try {
    if (!Deno.lstatSync(path).isSymlink && sizeOfFile(path) !== undefined) return;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) return;
    throw error;
  }
  throw new HomedError("not_a_file", `Cannot use ${path}: it is a symbolic link`, { fix: "move it away" });
}

/** The bytes of a database's file, or undefined when there is none.
 * @throws HomedError when it is a folder: SQLite's own words say nothing to a person */
function sizeOfFile(path: string): number | undefined {
  let info: Deno.FileInfo;
  try {
    info = Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
  if (info.isDirectory) {
    throw new HomedError("not_a_file", `Cannot use ${path}: it is a folder, not a file`, {
      fix: "move it away, or name another",
    });
  }
  return info.size;
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

/** A text as SQLite gives it back: half characters become U+FFFD, and what would end it (NUL) becomes a blank. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", " ");
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

/** Makes a copy of a database one file, with nothing beside it, and says whether SQLite finds nothing wrong with it.
 * False when there is none. */
export function isSoundCopy(path: string): boolean {
  if (!sizeOfFile(path)) return false;
  const db = new DatabaseSync(path);
  try {
    if (!isSound(db)) return false;
    db.exec("PRAGMA journal_mode=DELETE");
    return true;
  } finally {
    db.close();
  }
}

/** Copies an open database to `path`, whole and sound, or not at all. Answers with whether it did. */
export async function copyDatabase(db: DatabaseSync, path: string): Promise<boolean> {
  const fresh = `${path}.new`;
  const clear = () => {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) removeIfThere(fresh + suffix);
  };
  clear();
  try {
    await backup(db, fresh);
    if (!isSoundCopy(fresh)) return false;
    Deno.chmodSync(fresh, 0o600);
    Deno.renameSync(fresh, path);
    return true;
  } finally {
    clear();
  }
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Marks a database that was found broken while it was in use: the next start checks all of it. */
export function condemn(path: string): void {
  try {
    Deno.writeTextFileSync(condemnedMark(path), "");
  } catch (error) {
    // Where only the database's own files are ours it is found broken again by whoever reads it.
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
  }
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
function openSound(path: string, options: DatabaseOptions): { db: DatabaseSync; fresh: boolean } {
  const opened = prepare(path, options);
  if (!takeCondemned(path) && Deno.statSync(path).size > (options.checked ?? 0)) return opened;
  let wrong: string[];
  try {
    wrong = checkDatabase(opened.db);
  } catch (error) {
    opened.db.close();
    throw error;
  }
  if (wrong.length === 0) return opened;
  opened.db.close();
  throw new HomedError("damaged", `database disk image is malformed: ${wrong[0]}`);
}

/** Empties the write-ahead log into the file, so that what was deleted is nowhere on disk any more. */
export function settleDatabase(db: DatabaseSync): void {
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** Brings what the write-ahead log holds into the file, so that a log that is lost takes little with it. */
export function checkpoint(db: DatabaseSync): void {
  db.exec("PRAGMA wal_checkpoint(PASSIVE)");
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

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { HomedError } from "../../core/base/errors.ts";
import type { HitKind } from "../../core/wire/memory.ts";
import { condemn, isDamage, settleDatabase, Statements, storable, transaction } from "../sqlite.ts";
import { termCodes } from "../words/term_codes.ts";
import { tokenize } from "../words/tokens.ts";
import { type Echo, echoOf } from "./echo.ts";
import { openIndex } from "./index_file.ts";
import { Postings } from "./postings.ts";

/** Changes whenever the terms of a text, or what is known of a unit, would: an index made by another is rebuilt. */
export const TOKENS_VERSION = 3;

/** At most this much of one text is searched; the rest is kept in its file alone. */
const TEXT_LIMIT = 200_000;

/** Characters of the units that are kept in memory, those read first leaving first, and of the longest of them. */
const KEPT = 1_500_000;
const KEPT_TEXT = 4000;

/** Something recall can find. Times in milliseconds. */
export interface Unit {
  kind: HitKind;
  /** Unique within its kind. */
  id: string;
  title?: string;
  text: string;
  at: number;
  /** Relations: since when and until when it is true. */
  since?: number;
  until?: number;
  /** The conversation it belongs to, and its place in it; without a place it comes last. */
  thread?: string;
  n?: number;
  source?: string;
  /** Relations: name keys of both ends, and the canonical predicate. */
  subject?: string;
  attribute?: string;
  object?: string;
  /** Why it is no source of what it says. */
  echo?: Echo;
}

/** A unit as it stands in the index. */
export interface IndexedUnit extends Unit {
  num: number;
  /** The codes of its terms, in order, repeats included. */
  terms: Int32Array;
  /** How many terms. */
  length: number;
}

/** What the index is told of: one row a thing that can be found. */
export interface IndexPort {
  put(unit: Unit): void;
  putMany(units: Unit[]): void;
  remove(kind: HitKind, id: string): boolean;
}

/** The term index over documents, relations, messages and knowledge, in one SQLite file that can be rebuilt. */
export class SearchIndex implements IndexPort, Disposable {
  readonly db: DatabaseSync;
  /** What opening found, for the person. */
  readonly notices: string[];
  /** It is empty though it should not be, or was made by other rules: whoever owns a source must put everything again. */
  readonly stale: boolean;
  /** Changes with every write: caches compare it. */
  changes = 0;
  readonly #path: string;
  readonly #statements: Statements;
  #count: number | undefined;
  readonly #postings: Record<TermTable, Postings> = {
    units_fts: new Postings((term, limit) => this.#newest("units_fts", { term, limit })),
    echoes_fts: new Postings((term, limit) => this.#newest("echoes_fts", { term, limit })),
  };
  readonly #kept = new Map<number, IndexedUnit>();
  #keptText = 0;

  constructor(path: string) {
    this.#path = path;
    const opened = openIndex(path);
    this.db = opened.db;
    this.notices = opened.notices;
    this.#statements = new Statements(this.db);
    const version = this.meta("tokens_version");
    this.stale = opened.fresh || version !== TOKENS_VERSION;
    if (this.stale && !opened.fresh) this.clear();
    if (version !== TOKENS_VERSION) this.setMeta("tokens_version", TOKENS_VERSION);
  }

  put(unit: Unit): void {
    this.putMany([unit]);
  }

  putMany(units: Unit[]): void {
    if (units.length === 0) return;
    this.batch(() => {
      for (const unit of units) this.#put(unit);
    });
  }

  remove(kind: HitKind, id: string): boolean {
    return this.batch(() => this.#remove(kind, id));
  }

  /** Ids that are not there are fine. */
  removeMany(kind: HitKind, ids: string[]): void {
    this.batch(() => {
      for (const id of ids) this.#remove(kind, id);
    });
  }

  /** Everything of one kind, before it is put again. */
  removeKind(kind: HitKind): void {
    this.batch(() => {
      const rows = this.#statements.of("SELECT id FROM units WHERE kind = ?").all(kind) as { id: string }[];
      for (const { id } of rows) this.#remove(kind, id);
    });
  }

  /** Runs several writes as one. */
  batch<T>(work: () => T): T {
    this.changes++;
    try {
      return transaction(this.db, work);
    } catch (error) {
      this.#forget();
      throw this.condemned(error);
    }
  }

  get(kind: HitKind, id: string): IndexedUnit | undefined {
    const row = this.#statements.of("SELECT * FROM units WHERE kind = ? AND id = ?").get(kind, id);
    return row && unitOf(row as unknown as Row);
  }

  /** Units by number, in any order; numbers that are not there are left out. */
  many(nums: Iterable<number>): IndexedUnit[] {
    const units: IndexedUnit[] = [];
    const wanted: number[] = [];
    for (const num of nums) {
      const kept = this.#kept.get(num);
      if (kept) units.push(kept);
      else wanted.push(num);
    }
    if (wanted.length === 0) return units;
    const rows = this.#reading(() =>
      this.#statements.of("SELECT * FROM units WHERE num IN (SELECT value FROM json_each(?))")
        .all(JSON.stringify(wanted)) as unknown as Row[]
    );
    for (const row of rows) {
      const unit = unitOf(row);
      units.push(unit);
      if (unit.text.length <= KEPT_TEXT) this.#keep(unit);
    }
    return units;
  }

  /** Relations whose subject or object has one of these name keys; the newest `limit` of each. */
  about(keys: string[], limit: number): IndexedUnit[] {
    const nums: number[] = [];
    for (const end of ["subject", "object"] as const) {
      const rows = this.#statements.of(
        `SELECT num FROM units WHERE ${end} IN (SELECT value FROM json_each(?)) ORDER BY num DESC LIMIT ?`,
      ).all(JSON.stringify(keys), limit) as { num: number }[];
      nums.push(...rows.map((row) => row.num));
    }
    return this.many(new Set(nums));
  }

  /** The turns next to some in their threads: those with a place from `from` to `to`. */
  neighbours(ranges: { thread: string; from: number; to: number }[]): IndexedUnit[] {
    if (ranges.length === 0) return [];
    const row = this.#statements.of(
      `SELECT group_concat(num) AS list FROM (SELECT DISTINCT units.num AS num FROM json_each(?) AS range
        CROSS JOIN units INDEXED BY units_thread ON units.thread = range.value ->> 0
        AND units.n BETWEEN range.value ->> 1 AND range.value ->> 2)`,
    ).get(JSON.stringify(ranges.map(({ thread, from, to }) => [thread, from, to]))) as { list: string | null };
    return row.list === null ? [] : this.many(parseNumbers(row.list));
  }

  /** The numbers of the units that have `term`, rising: the newest, at most `MOST_POSTINGS`. */
  postings(term: string): Uint32Array {
    return this.#postings.units_fts.of(term);
  }

  /** In how many units `term` is, at most `MOST_POSTINGS`. */
  countOfTerm(term: string): number {
    return this.#postings.units_fts.count(term);
  }

  /** The same as `postings` among the units that are no source. */
  echoes(term: string): Uint32Array {
    return this.#postings.echoes_fts.of(term);
  }

  /** One string crosses from SQLite, which is ten times faster than a row each. */
  #newest(table: TermTable, { term, limit }: { term: string; limit: number }): number[] {
    const row = this.#reading(() =>
      this.#statements.of(
        `SELECT group_concat(rowid) AS list FROM
          (SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid DESC LIMIT ?)`,
      ).get(quoted(term), limit) as { list: string | null }
    );
    return row.list === null ? [] : parseNumbers(row.list);
  }

  /** How many units there are. */
  get count(): number {
    return this.#count ??= (this.#statements.of("SELECT count(*) AS n FROM units").get() as { n: number }).n;
  }

  countOf(kind: HitKind): number {
    return (this.#statements.of("SELECT count(*) AS n FROM units WHERE kind = ?").get(kind) as { n: number }).n;
  }

  meta(name: string): string | number | null {
    const row = this.#statements.of("SELECT value FROM meta WHERE name = ?").get(name) as
      | { value: string | number }
      | undefined;
    return row?.value ?? null;
  }

  setMeta(name: string, value: string | number): void {
    this.#statements.of("INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value")
      .run(name, value);
  }

  /** Which units `matches`, of all there are. */
  matching(
    matches: (unit: { id: string; title: string | null; text: string }) => boolean,
  ): { kind: HitKind; id: string }[] {
    const found: { kind: HitKind; id: string }[] = [];
    for (const row of this.db.prepare("SELECT kind, id, title, text FROM units").iterate()) {
      const unit = row as { kind: HitKind; id: string; title: string | null; text: string };
      if (matches(unit)) found.push({ kind: unit.kind, id: unit.id });
    }
    return found;
  }

  /** A statement on the index's database, prepared once. */
  statement(sql: string): StatementSync {
    return this.#statements.of(sql);
  }

  /** Empties it, so that its sources can be put again. */
  clear(): void {
    this.#forget();
    this.batch(() => {
      this.db.exec(
        "INSERT INTO units_fts (units_fts) VALUES ('delete-all'); " +
          "INSERT INTO echoes_fts (echoes_fts) VALUES ('delete-all'); DELETE FROM units; DELETE FROM documents; " +
          "DELETE FROM vectors; DELETE FROM meta WHERE name <> 'tokens_version'",
      );
    });
  }

  /** After a removal that must leave no trace on disk. */
  settle(): void {
    for (const table of ["units_fts", "echoes_fts"]) {
      this.db.exec(`INSERT INTO ${table} (${table}) VALUES ('optimize')`);
    }
    settleDatabase(this.db);
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    if (this.db.isOpen) this.db.close();
  }

  #keep(unit: IndexedUnit): void {
    this.#kept.set(unit.num, unit);
    this.#keptText += sizeOf(unit);
    for (const num of this.#kept.keys()) {
      if (this.#keptText <= KEPT) break;
      this.#let(num);
    }
  }

  #let(num: number): void {
    const unit = this.#kept.get(num);
    if (!unit) return;
    this.#kept.delete(num);
    this.#keptText -= sizeOf(unit);
  }

  /** What is remembered of the tables is no longer true. */
  #forget(): void {
    this.#kept.clear();
    this.#keptText = 0;
    this.#count = undefined;
    for (const postings of Object.values(this.#postings)) postings.clear();
  }

  #reading<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.condemned(error);
    }
  }

  /** What to throw for an error of the database: a broken file is marked, to be made again at the next start; any other
   * error is what it is. */
  condemned(error: unknown): unknown {
    if (this.#path === ":memory:" || !isDamage(error)) return error;
    condemn(this.#path);
    return new HomedError(
      "index_damaged",
      `Cannot search memory: its index ${this.#path} is damaged (记忆索引已损坏)`,
      {
        fix: "Start homed again: the index is made anew, nothing of memory itself is lost (重新启动即可自动重建)",
        cause: error,
      },
    );
  }

  #put(unit: Unit): void {
    const text = storable(unit.text.slice(0, TEXT_LIMIT));
    const known = this.#statements.of("SELECT num, title, text, n, echo FROM units WHERE kind = ? AND id = ?")
      .get(unit.kind, unit.id) as
        | { num: number; title: string | null; text: string; n: number | null; echo: Echo | null }
        | undefined;
    const isSame = known !== undefined && known.text === text && (known.title ?? "") === (unit.title ?? "") &&
      tableOf(known) === tableOf(unit);
    const n = unit.n ?? known?.n ?? (unit.thread === undefined ? null : this.#lastPlace(unit.thread) + 1);
    const place = [
      unit.at,
      unit.until ?? null,
      unit.since ?? null,
      unit.thread ?? null,
      n,
      unit.source ?? null,
      unit.subject ?? null,
      unit.attribute ?? null,
      unit.object ?? null,
      unit.echo ?? null,
    ];
    if (isSame) {
      // Its terms stay: taking them out and in again is what costs.
      this.#statements.of(
        `UPDATE units SET at = ?, until = ?, since = ?, thread = ?, n = ?, source = ?, subject = ?, attribute = ?,
          object = ?, echo = ? WHERE num = ?`,
      ).run(...place, known.num);
      this.#let(known.num);
      return;
    }
    if (known) this.#remove(unit.kind, unit.id);
    const terms = tokenize(unit.title ? `${unit.title} ${text}` : text);
    const tokens = terms.join(" ");
    const { lastInsertRowid } = this.#statements.of(
      `INSERT INTO units (kind, id, title, text, tokens, length, at, until, since, thread, n, source, subject, attribute,
        object, echo) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(unit.kind, unit.id, unit.title ?? null, text, tokens, terms.length, ...place);
    this.#statements.of(`INSERT INTO ${tableOf(unit)} (rowid, tokens) VALUES (?, ?)`).run(lastInsertRowid, tokens);
    if (this.#count !== undefined) this.#count++;
    this.#postings[tableOf(unit)].added(Number(lastInsertRowid), terms);
  }

  #lastPlace(thread: string): number {
    const row = this.#statements.of("SELECT max(n) AS n FROM units WHERE thread = ?").get(thread) as {
      n: number | null;
    };
    return row.n ?? 0;
  }

  #remove(kind: HitKind, id: string): boolean {
    const row = this.#statements.of("SELECT num, tokens, echo FROM units WHERE kind = ? AND id = ?").get(kind, id) as
      | { num: number; tokens: string; echo: Echo | null }
      | undefined;
    if (!row) return false;
    const table = tableOf(row);
    this.#statements.of(`INSERT INTO ${table} (${table}, rowid, tokens) VALUES ('delete', ?, ?)`)
      .run(row.num, row.tokens);
    this.#statements.of("DELETE FROM units WHERE num = ?").run(row.num);
    this.#statements.of("DELETE FROM vectors WHERE num = ?").run(row.num);
    this.#let(row.num);
    if (this.#count !== undefined) this.#count--;
    this.#postings[table].removed(row.num, row.tokens.split(" "));
    return true;
  }
}

/** A message as recall finds it: with the ones before and after it in its channel as neighbours. */
export function messageUnit(
  message: { id: string; text: string; channel: string; at: number; role: string; source?: string; n?: number },
): Unit {
  const { id, text, channel, at, role, source, n } = message;
  const echo = echoOf({ role: role === "agent" || role === "assistant" ? "agent" : "user", text });
  return {
    kind: "message",
    id,
    text,
    at,
    thread: channel,
    ...(source !== undefined && { source }),
    ...(n !== undefined && { n }),
    ...(echo && { echo }),
  };
}

/** Characters that a kept unit counts as: itself, its terms, and what holds them. */
const sizeOf = ({ text, length }: IndexedUnit) => text.length + 2 * length + 100;

type TermTable = "units_fts" | "echoes_fts";

/** Where a unit's terms are looked up. */
function tableOf({ echo }: { echo?: Echo | null }): TermTable {
  return echo ? "echoes_fts" : "units_fts";
}

/** A term as an FTS5 string. */
function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}

interface Row {
  num: number;
  kind: HitKind;
  id: string;
  title: string | null;
  text: string;
  tokens: string;
  length: number;
  at: number;
  until: number | null;
  since: number | null;
  thread: string | null;
  n: number | null;
  source: string | null;
  subject: string | null;
  attribute: string | null;
  object: string | null;
  echo: Echo | null;
}

function unitOf(row: Row): IndexedUnit {
  const { num, kind, id, text, tokens, length, at } = row;
  return {
    num,
    kind,
    id,
    text,
    terms: termCodes(tokens, length),
    length,
    at,
    ...(row.title !== null && { title: row.title }),
    ...(row.until !== null && { until: row.until }),
    ...(row.since !== null && { since: row.since }),
    ...(row.thread !== null && { thread: row.thread }),
    ...(row.n !== null && { n: row.n }),
    ...(row.source !== null && { source: row.source }),
    ...(row.subject !== null && { subject: row.subject }),
    ...(row.attribute !== null && { attribute: row.attribute }),
    ...(row.object !== null && { object: row.object }),
    ...(row.echo !== null && { echo: row.echo }),
  };
}

function parseNumbers(list: string): number[] {
  const out: number[] = [];
  let value = 0;
  for (let i = 0; i < list.length; i++) {
    const code = list.charCodeAt(i);
    if (code === 44) {
      out.push(value);
      value = 0;
    } else value = value * 10 + code - 48;
  }
  out.push(value);
  return out;
}

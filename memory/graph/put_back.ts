import { newId } from "../../core/base/ids.ts";
import type { Statements } from "../sqlite.ts";
import type { Runs } from "./runs.ts";
import { type GraphRows, type GraphUndo, type Row, rowKey, takeSnapshot } from "./snapshot.ts";

/** What the graph does for it. */
export interface PutBackPort {
  statements: Statements;
  runs: Runs;
  /** The relations of an entity have to be indexed again. */
  touch(entity: number): void;
}

type Table = keyof GraphRows;

/** Takes a change back, and only it: of each row it changed, what is still as the change left it becomes what it was
 * before, and what was learned since stays. Done again it changes nothing. Call it in a transaction. */
export function putBack({ statements, runs, touch }: PutBackPort, undo: GraphUndo): void {
  const before = undo.rows;
  const after = undo.after ?? assumed(statements, undo);
  const was = (table: Table) => byKey(table, before[table]), became = (table: Table) => byKey(table, after[table]);
  const now = (table: Table, row: Row) => statements.of(FIND[table]).get(...FOUND_BY[table].map((name) => row[name]!));

  const rules: string[] = [];
  for (const [key, [b, a]] of pairs(was("attributes"), became("attributes"))) {
    const n = now("attributes", (b ?? a)!);
    if (!isSame(n, a)) continue;
    if (b) insert(statements, "attributes", b, "REPLACE");
    else statements.of("DELETE FROM attributes WHERE attribute = ?").run(key);
    rules.push(key);
  }

  /** Nodes that have been made anew since, under a name that comes back. */
  const moved = new Map<number, number>();
  const node = (id: unknown) => moved.get(id as number) ?? id as number;
  const isThere = (id: unknown) => now("entities", { id: node(id) }) !== undefined;
  for (const [, [b, a]] of pairs(was("entities"), became("entities"))) {
    if (!b) continue;
    const n = now("entities", b) as Row | undefined;
    const other = statements.of("SELECT id FROM entities WHERE key = ? AND id <> ?").get(b.key!, b.id!);
    if (!a && !n && other) moved.set(b.id as number, other.id as number);
    else if (!a && !n) insert(statements, "entities", b);
    else if (a && n) {
      const names = other ? [] : ["name", "key"];
      const merged = threeWay([...names, "type", "description"], { b, a, n });
      statements.of("UPDATE entities SET name = ?, key = ?, type = ?, description = ? WHERE id = ?")
        .run(merged.name!, merged.key!, merged.type!, merged.description!, b.id!);
      touch(b.id as number);
    }
  }

  const texts = new Map<unknown, number>();
  for (const row of before.sentences) {
    const there = statements.of("SELECT id FROM sentences WHERE hash = ?").get(row.hash!);
    if (!there) insert(statements, "sentences", row);
    texts.set(row.id, (there?.id ?? row.id) as number);
  }
  const textOf = (id: unknown) => (id === null ? null : texts.get(id) ?? null);

  for (const [, [b, a]] of pairs(was("aliases"), became("aliases"))) {
    if (!b) statements.of("DELETE FROM aliases WHERE key = ? AND entity = ?").run(a!.key!, a!.entity!);
    else if (!a && isThere(b.entity)) insert(statements, "aliases", { ...b, entity: node(b.entity) }, "IGNORE");
  }

  const groups = new Map<string, { subject: number; attribute: string }>();
  const regroup = (row: Row | undefined) => {
    if (!row) return;
    const subject = node(row.subject), attribute = String(row.attribute);
    groups.set(`${subject} ${attribute}`, { subject, attribute });
  };
  for (const [id, [b, a]] of pairs(was("relations"), became("relations"))) {
    const n = now("relations", { id }) as Row | undefined;
    for (const row of [b, a, n]) regroup(row);
    if (!b) takeOut({ statements, runs }, a!, n ?? mergedInto(statements, a!));
    else if (!a && !n && isThere(b.subject) && isThere(b.object)) {
      const ends = { subject: node(b.subject), object: node(b.object), sentence: textOf(b.sentence) };
      insert(statements, "relations", { ...b, ...ends, change: runs.change() });
      statements.of("DELETE FROM gone WHERE id = ?").run(id);
    } else if (a && n) {
      const merged = threeWay(RELATION_COLUMNS, { b, a, n });
      merged.subject = isThere(merged.subject) ? node(merged.subject) : n.subject!;
      merged.object = isThere(merged.object) ? node(merged.object) : n.object!;
      if (merged.sentence !== n.sentence) merged.sentence = textOf(merged.sentence);
      merged.times = timesBack({ b, a, n });
      const isElsewhere = PLACE.some((name) => merged[name] !== n[name]);
      const since = isElsewhere ? timesBack({ a, n }) : "[]";
      if (since !== "[]") {
        // What was stated since was stated of what it is about now: it stays there.
        const [first] = JSON.parse(since) as [number, number][];
        insert(statements, "relations", { ...n, id: newId(first![1]), times: since, change: runs.change() });
        merged.times = b.times!;
      }
      const names = [...RELATION_COLUMNS, "times"];
      statements.of(`UPDATE relations SET ${names.map((name) => `${name} = ?`).join(", ")}, change = ? WHERE id = ?`)
        .run(...names.map((name) => merged[name]!), runs.change(), id);
      regroup(merged);
    }
  }

  for (const [id, [b, a]] of pairs(was("seen"), became("seen"))) {
    const n = now("seen", { id });
    // What was learned goes whichever relation it stands at since: it can be learned again.
    if (!b) statements.of("DELETE FROM seen WHERE id = ?").run(id);
    else if (n?.relation !== a?.relation) continue;
    else if (now("relations", { id: b.relation! })) insert(statements, "seen", b, "REPLACE");
  }

  for (const { subject, attribute } of groups.values()) runs.foldGroup(subject, attribute);
  for (const rule of rules) runs.refoldAttribute(rule.split("\n")[0]!);

  for (const [, [b, a]] of pairs(was("entities"), became("entities"))) {
    if (b) continue;
    statements.of(
      `DELETE FROM entities WHERE id = ?1 AND name = ?2 AND type = ?3 AND description = ?4
        AND NOT EXISTS (SELECT 1 FROM relations WHERE subject = ?1 OR object = ?1)`,
    ).run(a!.id!, a!.name!, a!.type!, a!.description!);
  }
}

/** The relation that took in another one about the same: an older statement that was told later makes it theirs. */
function mergedInto(statements: Statements, a: Row): Row | undefined {
  const same = statements.of("SELECT * FROM relations WHERE subject = ? AND attribute = ? AND object = ?")
    .all(a.subject!, a.attribute!, a.object!) as Row[];
  const own = timesOf(a);
  return same.find((row) => timesOf(row).some((one) => own.includes(one)));
}

/** Takes out a relation that the change made, or what the change put into it when it was stated again since. */
function takeOut({ statements, runs }: { statements: Statements; runs: Runs }, a: Row, n: Row | undefined): void {
  if (!n) return;
  const times = timesBack({ a, n });
  if (times === "[]") runs.removeRelation(String(n.id));
  else statements.of("UPDATE relations SET times = ?, change = ? WHERE id = ?").run(times, runs.change(), n.id!);
}

/** An older homed kept only what was before: what is there now counts as what the change left; of changes that make no
 * relations, all that is new has been learned since. */
function assumed(statements: Statements, undo: GraphUndo): GraphRows {
  const rows = takeSnapshot(statements, { entities: undo.entities });
  undo.rows.attributes ??= [];
  rows.attributes = [];
  if (undo.kind === "consolidation" || undo.kind === "commit") return rows;
  const known = new Set(undo.rows.relations.map((row) => row.id));
  rows.relations = rows.relations.filter((row) => known.has(row.id!));
  rows.entities = rows.entities.filter((row) => undo.rows.entities.some((one) => one.id === row.id));
  rows.seen = rows.seen.filter((row) => known.has(row.relation!));
  return rows;
}

const FIND: Record<Table, string> = {
  entities: "SELECT * FROM entities WHERE id = ?",
  aliases: "SELECT * FROM aliases WHERE key = ? AND entity = ?",
  relations: "SELECT * FROM relations WHERE id = ?",
  sentences: "SELECT * FROM sentences WHERE id = ?",
  seen: "SELECT * FROM seen WHERE id = ?",
  attributes: "SELECT * FROM attributes WHERE attribute = ?",
};
const FOUND_BY: Record<Table, string[]> = {
  entities: ["id"],
  aliases: ["key", "entity"],
  relations: ["id"],
  sentences: ["id"],
  seen: ["id"],
  attributes: ["attribute"],
};
/** What a relation is about. */
const PLACE = ["subject", "attribute", "object"];
/** Without `times`, which are a set, and `change`. */
const RELATION_COLUMNS = [
  "subject",
  "predicate",
  "attribute",
  "object",
  "confidence",
  "learned",
  "valid_from",
  "valid_to",
  "said_to",
  "sentence",
  "source",
  "extra",
];

function byKey(table: Table, rows: Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [rowKey(table, row), row]));
}

/** Rows before and after a change, side by side. */
function* pairs(
  before: Map<string, Row>,
  after: Map<string, Row>,
): Generator<[string, [Row | undefined, Row | undefined]]> {
  for (const key of new Set([...before.keys(), ...after.keys()])) yield [key, [before.get(key), after.get(key)]];
}

function isSame(one: Row | undefined, other: Row | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** `n` with those of the columns that are still as in `a` set back to `b`. */
function threeWay(columns: string[], { b, a, n }: { b: Row; a: Row; n: Row }): Row {
  const merged = { ...n };
  for (const name of columns) if (n[name] === a[name]) merged[name] = b[name]!;
  return merged;
}

/** The moments of a relation's statements, each as its JSON. */
function timesOf(row: Row): string[] {
  return (JSON.parse(String(row.times)) as unknown[]).map((one) => JSON.stringify(one));
}

/** The moments of statements without those that the change brought, and with those that it took. */
function timesBack({ b, a, n }: { b?: Row; a: Row; n: Row }): string {
  const [was, became] = [b ? timesOf(b) : [], timesOf(a)];
  const kept = timesOf(n).filter((one) => !became.includes(one) || was.includes(one));
  const back = was.filter((one) => !became.includes(one) && !kept.includes(one));
  return `[${[...kept, ...back].join(",")}]`;
}

function insert(statements: Statements, table: Table, row: Row, or: "ABORT" | "REPLACE" | "IGNORE" = "ABORT"): void {
  const names = Object.keys(row);
  statements.of(`INSERT OR ${or} INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`)
    .run(...Object.values(row));
}

import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { Statements } from "../sqlite.ts";
import { nameKey } from "../words/fold.ts";
import { attributeKey } from "./attribute.ts";
import type { Entities } from "./entities.ts";
import type { Fact } from "./fact.ts";
import { type Entity, type EntityRow, JOINED, type JoinedRow, type Relation, relationOf } from "./rows.ts";

/** What the graph tells, without changing it. */
export abstract class GraphView {
  readonly db: DatabaseSync;
  protected readonly statements: Statements;
  protected readonly nodes: Entities;
  protected readonly now: () => number;

  constructor(parts: { db: DatabaseSync; statements: Statements; nodes: Entities; now: () => number }) {
    this.db = parts.db;
    this.statements = parts.statements;
    this.nodes = parts.nodes;
    this.now = parts.now;
  }

  /** The entity of that name or alias. */
  entity(name: string): Entity | undefined {
    const row = this.nodes.find(name);
    return row && this.nodes.entityOf(row);
  }

  /** The type of the node that has this name itself; "" when there is none. */
  typeOf(name: string): string {
    return this.nodes.exact(name)?.type ?? "";
  }

  /** The sentences that all of these facts are known from already; undefined when one of them is new. */
  wordsOf(facts: Fact[]): string[] | undefined {
    const words: string[] = [];
    for (const { subject, predicate, object } of facts) {
      const ends = [subject, object].map((name) => this.nodes.find(name)?.id ?? -1);
      const row = this.statements.of(
        `SELECT t.text AS text FROM relations r JOIN sentences t ON t.id = r.sentence
        WHERE r.subject = ? AND r.attribute = ? AND r.object = ? AND r.valid_to IS NULL LIMIT 1`,
      ).get(ends[0]!, attributeKey(predicate), ends[1]!) as { text: string } | undefined;
      if (!row) return undefined;
      words.push(row.text);
    }
    return words;
  }

  /** Names of all entities of a type, sorted. */
  namesOfType(type: string): string[] {
    const rows = this.statements.of("SELECT name FROM entities WHERE type = ? ORDER BY name").all(type);
    return (rows as { name: string }[]).map((row) => row.name);
  }

  /** Relations that have the entity as subject, object or either, newest first; closed ones last. */
  relationsOf(name: string, options: { as?: "subject" | "object"; limit?: number } = {}): Relation[] {
    const row = this.nodes.find(name);
    if (!row) return [];
    const where = options.as === undefined ? "r.subject = ?1 OR r.object = ?1" : `r.${options.as} = ?1`;
    const rows = this.statements.of(
      `${JOINED} WHERE ${where} ORDER BY r.valid_to IS NOT NULL, r.valid_from DESC, r.id LIMIT ?2`,
    ).all(row.id, options.limit ?? 200);
    return (rows as unknown as JoinedRow[]).map(relationOf);
  }

  relation(id: string): Relation | undefined {
    const row = this.statements.of(`${JOINED} WHERE r.id = ?`).get(id) as unknown as JoinedRow | undefined;
    return row && relationOf(row);
  }

  /** Whether values of an attribute stand side by side, as somebody said or as they were told: of all subjects, or of
   * one. */
  *attributes(): Generator<{ attribute: string; subject?: string; many: boolean; told: boolean }> {
    const rows = this.db.prepare("SELECT * FROM attributes ORDER BY attribute").all() as {
      attribute: string;
      many: number;
      told: number;
    }[];
    for (const { attribute: key, many, told } of rows) {
      const [attribute = "", id] = key.split("\n");
      const subject = id === undefined ? undefined : this.nodes.byId(Number(id))?.name;
      if (id !== undefined && subject === undefined) continue;
      yield { attribute, many: many === 1, told: told === 1, ...(subject !== undefined && { subject }) };
    }
  }

  /** When and by whom something was first learned from this sentence. */
  learnedFrom(text: string): { source: string; at: number } | undefined {
    const hash = createHash("sha256").update(text).digest("hex");
    return this.statements.of("SELECT source, at FROM sentences WHERE hash = ?").get(hash) as
      | { source: string; at: number }
      | undefined;
  }

  stats(): { entities: number; relations: number; current_relations: number; sentences: number } {
    const count = (sql: string) => (this.statements.of(sql).get() as { n: number }).n;
    const now = this.now();
    return {
      entities: count("SELECT count(*) AS n FROM entities"),
      relations: count("SELECT count(*) AS n FROM relations"),
      current_relations: count(`SELECT count(*) AS n FROM relations WHERE valid_to IS NULL OR valid_to > ${now}`),
      sentences: count("SELECT count(*) AS n FROM sentences"),
    };
  }

  /** All relations, oldest change first. */
  *iterate(): Generator<Relation> {
    for (const row of this.db.prepare(`${JOINED} ORDER BY r.change`).iterate()) {
      yield relationOf(row as unknown as JoinedRow);
    }
  }

  /** All entities, oldest first. */
  *entities(): Generator<Entity> {
    for (const row of this.db.prepare("SELECT * FROM entities ORDER BY id").iterate()) {
      yield this.nodes.entityOf(row as unknown as EntityRow);
    }
  }

  /** Ids of entities whose names or aliases are one of these. */
  resolve(names: string[]): string[] {
    return [...new Set(names.flatMap((name) => this.nodes.find(name)?.name ?? []))];
  }

  /** Names of those who have this alias. */
  bearers(alias: string): string[] {
    const rows = this.statements.of("SELECT e.name FROM aliases a JOIN entities e ON e.id = a.entity WHERE a.key = ?")
      .all(nameKey(alias)) as { name: string }[];
    return rows.map((row) => row.name);
  }

  /** Name keys out of these that are an entity's name or alias. */
  known(keys: string[]): { key: string; entity: string }[] {
    const list = JSON.stringify(keys);
    const rows = this.statements.of(
      `SELECT key, key AS entity FROM entities WHERE key IN (SELECT value FROM json_each(?1))
      UNION SELECT a.key, e.key FROM aliases a JOIN entities e ON e.id = a.entity
        WHERE a.key IN (SELECT value FROM json_each(?1))`,
    ).all(list);
    return rows as { key: string; entity: string }[];
  }

  /** Relations within `depth` steps of the entities, nearest first. */
  walk(names: string[], options: { depth?: number; limit?: number } = {}): (Relation & { distance: number })[] {
    const { depth = 2, limit = 100 } = options;
    const seen = new Set<number>();
    let edge = names.flatMap((name) => this.nodes.find(name)?.id ?? []);
    const found = new Map<string, Relation & { distance: number }>();
    const statement = this.statements.of(
      `${JOINED} WHERE r.subject = ?1 OR r.object = ?1 ORDER BY r.valid_to IS NOT NULL, r.valid_from DESC LIMIT ?2`,
    );
    for (let distance = 1; distance <= depth && found.size < limit; distance++) {
      const next: number[] = [];
      for (const id of edge) {
        if (seen.has(id) || found.size >= limit) continue;
        seen.add(id);
        for (const row of statement.all(id, limit) as unknown as JoinedRow[]) {
          if (!found.has(row.id) && found.size < limit) found.set(row.id, { ...relationOf(row), distance });
          next.push(row.subject === id ? row.object : row.subject);
        }
      }
      edge = next;
    }
    return [...found.values()];
  }

  /** Which graph this is: a copy of it has the same. */
  get id(): string {
    return (this.statements.of("SELECT value FROM meta WHERE name = 'id'").get() as { value: string }).value;
  }

  /** What was noted, or null. */
  noted(name: string): unknown {
    const row = this.statements.of("SELECT value FROM meta WHERE name = ?").get(`note ${name}`);
    return row === undefined ? null : JSON.parse(row.value as string);
  }

  /** The number of the newest change. */
  get change(): number {
    return (this.statements.of("SELECT value FROM meta WHERE name = 'change'").get() as { value: number }).value;
  }

  /** What the index has to do after `since`: relations to put again, in order of change. At most `limit`; the next page
   * begins after the last one's change and id. */
  changedSince(since: { change: number; id: string }, limit: number): (Relation & { change: number })[] {
    const rows = this.statements.of(
      `${JOINED} WHERE r.change > ?1 OR (r.change = ?1 AND r.id > ?2) ORDER BY r.change, r.id LIMIT ?3`,
    ).all(since.change, since.id, limit);
    return (rows as unknown as JoinedRow[]).map((row) => ({ ...relationOf(row), change: row.change }));
  }

  /** Ids of relations that were removed after change number `since`. */
  goneSince(since: number): string[] {
    const rows = this.statements.of("SELECT id FROM gone WHERE change > ?").all(since) as { id: string }[];
    return rows.map((row) => row.id);
  }
}

import type { SQLInputValue } from "node:sqlite";
import type { Statements } from "../sqlite.ts";

export type Row = Record<string, SQLInputValue>;

const TABLES = ["entities", "aliases", "relations", "sentences", "seen", "attributes"] as const;

/** Rows of the graph's tables. */
export type GraphRows = Record<(typeof TABLES)[number], Row[]>;

/** What a change to the graph can be taken back with: the rows that it changed, as they were before it and right after.
 * JSON. */
export interface GraphUndo {
  kind: "commit" | "merge" | "purge" | "edit" | "delete" | "consolidation";
  /** A sentence for the list of what can be undone. */
  summary: string;
  /** Entities that the change touched. */
  entities: number[];
  rows: GraphRows;
  /** Absent in what an older homed kept, where `rows` has every row of `entities`. */
  after?: GraphRows;
}

/** Whose rows a snapshot has. */
export interface SnapshotOf {
  entities: number[];
  /** Entities whose relations it has, with what hangs on those. Default: all of `entities`. */
  relationsOf?: number[];
}

const ENDS = "subject IN (SELECT value FROM json_each(?1)) OR object IN (SELECT value FROM json_each(?1))";
const OF_ENTITIES = {
  entities: "SELECT * FROM entities WHERE id IN (SELECT value FROM json_each(?1))",
  aliases: "SELECT * FROM aliases WHERE entity IN (SELECT value FROM json_each(?1))",
};
const OF_RELATIONS = {
  relations: `SELECT * FROM relations WHERE ${ENDS}`,
  sentences: `SELECT * FROM sentences WHERE id IN (SELECT sentence FROM relations WHERE ${ENDS})`,
  seen: `SELECT * FROM seen WHERE relation IN (SELECT id FROM relations WHERE ${ENDS})`,
  attributes: `SELECT * FROM attributes WHERE attribute IN (SELECT attribute FROM relations WHERE ${ENDS}
    UNION SELECT attribute || char(10) || subject FROM relations WHERE ${ENDS})`,
};

/** The rows around entities as they are now. */
export function takeSnapshot(statements: Statements, { entities, relationsOf = entities }: SnapshotOf): GraphRows {
  const read = (sql: string, ids: number[]) => statements.of(sql).all(JSON.stringify(ids)) as Row[];
  return {
    entities: read(OF_ENTITIES.entities, entities),
    aliases: read(OF_ENTITIES.aliases, entities),
    relations: read(OF_RELATIONS.relations, relationsOf),
    sentences: read(OF_RELATIONS.sentences, relationsOf),
    seen: read(OF_RELATIONS.seen, relationsOf),
    attributes: read(OF_RELATIONS.attributes, relationsOf),
  };
}

/** Whether there is anything to take back. */
export function isChange({ rows, after }: GraphUndo): boolean {
  return [...Object.values(rows), ...Object.values(after ?? rows)].some((list) => list.length > 0);
}

/** What makes a row of a table the same row. */
export function rowKey(table: keyof GraphRows, row: Row): string {
  switch (table) {
    case "aliases":
      return `${row.key} ${row.entity}`;
    case "attributes":
      return String(row.attribute);
    default:
      return String(row.id);
  }
}

/** Columns that change with every write and say nothing. */
const RESTLESS = new Set(["change", "updated"]);

/** Only what differs between two snapshots; of sentences those that the relations before it came from. */
export function difference(before: GraphRows, after: GraphRows): { rows: GraphRows; after: GraphRows } {
  const rows = {} as GraphRows, then = {} as GraphRows;
  const text = (row: Row) => JSON.stringify(row, (name, value) => (RESTLESS.has(name) ? undefined : value));
  for (const table of TABLES) {
    const marks = (list: Row[]) => new Set(list.map(text));
    const [was, is] = [marks(before[table]), marks(after[table])];
    rows[table] = before[table].filter((row) => !is.has(text(row)));
    then[table] = after[table].filter((row) => !was.has(text(row)));
  }
  const wanted = new Set(rows.relations.map((row) => row.sentence));
  rows.sentences = before.sentences.filter((row) => wanted.has(row.id!));
  then.sentences = [];
  return { rows, after: then };
}

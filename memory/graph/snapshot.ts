import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { type Statements, transaction } from "../sqlite.ts";

type Row = Record<string, SQLInputValue>;

/** What a change to the graph can be taken back with: every row of the entities it touched, as it was. JSON. */
export interface GraphUndo {
  kind: "commit" | "merge" | "purge" | "edit" | "delete" | "consolidation";
  /** A sentence for the list of what can be undone. */
  summary: string;
  /** Entities whose rows are put back. Those that did not exist before are removed with what hangs on them. */
  entities: number[];
  rows: { entities: Row[]; aliases: Row[]; relations: Row[]; sentences: Row[]; seen: Row[] };
}

const OF_ENTITIES = {
  entities: "SELECT * FROM entities WHERE id IN (SELECT value FROM json_each(?1))",
  aliases: "SELECT * FROM aliases WHERE entity IN (SELECT value FROM json_each(?1))",
  relations: `SELECT * FROM relations WHERE subject IN (SELECT value FROM json_each(?1))
    OR object IN (SELECT value FROM json_each(?1))`,
  sentences: `SELECT * FROM sentences WHERE id IN (SELECT sentence FROM relations
    WHERE subject IN (SELECT value FROM json_each(?1)) OR object IN (SELECT value FROM json_each(?1)))`,
  seen: `SELECT * FROM seen WHERE relation IN (SELECT id FROM relations
    WHERE subject IN (SELECT value FROM json_each(?1)) OR object IN (SELECT value FROM json_each(?1)))`,
} as const;

/** The rows around `entities` as they are now. */
export function takeSnapshot(statements: Statements, entities: number[]): GraphUndo["rows"] {
  const ids = JSON.stringify(entities);
  const read = (sql: string) => statements.of(sql).all(ids) as Row[];
  return {
    entities: read(OF_ENTITIES.entities),
    aliases: read(OF_ENTITIES.aliases),
    relations: read(OF_ENTITIES.relations),
    sentences: read(OF_ENTITIES.sentences),
    seen: read(OF_ENTITIES.seen),
  };
}

/** Puts the rows back. `changed` gets the ids of relations that are different now, `gone` of those that were removed;
 * relations between a touched entity and one that has been deleted since stay away. */
export function putBack(
  db: DatabaseSync,
  undo: GraphUndo,
  nextChange: () => number,
): { changed: string[]; gone: string[] } {
  return transaction(db, () => {
    const ids = JSON.stringify(undo.entities);
    const before = new Set((db.prepare(OF_ENTITIES.relations).all(ids) as Row[]).map((row) => String(row.id)));
    db.prepare("DELETE FROM seen WHERE relation IN (SELECT value FROM json_each(?))").run(JSON.stringify([...before]));
    db.prepare("DELETE FROM relations WHERE id IN (SELECT value FROM json_each(?))").run(JSON.stringify([...before]));
    db.prepare("DELETE FROM aliases WHERE entity IN (SELECT value FROM json_each(?))").run(ids);
    db.prepare("DELETE FROM entities WHERE id IN (SELECT value FROM json_each(?))").run(ids);
    const insert = (table: string, rows: Row[], guard = "1") => {
      for (const row of rows) {
        const names = Object.keys(row);
        db.prepare(
          `INSERT OR IGNORE INTO ${table} (${names.join(", ")}) SELECT ${
            names.map(() => "?").join(", ")
          } WHERE ${guard}`,
        ).run(...Object.values(row));
      }
    };
    insert("entities", undo.rows.entities);
    insert("aliases", undo.rows.aliases);
    insert("sentences", undo.rows.sentences);
    const there = db.prepare("SELECT count(*) AS n FROM entities WHERE id IN (?, ?)");
    const changed: string[] = [];
    for (const row of undo.rows.relations) {
      const ends = row.subject === row.object ? 1 : 2;
      if ((there.get(row.subject!, row.object!) as { n: number }).n < ends) continue;
      insert("relations", [{ ...row, change: nextChange() }]);
      changed.push(String(row.id));
      before.delete(String(row.id));
    }
    insert("seen", undo.rows.seen.filter((row) => changed.includes(String(row.relation))));
    return { changed, gone: [...before] };
  });
}

import { type Statements, storable } from "../sqlite.ts";
import { nameKey } from "../words/fold.ts";
import type { Entity, EntityRow } from "./rows.ts";

/** The nodes of the graph, by name: equal names, however written, are one. */
export class Entities {
  readonly #statements: Statements;
  readonly #now: () => number;

  constructor(statements: Statements, now: () => number) {
    this.#statements = statements;
    this.#now = now;
  }

  /** By name, else by an alias that is one's alone. A node that is nothing but somebody's nickname is that somebody. */
  find(name: string): EntityRow | undefined {
    const key = nameKey(name);
    const exact = this.exact(name);
    const rows = this.#statements.of(
      "SELECT e.* FROM aliases a JOIN entities e ON e.id = a.entity WHERE a.key = ? LIMIT 2",
    ).all(key) as unknown as EntityRow[];
    if (exact && (rows.length !== 1 || !this.#isNickname(exact.id))) return exact;
    return rows.length === 1 ? rows[0] : undefined;
  }

  /** By name alone. */
  exact(name: string): EntityRow | undefined {
    return this.#statements.of("SELECT * FROM entities WHERE key = ?").get(nameKey(name)) as unknown as
      | EntityRow
      | undefined;
  }

  #isNickname(id: number): boolean {
    const other = this.#statements.of(
      "SELECT 1 FROM relations WHERE subject = ?1 OR (object = ?1 AND attribute <> 'nickname') LIMIT 1",
    ).get(id);
    return other === undefined;
  }

  /** `exact`: aliases do not count, for the name itself is meant. */
  findOrMake(name: string, type: string, { exact = false } = {}): EntityRow {
    const found = exact ? this.exact(name) : this.find(name);
    if (found) {
      if (type !== "" && found.type === "") {
        this.#statements.of("UPDATE entities SET type = ?, updated = ? WHERE id = ?").run(type, this.#now(), found.id);
      }
      return found;
    }
    const now = this.#now();
    const clean = storable(name).trim();
    const { lastInsertRowid } = this.#statements.of(
      "INSERT INTO entities (name, key, type, created, updated) VALUES (?, ?, ?, ?, ?)",
    ).run(clean, nameKey(clean), type, now, now);
    return this.byId(Number(lastInsertRowid))!;
  }

  byId(id: number): EntityRow | undefined {
    return this.#statements.of("SELECT * FROM entities WHERE id = ?").get(id) as unknown as EntityRow | undefined;
  }

  alias(entity: number, name: string): void {
    const key = nameKey(name);
    if (key === "" || this.byId(entity)?.key === key) return;
    this.#statements.of("INSERT OR IGNORE INTO aliases VALUES (?, ?, ?)").run(key, entity, storable(name).trim());
  }

  aliases(entity: number): string[] {
    const rows = this.#statements.of("SELECT name FROM aliases WHERE entity = ? ORDER BY name").all(entity);
    return (rows as { name: string }[]).map((row) => row.name);
  }

  entityOf(row: EntityRow): Entity {
    const { id, name, type, description, created, updated } = row;
    return { name, type, description, aliases: this.aliases(id), created, updated };
  }
}

import { newId } from "../../core/base/ids.ts";
import type { Statements } from "../sqlite.ts";
import { nameKey } from "../words/fold.ts";
import { attributeKey, isSingleByWords } from "./attribute.ts";
import type { Entities } from "./entities.ts";
import type { Fact } from "./fact.ts";
import { type RelationRow, statementsOf, timesOf } from "./rows.ts";
import { type Run, runsOfMany, runsOfOne, type Statement } from "./validity.ts";

/** What a new statement brings besides its value and time. */
export interface Details {
  id: string;
  predicate: string;
  attribute: string;
  confidence: number;
  sentence: number | null;
  source: string;
  extra: string | null;
}

/** The edges of the graph as rows: each is a run of one value, worked out again whenever a statement joins its group. */
export class Runs {
  readonly #statements: Statements;
  readonly #entities: Entities;
  readonly #now: () => number;

  constructor(options: { statements: Statements; entities: Entities; now: () => number }) {
    this.#statements = options.statements;
    this.#entities = options.entities;
    this.#now = options.now;
  }

  /** Works out the runs of one subject and attribute again, with a new statement if there is one. */
  fold(
    group: { subject: number; attribute: string; object: string; predicate: string },
    added?: { statement: Statement; details: Details },
  ): { id: string; closed: string[] } {
    const { subject, attribute } = group;
    const isOne = this.#isSingle(subject, attribute, group.predicate, group.object);
    const rows =
      (isOne || !added
        ? this.#statements.of("SELECT * FROM relations WHERE subject = ? AND attribute = ?").all(subject, attribute)
        : this.#statements.of("SELECT * FROM relations WHERE subject = ? AND attribute = ? AND object = ?")
          .all(subject, attribute, added.statement.object)) as unknown as RelationRow[];
    const statements = rows.flatMap(statementsOf);
    if (added) statements.push(added.statement);
    const runs = isOne ? runsOfOne(statements) : runsOfMany(statements);
    return this.#write(subject, rows, runs, added);
  }

  #write(
    subject: number,
    rows: RelationRow[],
    runs: Run[],
    added?: { statement: Statement; details: Details },
  ): { id: string; closed: string[] } {
    const before = new Map(rows.map((row) => [row.id, row]));
    const closed: string[] = [];
    let id = "";
    for (const run of runs) {
      const own = added && run.statements.includes(added.statement) ? added : undefined;
      const row = before.get(run.id);
      before.delete(run.id);
      if (own) id = run.id = run.id || own.details.id;
      if (row) {
        const isClosing = run.until !== undefined && row.valid_to === null;
        if (isClosing) closed.push(run.id);
        this.#update(row, run, own?.details);
      } else {
        const model = rows.find((other) => other.object === run.object);
        const details = own?.details ?? (model && { ...model, id: newId(this.#now()) });
        if (details) this.#insert(subject, { ...run, id: own ? run.id : details.id }, details);
      }
    }
    for (const row of before.values()) {
      const into = runs.find((run) => run.statements.some((statement) => statement.run === row.id));
      this.#statements.of("UPDATE seen SET relation = ? WHERE relation = ?").run(into?.id ?? id, row.id);
      this.removeRelation(row.id);
    }
    return { id, closed };
  }

  #insert(subject: number, run: Run, details: Details): void {
    const learned = Math.min(...run.statements.map((statement) => statement.learned));
    this.#statements.of(
      `INSERT INTO relations (id, subject, predicate, attribute, object, confidence, learned, valid_from, valid_to,
        said_to, times, sentence, source, extra, change) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      run.id,
      subject,
      details.predicate,
      details.attribute,
      run.object,
      details.confidence,
      learned,
      run.from,
      run.until ?? null,
      run.said ?? null,
      timesOf(run.statements),
      details.sentence,
      details.source,
      details.extra,
      this.change(),
    );
    this.#statements.of("DELETE FROM gone WHERE id = ?").run(run.id);
  }

  #update(row: RelationRow, run: Run, details?: Details): void {
    const times = timesOf(run.statements);
    const isSame = !details && row.times === times && row.valid_from === run.from &&
      row.valid_to === (run.until ?? null);
    if (isSame) return;
    const learned = Math.min(...run.statements.map((statement) => statement.learned));
    this.#statements.of(
      `UPDATE relations SET confidence = ?, learned = ?, valid_from = ?, valid_to = ?, said_to = ?, times = ?, sentence = ?,
        extra = ?, change = ? WHERE id = ?`,
    ).run(
      Math.max(row.confidence, details?.confidence ?? 0),
      learned,
      run.from,
      run.until ?? null,
      run.said ?? null,
      times,
      row.sentence ?? details?.sentence ?? null,
      row.extra ?? details?.extra ?? null,
      this.change(),
      row.id,
    );
  }

  #isSingle(subject: number, attribute: string, predicate: string, object: string): boolean {
    const rows = this.#statements.of("SELECT attribute, many, told FROM attributes WHERE attribute IN (?, ?)")
      .all(attribute, `${attribute}\n${subject}`) as { attribute: string; many: number; told: number }[];
    const told = rows.find((row) => row.told === 1) ?? rows[0];
    return told ? told.many === 0 : isSingleByWords(predicate, object);
  }

  /** Two values of one attribute in one breath stand side by side. */
  learnMany(facts: (Fact | undefined)[]): void {
    const values = new Map<string, { fact: Fact; objects: Set<string> }>();
    for (const fact of facts) {
      if (!fact || fact.valid_to !== undefined || fact.id !== undefined) continue;
      const key = `${nameKey(fact.subject)}\n${attributeKey(fact.predicate)}\n${fact.valid_from ?? ""}`;
      const entry = values.get(key) ?? { fact, objects: new Set() };
      values.set(key, entry);
      entry.objects.add(nameKey(fact.object));
    }
    for (const { fact, objects } of values.values()) {
      if (objects.size < 2) continue;
      const subject = this.#entities.findOrMake(fact.subject, fact.subject_type ?? "");
      this.#statements.of("INSERT OR IGNORE INTO attributes VALUES (?, 1, 0)")
        .run(`${attributeKey(fact.predicate)}\n${subject.id}`);
    }
  }

  refoldAround(entity: number): void {
    const rows = this.#statements.of(
      "SELECT r.attribute, r.predicate, o.name FROM relations r JOIN entities o ON o.id = r.object WHERE r.subject = ? GROUP BY r.attribute",
    ).all(entity) as { attribute: string; predicate: string; name: string }[];
    for (const { attribute, predicate, name } of rows) {
      this.fold({ subject: entity, attribute, predicate, object: name });
    }
  }

  /** Works out one group again, if there is anything in it. */
  foldGroup(subject: number, attribute: string): void {
    const row = this.#statements.of(
      `SELECT r.predicate, o.name FROM relations r JOIN entities o ON o.id = r.object
      WHERE r.subject = ? AND r.attribute = ? LIMIT 1`,
    ).get(subject, attribute) as { predicate: string; name: string } | undefined;
    if (row) this.fold({ subject, attribute, predicate: row.predicate, object: row.name });
  }

  refoldAttribute(attribute: string): void {
    const rows = this.#statements.of(
      "SELECT r.subject, r.predicate, o.name FROM relations r JOIN entities o ON o.id = r.object WHERE r.attribute = ? GROUP BY r.subject",
    ).all(attribute) as { subject: number; predicate: string; name: string }[];
    for (const { subject, predicate, name } of rows) this.fold({ subject, attribute, predicate, object: name });
  }

  row(id: string): RelationRow | undefined {
    return this.#statements.of("SELECT * FROM relations WHERE id = ?").get(id) as unknown as RelationRow | undefined;
  }

  removeRelation(id: string): boolean {
    const row = this.row(id);
    if (!row) return false;
    this.#statements.of("DELETE FROM seen WHERE relation = ?").run(id);
    this.#statements.of("DELETE FROM relations WHERE id = ?").run(id);
    if (row.sentence !== null) {
      this.#statements.of(
        "DELETE FROM sentences WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM relations WHERE sentence = ?1)",
      )
        .run(row.sentence);
    }
    this.gone(id);
    return true;
  }

  gone(id: string): void {
    this.#statements.of("INSERT OR REPLACE INTO gone VALUES (?, ?)").run(id, this.change());
  }

  change(): number {
    const row = this.#statements.of("UPDATE meta SET value = value + 1 WHERE name = 'change' RETURNING value").get();
    return (row as { value: number }).value;
  }
}

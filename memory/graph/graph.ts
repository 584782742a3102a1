import { createHash } from "node:crypto";
import { newId } from "../../core/base/ids.ts";
import { condemn, isSound, openDatabase, settleDatabase, Statements, storable, transaction } from "../sqlite.ts";
import { nameKey } from "../words/fold.ts";
import { attributeKey } from "./attribute.ts";
import { type Entity, type EntityRow, type RelationRow, statementsOf, timesOf } from "./rows.ts";
import { Entities } from "./entities.ts";
import { GraphView } from "./view.ts";
import type { CommitOptions, CommitResult, Fact, GraphEdit } from "./fact.ts";
import { Runs } from "./runs.ts";
import { GRAPH_SCHEMA } from "./schema.ts";
import { putBack } from "./put_back.ts";
import { difference, type GraphUndo, type SnapshotOf, takeSnapshot } from "./snapshot.ts";
import type { Statement } from "./validity.ts";

export type { CommitOptions, CommitResult, Fact, GraphEdit } from "./fact.ts";

/** Up to this size the whole file is checked at every start. */
const CHECKED = 32 * 1024 * 1024;

/** The graph tier: entities and dated relations in SQLite. Every change is durable when its call returns; `changedSince`
 * tells the index what to put again. */
export class Graph extends GraphView implements Disposable {
  /** What opening found, for the person. */
  readonly notices: string[];
  readonly #path: string;
  readonly #runs: Runs;
  #last = 0;

  constructor(path: string, options: { now?: () => number; backup?: string } = {}) {
    const opened = openDatabase(path, {
      schema: GRAPH_SCHEMA,
      checked: CHECKED,
      ...(options.backup !== undefined && { backup: options.backup }),
    });
    const { db } = opened, now = options.now ?? Date.now;
    const statements = new Statements(db);
    super({ db, statements, nodes: new Entities(statements, now), now });
    this.#path = path;
    this.notices = opened.notices;
    db.exec("INSERT OR IGNORE INTO meta VALUES ('id', lower(hex(randomblob(8))))");
    this.#runs = new Runs({ statements, entities: this.nodes, now });
  }

  /** Whether its file is broken; it is marked then, so that the next start takes the backup. Reads all of it. */
  isDamaged(): boolean {
    if (this.#path === ":memory:" || isSound(this.db)) return false;
    condemn(this.#path);
    return true;
  }

  /** Takes facts in, all or none. A new value of a single-valued attribute closes the old one, whatever the order in
   * which they arrive; a value that is known already becomes surer. */
  commit(said: Fact[], options: CommitOptions = {}): CommitResult {
    const facts = said.map(storableFact);
    const at = options.at ?? this.#stamp();
    return transaction(this.db, () => {
      const fresh = facts.map((fact) => fact.id !== undefined && this.#seen(fact.id) !== undefined ? undefined : fact);
      const undo = options.undoable ? this.#undoOfCommit(fresh.filter((fact) => fact !== undefined)) : undefined;
      this.#runs.learnMany(fresh);
      const closed = new Set<string>();
      const touched = new Set(undo?.entities);
      let committed = 0;
      const ids = fresh.map((fact, i) => {
        if (!fact) return this.#seen(facts[i]!.id!)!;
        committed++;
        const result = this.#take(fact, fact.at ?? at, options);
        for (const id of result.closed) closed.add(id);
        for (const entity of result.entities) touched.add(entity);
        return result.id;
      });
      if (undo) this.#complete(undo, { entities: undo.entities = [...touched] });
      return { committed, ids, closed: [...closed].filter((id) => !ids.includes(id)), ...(undo && { undo }) };
    });
  }

  /** Makes or changes an entity. Aliases are added. */
  setEntity(name: string, set: { type?: string; description?: string; aliases?: string[] }): Entity {
    return transaction(this.db, () => {
      const row = this.nodes.findOrMake(name, set.type ?? "");
      this.statements.of("UPDATE entities SET type = ?, description = ?, updated = ? WHERE id = ?")
        .run(set.type ?? row.type, set.description ?? row.description, this.now(), row.id);
      for (const alias of set.aliases ?? []) this.nodes.alias(row.id, alias);
      this.#touchRelations(row.id);
      return this.nodes.entityOf(this.nodes.byId(row.id)!);
    });
  }

  /** Makes two nodes one: `from`'s name becomes an alias of `into`, its relations and aliases move. Again it does
   * nothing. */
  merge(from: string, into: string): { moved: number; undo: GraphUndo } {
    return transaction(this.db, () => {
      const source = this.nodes.find(from);
      const known = [source?.id, this.nodes.find(into)?.id].filter((id) => id !== undefined);
      const undo = this.#undoOf("merge", `${from} → ${into}`, { entities: known });
      const target = source && this.nodes.findOrMake(into, source.type);
      if (!source || !target || source.id === target.id) {
        this.#complete(undo, { entities: known });
        return { moved: 0, undo };
      }
      const moved = this.#touchRelations(source.id);
      for (const end of ["subject", "object"]) {
        this.statements.of(`UPDATE relations SET ${end} = ? WHERE ${end} = ?`).run(target.id, source.id);
      }
      const aliases = this.nodes.aliases(source.id);
      this.statements.of("DELETE FROM entities WHERE id = ?").run(source.id);
      for (const alias of [source.name, ...aliases]) this.nodes.alias(target.id, alias);
      if (target.type === "" || target.description === "") {
        this.statements.of("UPDATE entities SET type = ?, description = ?, updated = ? WHERE id = ?")
          .run(target.type || source.type, target.description || source.description, this.now(), target.id);
      }
      this.#runs.refoldAround(target.id);
      // What stood in a relation with both stands in one with it.
      const others = this.statements.of("SELECT DISTINCT subject, attribute FROM relations WHERE object = ?");
      for (const { subject, attribute } of others.all(target.id) as { subject: number; attribute: string }[]) {
        this.#runs.foldGroup(subject, attribute);
      }
      this.#complete(undo, { entities: undo.entities = [source.id, target.id] });
      return { moved, undo };
    });
  }

  /** Removes an entity, its relations, and what only they named. `exact`: the node of that name, not who has it for an
   * alias. */
  deleteEntity(name: string, kind: "purge" | "delete" = "delete", { exact = false } = {}): {
    entities: number;
    relations: number;
    undo: GraphUndo;
  } {
    return transaction(this.db, () => {
      const row = exact ? this.nodes.exact(name) : this.nodes.find(name);
      const around = row ? this.#around([row.id]) : [];
      const touched = { entities: around, relationsOf: row ? [row.id] : [] };
      const undo = this.#undoOf(kind, name, touched);
      if (!row) return { entities: 0, relations: 0, undo };
      const ids = this.statements.of("SELECT id FROM relations WHERE subject = ?1 OR object = ?1").all(row.id);
      for (const { id } of ids as { id: string }[]) this.#runs.removeRelation(id);
      this.statements.of("DELETE FROM entities WHERE id = ?").run(row.id);
      const orphans = kind === "purge" ? this.#removeOrphans(around) : 0;
      this.#complete(undo, touched);
      return { entities: 1 + orphans, relations: ids.length, undo };
    });
  }

  /** As `deleteEntity`, and nodes that stood in relations with it alone go too. */
  purge(name: string): { entities: number; relations: number; undo: GraphUndo } {
    return this.deleteEntity(name, "purge");
  }

  /** Removes one relation for good. */
  removeRelation(id: string): boolean {
    return transaction(this.db, () => this.#runs.removeRelation(id));
  }

  /** Removes one relation so that it can be taken back. */
  deleteRelation(id: string): { undo: GraphUndo } {
    return transaction(this.db, () => {
      const { subject, object } = this.#runs.row(id) ?? {};
      const touched = { entities: [subject, object].filter((end) => end !== undefined) };
      const undo = this.#undoOf("delete", id, touched);
      this.#runs.removeRelation(id);
      this.#complete(undo, touched);
      return { undo };
    });
  }

  /** Says whether values of an attribute stand side by side. What was told before stays. */
  setAttribute(set: { attribute: string; subject?: string; many: boolean; told: boolean }): void {
    transaction(this.db, () => {
      const attribute = attributeKey(set.attribute);
      const subject = set.subject === undefined ? undefined : this.nodes.findOrMake(set.subject, "").id;
      const { changes } = this.statements.of("INSERT OR IGNORE INTO attributes VALUES (?, ?, ?)")
        .run(subject === undefined ? attribute : `${attribute}\n${subject}`, set.many ? 1 : 0, set.told ? 1 : 0);
      if (changes > 0) this.#runs.refoldAttribute(attribute);
    });
  }

  /** Leaves no trace of words in what nodes are also called and in what is known of predicates; the nodes stay. */
  forgetWords(matches: (text: string) => boolean): void {
    transaction(this.db, () => {
      for (const table of ["aliases", "attributes"]) {
        const column = table === "aliases" ? "name" : "attribute";
        const rows = this.statements.of(`SELECT DISTINCT ${column} AS text FROM ${table}`).all() as { text: string }[];
        for (const { text } of rows.filter((row) => matches(row.text))) {
          this.statements.of(`DELETE FROM ${table} WHERE ${column} = ?`).run(text);
        }
      }
    });
  }

  /** Takes a sentence, by the sha256 of its text, from the relations that came from it; they stay without it. */
  dropSentence(hash: string): void {
    transaction(this.db, () => {
      const row = this.statements.of("SELECT id FROM sentences WHERE hash = ?").get(hash) as
        | { id: number }
        | undefined;
      if (!row) return;
      this.statements.of("UPDATE relations SET sentence = NULL, change = ? WHERE sentence = ?").run(
        this.#runs.change(),
        row.id,
      );
      this.statements.of("DELETE FROM sentences WHERE id = ?").run(row.id);
    });
  }

  /** Changes a relation (`id`) or an entity (`name`). Answers with how many were changed. */
  edit(target: { id?: string; name?: string }, set: GraphEdit): { edited: number; undo: GraphUndo } {
    return transaction(this.db, () => {
      const relation = target.id === undefined ? undefined : this.#runs.row(target.id);
      const entity = target.name === undefined ? undefined : this.nodes.find(target.name);
      const named = [set.subject, set.object].map((name) => name === undefined ? undefined : this.nodes.find(name));
      const ids = [relation?.subject, relation?.object, entity?.id, ...named.map((one) => one?.id)]
        .filter((id) => id !== undefined);
      const known = target.id === undefined ? undefined : this.relation(target.id);
      const summary = known ? `${known.subject} ${known.predicate} ${known.object}` : target.name ?? target.id ?? "";
      const undo = this.#undoOf("edit", summary, { entities: [...new Set(ids)] });
      const edited = (relation ? this.#editRelation(relation, set, undo) : 0) +
        (entity ? this.#editEntity(entity, set) : 0);
      this.#complete(undo, { entities: undo.entities });
      return { edited, undo };
    });
  }

  /** Takes a change back, and nothing of what was learned since. Done again it changes nothing. */
  undo(undo: GraphUndo): void {
    const port = {
      statements: this.statements,
      runs: this.#runs,
      touch: (entity: number) => void this.#touchRelations(entity),
    };
    transaction(this.db, () => putBack(port, undo));
  }

  /** Keeps a value with the graph for somebody; null takes it out. */
  note(name: string, value: unknown): void {
    if (value === null) this.statements.of("DELETE FROM meta WHERE name = ?").run(`note ${name}`);
    else this.statements.of("INSERT OR REPLACE INTO meta VALUES (?, ?)").run(`note ${name}`, JSON.stringify(value));
  }

  /** The next change comes after `change`. */
  countOn(change: number): void {
    this.statements.of("UPDATE meta SET value = max(value, ?) WHERE name = 'change'").run(change);
  }

  /** Forgets which relations are gone, once the index knows, and empties the write-ahead log: no trace stays. */
  settle(): void {
    this.statements.of("DELETE FROM gone").run();
    this.statements.of(
      "DELETE FROM sentences WHERE id NOT IN (SELECT sentence FROM relations WHERE sentence IS NOT NULL)",
    ).run();
    settleDatabase(this.db);
  }

  [Symbol.dispose](): void {
    this.statements.clear();
    if (this.db.isOpen) this.db.close();
  }

  #undoOfCommit(facts: Fact[]): GraphUndo {
    const named = facts.flatMap((fact) => [fact.subject, fact.object]);
    const known = [...new Set(named.flatMap((name) => this.nodes.find(name)?.id ?? []))];
    const first = facts[0];
    const summary = facts.length === 1
      ? `${first!.subject} ${first!.predicate} ${first!.object}`
      : `${facts.length} facts`;
    return this.#undoOf("consolidation", summary, { entities: known });
  }

  /** What takes a change back that is about to be made; `#complete` it when it was made. */
  #undoOf(kind: GraphUndo["kind"], summary: string, touched: SnapshotOf): GraphUndo {
    return { kind, summary, entities: touched.entities, rows: takeSnapshot(this.statements, touched) };
  }

  #complete(undo: GraphUndo, touched: SnapshotOf): void {
    Object.assign(undo, difference(undo.rows, takeSnapshot(this.statements, touched)));
  }

  #take(fact: Fact, at: number, options: CommitOptions): { id: string; closed: string[]; entities: number[] } {
    const subject = this.nodes.findOrMake(fact.subject, fact.subject_type ?? "");
    const attribute = attributeKey(fact.predicate);
    const object = this.nodes.findOrMake(fact.object, fact.object_type ?? "", { exact: attribute === "nickname" });
    const from = timeOf(fact.valid_from) ?? at;
    const until = timeOf(fact.valid_to);
    const statement: Statement = {
      object: object.id,
      from,
      learned: at,
      run: "",
      ...(until !== undefined && { until }),
    };
    const wanted = fact.id !== undefined && this.#runs.row(fact.id) === undefined ? fact.id : newId(this.now());
    const text = fact.sentence ?? (options.sentence === undefined ? undefined : storable(options.sentence));
    const details = {
      predicate: fact.predicate,
      attribute,
      confidence: Math.min(1, Math.max(0, fact.confidence ?? 1)),
      sentence: text ? this.#sentence(text, at, options) : null,
      source: options.source ?? "",
      extra: fact.extra ? JSON.stringify(fact.extra) : null,
      id: wanted,
    };
    if (attribute === "nickname" && object.id !== subject.id) this.nodes.alias(subject.id, fact.object);
    const { id, closed } = this.#runs.fold({
      subject: subject.id,
      attribute,
      object: fact.object,
      predicate: fact.predicate,
    }, {
      statement,
      details,
    });
    if (fact.id !== undefined) {
      this.statements.of("INSERT OR REPLACE INTO seen VALUES (?, ?)").run(fact.id, id);
    }
    if (details.sentence !== null) this.#keepMedia(details.sentence, id);
    return { id, closed, entities: [subject.id, object.id] };
  }

  #editRelation(row: RelationRow, set: GraphEdit, undo: GraphUndo): number {
    if (set.many_valued !== undefined) {
      this.statements.of(
        "INSERT INTO attributes VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET many = excluded.many, told = 1",
      ).run(row.attribute, set.many_valued ? 1 : 0);
      this.#runs.refoldAttribute(row.attribute);
    }
    const predicate = set.predicate ?? row.predicate;
    const subject = set.subject === undefined ? row.subject : this.nodes.findOrMake(set.subject, "").id;
    const object = set.object === undefined ? row.object : this.nodes.findOrMake(set.object, "").id;
    undo.entities = [...new Set([...undo.entities, subject, object])];
    const until = set.valid_to === undefined ? row.said_to : timeOf(set.valid_to) ?? null;
    const times = set.valid_to === undefined
      ? row.times
      : timesOf(statementsOf(row).map(({ until: _, ...s }) => until === null ? s : { ...s, until }));
    this.statements.of(
      `UPDATE relations SET subject = ?, predicate = ?, attribute = ?, object = ?, confidence = ?, said_to = ?, times = ?,
        valid_to = CASE WHEN ?8 THEN ?9 ELSE valid_to END, change = ?10 WHERE id = ?11`,
    ).run(
      subject,
      predicate,
      attributeKey(predicate),
      object,
      set.confidence ?? row.confidence,
      until,
      times,
      set.valid_to === undefined ? 0 : 1,
      until,
      this.#runs.change(),
      row.id,
    );
    this.#runs.refoldAround(subject);
    if (subject !== row.subject) this.#runs.refoldAround(row.subject);
    return 1;
  }

  #editEntity(row: EntityRow, set: GraphEdit): number {
    const name = set.subject ?? row.name;
    if (nameKey(name) !== row.key && this.nodes.find(name)) return 0;
    this.statements.of("UPDATE entities SET name = ?, key = ?, type = ?, description = ?, updated = ? WHERE id = ?")
      .run(name, nameKey(name), set.type ?? row.type, set.description ?? row.description, this.now(), row.id);
    this.nodes.alias(row.id, name);
    this.#touchRelations(row.id);
    return 1;
  }

  #seen(id: string): string | undefined {
    const row = this.statements.of("SELECT relation FROM seen WHERE id = ?").get(id) as
      | { relation: string }
      | undefined;
    return row?.relation;
  }

  #sentence(text: string, at: number, options: CommitOptions): number {
    const hash = createHash("sha256").update(text).digest("hex");
    const media = options.mediaDigests?.length ? JSON.stringify(options.mediaDigests) : null;
    const row = this.statements.of(
      `INSERT INTO sentences (text, hash, source, at, media) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (hash) DO UPDATE SET media = coalesce(excluded.media, media) RETURNING id`,
    ).get(text, hash, options.source ?? "", at, media) as { id: number };
    return row.id;
  }

  /** A relation that was known keeps the sentence it has: media that came with another one hang on that. */
  #keepMedia(sentence: number, relation: string): void {
    const isUsed = this.statements.of("SELECT 1 FROM relations WHERE sentence = ? LIMIT 1").get(sentence) !== undefined;
    if (isUsed) return;
    const mediaOf = (id: number | null) => {
      const row = this.statements.of("SELECT media FROM sentences WHERE id = ?").get(id);
      return JSON.parse((row?.media as string | null | undefined) ?? "[]") as string[];
    };
    const kept = this.#runs.row(relation)?.sentence ?? null;
    const media = new Set([...mediaOf(kept), ...mediaOf(sentence)]);
    if (kept !== null && media.size > 0) {
      this.statements.of("UPDATE sentences SET media = ? WHERE id = ?").run(JSON.stringify([...media]), kept);
    }
    this.statements.of("DELETE FROM sentences WHERE id = ?").run(sentence);
  }

  /** The relations of an entity have to be indexed again. */
  #touchRelations(entity: number): number {
    const change = this.#runs.change();
    const { changes } = this.statements.of("UPDATE relations SET change = ?1 WHERE subject = ?2 OR object = ?2")
      .run(change, entity);
    return Number(changes);
  }

  /** The entities and those they stand in a relation with. */
  #around(ids: number[]): number[] {
    const rows = this.statements.of(
      `SELECT subject, object FROM relations WHERE subject IN (SELECT value FROM json_each(?1))
        OR object IN (SELECT value FROM json_each(?1))`,
    ).all(JSON.stringify(ids)) as { subject: number; object: number }[];
    return [...new Set([...ids, ...rows.flatMap((row) => [row.subject, row.object])])];
  }

  #removeOrphans(ids: number[]): number {
    const { changes } = this.statements.of(
      `DELETE FROM entities WHERE id IN (SELECT value FROM json_each(?)) AND type = '' AND description = ''
        AND NOT EXISTS (SELECT 1 FROM relations WHERE subject = entities.id OR object = entities.id)`,
    ).run(JSON.stringify(ids));
    return Number(changes);
  }

  /** Now, strictly after the last one: what was said later is later. */
  #stamp(): number {
    this.#last = Math.max(this.now(), this.#last + 1);
    return this.#last;
  }
}

/** All its texts as the database keeps them. */
function storableFact(fact: Fact): Fact {
  const texts = Object.entries(fact).filter(([, value]) => typeof value === "string");
  return { ...fact, ...Object.fromEntries(texts.map(([name, text]) => [name, storable(text)])) };
}

function timeOf(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

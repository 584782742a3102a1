import type { Statement } from "./validity.ts";

/** An entity's row. */
export interface EntityRow {
  id: number;
  name: string;
  key: string;
  type: string;
  description: string;
  created: number;
  updated: number;
}

/** A relation's row; `times` is JSON of `[from, learned, until?]` triples. */
export interface RelationRow {
  id: string;
  subject: number;
  predicate: string;
  attribute: string;
  object: number;
  confidence: number;
  learned: number;
  valid_from: number;
  valid_to: number | null;
  said_to: number | null;
  times: string;
  sentence: number | null;
  source: string;
  extra: string | null;
  change: number;
}

/** A relation with its names, as everyone else sees it. Times in milliseconds. */
export interface Relation {
  id: string;
  subject: string;
  predicate: string;
  /** The canonical predicate, or the folded text of a free one. */
  attribute: string;
  object: string;
  confidence: number;
  learned: number;
  from: number;
  until?: number;
  sentence?: string;
  media?: string[];
  source: string;
  /** Fields of an import that mean nothing here, kept. */
  extra?: Record<string, unknown>;
}

/** An entity with its aliases. */
export interface Entity {
  name: string;
  type: string;
  description: string;
  aliases: string[];
  created: number;
  updated: number;
}

/** A relation joined with what it names. */
export type JoinedRow = RelationRow & {
  subject_name: string;
  object_name: string;
  sentence_text: string | null;
  media: string | null;
};

export const JOINED =
  `SELECT r.*, s.name AS subject_name, o.name AS object_name, t.text AS sentence_text, t.media AS media
  FROM relations r JOIN entities s ON s.id = r.subject JOIN entities o ON o.id = r.object
  LEFT JOIN sentences t ON t.id = r.sentence`;

/** The relation of a joined row. */
export function relationOf(row: JoinedRow): Relation {
  return {
    id: row.id,
    subject: row.subject_name,
    predicate: row.predicate,
    attribute: row.attribute,
    object: row.object_name,
    confidence: row.confidence,
    learned: row.learned,
    from: row.valid_from,
    source: row.source,
    ...(row.valid_to !== null && { until: row.valid_to }),
    ...(row.sentence_text !== null && { sentence: row.sentence_text }),
    ...(row.media !== null && { media: JSON.parse(row.media) as string[] }),
    ...(row.extra !== null && { extra: JSON.parse(row.extra) as Record<string, unknown> }),
  };
}

/** True when the relation holds at `now`. */
export function isCurrent(relation: { learned: number; from: number; until?: number }, now: number): boolean {
  if (relation.until !== undefined && relation.until <= now) return false;
  return relation.from <= now || relation.from <= relation.learned;
}

/** The statements that a row was made from. */
export function statementsOf(row: RelationRow): Statement[] {
  const times = JSON.parse(row.times) as [number, number, number?][];
  return times.map(([from, learned, until]) => ({
    object: row.object,
    from,
    learned,
    run: row.id,
    ...(until !== undefined && { until }),
  }));
}

/** Statements as a row keeps them: each once, and of very many the first and the newest. */
export function timesOf(statements: Statement[]): string {
  const unique = new Map(statements.map((s) => [`${s.from} ${s.learned} ${s.until ?? ""}`, s]));
  const list = [...unique.values()].map(({ from, learned, until }) =>
    until === undefined ? [from, learned] : [from, learned, until]
  );
  return JSON.stringify(list.length > 64 ? [list[0], ...list.slice(-63)] : list);
}

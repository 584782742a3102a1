/** Scores recall as the sets' own programs do. @module */
import type { RecallResult } from "../../core/wire/memory.ts";

/** A question of the home set. */
export interface HomeQuery {
  id: string;
  q: string;
  lang: string;
  kind: string;
  expect: string[];
  any?: string[];
  not_first?: string[];
}

/** A question of a set that names its evidence by document id. */
export interface EvidenceQuery {
  id: string;
  q: string;
  category?: number;
  evidence: string[];
}

export type Marks = Record<string, number>;

const UNION = new Set(["coexist", "multihop"]);

const norm = (text: string) => text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ");

function contains(text: string, wanted: string): boolean {
  const [folded, want] = [norm(text), norm(wanted)];
  const left = /^[0-9]/.test(want) ? "(?<![0-9])(?<![0-9][.:])" : "";
  const right = /[0-9]$/.test(want) ? "(?![0-9])(?![.:][0-9])" : "";
  return new RegExp(left + want.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + right).test(folded);
}

function rankOfAnswer(texts: string[], query: HomeQuery): number {
  const any = query.any ?? [];
  if (UNION.has(query.kind)) {
    let missing = query.expect;
    for (const [i, text] of texts.slice(0, 8).entries()) {
      missing = missing.filter((wanted) => !contains(text, wanted));
      if (missing.length === 0 || any.some((wanted) => contains(text, wanted))) return i + 1;
    }
    return 0;
  }
  const answers = (text: string) =>
    any.some((wanted) => contains(text, wanted)) ||
    (query.expect.length > 0 && query.expect.every((wanted) => contains(text, wanted)));
  return texts.slice(0, 5).findIndex(answers) + 1;
}

function isRightFirst(texts: string[], query: HomeQuery): boolean {
  const wanted = [...query.expect, ...query.any ?? []];
  for (const text of texts.slice(0, UNION.has(query.kind) ? 8 : 5)) {
    const isNew = wanted.some((want) => contains(text, want));
    if (isNew || query.not_first!.some((rival) => contains(text, rival))) return isNew;
  }
  return false;
}

/** The marks of one home question; `silent` for absent ones, else the rest. */
export function judgeHome(query: HomeQuery, result: RecallResult): Marks {
  const texts = result.hits.slice(0, 8).map((hit) => hit.text);
  const spoke = result.answerable && texts.length > 0;
  if (query.kind === "absent") return { silent: spoke ? 0 : 1 };
  const rank = rankOfAnswer(texts, query);
  const marks: Marks = { "hit@5": rank > 0 ? 1 : 0, mrr: rank > 0 ? 1 / rank : 0, answered: spoke ? 1 : 0 };
  if (query.not_first?.length) {
    marks[query.kind === "superseded" ? "current_first" : "right_time_first"] = isRightFirst(texts, query) ? 1 : 0;
  }
  return marks;
}

/** The marks of one evidence question: shares of its evidence among the first k, of turns (`t`) and of sessions (`s`). */
export function judgeEvidence(query: EvidenceQuery, result: RecallResult): Marks {
  const ids = result.hits.map((hit) => hit.id);
  const session = (id: string) => id.split(":")[0]!;
  const sessions = [...new Set(ids.map(session))];
  const wanted = new Set(query.evidence.map(session));
  const first = ids.slice(0, 10).findIndex((id) => query.evidence.includes(id));
  const marks: Marks = { mrr10: first < 0 ? 0 : 1 / (first + 1) };
  for (const k of [1, 5, 10, 20, 50]) {
    const top = new Set(ids.slice(0, k));
    const topSessions = new Set(sessions.slice(0, k));
    marks[`t@${k}`] = query.evidence.filter((id) => top.has(id)).length / query.evidence.length;
    marks[`s@${k}`] = [...wanted].filter((id) => topSessions.has(id)).length / wanted.size;
  }
  return marks;
}

/** Means of each mark over the rows that have it. */
export function means(rows: Marks[]): Marks {
  const out: Marks = { n: rows.length };
  for (const name of new Set(rows.flatMap((row) => Object.keys(row)))) {
    const values = rows.flatMap((row) => row[name] ?? []);
    out[name] = Math.round(values.reduce((sum, value) => sum + value, 0) / values.length * 1000) / 1000;
  }
  return out;
}

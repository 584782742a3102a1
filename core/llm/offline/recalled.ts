import type { Turn } from "./turn.ts";

/** A relation as `memory_recall` tells it. */
export interface Relation {
  id?: string;
  subject: string;
  predicate: string;
  object: string;
  current: boolean;
  sentence?: string;
  from?: string;
  /** How well it fits the question, from 0 to 1, where memory says so. */
  score?: number;
}

/** A passage as `memory_recall` or `knowledge_search` tells it. */
export interface Passage {
  kind: string;
  text: string;
  score: number;
  id: string;
}

export interface Recalled {
  relations: Relation[];
  passages: Passage[];
}

const text = (value: unknown): string => typeof value === "string" ? value : "";

function rows(value: unknown, key: string): Record<string, unknown>[] {
  const list = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  return Array.isArray(list) ? list.filter((row) => typeof row === "object" && row !== null) : [];
}

/** Everything that one tool has answered in this turn. */
export function recalledBy(tool: "memory_recall" | "knowledge_search", turn: Turn): Recalled {
  const relations: Relation[] = [];
  const seen = new Set<string>();
  const passages: Passage[] = [];
  for (const result of turn.results.filter((result) => result.tool === tool)) {
    const scores = new Map(rows(result.value, "hits").map((row) => [text(row["id"]), Number(row["score"] ?? 0)]));
    for (const row of rows(result.value, "relations")) {
      const validTo = text(row["valid_to"]);
      const id = text(row["id"]);
      if (id !== "" && seen.has(id)) continue;
      seen.add(id);
      relations.push({
        ...(id !== "" ? { id } : {}),
        ...(scores.has(id) ? { score: scores.get(id)! } : {}),
        subject: text(row["subject"]),
        predicate: text(row["predicate"]),
        object: text(row["object"]),
        current: typeof row["current"] === "boolean" ? row["current"] : validTo === "",
        ...(text(row["sentence"]) ? { sentence: text(row["sentence"]) } : {}),
        ...(text(row["valid_from"]) ? { from: text(row["valid_from"]) } : {}),
      });
    }
    for (const row of rows(result.value, "hits")) {
      if (row["kind"] === "relation" || row["current"] === false) continue;
      passages.push({
        kind: text(row["kind"]),
        text: text(row["text"]),
        score: Number(row["score"] ?? 0),
        id: text(row["id"]),
      });
    }
  }
  const source = tool === "memory_recall" ? "documents" : "knowledge";
  for (const entry of turn.brief) {
    if (entry.source === source) passages.push({ kind: "document", text: entry.text, score: 0, id: "" });
  }
  if (tool === "memory_recall" && turn.tools.has(tool)) {
    // What is still in the conversation is in no document yet.
    const own = turn.history.filter(({ own }) => own);
    passages.push(...own.map(({ text }) => ({ kind: "message", text, score: 0, id: "" })));
  }
  return { relations, passages };
}

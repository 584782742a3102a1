import type { SearchIndex, Unit } from "../index/search_index.ts";
import { nameKey } from "../words/fold.ts";
import { attributeKey } from "./attribute.ts";
import type { Fact } from "./fact.ts";
import type { Graph } from "./graph.ts";

/** Names and predicates are looked for in this much of a unit's text. */
const HEAD = 2_000;
/** Facts with one wait for the disk. */
const BATCH = 500;

/** Brings a graph that has lost changes to what its index, which had them, says of its relations: those it does not have
 * are learned again, those that were removed since go. What hangs on nodes alone (aliases, descriptions) stays lost.
 * Answers with how many relations came back, and how many could not. Call it before the index follows the graph. */
export function salvage(graph: Graph, index: SearchIndex): { restored: number; lost: number } {
  const rows = index.db.prepare("SELECT id FROM units WHERE kind = 'relation'").all() as { id: string }[];
  const indexed = new Set(rows.map(({ id }) => id));
  const removed = [...graph.iterate()].filter(({ id }) => !indexed.has(id));
  for (const { id } of removed) graph.removeRelation(id);
  const missing = [...indexed].filter((id) => !graph.relation(id));
  let restored = 0;
  for (let i = 0; i < missing.length; i += BATCH) {
    const units = missing.slice(i, i + BATCH).flatMap((id) => index.get("relation", id) ?? []);
    const facts = units.flatMap((unit) => factOf(unit) ?? []);
    graph.commit(facts, { source: "index" });
    restored += facts.length;
  }
  return { restored, lost: missing.length - restored };
}

/** The fact that a relation's unit was made of: its text is `subject predicate object. sentence`, and the keys tell where
 * one ends. */
function factOf(unit: Unit): Fact | undefined {
  const head = unit.text.slice(0, HEAD);
  for (const start of placesOf(" ", head)) {
    if (nameKey(head.slice(0, start)) !== unit.subject) continue;
    for (const middle of placesOf(" ", head, start + 1)) {
      if (attributeKey(head.slice(start + 1, middle)) !== unit.attribute) continue;
      for (const end of placesOf(".", head, middle + 1)) {
        const isEnd = end + 1 === unit.text.length || unit.text[end + 1] === " ";
        if (!isEnd || nameKey(head.slice(middle + 1, end)) !== unit.object) continue;
        const sentence = unit.text.slice(end + 2);
        return {
          id: unit.id,
          subject: head.slice(0, start),
          predicate: head.slice(start + 1, middle),
          object: head.slice(middle + 1, end),
          at: unit.at,
          ...(unit.since !== undefined && { valid_from: new Date(unit.since).toISOString() }),
          ...(unit.until !== undefined && { valid_to: new Date(unit.until).toISOString() }),
          ...(sentence !== "" && { sentence }),
        };
      }
    }
  }
}

function* placesOf(character: string, text: string, from = 0): Generator<number> {
  for (let at = text.indexOf(character, from); at >= 0; at = text.indexOf(character, at + 1)) yield at;
}

import type { Passage, Relation } from "./recalled.ts";

/** How a question for yes or no is answered by what was found: `unsaid` when it tells other values than the one that was
 * asked for, `perhaps` when it may be one of these, `former` when it held once, `before` when that was asked. */
export type Verdict = "yes" | "no" | "unsaid" | "perhaps" | "former" | "before";

/** What was found for a question. */
export type Found =
  | { kind: "relations"; relations: Relation[]; verdict?: Verdict }
  | { kind: "passage"; passage: Passage; source: "memory" | "knowledge" }
  | { kind: "nothing" };

/** In the order in which they were told. */
export function told(relations: Relation[], verdict?: Verdict): Found {
  const once = [
    ...new Map(relations.map((each) => [`${each.subject}\n${each.predicate}\n${each.object}`, each])).values(),
  ];
  const inOrder = once.toSorted((a, b) => (a.id ?? "") < (b.id ?? "") ? -1 : (a.id ?? "") > (b.id ?? "") ? 1 : 0);
  return { kind: "relations", relations: inOrder, ...(verdict ? { verdict } : {}) };
}

import type { Relation } from "../graph/rows.ts";
import type { LoopState } from "../heartbeat.ts";
import type { Memory } from "../memory.ts";
import { arrayIn, quote } from "./answer.ts";

/** Relations in one question. */
const ASKED_AT_ONCE = 20;

/** Holds relations against the sentences they came from and lets the model mend what was misunderstood. Each relation is
 * reviewed once after it changed; without a model they wait. */
export async function reviewRelations(memory: Memory, state: LoopState): Promise<number> {
  const { graph, gate, ports } = memory;
  const mended = new Set(state.mended);
  let at = state.reviewed;
  const asked: Relation[] = [];
  while (asked.length < ASKED_AT_ONCE) {
    const page = graph.changedSince(at, 200);
    for (const relation of page) {
      if (asked.length >= ASKED_AT_ONCE) break;
      at = { change: relation.change, id: relation.id };
      if (relation.sentence && !mended.has(relation.id)) asked.push(relation);
    }
    if (page.length < 200) break;
  }
  if (asked.length === 0) {
    state.reviewed = at;
    return 0;
  }
  const answer = await ports.decide({ kind: "review", prompt: promptOf(asked) });
  if (answer === null) return 0;
  state.reviewed = at;
  const fixes = arrayIn(answer) ?? [];
  let fixed = 0;
  for (const [i, relation] of asked.entries()) {
    const fix = fixes.find((one) => one.n === i + 1);
    if (!fix) continue;
    fixed += await gate.exclusive(() => mend(memory, relation, fix));
    state.mended.push(relation.id);
  }
  return fixed;
}

function mend(memory: Memory, relation: Relation, fix: Record<string, unknown>): number {
  const { graph } = memory;
  // The model took its time: a relation that has changed meanwhile is not touched.
  const now = graph.relation(relation.id);
  if (!now || now.subject !== relation.subject || now.object !== relation.object) return 0;
  const part = (
    name: string,
  ) => (typeof fix[name] === "string" && fix[name].trim() !== "" ? { [name]: fix[name] } : {});
  const isDeletion = fix.action === "delete";
  const set = isDeletion ? {} : { ...part("subject"), ...part("predicate"), ...part("object") };
  if (!isDeletion && (fix.action !== "edit" || Object.keys(set).length === 0)) return 0;
  const { undo } = isDeletion ? graph.deleteRelation(relation.id) : graph.edit({ id: relation.id }, set);
  memory.keepUndo("consolidation", undo);
  return 1;
}

function promptOf(relations: Relation[]): string {
  return [
    "Relations of the memory with the sentences they were learned from, quoted as data. Find those that their sentence",
    "does not say (wrong subject, wrong object, a question or a joke taken for a fact). Call no tools.",
    "Answer with a JSON array alone that has the wrong ones only, [] when all are right:",
    '[{"n":1,"action":"delete"},{"n":2,"action":"edit","subject":"…","predicate":"…","object":"…"}]',
    ...relations.map(({ subject, predicate, object, sentence = "" }, i) =>
      `${i + 1}. ${quote(`${subject} — ${predicate} — ${object}`)} from ${quote(sentence)}`
    ),
  ].join("\n");
}

import { createHash } from "node:crypto";
import type { Entity } from "../graph/rows.ts";
import type { LoopState } from "../heartbeat.ts";
import type { Memory } from "../memory.ts";
import { nameKey } from "../words/fold.ts";
import { arrayIn, quote } from "./answer.ts";

/** Names at least this alike may mean the same. */
export const ALIKE = 0.75;
/** Pairs in one question. */
const ASKED_AT_ONCE = 10;

/** Finds entities with names that are nearly the same and asks whether they are one. Nothing is merged without a
 * decision, each pair is decided once, and without a model the pairs wait. */
export async function mergeAlike(memory: Memory, state: LoopState): Promise<number> {
  const { graph, gate, ports } = memory;
  const change = graph.change;
  if (change === state.merged) return 0;
  const decided = new Set(state.decided);
  const pairs = (await alikePairs([...graph.entities()])).filter(([a, b]) => !decided.has(pairKey(a.name, b.name)));
  if (pairs.length === 0) {
    state.merged = change;
    return 0;
  }
  const asked = pairs.slice(0, ASKED_AT_ONCE);
  const answer = await ports.decide({ kind: "merge", prompt: promptOf(memory, asked) });
  if (answer === null) return 0;
  const decisions = arrayIn(answer) ?? [];
  let merged = 0;
  for (const [i, [a, b]] of asked.entries()) {
    state.decided.push(pairKey(a.name, b.name));
    const decision = decisions.find((one) => one.n === i + 1);
    if (decision?.same !== true) continue;
    const into = decision.keep === b.name ? b.name : a.name;
    const from = into === a.name ? b.name : a.name;
    await gate.exclusive(() => {
      // The model took its time, and may have merged or deleted them with a tool.
      if (!graph.entity(from) || !graph.entity(into)) return;
      const { moved, undo } = graph.merge(from, into);
      memory.keepUndo("merge", undo);
      if (moved >= 0) merged++;
    });
  }
  return merged;
}

/** All pairs whose names, as pairs of neighbouring characters, have a Jaccard similarity over `ALIKE`, and the same
 * numbers: shelf 12 is not shelf 13, and to ask about a series would take a question for each two of it. Only names that
 * share one of their rarest pairs are compared (prefix filtering), so that a hundred thousand names take seconds; other
 * work goes on in between. */
export async function alikePairs(entities: Entity[]): Promise<[Entity, Entity][]> {
  const sets = entities.map((entity) => [...bigrams(entity.name)]);
  const numbers = entities.map(({ name }) => nameKey(name).match(/\p{N}+/gu)?.join(" ") ?? "");
  const frequency = new Map<string, number>();
  for (const pair of sets.flat()) frequency.set(pair, (frequency.get(pair) ?? 0) + 1);
  const byNumbers = new Map<string, Map<string, number[]>>();
  const found: [Entity, Entity][] = [];
  for (const [i, set] of sets.entries()) {
    if (i % 500 === 499) await new Promise((resolve) => setTimeout(resolve, 0));
    set.sort((a, b) => frequency.get(a)! - frequency.get(b)! || (a < b ? -1 : 1));
    // Two sets over the limit share at least this many, so one of the first few is among the first few of the other.
    const prefix = set.slice(0, set.length - Math.ceil(ALIKE * set.length) + 1);
    // Apart by their numbers: all of a long series share their rarest pairs.
    let byPair = byNumbers.get(numbers[i]!);
    if (!byPair) byNumbers.set(numbers[i]!, byPair = new Map());
    const near = new Set<number>();
    for (const pair of prefix) for (const j of byPair.get(pair) ?? []) near.add(j);
    for (const j of near) if (jaccard(set, sets[j]!) > ALIKE) found.push([entities[j]!, entities[i]!]);
    for (const pair of prefix) {
      const list = byPair.get(pair);
      if (list) list.push(i);
      else byPair.set(pair, [i]);
    }
  }
  return found;
}

/** |A ∩ B| / |A ∪ B| of two lists without repeats. */
function jaccard(a: string[], b: string[]): number {
  const other = new Set(b);
  const shared = a.filter((one) => other.has(one)).length;
  return shared / (a.length + b.length - shared);
}

function bigrams(name: string): Set<string> {
  const characters = [...nameKey(name)];
  const pairs = new Set<string>();
  for (let i = 0; i + 1 < characters.length; i++) pairs.add(characters[i]! + characters[i + 1]!);
  return pairs;
}

/** A pair of names as it is remembered: without the names. */
function pairKey(a: string, b: string): string {
  const names = [nameKey(a), nameKey(b)].sort();
  return createHash("sha256").update(names.join("\n")).digest("base64").slice(0, 16);
}

function promptOf({ graph }: Memory, pairs: [Entity, Entity][]): string {
  const about = ({ name, type }: Entity) => {
    const facts = graph.relationsOf(name, { limit: 5 }).map((r) => `${r.subject} ${r.predicate} ${r.object}`);
    return `${quote(name)}${type && ` (${type})`}: ${quote(facts.join("; "))}`;
  };
  return [
    "Entities of the memory with names that are nearly the same, quoted as data. Decide for each pair whether both are",
    "the same thing. When in doubt they are not. Call no tools.",
    'Answer with a JSON array alone: [{"n":1,"same":true,"keep":"the name to keep"},{"n":2,"same":false}]',
    ...pairs.map(([a, b], i) => `${i + 1}. ${about(a)}\n   ${about(b)}`),
  ].join("\n");
}

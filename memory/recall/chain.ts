import type { Graph } from "../graph/graph.ts";
import type { IndexedUnit, SearchIndex } from "../index/search_index.ts";
import { fold } from "../words/fold.ts";

/** Units that are looked at for a first step, and entities that are followed from them. */
const FIRSTS = 6;
const ENTITIES = 10;
const ABOUT = 30;

/** Two units that share an entity which the question does not name: together they may answer what neither does. */
export interface Step {
  first: IndexedUnit;
  second: IndexedUnit;
}

/** Steps from the likeliest units to current relations of the entities they name. */
export function* steps(
  firsts: IndexedUnit[],
  options: { index: SearchIndex; graph: Graph; question: string; named: string[] },
): Generator<Step> {
  const { index, graph, question } = options;
  const named = new Set(options.named);
  const mentions = mentionsIn(firsts.slice(0, FIRSTS), graph);
  let followed = 0;
  for (const [first, keys] of mentions) {
    for (const key of keys) {
      if (named.has(key) || key.length < 2 || question.includes(key)) continue;
      if (followed++ >= ENTITIES) return;
      for (const second of index.about([key], ABOUT)) {
        if (second.num !== first.num && second.until === undefined) yield { first, second };
      }
    }
  }
}

/** The entities that each unit is about or names. */
export function mentionsIn(units: IndexedUnit[], graph: Graph): Map<IndexedUnit, Set<string>> {
  const out = new Map<IndexedUnit, Set<string>>();
  const parts = new Map<string, IndexedUnit[]>();
  for (const unit of units) {
    out.set(unit, new Set(unit.subject === undefined ? [] : [unit.subject, unit.object!]));
    for (const part of partsOf(fold(`${unit.title ?? ""} ${unit.text}`).slice(0, 180))) {
      const list = parts.get(part);
      if (list) list.push(unit);
      else parts.set(part, [unit]);
    }
  }
  for (const { key, entity } of graph.known([...parts.keys()])) {
    for (const unit of parts.get(key) ?? []) out.get(unit)!.add(entity);
  }
  return out;
}

/** An address in Chinese: what ends in a house, a floor or a room, with what stands before it. */
const ADDRESS = /[\u3400-\u9fff]{0,8}(?:[0-9一二三四五六七八九十百]+[号室楼栋幢座层弄单元]+)+(?:[0-9]+室?)?/g;

/** Everything in a text that may be a name: runs of two to five Chinese characters, of one to three words, and addresses
 * from each of their characters on. */
function partsOf(text: string): Set<string> {
  const parts = new Set<string>();
  for (const run of text.match(/[\u3400-\u9fff]+/g) ?? []) {
    for (let from = 0; from < run.length; from++) {
      for (let length = 2; length <= 5 && from + length <= run.length; length++) {
        parts.add(run.slice(from, from + length));
      }
    }
  }
  for (const address of text.match(ADDRESS) ?? []) {
    for (let from = 0; from < address.length - 2; from++) parts.add(address.slice(from));
  }
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}.:/@_+-]*/gu) ?? [];
  for (let from = 0; from < words.length; from++) {
    for (let length = 1; length <= 3 && from + length <= words.length; length++) {
      parts.add(words.slice(from, from + length).join(" "));
    }
  }
  return parts;
}

import type { IndexedUnit } from "../index/search_index.ts";
import { isHan, nameKey } from "../words/fold.ts";
import type { Alternative, Concept } from "./question.ts";

/** How much of each concept of a question a unit covers, from 0 to 1, in the order of the concepts. */
export function coverage(unit: IndexedUnit, concepts: Concept[], folded: string): number[] {
  const tokens = new Set(unit.tokens.split(" "));
  const text = `${unit.title ?? ""} ${unit.text}`;
  return concepts.map((concept) => coverOf(concept, { unit, tokens, text, folded }));
}

interface Subject {
  unit: IndexedUnit;
  tokens: ReadonlySet<string>;
  text: string;
  folded: string;
}

function coverOf(concept: Concept, { unit, tokens, text, folded }: Subject): number {
  if (concept.shows) return showsNew(text, concept.shows, folded) ? 1 : 0;
  const there = concept.terms.filter((term) => tokens.has(term)).length;
  if (there === concept.terms.length) return 1;
  if (concept.isName) {
    const key = nameKey(concept.text);
    if (unit.subject === key || unit.object === key) return 1;
  }
  let best = there === 0 || concept.isName ? 0 : 0.7 * there / concept.terms.length;
  if (best === 0 && isPair(concept.text) && tokens.has(concept.text[0]!) && tokens.has(concept.text[1]!)) {
    if (new RegExp(`${concept.text[0]}.{1,2}${concept.text[1]}`).test(text)) best = 0.6;
  }
  if (concept.predicate && unit.attribute === concept.predicate.id) best = Math.max(best, 0.95);
  for (const alternative of concept.alternatives) {
    if (alternative.weight <= best) break;
    if (isThere(alternative, tokens)) best = alternative.weight;
  }
  return best;
}

/** A Chinese word of two characters: 修表 is also met by 修手表. */
function isPair(text: string): boolean {
  return text.length === 2 && isHan(text.charCodeAt(0)) && isHan(text.charCodeAt(1));
}

/** True when the text has all the terms of an alternative. */
export function isThere(alternative: Alternative, tokens: ReadonlySet<string>): boolean {
  return alternative.terms.every((term) => tokens.has(term));
}

/** True when the text shows an amount, time or number that the question did not bring itself. */
function showsNew(text: string, pattern: RegExp, question: string): boolean {
  const plain = text.normalize("NFKC").toLowerCase();
  for (const match of plain.matchAll(new RegExp(pattern, "g"))) if (!question.includes(match[0])) return true;
  return false;
}

/** How well a question is answered by what covers its concepts so: the weighted share of what is asked, less when it is
 * about another name, or shows no amount or time where one is asked for. */
export function jointOf(cover: number[], concepts: Concept[], weights: number[]): number {
  let asked = 0;
  let met = 0;
  let names = 0;
  let namesMet = 0;
  let factor = 1;
  for (const [i, concept] of concepts.entries()) {
    const value = cover[i]!;
    if (concept.shows) {
      if (value === 0) factor *= concept.without!;
    } else if (concept.isName) {
      names++;
      if (value > 0.5) namesMet++;
      else if (concept.isExact) factor *= OTHER_NAME;
    } else {
      asked += weights[i]!;
      met += weights[i]! * value;
    }
  }
  if (names > 0 && namesMet === 0) factor *= OTHER_NAME;
  if (names === 0 && asked === 0) return 0;
  return factor * (asked > 0 ? met / asked : namesMet / names);
}

/** What an answer about another name is worth. */
const OTHER_NAME = 0.35;

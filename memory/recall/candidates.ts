import { quoted, type SearchIndex } from "../index/search_index.ts";
import { isHan } from "../words/fold.ts";
import type { Alternative, Concept } from "./question.ts";

/** Newest units of one term that are looked at. */
const NEWEST = 10_000;
/** Postings after which more common terms are not looked up any more. */
const ENOUGH = 4_000;
/** Other ways to say a concept that are looked up; the rest only counts where it is met. */
const WAYS = 28;
/** From so many units on the index is asked for those that have two concepts, and for fewer other ways: each costs a walk
 * through its postings, and among many units the likeliest ways find enough. */
const LARGE = 3_000;
const WAYS_OF_LARGE = 5;
/** Units that are no source: how many are compared, by which terms and how many of each they are looked for. */
const ECHOES = 16;
const ECHO_TERMS = 5;
const ECHOES_A_TERM = 200;
/** Counts of terms that are remembered between questions. */
const REMEMBERED = 20_000;

/** How often terms occur; what is remembered follows every change of the index. */
export class TermCounts {
  readonly #index: SearchIndex;
  readonly #counts = new Map<string, number>();
  #generation = 0;

  constructor(index: SearchIndex) {
    this.#index = index;
    index.onTerms((terms, by) => {
      if (this.#counts.size > 0) { for (const term of new Set(terms)) this.#change(term, by); }
    });
  }

  #change(term: string, by: number): void {
    const known = this.#counts.get(term);
    if (known === undefined) return;
    // From the most that is counted on nobody knows what one less would be.
    if (known >= NEWEST) this.#counts.delete(term);
    else this.#counts.set(term, known + by);
  }

  /** In how many units the term is, at most `NEWEST`. */
  of(term: string): number {
    if (this.#generation !== this.#index.generation) {
      this.#counts.clear();
      this.#generation = this.#index.generation;
    }
    let count = this.#counts.get(term);
    if (count === undefined) {
      if (this.#counts.size >= REMEMBERED) this.#counts.clear();
      this.#counts.set(term, count = this.#index.countOfTerm(term, NEWEST));
    }
    return count;
  }
}

/** The numbers of the units worth comparing with a question, likeliest first, at most `limit`. */
export function gather(
  concepts: Concept[],
  options: { index: SearchIndex; weights: number[]; idf: (term: string) => number; limit: number; phrasing: string[] },
): number[] {
  const { index, weights, idf, limit, phrasing } = options;
  const sums = new Map<number, number>();
  const add = (numbers: number[], weight: number) => {
    for (const number of numbers) sums.set(number, (sums.get(number) ?? 0) + weight);
  };
  const content = new Set(concepts.flatMap((concept) => concept.terms));
  // Rare terms first: once there are units enough, common ones only decide among them.
  let seen = 0;
  for (const term of [...content].sort((a, b) => idf(b) - idf(a))) {
    if (seen > ENOUGH) break;
    const numbers = index.postings(term, NEWEST);
    seen += numbers.length;
    add(numbers, idf(term));
  }
  // Single characters and what stands between words: worth a look only where they are rare.
  const bound = index.count < 5000 ? Infinity : index.count / 200;
  for (const term of phrasing) {
    if (!content.has(term) && idf(term) > 0 && options.index.count / Math.exp(idf(term)) < bound) {
      add(index.postings(term, NEWEST), idf(term) * (isHan(term.charCodeAt(0)) && term.length === 1 ? 0.8 : 0.5));
    }
  }
  const isLarge = index.count > LARGE;
  const told = concepts.map((concept, i) => ({ concept, weight: weights[i]! }))
    .filter(({ concept }) => !concept.shows && concept.alternatives.length > 0);
  for (const { concept, weight } of told) {
    const ways = waysOf(concept.alternatives, isLarge ? WAYS_OF_LARGE : WAYS);
    add(index.match(ways, isLarge ? 100 : limit), weight * 0.4);
  }
  const wide = concepts.map((concept, i) => ({ concept, weight: weights[i]! }))
    .filter(({ concept }) => !concept.shows).sort((a, b) => b.weight - a.weight).slice(0, 3);
  if (isLarge) {
    for (const [i, first] of wide.entries()) {
      for (const second of wide.slice(i + 1)) {
        const both = `(${anyOf(first.concept)}) AND (${anyOf(second.concept)})`;
        add(index.match(both, 60), (first.weight + second.weight) * 0.4);
      }
    }
  }
  return [...best(sums, limit), ...echoes(content, { index, idf })];
}

/** The few units that are no source and have most of the question: they can be found, and take nobody's place. */
function echoes(content: Set<string>, options: { index: SearchIndex; idf: (term: string) => number }): number[] {
  const { index, idf } = options;
  const sums = new Map<number, number>();
  const rarest = [...content].sort((a, b) => idf(b) - idf(a)).slice(0, ECHO_TERMS);
  for (const term of rarest) {
    for (const number of index.echoes(term, ECHOES_A_TERM)) sums.set(number, (sums.get(number) ?? 0) + idf(term));
  }
  return best(sums, ECHOES);
}

function best(sums: Map<number, number>, limit: number): number[] {
  return [...sums].sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, limit).map(([number]) => number);
}

function anyOf(concept: Concept): string {
  const own = allOf(concept.terms);
  return concept.alternatives.length === 0 ? own : `${own} OR ${waysOf(concept.alternatives, WAYS_OF_LARGE)}`;
}

function waysOf(alternatives: Alternative[], most: number): string {
  return alternatives.slice(0, most).map((alternative) => allOf(alternative.terms)).join(" OR ");
}

function allOf(terms: string[]): string {
  return terms.length === 1 ? quoted(terms[0]!) : `(${terms.map(quoted).join(" AND ")})`;
}

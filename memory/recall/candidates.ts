import { placeOf } from "../index/postings.ts";
import type { SearchIndex } from "../index/search_index.ts";
import { isHan } from "../words/fold.ts";
import type { Concept } from "./question.ts";
import { Tally } from "./tally.ts";

/** Postings after which more common terms are not looked at any more. */
const ENOUGH = 40_000;
/** Other ways to say a concept that are looked up; the rest only counts where it is met. */
const WAYS = 28;
/** What another way counts here beside the concept's own words. */
const WAY = 0.4;
/** What a question's own phrasing counts, and single characters. */
const PHRASING = 0.5;
const SINGLE_HAN = 0.8;
/** Units that are no source: how many are compared, and by how many terms they are looked for. */
const ECHOES = 16;
const ECHO_TERMS = 5;

/** Units that are worth `weight` more, each at most once in its round where that is above 0. */
interface Share {
  numbers: Uint32Array;
  weight: number;
  round: number;
}

/** The numbers of the units worth comparing with a question, likeliest first, at most `limit`. */
export function gather(
  concepts: Concept[],
  options: { index: SearchIndex; weights: number[]; idf: (term: string) => number; limit: number; phrasing: string[] },
): number[] {
  const { index, weights, idf, limit, phrasing } = options;
  const content = new Set(concepts.flatMap((concept) => concept.terms));
  const shares: Share[] = [...content].map((term) => ({ numbers: index.postings(term), weight: idf(term), round: 0 }));
  for (const [i, { shows, alternatives }] of concepts.entries()) {
    if (shows) continue;
    for (const { terms } of alternatives.slice(0, WAYS)) {
      shares.push({ numbers: havingAll(terms, index), weight: weights[i]! * WAY, round: i + 1 });
    }
  }
  // Single characters and what stands between words: worth a look only where they are rare.
  const bound = index.count < 5000 ? Infinity : index.count / 200;
  for (const term of new Set(phrasing)) {
    const numbers = content.has(term) ? undefined : index.postings(term);
    if (!numbers || numbers.length >= bound) continue;
    const single = isHan(term.charCodeAt(0)) && term.length === 1;
    shares.push({ numbers, weight: idf(term) * (single ? SINGLE_HAN : PHRASING), round: 0 });
  }
  return [...best(shares, limit), ...echoes(content, { index, idf })];
}

/** The units with the greatest sums. Rare terms come first: once there are units enough, common ones decide little. */
function best(shares: Share[], limit: number): number[] {
  let seen = 0;
  const looked = shares.sort((a, b) => a.numbers.length - b.numbers.length)
    .filter(({ numbers }) => (seen += numbers.length) <= ENOUGH || seen === numbers.length);
  const tally = new Tally(looked.reduce((sum, { numbers }) => sum + numbers.length, 0));
  for (const { numbers, weight, round } of looked.sort((a, b) => a.round - b.round)) tally.add(numbers, weight, round);
  return tally.best(limit);
}

/** The few units that are no source and have most of the question: they can be found, and take nobody's place. */
function echoes(content: Set<string>, options: { index: SearchIndex; idf: (term: string) => number }): number[] {
  const { index, idf } = options;
  const rarest = [...content].sort((a, b) => idf(b) - idf(a)).slice(0, ECHO_TERMS);
  return best(rarest.map((term) => ({ numbers: index.echoes(term), weight: idf(term), round: 0 })), ECHOES);
}

/** The units that have all of these terms. */
function havingAll(terms: string[], index: SearchIndex): Uint32Array {
  const [rarest, ...others] = terms.map((term) => index.postings(term)).sort((a, b) => a.length - b.length);
  if (others.length === 0) return rarest!;
  return rarest!.filter((number) => others.every((numbers) => placeOf(numbers, number) >= 0));
}

import type { Vector } from "../../core/wire/memory.ts";
import { tokenize } from "../words/tokens.ts";
import { type Embedder, normalize } from "./embedder.ts";

/** Places a term can be hashed to. Two terms of one text meet with a chance of about its length over this. */
const DIMENSION = 1 << 20;
/** A pair of letters inside a word says less than the word. */
const PAIR_WEIGHT = 0.25;
/** Characters; longer texts are told by their beginning. */
const TEXT_LIMIT = 30_000;

/** Words and character pairs, hashed into a sparse vector, weighted by 1 + ln of how often they occur. It needs no model
 * and no corpus, so its space never changes: rarity of terms is the full-text index's part. Chinese terms are pairs
 * already; Latin words also give the pairs of their letters, so that near spellings are near. */
export const tfidf: Embedder = {
  name: "tfidf",
  dimension: DIMENSION,
  fingerprint: "tfidf-1",
  embed: (texts) => Promise.resolve(texts.map(vectorOf)),
};

function vectorOf(text: string): Vector {
  const counts = new Map<number, number>();
  const add = (place: number, weight: number) => counts.set(place, (counts.get(place) ?? 0) + weight);
  for (const term of tokenize(text.slice(0, TEXT_LIMIT))) {
    add(place(term), 1);
    if (/^[a-z]{4,}$/.test(term)) {
      for (let i = 0; i + 1 < term.length; i++) add(place(`~${term.slice(i, i + 2)}`), PAIR_WEIGHT);
    }
  }
  const entries = [...counts].sort((a, b) => a[0] - b[0]);
  const values = Float32Array.from(entries, ([, count]) => (count >= 1 ? 1 + Math.log(count) : count));
  normalize(values);
  return { space: tfidf.fingerprint, values, at: Uint32Array.from(entries, ([at]) => at) };
}

/** FNV-1a over the code units, folded to the dimension. */
function place(term: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193);
  return ((hash >>> 20) ^ hash) & (DIMENSION - 1);
}

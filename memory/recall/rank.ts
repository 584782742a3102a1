import type { HitReason } from "../../core/wire/memory.ts";
import type { Embedder } from "../embedders/embedder.ts";
import type { Graph } from "../graph/graph.ts";
import type { IndexedUnit, SearchIndex } from "../index/search_index.ts";
import { isExactTerm, tokenize } from "../words/tokens.ts";

export interface RankInput {
  query: string;
  index: SearchIndex;
  graph: Graph;
  embedder: Embedder | undefined;
  top: number;
}

/** A unit, its calibrated score and why it was found. */
export interface RankedUnit {
  unit: IndexedUnit;
  score: number;
  why: HitReason[];
}

/** The candidates for a query, best first, and whether they answer it. */
export function rank(input: RankInput): Promise<{ answerable: boolean; hits: RankedUnit[] }> {
  const { query, index } = input;
  const terms = [...new Set(tokenize(query))];
  const total = Math.max(1, index.count);
  const sums = new Map<number, number>();
  const idf = new Map<string, number>();
  for (const term of terms) {
    const postings = index.postings(term, 20_000);
    const weight = Math.log(1 + (total - postings.length + 0.5) / (postings.length + 0.5));
    idf.set(term, weight);
    for (const num of postings) sums.set(num, (sums.get(num) ?? 0) + weight);
  }
  const best = [...sums].sort((a, b) => b[1] - a[1]).slice(0, 400);
  const all = [...idf.values()].reduce((sum, weight) => sum + weight, 0) || 1;
  const hits = index.many(best.map(([num]) => num)).map((unit): RankedUnit => {
    const counts = new Map<string, number>();
    for (const token of unit.tokens.split(" ")) if (idf.has(token)) counts.set(token, (counts.get(token) ?? 0) + 1);
    let score = 0;
    for (const [term, count] of counts) {
      score += idf.get(term)! * count * 2.2 / (count + 1.2 * (0.5 + 0.5 * unit.length / 40));
    }
    const isExact = [...counts.keys()].some(isExactTerm);
    return { unit, score: Math.min(1, score / (2.2 * all)), why: isExact ? ["exact", "text"] : ["text"] };
  }).sort((a, b) => b.score - a.score || b.unit.at - a.unit.at);
  return Promise.resolve({ answerable: hits.length > 0, hits });
}

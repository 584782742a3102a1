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
const P = ((globalThis as unknown as { P?: Record<string, number> }).P ??= {});
const p = (name: string, value: number) => P[name] ?? value;

/** The candidates for a query, best first, and whether they answer it. */
export function rank(input: RankInput): Promise<{ answerable: boolean; hits: RankedUnit[] }> {
  const { query, index } = input;
  const terms = [...new Set(tokenize(query))];
  const follows = new Map<string, Set<string>>();
  const seq = tokenize(query).filter((t) => t.length > 1 && t < "\u3400");
  for (let i = 1; i < seq.length; i++) {
    const set = follows.get(seq[i - 1]!) ?? new Set();
    follows.set(seq[i - 1]!, set.add(seq[i]!));
  }
  const total = Math.max(1, index.count);
  const sums = new Map<number, number>();
  const idf = new Map<string, number>();
  for (const term of terms) {
    const postings = index.postings(term, 20_000);
    let weight = Math.log(1 + (total - postings.length + 0.5) / (postings.length + 0.5));
    if (term.length === 1 && term >= "\u3400") weight *= p("uni", 0.4);
    idf.set(term, weight);
    for (const num of postings) sums.set(num, (sums.get(num) ?? 0) + weight);
  }
  const best = [...sums].sort((a, b) => b[1] - a[1]).slice(0, 600);
  const all = [...idf.values()].reduce((sum, weight) => sum + weight, 0) || 1;
  const k1 = p("k1", 1.2), b = p("b", 0.75);
  const units = index.many(best.map(([num]) => num));
  const avg = p("avgx", 1) * units.reduce((sum, unit) => sum + unit.length, 0) / Math.max(1, units.length);
  const bm = new Map<number, number>();
  const exact = new Set<number>();
  const sessions = new Map<string, Map<string, number>>();
  const place = new Map<string, number>();
  for (const unit of units) {
    const counts = new Map<string, number>();
    for (const token of unit.tokens.split(" ")) if (idf.has(token)) counts.set(token, (counts.get(token) ?? 0) + 1);
    let score = 0;
    for (const [term, count] of counts) {
      score += idf.get(term)! * count * (k1 + 1) / (count + k1 * (1 - b + b * unit.length / avg));
      if (isExactTerm(term)) exact.add(unit.num);
    }
    const tokens = unit.tokens.split(" ");
    if (idf.has(tokens[0]!) && /^[^:]{1,20}:/.test(unit.text)) score += p("spk", 1);
    for (let i = 1; i < tokens.length; i++) {
      if (follows.get(tokens[i - 1]!)?.has(tokens[i]!)) {
        score += p("adj", 0.5) * Math.min(idf.get(tokens[i]!)!, idf.get(tokens[i - 1]!)!);
      }
    }
    bm.set(unit.num, score);
    if (unit.thread !== undefined) {
      place.set(`${unit.thread}\n${unit.n}`, unit.num);
      const s = sessions.get(unit.thread) ?? new Map<string, number>();
      sessions.set(unit.thread, s);
      for (const term of counts.keys()) s.set(term, (s.get(term) ?? 0) + 1);
    }
  }
  const missing = new Set<string>();
  const near = (unit: IndexedUnit, d: number) => bm.get(place.get(`${unit.thread}\n${unit.n! + d}`) ?? -1) ?? 0;
  const pool = [...units];
  for (const unit of [...units].sort((a, b) => bm.get(b.num)! - bm.get(a.num)!).slice(0, p("exp", 40))) {
    if (unit.thread === undefined) continue;
    for (const other of index.neighbours(unit.thread, { from: unit.n! - 1, to: unit.n! + 2 })) {
      if (bm.has(other.num)) continue;
      bm.set(other.num, 0);
      place.set(`${other.thread}\n${other.n}`, other.num);
      pool.push(other);
    }
  }
  void missing;
  const sessionScore = new Map<string, number>();
  for (const [thread, counts] of sessions) {
    let score = 0;
    for (const [term, count] of counts) score += idf.get(term)! * count * (1 + p("sk", 2)) / (count + p("sk", 2));
    sessionScore.set(thread, score);
  }
  const final = (unit: IndexedUnit) => {
    let score = bm.get(unit.num)!;
    if (unit.thread !== undefined) {
      score += p("p1", 0.4) * near(unit, -1) + p("n1", 0.2) * near(unit, 1) + p("p2", 0.1) * near(unit, -2) +
        p("n2", 0.05) * near(unit, 2);
      score += p("ses", 0.3) * (sessionScore.get(unit.thread) ?? 0);
    }
    return score;
  };
  const hits = pool.map((unit): RankedUnit => {
    const score = final(unit);
    return { unit, score: Math.min(9, score / (2.2 * all)), why: exact.has(unit.num) ? ["exact", "text"] : ["text"] };
  }).sort((a, b) => b.score - a.score || b.unit.at - a.unit.at);
  return Promise.resolve({ answerable: hits.length > 0, hits });
}

import type { HitReason } from "../../core/wire/memory.ts";
import type { Embedder } from "../embedders/embedder.ts";
import type { Graph } from "../graph/graph.ts";
import type { IndexedUnit, SearchIndex } from "../index/search_index.ts";
import { fold } from "../words/fold.ts";
import { isExactTerm } from "../words/tokens.ts";
import { coverage, jointOf } from "./coverage.ts";
import { type Concept, takeApart } from "./question.ts";
import { fitsTime } from "./when.ts";

export interface RankInput {
  query: string;
  index: SearchIndex;
  graph: Graph;
  embedder: Embedder | undefined;
  top: number;
  now: number;
}

/** A unit, its calibrated score and why it was found. */
export interface RankedUnit {
  unit: IndexedUnit;
  score: number;
  why: HitReason[];
}
const P = ((globalThis as unknown as { P?: Record<string, number> }).P ??= {});
const p = (name: string, value: number) => P[name] ?? value;

interface Candidate {
  unit: IndexedUnit;
  text: number;
  final: number;
  cover: number[];
  joint: number;
  why: Set<HitReason>;
}

/** The candidates for a query, best first, and whether they answer it. */
export function rank(input: RankInput): Promise<{ answerable: boolean; hits: RankedUnit[] }> {
  const { query, index, graph } = input;
  const total = Math.max(1, index.count);
  const most = Math.log(1 + total);
  const idfOf = (count: number) => Math.log(1 + (total - count + 0.5) / (count + 0.5));
  const sums = new Map<number, number>();
  const idf = new Map<string, number>();
  const lists = new Map<string, number[]>();
  const postings = (term: string, limit = 20_000): number[] => {
    let list = lists.get(term);
    if (!list) lists.set(term, list = index.postings(term, limit));
    return list;
  };
  const question = takeApart(query, { graph, now: input.now, 
    count: (term) => postings(term).length,
    isGivenName: (text) =>
      index.many(postings(text).slice(0, 8)).some(({ subject = "", object = "" }) =>
        [subject, object].some((key) => key.length === text.length + 1 && key.endsWith(text))
      ),
  });
  const terms = [...new Set(question.terms)];
  const content = new Set(question.concepts.flatMap((concept) => concept.terms));
  for (const term of terms) {
    const list = postings(term);
    let weight = idfOf(list.length);
    if (term.length === 1 && term >= "\u3400") weight *= p("uni", 0.8);
    if (!content.has(term)) weight *= p("stopw", 0.5);
    idf.set(term, weight);
    for (const num of list) sums.set(num, (sums.get(num) ?? 0) + weight);
  }
  const weights = question.concepts.map((concept): number => {
    if (concept.shows) return most * p("wshow", 0.4);
    const literal = concept.terms.map((term) => postings(term));
    const rarest = Math.min(...literal.map((list) => list.length));
    let reached = rarest;
    for (const alternative of concept.alternatives) {
      const alts = alternative.terms.map((term) => postings(term));
      const shortest = alts.reduce((a, b) => (b.length < a.length ? b : a));
      if (shortest.length === 0 || shortest.length > Math.max(30, total * 0.2)) continue;
      const gain = alternative.weight * idfOf(Math.max(shortest.length, rarest)) * p("altg", 0.8);
      reached = Math.max(reached, shortest.length);
      for (const num of shortest) {
        if (literal.some((list) => list.length === rarest && rarest > 0 && list.includes(num))) continue;
        sums.set(num, Math.max(sums.get(num) ?? 0, (sums.get(num) ?? 0) + gain * 0.5));
      }
    }
    const isSmall = concept.terms.every((term) => term.length === 1 && term >= "\u3400");
    return (rarest > 0 ? Math.max(idfOf(rarest), 0.3 * most) : most) * (isSmall ? p("small", 0.2) : 1) *
      (concept.isName ? p("wname", 1.3) : 1);
  });
  const best = [...sums].sort((a, b) => b[1] - a[1]).slice(0, 600);
  const units = index.many(best.map(([num]) => num));
  const average = units.reduce((sum, unit) => sum + unit.length, 0) / Math.max(1, units.length);

  const follows = new Map<string, Set<string>>();
  const sequence = question.terms.filter((t) => t.length > 1 && t < "\u3400");
  for (let i = 1; i < sequence.length; i++) {
    const set = follows.get(sequence[i - 1]!) ?? new Set();
    follows.set(sequence[i - 1]!, set.add(sequence[i]!));
  }
  const k1 = p("k1", 1.1), b = p("b", 0.6);
  const candidates = new Map<number, Candidate>();
  const sessions = new Map<string, Map<string, number>>();
  const place = new Map<string, number>();
  const consider = (unit: IndexedUnit): Candidate => {
    const known = candidates.get(unit.num);
    if (known) return known;
    const why = new Set<HitReason>();
    const tokens = unit.tokens.split(" ");
    const counts = new Map<string, number>();
    for (const token of tokens) if (idf.has(token)) counts.set(token, (counts.get(token) ?? 0) + 1);
    let score = 0;
    for (const [term, count] of counts) {
      score += idf.get(term)! * count * (k1 + 1) / (count + k1 * (1 - b + b * unit.length / average));
      why.add(isExactTerm(term) ? "exact" : "text");
    }
    if (idf.has(tokens[0]!) && /^[^:]{1,20}:/.test(unit.text)) score += p("spk", 2);
    for (let i = 1; i < tokens.length; i++) {
      if (!follows.get(tokens[i - 1]!)?.has(tokens[i]!)) continue;
      score += p("adj", 0.5) * Math.min(idf.get(tokens[i]!)!, idf.get(tokens[i - 1]!)!);
    }
    const cover = coverage(unit, question.concepts, question.folded);
    for (const [i, concept] of question.concepts.entries()) {
      if (concept.shows || cover[i] === 0 || concept.terms.some((term) => counts.has(term))) continue;
      score += weights[i]! * cover[i]! * p("altw", 0.7);
      why.add("text");
    }
    const candidate = {
      unit,
      text: score,
      final: score,
      cover,
      joint: jointOf(cover, question.concepts, weights),
      why,
    };
    candidates.set(unit.num, candidate);
    if (unit.thread !== undefined) {
      place.set(`${unit.thread}\n${unit.n}`, unit.num);
      const s = sessions.get(unit.thread) ?? new Map<string, number>();
      sessions.set(unit.thread, s);
      for (const term of counts.keys()) s.set(term, (s.get(term) ?? 0) + 1);
    }
    return candidate;
  };
  for (const unit of units) consider(unit);
  const leaders = [...candidates.values()].sort((a, b) => b.text - a.text).slice(0, p("exp", 40));
  for (const { unit } of leaders) {
    if (unit.thread === undefined) continue;
    for (const other of index.neighbours(unit.thread, { from: unit.n! - 1, to: unit.n! + 2 })) consider(other);
  }
  const near = (unit: IndexedUnit, d: number) =>
    candidates.get(place.get(`${unit.thread}\n${unit.n! + d}`) ?? -1)?.text ?? 0;
  const sessionScore = new Map<string, number>();
  for (const [thread, counts] of sessions) {
    let score = 0;
    for (const [term, count] of counts) score += idf.get(term)! * count * (1 + p("sk", 2)) / (count + p("sk", 2));
    sessionScore.set(thread, score);
  }
  const pool = [...candidates.values()];
  for (const candidate of pool) {
    const { unit } = candidate;
    if (unit.thread === undefined) continue;
    candidate.final += p("p1", 0.4) * near(unit, -1) + p("n1", 0.2) * near(unit, 1) + p("p2", 0.1) * near(unit, -2) +
      p("n2", 0.05) * near(unit, 2) + p("ses", 0.4) * (sessionScore.get(unit.thread) ?? 0);
  }
  pool.sort((a, b) => b.final - a.final || b.unit.at - a.unit.at);

  const talk = new Map<string, number>();
  for (const { unit } of pool) if (unit.thread !== undefined) talk.set(unit.thread, (talk.get(unit.thread) ?? 0) + 1);
  const { range, tense } = question.time;
  const timed = (candidate: Candidate) => candidate.joint * (range ? 0.3 + 0.7 * fitsTime(candidate.unit, range) : 1);
  const bestJoint = Math.max(0, ...pool.slice(0, 80).map((candidate) => candidate.joint));
  let chain: { joint: number; pair: Candidate[] } = { joint: bestJoint, pair: [] };
  if (bestJoint < p("chstop", 0.9)) {
    const named = new Set(question.entities);
    const firsts = [...pool].filter((c) => c.cover.some((value) => value > 0)).slice(0, p("chn", 10));
    for (const first of firsts) {
      const keys = entitiesIn(first.unit, graph).filter((key) => !named.has(key) && !question.folded.includes(key))
        .slice(0, 6);
      for (const key of keys) {
        for (const unit of index.about([key], 40)) {
          if (unit.num === first.unit.num || unit.until !== undefined) continue;
          const second = consider(unit);
          const union = jointOf(
            first.cover.map((value, i) => Math.max(value, second.cover[i]!)),
            question.concepts,
            weights,
          );
          const isNewer = chain.pair.length > 0 && union >= chain.joint && unit.at > chain.pair[1]!.unit.at;
          if (union > chain.joint + p("chm", 0.05) || isNewer) chain = { joint: union, pair: [first, second] };
        }
      }
    }
  }
  for (const member of chain.pair) member.why.add("graph");

  const bestTimed = Math.max(0, ...pool.slice(0, 80).map(timed));
  const limit = Math.max(p("cmin", 0.4) * (range ? 0.5 : 1), bestTimed - p("cgap", 0.2));
  const inTalk = ({ unit }: Candidate) => unit.kind === "document" && (talk.get(unit.thread ?? "") ?? 0) > 2;
  const complete = pool.slice(0, 60).filter((candidate) => timed(candidate) >= limit && (range !== undefined || !inTalk(candidate)));
  const order = (candidate: Candidate): number => {
    const { unit } = candidate;
    if (range) return Math.round(fitsTime(unit, range) * 10) * 1e14 + (range.isBefore ? unit.at : unit.at);
    const at = unit.since ?? unit.at;
    if (tense === "past") return -at + (unit.until === undefined ? 0 : 1e14);
    return at - (unit.until === undefined ? 0 : 1e14);
  };
  complete.sort((a, b) => order(b) - order(a));
  const ordered = spread([...new Set([...complete.slice(0, 2), ...chain.pair, ...complete, ...pool])], (c) => c.final);
  const answerable = chain.joint >= p("theta", 0.45);
  (globalThis as any).J = {
    joint: chain.joint,
    best: bestJoint,
    weights,
    concepts: question.concepts.map((c: Concept) => c.text + (c.isName ? "*" : "")),
    complete: complete.length,
    chain: chain.pair.map((c) => c.unit.text),
    top: ordered.slice(0, 4).map((c) => [c.joint, c.unit.text]),
  };
  let ceiling = 1;
  const hits = ordered.slice(0, 200).map(({ unit, joint, why }): RankedUnit => {
    ceiling = Math.min(ceiling, Math.max(joint, 0.01));
    return { unit, score: ceiling, why: [...why] };
  });
  return Promise.resolve({ answerable, hits });
}

/** After the first ten, the best of each conversation that has none among them: what comes later should widen. */
function spread(ordered: Candidate[], scoreOf: (candidate: Candidate) => number): Candidate[] {
  const seen = new Set(ordered.slice(0, 10).map(({ unit }) => unit.thread));
  const wide: Candidate[] = [];
  for (const candidate of ordered.slice(10)) {
    const { thread } = candidate.unit;
    if (thread === undefined || seen.has(thread)) continue;
    seen.add(thread);
    wide.push(candidate);
  }
  wide.sort((a, b) => scoreOf(b) - scoreOf(a));
  return [...new Set([...ordered.slice(0, 10), ...wide, ...ordered])];
}

/** Keys of the entities that a unit stands for or names. */
function entitiesIn(unit: IndexedUnit, graph: Graph): string[] {
  const keys = new Set<string>();
  const text = fold(`${unit.title ?? ""} ${unit.text}`).slice(0, 400);
  for (const run of text.match(/[\u3400-\u9fff]+/g) ?? []) {
    for (let from = 0; from < run.length; from++) {
      for (let length = 2; length <= 5 && from + length <= run.length; length++) {
        keys.add(run.slice(from, from + length));
      }
    }
  }
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}.:/@_+-]*/gu) ?? [];
  for (let from = 0; from < words.length; from++) {
    for (let length = 1; length <= 3 && from + length <= words.length; length++) {
      keys.add(words.slice(from, from + length).join(" "));
    }
  }
  const found = graph.known([...keys]).map(({ entity }) => entity);
  return [...new Set([...unit.subject ? [unit.subject, unit.object!] : [], ...found.filter((key) => key.length > 1)])];
}

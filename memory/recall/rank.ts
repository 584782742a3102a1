import type { HitReason } from "../../core/wire/memory.ts";
import type { Graph } from "../graph/graph.ts";
import type { IndexedUnit, SearchIndex } from "../index/search_index.ts";
import { isHan } from "../words/fold.ts";
import { gather } from "./candidates.ts";
import { steps } from "./chain.ts";
import { completeOf } from "./complete.ts";
import { Matcher } from "./matcher.ts";
import { type Candidate, orderOf, Pool } from "./pool.ts";
import { type Concept, OWNER_KEYS, type Question, takeApart } from "./question.ts";

export interface RankInput {
  query: string;
  index: SearchIndex;
  graph: Graph;
  /** Units near the query in meaning, with their closeness from 0 to 1, when there is an embedder. */
  near: { num: number; closeness: number }[];
  now: number;
}

/** A unit, its calibrated score and why it was found. */
export interface RankedUnit {
  unit: IndexedUnit;
  score: number;
  why: HitReason[];
}

export interface Ranking {
  /** How well the best unit, or two that belong together, answer the question, from 0 to 1. */
  answer: number;
  /** The same, whatever it says of what is asked for. */
  related: number;
  hits: RankedUnit[];
}

/** Units compared with a question, in a small memory and in a large one, where those further down are noise. */
const COMPARED = 300;
const COMPARED_OF_MANY = 120;
const MANY = 5_000;
/** Terms of units that are read for one question. */
const AFFORDABLE = 14_000;
/** What general language counts as when a word is weighed: so many units of so many words. */
const LANGUAGE = 500;
const LANGUAGE_WORDS = 12;
/** A hit that shows nothing of the question comes in beside others only with this part of the best one's text. */
const BESIDE = 0.12;
/** A chain has to be better than one unit by this. */
const CHAIN_GAIN = 0.05;
/** With a unit as good as this nobody looks for a chain. */
const GOOD_ENOUGH = 0.9;

/** The candidates for a query, best first, and how well they answer it. */
export function rank(input: RankInput): Ranking {
  const { query, index, graph, now } = input;
  const question = takeApart(query, {
    graph,
    now,
    count: (term) => index.countOfTerm(term),
    isGivenName: (text) => isGivenName(text, index),
    ownerNames: () => ownerNames(index),
  });
  const total = Math.max(1, index.count);
  const idf = (term: string) => idfOf(index.countOfTerm(term), total);
  const weights = question.concepts.map((concept) => weightOf(concept, { index, total }));
  const limit = total > MANY ? COMPARED_OF_MANY : COMPARED;
  const numbers = gather(question.concepts, { index, weights, idf, limit, phrasing: question.terms });
  const units = affordable(index, [...new Set([...input.near.map(({ num }) => num), ...numbers])]);
  const average = units.reduce((sum, unit) => sum + unit.length, 0) / Math.max(1, units.length);
  const matcher = new Matcher(question, { weights, average, idf });
  const pool = new Pool({ question, weights, matcher });
  for (const unit of units) pool.add(unit);
  pool.addNeighbours(index);
  pool.addMeaning(input.near);
  pool.addConversations(idf);
  pool.addTime();
  const all = pool.sorted();
  const least = BESIDE * (all[0] ? orderOf(all[0]) : 0);
  const ordered = all.filter((candidate) => pool.saysMore(candidate) || orderOf(candidate) >= least);
  const best = Math.max(0, ...ordered.slice(0, 80).map((candidate) => candidate.joint));
  const chain = best < GOOD_ENOUGH ? bestChain(ordered, { pool, index, graph, question, best }) : undefined;
  for (const member of chain?.pair ?? []) member.why.add("graph");
  const complete = completeOf(ordered, { question, pool, index, graph, now });
  const answers = ordered.slice(0, 80).map((candidate) => pool.answer(candidate));
  if (chain) answers.push(pool.answer({ cover: chain.cover, joint: chain.joint }));
  const hits = spread([...new Set([...complete.slice(0, 2), ...chain?.pair ?? [], ...complete, ...ordered])]);
  return { answer: Math.max(0, ...answers), related: Math.max(best, chain?.joint ?? 0), hits: scored(hits) };
}

/** The units to compare, likeliest first, as long as their terms can be afforded: of long documents fewer. */
function affordable(index: SearchIndex, numbers: number[]): IndexedUnit[] {
  const units: IndexedUnit[] = [];
  let terms = 0;
  for (let from = 0; from < numbers.length && terms < AFFORDABLE; from += 50) {
    for (const unit of index.many(numbers.slice(from, from + 50))) {
      units.push(unit);
      terms += unit.length;
    }
  }
  return units;
}

function idfOf(count: number, total: number): number {
  return Math.log(1 + Math.max(0, total - count + 0.5) / (count + 0.5));
}

/** What a concept weighs: the rarer, the more, in memory and in the language, which counts as so many units more of so
 * many words; names weigh a little more, single characters little. */
function weightOf(concept: Concept, options: { index: SearchIndex; total: number }): number {
  const { index, total } = options;
  if (concept.shows) return 0.4 * idfOf(0, total + LANGUAGE);
  const rarest = Math.min(...concept.terms.map((term) => index.countOfTerm(term)));
  const isSmall = concept.terms.every((term) => term.length === 1 && isHan(term.charCodeAt(0)));
  const usual = LANGUAGE * Math.min(1, LANGUAGE_WORDS * concept.share);
  const weight = Math.max(idfOf(rarest + usual, total + LANGUAGE), 0.2 * idfOf(0, total + LANGUAGE));
  return weight * (isSmall ? 0.2 : 1) * (concept.isName ? 1.3 : 1);
}

/** True when somebody in the graph has it as a given name: 青禾 of 陆青禾. */
function isGivenName(text: string, index: SearchIndex): boolean {
  return index.many(index.postings(text).subarray(-8)).some(({ subject = "", object = "" }) =>
    [subject, object].some((key) => key.length === text.length + 1 && key.endsWith(text))
  );
}

/** Name keys of what the owner is called at present. */
function ownerNames(index: SearchIndex): string[] {
  const rows = index.statement(
    "SELECT object FROM units WHERE subject IN (SELECT value FROM json_each(?)) AND attribute IN ('name', 'nickname') AND until IS NULL",
  ).all(JSON.stringify([...OWNER_KEYS])) as { object: string }[];
  return rows.map(({ object }) => object);
}

/** The two units that together answer best, when that is better than the best alone; of equal ones the newest. */
function bestChain(
  ordered: Candidate[],
  options: { pool: Pool; index: SearchIndex; graph: Graph; question: Question; best: number },
): { joint: number; cover: number[]; pair: Candidate[] } | undefined {
  const { pool, index, graph, question, best } = options;
  let chain: { joint: number; cover: number[]; pair: [Candidate, Candidate] } | undefined;
  const hasName = ({ cover }: Candidate) => question.concepts.some(({ isName }, i) => isName && cover[i]! > 0.5);
  const some = ordered.filter(({ cover, unit }) => !unit.echo && cover.some((value) => value > 0));
  const firsts = [...some.filter(hasName), ...some.filter((c) => !hasName(c))].map(({ unit }) => unit);
  for (const step of steps(firsts, { index, graph, question: question.folded, named: question.entities })) {
    const first = pool.add(step.first);
    const second = pool.add(step.second);
    const cover = first.cover.map((value, i) => Math.max(value, second.cover[i]!));
    const joint = pool.joint(cover);
    const isNewer = chain !== undefined && joint >= chain.joint && second.unit.at > chain.pair[1].unit.at;
    if (joint > (chain?.joint ?? best) + CHAIN_GAIN || isNewer) chain = { joint, cover, pair: [first, second] };
  }
  return chain;
}

/** After the first ten, the best of each conversation that has none among them: what comes later should widen. */
function spread(ordered: Candidate[]): Candidate[] {
  const seen = new Set(ordered.slice(0, 10).map(({ unit }) => unit.thread));
  const wide = ordered.slice(10).filter(({ unit: { thread } }) => {
    if (thread === undefined || seen.has(thread)) return false;
    seen.add(thread);
    return true;
  });
  return [...new Set([...ordered.slice(0, 10), ...wide, ...ordered])];
}

/** Scores that never rise from one hit to the next. */
function scored(ordered: Candidate[]): RankedUnit[] {
  let ceiling = 1;
  return ordered.slice(0, 200).map(({ unit, joint, why }) => {
    ceiling = Math.min(ceiling, Math.max(joint, 0.01));
    return { unit, score: ceiling, why: why.size > 0 ? [...why] : ["text"] };
  });
}

import type { HitReason } from "../../core/wire/memory.ts";
import type { Graph } from "../graph/graph.ts";
import type { IndexedUnit, SearchIndex } from "../index/search_index.ts";
import { isHan, nameKey } from "../words/fold.ts";
import { gather } from "./candidates.ts";
import { mentionsIn, steps } from "./chain.ts";
import { focusOf, jointOf, type Match, Matcher } from "./matcher.ts";
import { type Concept, OWNER_KEYS, type Question, takeApart } from "./question.ts";
import { fitsTime, saidIn } from "./when.ts";

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

interface Candidate extends Match {
  unit: IndexedUnit;
  final: number;
  joint: number;
  /** What its meaning alone is worth as an answer. */
  meaning?: number;
  why: Set<HitReason>;
}

/** Units compared with a question, in a small memory and in a large one, where those further down are noise. */
const COMPARED = 300;
const COMPARED_OF_MANY = 120;
const MANY = 5_000;
/** Terms of units that are read for one question. */
const AFFORDABLE = 14_000;
/** What covering a concept in any way counts beside the words themselves: who says it in another language is found too. */
const COVERED = 0.3;
/** What general language counts as when a word is weighed: so many units of so many words. */
const LANGUAGE = 500;
const LANGUAGE_WORDS = 12;
/** Units whose neighbours are looked at too. */
const LEADERS = 16;
/** What a turn gets of the turns before and after it: an answer seldom repeats the words of its question. */
const BEFORE = [0.4, 0.1];
const AFTER = [0.2, 0.05];
/** What a turn gets of its whole conversation. */
const CONVERSATION = 0.4;
/** A conversation's term counts in full from about this many turns on. */
const CONVERSATION_K = 2;
/** What the right time counts beside words, where one is asked for. */
const TIME = 1.5;
/** What meaning counts beside words. */
const MEANING = 6;
/** The closeness from which meaning alone answers, what of it such an answer is worth, and what one below is less. */
const MEANS = 0.7;
const MEANS_ALONE = 0.7;
const MEANS_LITTLE = 0.3;
/** At most so well does answer what the agent said itself or what somebody asked; a part of its text counts in the order. */
const ECHO = 0.25;
/** A hit that shows nothing of the question comes in beside others only with this part of the best one's text. */
const BESIDE = 0.12;
/** Complete answers: at least so good, and at most so much worse than the best. */
const COMPLETE = 0.4;
const COMPLETE_GAP = 0.2;
/** What took the place of something that answers well is an answer from this part of the best one's on. */
const CHANGED = 0.5;
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
  const complete = completeOf(ordered, { question, pool, index, graph });
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
  if (concept.shows) return 0.4 * idfOf(0, total);
  const rarest = Math.min(...concept.terms.map((term) => index.countOfTerm(term)));
  const isSmall = concept.terms.every((term) => term.length === 1 && isHan(term.charCodeAt(0)));
  const usual = LANGUAGE * Math.min(1, LANGUAGE_WORDS * concept.share);
  const weight = Math.max(idfOf(rarest + usual, total + LANGUAGE), 0.2 * idfOf(0, total));
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

/** Everything that is compared with a question, each once. */
class Pool {
  readonly #question: Question;
  readonly #weights: number[];
  readonly #matcher: Matcher;
  readonly #all = new Map<number, Candidate>();
  readonly #places = new Map<string, Candidate>();

  constructor(options: { question: Question; weights: number[]; matcher: Matcher }) {
    this.#question = options.question;
    this.#weights = options.weights;
    this.#matcher = options.matcher;
  }

  add(unit: IndexedUnit): Candidate {
    const known = this.#all.get(unit.num);
    if (known) return known;
    const match = this.#matcher.match(unit);
    const why = new Set<HitReason>(match.isExact ? ["exact"] : []);
    if (match.text > 0) why.add("text");
    const joint = this.joint(match.cover);
    const covered = this.#weights.reduce((sum, weight, i) => sum + weight * match.cover[i]!, 0);
    const final = match.text + COVERED * covered;
    const candidate = { ...match, unit, final, joint: unit.echo ? Math.min(joint, ECHO) : joint, why };
    this.#all.set(unit.num, candidate);
    if (unit.thread !== undefined) this.#places.set(placeOf(unit, 0), candidate);
    return candidate;
  }

  joint(cover: number[]): number {
    return jointOf(cover, this.#question.concepts, this.#weights);
  }

  /** It says something of what is asked, not only who or what it is asked of; or it is near in meaning. */
  saysMore({ cover, meaning }: Candidate): boolean {
    const { concepts } = this.#question;
    const isNamesAlone = concepts.every(({ isName, shows }) => isName || shows);
    return meaning !== undefined ||
      concepts.some(({ isName, shows }, i) => cover[i]! > 0 && !shows && (isNamesAlone || !isName));
  }

  /** How well what covers the concepts so, and so well fits, answers. */
  answer({ cover, joint, meaning = 0 }: { cover: number[]; joint: number; meaning?: number }): number {
    return Math.max(meaning, joint * focusOf(cover, this.#question.concepts));
  }

  sorted(): Candidate[] {
    const all = [...this.#all.values()].sort((a, b) => orderOf(b) - orderOf(a) || b.unit.at - a.unit.at);
    if (!all.some(({ unit }) => unit.echo)) return all;
    // Whatever words an echo shares with the question, it comes behind everything that may answer.
    const last = all.findLastIndex(({ unit, joint }) => !unit.echo && joint > ECHO);
    const leading = all.slice(0, last + 1);
    return [
      ...leading.filter(({ unit }) => !unit.echo),
      ...leading.filter(({ unit }) => unit.echo),
      ...all.slice(last + 1),
    ];
  }

  /** The turns around the best ones come in, and every turn gets a part of its neighbours' scores. */
  addNeighbours(index: SearchIndex): void {
    const ranges = this.sorted().slice(0, LEADERS).flatMap(({ unit }) => {
      const { thread, n } = unit;
      if (thread === undefined || n === undefined) return [];
      const isWhole = [-1, 1, 2].every((step) => this.#places.has(placeOf(unit, step)));
      return isWhole ? [] : [{ thread, from: n - 1, to: n + 2 }];
    });
    for (const other of index.neighbours(ranges)) this.add(other);
    for (const candidate of this.#all.values()) {
      if (candidate.unit.thread === undefined) continue;
      for (const [i, share] of BEFORE.entries()) candidate.final += share * this.#textAt(candidate.unit, -1 - i);
      for (const [i, share] of AFTER.entries()) candidate.final += share * this.#textAt(candidate.unit, 1 + i);
    }
  }

  /** What is near in meaning counts beside the words. Alone it answers only where no word is shared: a closeness that
   * shared words explain says nothing about the rest. */
  addMeaning(near: { num: number; closeness: number }[]): void {
    for (const { num, closeness } of near) {
      const candidate = this.#all.get(num);
      if (!candidate) continue;
      candidate.final += MEANING * closeness;
      candidate.why.add("vector");
      if (candidate.cover.some((value) => value > 0)) continue;
      if (candidate.text === 0) candidate.why.delete("text");
      const limit = candidate.unit.echo ? ECHO : 1;
      candidate.meaning = Math.min(limit, closeness >= MEANS ? closeness * MEANS_ALONE : closeness - MEANS_LITTLE);
      candidate.joint = Math.max(candidate.joint, candidate.meaning);
    }
  }

  /** Every turn gets a part of what its whole conversation has of the question. */
  addConversations(idf: (term: string) => number): void {
    const conversations = new Map<string, Map<string, number>>();
    for (const { unit, terms } of this.#all.values()) {
      if (unit.thread === undefined) continue;
      const found = conversations.get(unit.thread) ?? new Map<string, number>();
      conversations.set(unit.thread, found);
      for (const term of terms) found.set(term, (found.get(term) ?? 0) + 1);
    }
    const scores = new Map<string, number>();
    for (const [thread, found] of conversations) {
      let score = 0;
      for (const [term, count] of found) score += idf(term) * count * (1 + CONVERSATION_K) / (count + CONVERSATION_K);
      scores.set(thread, score);
    }
    for (const candidate of this.#all.values()) {
      candidate.final += CONVERSATION * (scores.get(candidate.unit.thread ?? "") ?? 0);
    }
  }

  /** Where a time is asked for, what was said then counts more. */
  addTime(): void {
    const { range } = this.#question.time;
    if (!range) return;
    for (const candidate of this.#all.values()) {
      const { unit } = candidate;
      candidate.final *= 1 + TIME * (unit.thread === undefined ? fitsTime(unit, range) : saidIn(unit.at, range));
    }
  }

  #textAt(unit: IndexedUnit, step: number): number {
    return this.#places.get(placeOf(unit, step))?.text ?? 0;
  }
}

function orderOf({ final, unit }: Candidate): number {
  return unit.echo ? final * ECHO : final;
}

function placeOf(unit: IndexedUnit, step: number): string {
  return `${unit.thread}\n${unit.n! + step}`;
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

/** The units that answer in full, in the order of time that the question asks for: what was true then; what used to be;
 * else the newest first, and what is no longer true last. Turns of one conversation stay in the order of their scores. */
function completeOf(
  ordered: Candidate[],
  options: { question: Question; pool: Pool; index: SearchIndex; graph: Graph },
): Candidate[] {
  const { isMine, time: { range, tense } } = options.question;
  const timed = ({ joint, unit }: Candidate) => joint * (range ? 0.3 + 0.7 * fitsTime(unit, range) : 1);
  const turns = new Map<string, number>();
  for (const { unit } of ordered) {
    if (unit.thread !== undefined) turns.set(unit.thread, (turns.get(unit.thread) ?? 0) + 1);
  }
  const isTurn = ({ unit }: Candidate) => unit.kind === "document" && (turns.get(unit.thread ?? "") ?? 0) > 2;
  const best = Math.max(0, ...ordered.slice(0, 80).map(timed));
  const limit = Math.max(range ? COMPLETE / 2 : COMPLETE, best - COMPLETE_GAP);
  const found = ordered.slice(0, 60).filter(({ unit }) => !unit.echo);
  const first = found.filter((candidate) => timed(candidate) >= limit && (range !== undefined || !isTurn(candidate)));
  const leading = first.filter((candidate) => timed(candidate) >= best * LEADS);
  const told = range || tense === "past" ? [] : changesTold(leading, options);
  // What took its place answers as well as the text that tells the old value.
  for (const { now } of told) options.pool.add(now).joint = Math.max(options.pool.add(now).joint, best * LEADS);
  const changes = range || tense === "past" ? [] : [...changesAmong(found), ...told];
  const isNew = ({ unit }: Candidate) => changes.some(({ now }) => unit === now || tells(unit, now.object!));
  const isOld = (candidate: Candidate) =>
    !isNew(candidate) && candidate.unit.kind !== "relation" &&
    changes.some(({ before }) => tells(candidate.unit, before));
  const complete = new Set([
    ...first,
    ...found.filter((candidate) => !isTurn(candidate) && isNew(candidate) && timed(candidate) >= best * CHANGED),
    ...told.map(({ now }) => options.pool.add(now)),
  ]);
  // Who asks where they live themselves is told that before where others do.
  const isOwners = ({ unit }: Candidate) => unit.subject !== undefined && OWNER_KEYS.has(unit.subject);
  const mine = new Set(isMine ? [...complete].filter(isOwners).map(({ unit }) => unit.attribute) : []);
  const isOthers = (candidate: Candidate) => mine.has(candidate.unit.attribute) && !isOwners(candidate) ? 1 : 0;
  const key = (candidate: Candidate): number[] => {
    const { unit } = candidate;
    const at = unit.since ?? unit.at;
    const isOpen = unit.until === undefined && !isOld(candidate) ? 1 : 0;
    if (range) return [Math.round(10 * fitsTime(unit, range)), -isOthers(candidate), at];
    return tense === "past" ? [1 - isOpen, -isOthers(candidate), -at] : [isOpen, -isOthers(candidate), at];
  };
  return [...complete].map((candidate) => ({ candidate, key: key(candidate) }))
    .sort((a, b) => b.key[0]! - a.key[0]! || b.key[1]! - a.key[1]! || b.key[2]! - a.key[2]!)
    .map(({ candidate }) => candidate);
}

/** A value that the graph knows to be over, and the relation that took its place. */
interface Change {
  before: string;
  now: IndexedUnit;
}

const isSuccessor = (now: IndexedUnit, old: IndexedUnit) =>
  now.until === undefined && now.subject === old.subject && now.attribute === old.attribute &&
  now.object !== old.object;

function changesAmong(candidates: Candidate[]): Change[] {
  const relations = candidates.filter(({ unit }) => unit.kind === "relation").map(({ unit }) => unit);
  return relations.filter((old) => old.until !== undefined && old.object !== undefined).flatMap((old) =>
    relations.filter((now) => isSuccessor(now, old)).map((now) => ({ before: old.object!, now }))
  );
}

/** A text leads that answers as well as the best, but for this part of it. */
const LEADS = 0.9;
/** Texts that lead, and relations that are looked at for each thing they name. */
const LEADING = 3;
const RELATIONS = 30;

/** What the graph knows to be over of that which the leading texts tell, where the question asks for it. */
function changesTold(
  leading: Candidate[],
  { question, index, graph }: { question: Question; index: SearchIndex; graph: Graph },
): Change[] {
  const asked = new Set(question.concepts.flatMap(({ predicate }) => predicate?.id ?? []));
  if (WHERE.test(question.folded)) { for (const place of PLACES) asked.add(place); }
  if (asked.size === 0) return [];
  const texts = leading.filter(({ unit }) => unit.kind !== "relation").slice(0, LEADING).map(({ unit }) => unit);
  const names = new Set([...mentionsIn(texts, graph).values()].flatMap((keys) => [...keys]));
  const over = index.about([...names], RELATIONS).filter(({ until, object, attribute }) =>
    until !== undefined && names.has(object ?? "") && asked.has(attribute ?? "")
  );
  return over.flatMap((old) =>
    index.about([old.subject!], RELATIONS).filter((now) => isSuccessor(now, old))
      .map((now) => ({ before: old.object!, now }))
  );
}

const WHERE = /哪[里儿]|什么地方|地址|\bwhere\b|\baddress\b/;
const PLACES = ["address", "lives_in", "located_in"];

const tells = ({ title, text }: IndexedUnit, name: string) => nameKey(`${title ?? ""} ${text}`).includes(name);

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

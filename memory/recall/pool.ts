import type { HitReason } from "../../core/wire/memory.ts";
import type { IndexedUnit, SearchIndex } from "../index/search_index.ts";
import { focusOf, jointOf, type Match, type Matcher } from "./matcher.ts";
import type { Question } from "./question.ts";
import { fitsTime, saidIn } from "./when.ts";

/** A unit compared with a question. */
export interface Candidate extends Match {
  unit: IndexedUnit;
  /** What it comes to in the order. */
  final: number;
  /** How well it answers, whatever it says of what is asked for. */
  joint: number;
  /** What its meaning alone is worth as an answer. */
  meaning?: number;
  why: Set<HitReason>;
}

/** What covering a concept in any way counts beside the words themselves: who says it in another language is found too. */
const COVERED = 0.3;
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
/** Everything that is compared with a question, each once. */
export class Pool {
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

/** What a candidate counts in the order: one that is no source, a part. */
export function orderOf({ final, unit }: Candidate): number {
  return unit.echo ? final * ECHO : final;
}

function placeOf(unit: IndexedUnit, step: number): string {
  return `${unit.thread}\n${unit.n! + step}`;
}

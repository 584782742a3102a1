import type { IndexedUnit } from "../index/search_index.ts";
import { isHan } from "../words/fold.ts";
import { termCode } from "../words/term_codes.ts";
import { isExactTerm } from "../words/tokens.ts";
import type { Concept, Question } from "./question.ts";

/** What a unit has of a question. */
export interface Match {
  /** BM25 over the question's own terms, and a part of it for other ways to say them. */
  text: number;
  /** How much of each concept is covered, from 0 to 1. */
  cover: number[];
  /** The question's own terms that it has. */
  terms: string[];
  isExact: boolean;
}

/** What one term of a text means for the question. */
interface Meaning {
  term: string;
  /** Its weight in BM25; 0 when it is not one of the question's own terms. */
  idf: number;
  isExact: boolean;
  /** Concepts it is a term of, and alternatives: `concept * STRIDE + alternative`. */
  literal: number[];
  alternatives: number[];
  /** The question's own terms that stand right before it there. */
  after: Set<Meaning>;
  /** How often it is in the text compared now. */
  count: number;
}

const STRIDE = 256;
/** BM25's usual constants, a little lower: memories are short. */
const K1 = 1.1;
const B = 0.6;
/** What a term counts that belongs to no concept: a question's own phrasing. */
const PHRASING = 0.5;
const SINGLE_HAN = 0.8;
/** What another way to say a concept counts beside its own words; a translation is often the only one there is. */
const OTHER_WAY = 0.4;
const TRANSLATED = 0.85;
/** What a name of several words counts in a relation that is about something else. */
const SCATTERED = 0.9;
/** Terms of the question side by side in the text. */
const ADJACENT = 0.25;
/** A conversation's turn by somebody the question names. */
const SPEAKER = 2;
const HAN = /[\u3400-\u9fff]/;
const SPOKEN = /^[^:\s]{1,20}:/;

/** Compares units with one question, in one pass over their terms. */
export class Matcher {
  readonly #question: Question;
  readonly #weights: number[];
  readonly #meanings = new Map<number, Meaning>();
  readonly #average: number;
  /** How many terms of each alternative the text compared now has. */
  readonly #ways: Uint8Array;
  readonly #needed: Uint8Array;

  /** `idf` is asked once a term; `average` is the usual length of the units compared. */
  constructor(question: Question, options: { weights: number[]; average: number; idf: (term: string) => number }) {
    this.#question = question;
    this.#weights = options.weights;
    this.#average = Math.max(1, options.average);
    this.#ways = new Uint8Array(question.concepts.length * STRIDE);
    this.#needed = new Uint8Array(question.concepts.length * STRIDE);
    const content = new Set(question.concepts.flatMap((concept) => concept.terms));
    for (const term of new Set(question.terms)) {
      const single = term.length === 1 && isHan(term.charCodeAt(0)) ? SINGLE_HAN : 1;
      this.#meaning(term).idf = options.idf(term) * single * (content.has(term) ? 1 : PHRASING);
    }
    for (const [c, concept] of question.concepts.entries()) {
      for (const term of new Set(concept.terms)) this.#meaning(term).literal.push(c);
      for (const [a, alternative] of concept.alternatives.slice(0, STRIDE).entries()) {
        const terms = new Set(alternative.terms);
        this.#needed[c * STRIDE + a] = terms.size;
        for (const term of terms) this.#meaning(term).alternatives.push(c * STRIDE + a);
      }
    }
    const words = question.terms.filter((term) => term.length > 1 && !isHan(term.charCodeAt(0)));
    for (let i = 1; i < words.length; i++) this.#meaning(words[i]!).after.add(this.#meaning(words[i - 1]!));
  }

  match(unit: IndexedUnit): Match {
    const met: Meaning[] = [];
    let text = 0;
    let last: Meaning | undefined;
    for (let i = 0; i < unit.terms.length; i++) {
      const meaning = this.#meanings.get(unit.terms[i]!);
      if (meaning) {
        if (meaning.count++ === 0) met.push(meaning);
        if (last !== undefined && meaning.after.has(last)) text += ADJACENT * Math.min(meaning.idf, last.idf);
      }
      last = meaning;
    }
    const { concepts } = this.#question;
    const literal = new Array<number>(concepts.length).fill(0);
    const terms: string[] = [];
    let isExact = false;
    for (const { term, idf, count, isExact: isExactTerm, literal: of, alternatives } of met) {
      if (idf > 0) {
        text += idf * count * (K1 + 1) / (count + K1 * (1 - B + B * unit.length / this.#average));
        terms.push(term);
        isExact ||= isExactTerm;
      }
      for (const c of of) literal[c]!++;
      for (const way of alternatives) this.#ways[way]!++;
    }
    const first = unit.terms.length > 0 ? this.#meanings.get(unit.terms[0]!) : undefined;
    if (first && first.idf > 0 && SPOKEN.test(unit.text)) text += SPEAKER;
    const cover = concepts.map((concept, c) => this.#cover(unit, { concept, c, literal: literal[c]! }));
    const isChinese = HAN.test(unit.text);
    for (const [c, concept] of concepts.entries()) {
      if (concept.shows || literal[c]! > 0) continue;
      const isTranslated = isHan(concept.text.charCodeAt(0)) !== isChinese;
      text += this.#weights[c]! * cover[c]! * (isTranslated ? TRANSLATED : OTHER_WAY);
    }
    for (const meaning of met) {
      meaning.count = 0;
      for (const way of meaning.alternatives) this.#ways[way] = 0;
    }
    return { text, cover, terms, isExact };
  }

  #cover(
    unit: IndexedUnit,
    { concept, c, literal }: { concept: Concept; c: number; literal: number },
  ): number {
    if (concept.shows) return showsNew(unit, concept.shows, this.#question.folded) ? 1 : 0;
    const all = concept.terms.length;
    const isOf = concept.isName && unit.subject !== undefined && isAbout(unit, concept.keys);
    // Of a relation about something else the words of a name may be scattered: day 2 and shelf 7 are not day 7.
    if (literal >= all) return isOf || unit.subject === undefined || !concept.isName || all === 1 ? 1 : SCATTERED;
    if (isOf) return 1;
    let best = literal === 0 || concept.isName ? 0 : 0.7 * literal / all;
    if (best === 0 && this.#isSplit(concept.text, unit.text)) best = 0.6;
    if (concept.predicate && unit.attribute === concept.predicate.id) best = Math.max(best, 0.95);
    const most = Math.min(concept.alternatives.length, STRIDE);
    for (let a = 0, way = c * STRIDE; a < most && concept.alternatives[a]!.weight > best; a++, way++) {
      if (this.#ways[way]! >= this.#needed[way]!) best = concept.alternatives[a]!.weight;
    }
    return best;
  }

  /** A Chinese word of two characters with one or two others between: 修表 is also met by 修手表. */
  #isSplit(word: string, text: string): boolean {
    const [first, second] = [word[0]!, word[1]!];
    if (word.length !== 2 || !isHan(word.charCodeAt(0)) || !this.#hasTerm(first) || !this.#hasTerm(second)) {
      return false;
    }
    return new RegExp(`${first}.{1,2}${second}`).test(text);
  }

  /** The text compared now has it. */
  #hasTerm(term: string): boolean {
    return (this.#meanings.get(termCode(term))?.count ?? 0) > 0;
  }

  #meaning(term: string): Meaning {
    const code = termCode(term);
    let meaning = this.#meanings.get(code);
    if (!meaning) {
      meaning = { term, idf: 0, isExact: isExactTerm(term), literal: [], alternatives: [], after: new Set(), count: 0 };
      this.#meanings.set(code, meaning);
    }
    return meaning;
  }
}

function isAbout({ subject, object }: IndexedUnit, keys: string[]): boolean {
  return keys.some((key) => key === subject || key === object);
}

/** True when the text shows an amount, time or number that the question did not bring itself. */
function showsNew(unit: IndexedUnit, pattern: RegExp, question: string): boolean {
  const plain = `${unit.title ?? ""} ${unit.text}`.slice(0, 4000).normalize("NFKC").toLowerCase();
  for (const match of plain.matchAll(new RegExp(pattern, "g"))) if (!question.includes(match[0])) return true;
  return false;
}

/** What an answer about another name is worth. */
const OTHER_NAME = 0.35;
/** What a name counts beside what is asked of it; an exact string is most of a question. */
const NAME = 0.2;
const EXACT = 1;
/** What an amount or a time counts that is asked for and shown. */
const SHOWN = 0.5;

/** How well a question is answered by what covers its concepts so: the weighted share of what it says, less when it is
 * about another name, or shows no amount or time where one is asked for. */
export function jointOf(cover: number[], concepts: Concept[], weights: number[]): number {
  let asked = 0;
  let met = 0;
  let names = 0;
  let namesMet = 0;
  let factor = 1;
  let isOther = false;
  for (const [i, concept] of concepts.entries()) {
    const value = cover[i]!;
    let weight = weights[i]!;
    if (concept.shows) {
      if (value === 0) factor *= concept.without!;
      weight *= SHOWN;
    } else if (concept.isName) {
      names++;
      if (value > 0.5) namesMet++;
      else if (concept.isExact) isOther = true;
      weight *= concept.isExact ? EXACT : NAME;
    }
    asked += weight;
    met += weight * value;
  }
  if (isOther || (names > 0 && namesMet === 0)) factor *= OTHER_NAME;
  return asked === 0 ? 0 : factor * met / asked;
}

/** What is left of an answer that has nothing of what is asked for, or nothing of what it is asked about. */
const OFF_FOCUS = 0.5;
/** The same, when everything else is met, an exact string among it: the model of PX-12's ink is told by which ink it takes. */
const NEAR_FOCUS = 0.7;

/** What is left of an answer, given what covers the concepts: less without what is asked for, or what it is asked of. */
export function focusOf(cover: number[], concepts: Concept[]): number {
  const [focus, about, names]: [number[], number[], number[]] = [[], [], []];
  for (const [i, concept] of concepts.entries()) {
    if (concept.shows) continue;
    (concept.isFocus ? focus : concept.isName ? names : about).push(cover[i]!);
  }
  if (focus.length === 0) return 1;
  const isMet = (value: number) => value > 0;
  const isExact = concepts.some((concept) => concept.isExact);
  const isNear = about.length > 0 && isExact && [...about, ...names].every((value) => value >= 0.9);
  let factor = focus.some(isMet) ? 1 : isNear ? NEAR_FOCUS : OFF_FOCUS;
  if (about.length + names.length > 0 && ![...about, ...names].some(isMet)) factor *= OFF_FOCUS;
  return factor;
}

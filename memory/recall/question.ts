import { OWNER } from "../../core/base/facts/mod.ts";
import { canonicalPredicate, type Predicate, predicateById } from "../../core/base/predicates.ts";
import type { Graph } from "../graph/graph.ts";
import { fold, isHan, nameKey } from "../words/fold.ts";
import { englishShare, lexicon } from "../words/lexicon.ts";
import { isExactTerm, tokenizeFolded } from "../words/tokens.ts";
import { type Alternative, keptAlternatives } from "./alternatives.ts";
import { markFocus } from "./focus.ts";
import { EN_ASK, HAN_STOP, type Piece, pieces } from "./pieces.ts";
import { type AskedTime, askedTime } from "./when.ts";

/** One thing a question names or asks for. */
export interface Concept {
  text: string;
  /** Terms of the text itself. */
  terms: string[];
  alternatives: Alternative[];
  /** What part of all words in its language it is. */
  share: number;
  /** What a text must show instead of terms: an amount, a time; without it the answer is worth `without` of itself. */
  shows?: RegExp;
  without?: number;
  /** The canonical predicate it names. */
  predicate?: Predicate;
  /** It is a name, an entity or an exact string: an answer about another one is none. */
  isName: boolean;
  /** Name keys under which the graph has who or what it names. */
  keys: string[];
  /** It has digits: of several such all must be met. */
  isExact: boolean;
  /** It is what is asked about the rest: a text that has nothing of it is no answer, however much it says of the rest. */
  isFocus: boolean;
}

/** What memory says about words. */
export interface Lookup {
  /** How many units have a term. */
  count(term: string): number;
  /** The graph has a name that ends in it. */
  isGivenName(text: string): boolean;
  /** Name keys of what the owner is called. */
  ownerNames(): string[];
}

/** Name keys of the owner in relations. */
export const OWNER_KEYS: ReadonlySet<string> = new Set([
  OWNER,
  "owner",
  "the user",
  "me",
  "i",
  "我",
  "用户",
  "主人",
  "本人",
]);

/** A question taken apart. */
export interface Question {
  folded: string;
  /** All terms, in order, repeats included. */
  terms: string[];
  concepts: Concept[];
  /** Name keys of the entities it names. */
  entities: string[];
  /** The owner asks about themselves, and names nobody. */
  isMine: boolean;
  time: AskedTime;
}

const MONEY =
  /(?:[0-9]|[一二三四五六七八九十百千万两])\s*(?:元|块|yuan|rmb|dollars?|euros?|pounds?|钱)|[¥$€£]\s*[0-9]|\b(?:price|fee|charges?|costs?|paid)\b.*[0-9]|价/;
const CLOCK = /[0-9]{1,2}:[0-9]{2}|[0-9一二三四五六七八九十两]+点|o'clock|\b[ap]m\b|早|晚|上午|下午|noon|night/;
const DAY_OF =
  /周[一二三四五六日天]|星期|礼拜|(?:mon|tues|wednes|thurs|fri|satur|sun)day|[0-9一二三四五六七八九十]+[日号]|月|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|20[0-9]{2}|每天|yesterday|tomorrow|last (?:week|month|year)|ago/;
const STREET = /[路街巷弄]|大道|\b(?:street|st|road|rd|avenue|lane|way|square)\b/;
const NUMBER =
  /[0-9]|[一二三四五六七八九十两百千]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred)\b/;

/** What asks for an amount or a time and says nothing else. */
const ASKING = /多少钱|几块钱|星期几|周几|礼拜几|几月几号|几点|多[久远长重]/g;

/** What is done with money: an answer that shows an amount need not say it. */
const PAYING = /(?:花|收|付)了?(?=多少)|\b(?:costs?|pay|paid|charges?|spen[dt])\b/g;

/** Words that ask for an amount of money, a time or a number, and what an answer then shows. */
const ASKS: { ask: RegExp; shows: RegExp; text: string; without: number }[] = [
  {
    ask:
      /多少钱|什么价|价格|价钱|几块钱|(?:花|收|付)了?多少|\bhow much (?:is|was|are|were)\b|\bhow much .*\b(?:costs?|pay|paid|charges?|spen[dt]|price|fee)\b|\bcosts?\b/,
    shows: MONEY,
    text: "钱",
    without: 0.4,
  },
  { ask: /几点|\bwhat time\b|\bat what (?:time|hour)\b/, shows: CLOCK, text: "几点", without: 0.75 },
  {
    ask: /星期几|周几|礼拜几|哪天|几月几号|几号(?![\u4e00-\u9fff])|\b(?:which|what) day\b/,
    shows: DAY_OF,
    text: "哪天",
    without: 0.8,
  },
  {
    ask: /\bhow old\b|多大年纪|几岁|高寿/,
    shows:
      /[0-9一二三四五六七八九十两百]+\s*岁|\byears? old\b|\bage[ds]?\b|\bborn\b|生日|出生|生于|(?:19|20)[0-9]{2}|[0-9]+ (?:years|months)/,
    text: "几岁",
    without: 0.4,
  },
  { ask: /哪条(?:路|街|巷|道)|\b(?:which|what) (?:street|road)\b/, shows: STREET, text: "哪条路", without: 0.45 },
  {
    ask:
      /多少|几(?:个|克|台|号|楼|口|米|公斤|斤|度|岁|天|年|月|周|次|分钟|小时|栋|码|节|盒|块|箱|窝)|多[久长高大远重]|\bhow (?:many|long|old|far)\b/,
    shows: NUMBER,
    text: "多少",
    without: 0.8,
  },
];

/** Takes a question apart: names, things, attributes, times, and other ways to say each. */
export function takeApart(query: string, options: Lookup & { graph: Graph; now: number }): Question {
  const folded = fold(query).slice(0, 2000);
  const time = askedTime(folded, options.now);
  const ask = ASKS.find((entry) => entry.ask.test(folded));
  let text = ask ? time.rest.replace(ASKING, " ") : time.rest;
  if (ask?.shows === MONEY) text = text.replace(PAYING, " ");
  const names = namesIn(text, options.graph);
  const concepts: Concept[] = [];
  for (const piece of pieces(text, { names: names.map((name) => name.key), count: options.count })) {
    const entities = names.filter((name) => name.key === piece.text).map(({ entity }) => entity);
    const isEntity = entities.length > 0;
    const concept = conceptOf(piece, isEntity || (piece.isLoose === true && isNameLike(piece.text, options)));
    if (concept?.isName) concept.keys = keysOf(concept, { entities, ownerNames: options.ownerNames() });
    if (concept && !concepts.some((other) => other.text === concept.text)) concepts.push(concept);
  }
  joinPairs(concepts);
  if (DOES.test(folded)) concepts.push(relationConcept(predicateById("job")));
  if (ask) {
    const { text, shows, without } = ask;
    concepts.push({
      text,
      terms: [],
      alternatives: [],
      share: 0,
      shows,
      without,
      isName: false,
      keys: [],
      isExact: false,
      isFocus: false,
    });
  }
  markFocus(concepts, text);
  return {
    folded,
    terms: tokenizeFolded(folded),
    concepts,
    entities: [...new Set(names.map((name) => name.entity))],
    isMine: /\b(?:i|my|me|mine|we|our)\b|我/.test(folded) &&
      !concepts.some(({ isName, isExact }) => isName && !isExact),
    time,
  };
}

/** What somebody does is their work: no word of the question says so. */
const DOES = /\bwhat (?:do|does|did) .{1,60} do(?: for a living| these days| now)?\s*\?*$/;

/** What is asked for by the shape of a question alone. */
function relationConcept(predicate: Predicate): Concept {
  return {
    text: predicate.id,
    terms: tokenizeFolded(predicate.id),
    alternatives: keptAlternatives({ text: predicate.id, kind: "latin" }, [predicate.id], predicate),
    share: 0,
    predicate,
    isName: false,
    keys: [],
    isExact: false,
    isFocus: true,
  };
}

/** What each word of an English pair counts by the Chinese for both: 胎压 for "tyre pressure". */
const OF_PAIR = 0.75;

/** English words side by side that Chinese says in one word are both met by it. */
function joinPairs(concepts: Concept[]): void {
  for (const [i, first] of concepts.entries()) {
    const second = concepts[i + 1];
    if (!second || first.terms.length !== 1 || second.terms.length !== 1 || isHan(first.text.charCodeAt(0))) continue;
    for (const word of lexicon().chinese(`${first.terms[0]} ${second.terms[0]}`)) {
      const terms = tokenizeFolded(word).filter((term) => term.length > 1);
      if (terms.length === 0) continue;
      for (const concept of [first, second]) {
        concept.alternatives = [{ terms, weight: OF_PAIR }, ...concept.alternatives].sort((a, b) =>
          b.weight - a.weight
        );
      }
    }
  }
}

/** The keys of a name: its own, those of the entities it is an alias of, and the owner's where it is what they are
 * called. */
function keysOf(concept: Concept, known: { entities: string[]; ownerNames: string[] }): string[] {
  const keys = [nameKey(concept.text), ...known.entities];
  return keys.some((key) => known.ownerNames.includes(key)) ? [...keys, ...OWNER_KEYS] : keys;
}

/** Entities whose name or alias stands in the text, longer ones first. */
function namesIn(text: string, graph: Graph): { key: string; entity: string }[] {
  const keys = new Set<string>();
  for (const run of text.match(/[\u3400-\u9fff]+/g) ?? []) {
    for (let from = 0; from < run.length && keys.size < 1500; from++) {
      for (let length = 2; length <= 8 && from + length <= run.length; length++) {
        keys.add(run.slice(from, from + length));
      }
    }
  }
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}.:/@_+-]*(?:'s)?|\/[\w./-]+/gu) ?? [];
  for (let from = 0; from < words.length && keys.size < 2500; from++) {
    for (let length = 1; length <= 5 && from + length <= words.length; length++) {
      keys.add(words.slice(from, from + length).join(" ").replace(/'s$/, ""));
    }
  }
  return graph.known([...keys]).filter(({ key }) => !HAN_STOP.has(key) && (key.length > 1))
    .sort((a, b) => b.key.length - a.key.length);
}

/** A word of two characters that no dictionary has, but memory again and again, and that looks like what people are
 * called: 小诺, 阿明, 朵朵, 王姐, or the given name of somebody the graph has. */
function isNameLike(text: string, lookup: Lookup): boolean {
  if (text.length !== 2 || lookup.count(text) < 3) return false;
  return /^[小老阿大]|^(.)\1$|[哥姐叔姨婶爷奶妹弟]$/.test(text) || lookup.isGivenName(text);
}

function conceptOf(piece: Piece, isEntity: boolean): Concept | undefined {
  const all = tokenizeFolded(piece.text);
  const terms = piece.kind === "han" && piece.text.length > 1 ? all.filter((term) => term.length > 1) : all;
  if (terms.length === 0) return undefined;
  const isAsking = EN_ASK.has(piece.text) || EN_ASK.has(terms[0]!);
  if (piece.kind === "latin" && !isEntity && terms.length === 1 && isAsking) return undefined;
  const predicate = canonicalPredicate(piece.text);
  const isExact = terms.some((term) => isExactTerm(term) && /[0-9]/.test(term));
  return {
    text: piece.text,
    // A single string stands for its parts; of a name of several words each counts.
    terms: isExact && !piece.text.includes(" ") ? terms.slice(0, 1) : terms,
    share: piece.kind === "han" ? lexicon().share(piece.text) : Math.min(...terms.map(englishShare)),
    alternatives: isExact ? [] : keptAlternatives(piece, terms, predicate),
    isName: (isEntity && !predicate) || isExact || (piece.kind === "latin" && !predicate && isUnknownWord(terms)),
    keys: [],
    isExact,
    isFocus: false,
    ...(predicate && { predicate }),
  };
}

/** A Latin word that the lexicon does not have: a product, a service, a name. */
function isUnknownWord(terms: string[]): boolean {
  return terms.length === 1 && terms[0]!.length > 2 && lexicon().chinese(terms[0]!).length === 0;
}

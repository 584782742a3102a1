import { OWNER } from "../../core/base/facts/mod.ts";
import {
  canonicalPredicate,
  type Predicate,
  predicateById,
  predicatesAskedFor,
  withBroader,
} from "../../core/base/predicates.ts";
import type { Graph } from "../graph/graph.ts";
import { fold, isHan, nameKey } from "../words/fold.ts";
import { englishShare, lexicon } from "../words/lexicon.ts";
import { isExactTerm, tokenizeFolded } from "../words/tokens.ts";
import { type AskedTime, askedTime } from "./when.ts";

/** Another way to say a concept: all its terms together count `weight` of the concept itself. */
export interface Alternative {
  terms: string[];
  weight: number;
}

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

/** Relations that any words may state: a place by any verb, a name by being there. */
const ANY_VERB = new Set(["located_in", "status", "name", "nickname"]);
const HAN_STOP = new Set(
  ("什么 多少 多大 哪 哪个 哪里 哪儿 哪些 哪家 哪天 哪年 哪月 哪位 哪种 哪条 哪所 哪台 哪几 几 几个 几号 几点 几月 几只 几台 几楼 谁 谁的 " +
    "怎么 怎样 怎么样 如何 为什么 为何 何 何时 何地 是 是不是 的 了 吗 呢 啊 叫 叫做 在 有 有没有 用 我 我们 你 你们 他 她 它 他们 自己 本人 " +
    "家里 我家 我们家 请问 一下 上次 记得 我记得 说 说过 说的 那 那个 那次 那年 这 这个 那天 现在 目前 如今 当前 分别 各 各是 都 要 得 需要 " +
    "来着 到底 个 台 只 次 一个 一次 存过 一共 总共 会 能 可以 该 应该 给 把 被 和 与 跟 对 从 到 去 来 也 就 还 又 很 最 吧 呀 么 之 所 " +
    "时候 每次 每天 每 年 月 时 两 啥 请 时间 遇到 称 其 此 该 分钟 几分钟 原因 情况 方法 内容 问题 地方 所在 法子 办法 一趟 一片 一天 一年 一 不 号 子 以前 之前 原来 上 下 里 中 出现 就是 还是 我的 东西 哪一 知道 告诉 属于 称为 指 哪部 因为 由于")
    .split(" "),
);
const EN_ASK = new Set(
  "into onto per each another someone something anything two three four five six seven eight nine ten during besides every day time up before after number belong many much long often old kind type name call go get use make take happen like thing still ever way tell know want"
    .split(" "),
);

const MONEY =
  /(?:[0-9]|[一二三四五六七八九十百千万两])\s*(?:元|块|yuan|rmb|dollars?|euros?|pounds?|钱)|[¥$€£]\s*[0-9]|\b(?:price|fee|charges?|costs?|paid)\b.*[0-9]|价/;
const CLOCK = /[0-9]{1,2}:[0-9]{2}|[0-9一二三四五六七八九十两]+点|o'clock|\b[ap]m\b|早|晚|上午|下午|noon|night/;
const DAY_OF =
  /周[一二三四五六日天]|星期|礼拜|(?:mon|tues|wednes|thurs|fri|satur|sun)day|[0-9一二三四五六七八九十]+[日号]|月|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|20[0-9]{2}|每天|yesterday|tomorrow|last (?:week|month|year)|ago/;
const STREET = /[路街巷弄]|大道|\b(?:street|st|road|rd|avenue|lane|way|square)\b/;
const NUMBER =
  /[0-9]|[一二三四五六七八九十两百千]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred)\b/;

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
  let text = ask ? time.rest.replace(/多少钱|几块钱|星期几|周几|礼拜几|几月几号|几点/g, " ") : time.rest;
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
    alternatives: alternativesOf({ text: predicate.id, kind: "latin" }, [predicate.id], predicate),
    share: 0,
    predicate,
    isName: false,
    keys: [],
    isExact: false,
    isFocus: true,
  };
}

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

/** What comes after the last 的, or a possessive, or before "of": the attribute that is asked for. */
const ATTRIBUTE =
  /的([^的\s，。？?]+)[^的]*$|\p{L}'s?\s+(?:[\p{L}-]+\s+){0,2}?([\p{L}-]+)\s*(?:called|named|again|number|address|name)?[\s?]*$|\bwhat(?:'s| is| was| are) the ([\p{L}\s-]+?) (?:of|for)\b/u;

/** Classes of things that an answer belongs to without saying so. */
const CLASSES = new Set(
  ("东西 服务 机器 设备 人 人家 地方 事 事情 原因 意思 情况 问题 牌子 名字 房间 店 软件 系统 网站 日子 thing machine service device one place person " +
    "room app program brand name company shop host appliance").split(" "),
);

/** What stands where a question asks: the thing after 什么 or 哪个, before 是什么, the verb after 谁 or 什么时候; after "how",
 * "what" and "which", and the verb after "who". */
const ASKED_PLACES = [
  /(?:什么|哪一?[个些家位条台所种款本只张间层座])([\u4e00-\u9fff]{1,4})/,
  /在哪[儿里]?([\u4e00-\u9fff]{1,2})的/,
  /(?:谁|什么时候|几月|哪天|哪年|哪里|哪儿)([\u4e00-\u9fff]{1,2})/,
  /([\u4e00-\u9fff]{1,4})(?:现在|目前)?[是叫](?:什么|谁|哪|多少|几)/,
  /\bhow ((?!much|many|do|does|did|is|are|was|can|to|often|come|about)[a-z]+)\b/,
  /\b(?:what|which) ((?!is|are|was|were|do|does|did|can|has|have|will|would|should)[a-z]+)\b/,
  /\bwho (?!is|are|was|were|do|does|did|can|has|have|will|would|should)([a-z]+)\b/,
];

/** Marks what is asked for: the relations of the fixed vocabulary that the question names, surest first; else the
 * attribute by its place. The concepts of such a relation are met by every unit of it. */
function markFocus(concepts: Concept[], text: string): void {
  const free = concepts.filter((concept) => !concept.isName && !concept.shows);
  for (const { predicate, phrase } of predicatesAskedFor(text)) {
    const words = free.filter((concept) =>
      phrase.includes(concept.text) || concept.text.includes(phrase) || isFormOf(predicate, concept.text)
    );
    for (const concept of words) concept.predicate ??= predicate;
    // Whose father it is, not who he is: the choir of 爸爸的合唱团, what grandma wrote.
    const isKin = withBroader(predicate).some(({ id }) => id === "relative");
    const isMore = free.some((concept) => !words.includes(concept) && concept.predicate?.id !== "name");
    if ((isKin && isMore) || words.some((concept) => isOwner(concept.text, text))) continue;
    if (words.length > 0 && !free.some(({ isFocus }) => isFocus) && !ANY_VERB.has(predicate.id)) {
      for (const concept of words) concept.isFocus = true;
    }
  }
  if (free.some(({ isFocus }) => isFocus)) return;
  const named = ATTRIBUTE.exec(text)?.slice(1).find((part) => part !== undefined);
  const last = named === undefined ? undefined : free.findLast((concept) => named.includes(concept.text));
  if (last) {
    last.isFocus = true;
    return;
  }
  for (const place of ASKED_PLACES) {
    const part = place.exec(text)?.[1];
    if (part === undefined || CLASSES.has(part)) continue;
    const concept = free.find(({ text, terms }) =>
      part.startsWith(text) || text.startsWith(part) || terms.includes(part)
    );
    if (concept && !CLASSES.has(concept.text)) {
      concept.isFocus = true;
      return;
    }
  }
}

/** Something of it is asked for, not what it is itself. */
function isOwner(word: string, text: string): boolean {
  if (!isHan(word.charCodeAt(0))) return text.includes(`${word}'s `);
  return new RegExp(`${word}的(?!是|叫|什么|谁|哪|$)[\\u4e00-\\u9fff]`).test(text);
}

/** The word is said where one asks for such a relation. */
function isFormOf({ asks, forms }: Predicate, word: string): boolean {
  if (word.length < 2) return false;
  return [...asks.zh, ...forms.zh].some((phrase) =>
    phrase === word || (isHan(word.charCodeAt(0)) && phrase === `在哪${word}`)
  );
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

interface Piece {
  text: string;
  kind: "han" | "latin";
  /** No dictionary has it. */
  isLoose?: boolean;
}

/** A word of two characters that no dictionary has, but memory again and again, and that looks like what people are
 * called: 小诺, 阿明, 朵朵, 王姐, or the given name of somebody the graph has. */
function isNameLike(text: string, lookup: Lookup): boolean {
  if (text.length !== 2 || lookup.count(text) < 3) return false;
  return /^[小老阿大]|^(.)\1$|[哥姐叔姨婶爷奶妹弟]$/.test(text) || lookup.isGivenName(text);
}

/** The text in names, dictionary words, Latin words and what is left between them. */
function pieces(text: string, known: { names: string[]; count: (term: string) => number }): Piece[] {
  const { names } = known;
  const out: Piece[] = [];
  const latinNames = names.filter((name) => !isHan(name.charCodeAt(0)));
  let rest = text;
  for (const name of latinNames) {
    const at = rest.search(
      new RegExp(`(?<![\\p{L}\\p{N}])${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\p{L}\\p{N}])`, "u"),
    );
    if (at < 0 || EN_ASK.has(name)) continue;
    out.push({ text: name, kind: "latin" });
    rest = rest.slice(0, at) + " " + rest.slice(at + name.length);
  }
  for (const run of rest.match(/[\u3400-\u9fff]+|[^\u3400-\u9fff]+/g) ?? []) {
    if (isHan(run.charCodeAt(0))) out.push(...hanPieces(run, known));
    else {
      for (const word of run.replace(/'s?(?![a-z])/g, " ").split(/[^\p{L}\p{N}.:/@_+'-]+/u)) {
        if (word !== "") out.push({ text: word, kind: "latin" });
      }
    }
  }
  return out;
}

/** A run of Chinese in the likeliest words: those whose shares of the language, multiplied, come to most. Characters that
 * no longer word takes are cut by what memory has. */
function hanPieces(run: string, { names, count }: { names: string[]; count: (term: string) => number }): Piece[] {
  const out: Piece[] = [];
  let loose = "";
  const flush = () => {
    if (loose !== "") out.push(...loosePieces(loose, count));
    loose = "";
  };
  for (const word of likeliestWords(run, names)) {
    const joins = word.length === 1 && loose !== "" && count(loose.at(-1)! + word) >= 2;
    if (word.length === 1 && (joins || !HAN_STOP.has(word))) {
      loose += word;
      continue;
    }
    flush();
    if (!HAN_STOP.has(word) && !MEASURE.test(word)) out.push({ text: word, kind: "han" });
  }
  flush();
  return out;
}

/** What the logarithm of a word's share counts as: a name that memory has, words of questions, forms of relations, and
 * a character that is in no dictionary. */
const AS_NAME = -2;
const AS_STOP = -6;
const AS_FORM = -9;
const AS_NEW = -17;
const LONGEST_WORD = 4;

function likeliestWords(run: string, names: string[]): string[] {
  const words = lexicon();
  const best: { score: number; from: number }[] = [{ score: 0, from: 0 }];
  const offer = (from: number, length: number, score: number) => {
    const known = best[from + length];
    const total = best[from]!.score + score;
    if (known === undefined || total > known.score) best[from + length] = { score: total, from };
  };
  for (let i = 0; i < run.length; i++) {
    for (const name of names) if (run.startsWith(name, i)) offer(i, name.length, AS_NAME);
    const single = words.share(run[i]!);
    offer(i, 1, single > 0 ? Math.log(single) : AS_NEW);
    for (let length = 2; length <= LONGEST_WORD && i + length <= run.length; length++) {
      const word = run.slice(i, i + length);
      if (HAN_STOP.has(word)) offer(i, length, AS_STOP);
      else if (/^[的是我在]|^什么|^哪|[的是到]$/.test(word)) continue;
      else if (words.has(word)) offer(i, length, Math.log(Math.max(words.share(word), 1e-7)));
      else if (length > 2 && canonicalPredicate(word)) offer(i, length, AS_FORM);
    }
  }
  const out: string[] = [];
  for (let end = run.length; end > 0; end = best[end]!.from) out.unshift(run.slice(best[end]!.from, end));
  return out;
}

/** A number or pointer with its measure word: 那条, 一节, 两个. */
const MEASURE = /^[那这一二两三几每某各][个条台只位家间所本张块件次回节天年月种款双盒杯瓶层楼栋辆架场份群些]$/;

/** Characters that are words of their own are at least this part of the language. */
const OWN_WORD = 5e-5;

/** What no dictionary has, cut into the pairs that memory has most of. */
function loosePieces(run: string, count: (term: string) => number): Piece[] {
  const isTwoWords = run.length === 2 && count(run) === 0 && !/^[小老阿大]/.test(run) &&
    [...run].every((one) => lexicon().share(one) > OWN_WORD);
  if (isTwoWords) {
    return [...run].filter((one) => !HAN_STOP.has(one)).map((text) => ({ text, kind: "han", isLoose: true }));
  }
  if (run.length <= 2) return [{ text: run, kind: "han", isLoose: true }];
  const best: { score: number; cut: number }[] = [{ score: 0, cut: 0 }];
  for (let end = 1; end <= run.length; end++) {
    const single = { score: best[end - 1]!.score, cut: end - 1 };
    const found = end >= 2 ? count(run.slice(end - 2, end)) : 0;
    const pair = { score: (best[end - 2]?.score ?? 0) + Math.log(1 + found), cut: end - 2 };
    best.push(found > 0 && pair.score >= single.score ? pair : single);
  }
  if (best[run.length]!.score === 0) return [{ text: run, kind: "han", isLoose: true }];
  const out: Piece[] = [];
  for (let end = run.length; end > 0; end = best[end]!.cut) {
    const text = run.slice(best[end]!.cut, end);
    if (!HAN_STOP.has(text)) out.unshift({ text, kind: "han", isLoose: true });
  }
  return out;
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

/** Words whose other ways are kept; they depend on the word alone. */
const KEPT = 1000;
const kept = new Map<string, Alternative[]>();

function keptAlternatives(piece: Piece, terms: string[], predicate: Predicate | undefined): Alternative[] {
  const key = `${piece.kind} ${piece.text}`;
  let found = kept.get(key);
  if (!found) {
    if (kept.size >= KEPT) kept.clear();
    kept.set(key, found = alternativesOf(piece, terms, predicate));
  }
  return found;
}

/** What a word counts that is only a part of an equivalent, or the other way round. */
const PART = 0.4;
/** What each word of an English pair counts by the Chinese for both: 胎压 for "tyre pressure". */
const OF_PAIR = 0.75;

/** Only one word of an English form is looked for. */
const isCut = (form: string) => form.includes(" ") && tokenizeFolded(fold(form)).length === 1;

/** Other ways to say it: the predicate's forms, translations, and words that translate alike. */
function alternativesOf(piece: Piece, terms: string[], predicate: Predicate | undefined): Alternative[] {
  const words = lexicon();
  const found = new Map<string, Alternative>();
  const add = (text: string, weight: number) => {
    const all = tokenizeFolded(text);
    const kept = isHan(text.charCodeAt(0)) && text.length > 1 ? all.filter((term) => term.length > 1) : all;
    const key = kept.join(" ");
    const isTooShort = isHan(text.charCodeAt(0)) && text.length === 1 && piece.text.length > 1;
    if (kept.length === 0 || isTooShort || key === terms.join(" ")) return;
    const known = found.get(key);
    if (!known || known.weight < weight) found.set(key, { terms: kept, weight });
  };
  const addStems = (stems: string, weight: number) => {
    if (stems === terms.join(" ")) return;
    const known = found.get(stems);
    if (!known || known.weight < weight) found.set(stems, { terms: stems.split(" "), weight });
  };
  for (const form of predicate ? [...predicate.forms.zh, ...predicate.forms.en] : []) {
    // "Stands 180 cm tall" without its stop words is met by any stand.
    if (!form.includes("…")) add(fold(form), isCut(form) ? 0.5 : 0.7);
  }
  if (piece.kind === "han") {
    for (const [rank, gloss] of words.english(piece.text).entries()) {
      addStems(gloss, rank === 0 ? 0.8 : 0.65);
      if (gloss.includes(" ")) { for (const part of gloss.split(" ")) addStems(part, PART); }
      for (const other of words.chinese(gloss).slice(0, 10)) {
        if (other !== piece.text) add(other, other.length > 1 ? 0.45 : 0.25);
      }
    }
  } else if (!isHan(piece.text.charCodeAt(0))) {
    for (const stems of [terms.join(" "), ...(terms.length > 1 ? terms : [])]) {
      for (const [rank, other] of words.chinese(stems).slice(0, 14).entries()) {
        add(other, (rank < 6 ? 0.75 : 0.6) * (other.length > 1 ? 1 : 0.6));
        for (const gloss of words.english(other).slice(0, 3)) addStems(gloss, 0.4);
      }
      if (!stems.includes(" ")) { for (const other of words.chineseOfPart(stems).slice(0, 12)) add(other, PART); }
    }
  }
  return [...found.values()].sort((a, b) => b.weight - a.weight).slice(0, 48);
}

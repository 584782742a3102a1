import { type Predicate, predicatesAskedFor, withBroader } from "../../core/base/predicates.ts";
import { isHan } from "../words/fold.ts";
import type { Concept } from "./question.ts";

/** Relations that any words may state: a place by any verb, a name by being there. */
const ANY_VERB = new Set(["located_in", "status", "name", "nickname"]);
/** What comes after the last 的, or a possessive, or before "of": the attribute that is asked for. */
const ATTRIBUTE =
  /的([^的\s,，。？?]+?)(?:现在|目前|分别|各)?(?:[是叫在有]?(?:什么|谁|哪|多少|几)[^,，。]{0,6})?[\s？?]*$|\p{L}'s?\s+(?:[\p{L}-]+\s+){0,2}?([\p{L}-]+)\s*(?:called|named|again|number|address|name)?[\s?]*$|\bwhat(?:'s| is| was| are) the ([\p{L}\s-]+?) (?:of|for)\b/u;

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
export function markFocus(concepts: Concept[], text: string): void {
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

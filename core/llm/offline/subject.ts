import { OWNER } from "../../base/facts/mod.ts";
import { canonicalPredicate, type Predicate } from "../../base/predicates.ts";
import type { Asked } from "./ask.ts";
import { isOwner } from "./names.ts";
import type { Relation } from "./recalled.ts";
import { says } from "./says.ts";
import { contentWords, coverage, plain } from "./words.ts";

interface Wanted {
  names: Set<string>;
  attribute: Predicate | undefined;
}

export function isAbout(relation: Relation, asked: Asked, { names, attribute }: Wanted): boolean {
  if (attribute ? !says(relation, attribute) : asked.about.kind === "owner" || asked.about.kind === "thing") {
    return false;
  }
  const subject = plain(relation.subject);
  if (names.has(subject)) return asked.about.kind !== "owner" || !needsThing(asked, attribute);
  // A thing is named by the other words of the question; "my Wi-Fi" is the Wi-Fi.
  if (asked.about.kind === "owner" || asked.about.kind === "thing") {
    if (isOwner(subject)) return asked.about.kind === "thing" && asked.words.length === 0 && attribute?.id !== "name";
    return isThing(relation.subject, asked);
  }
  return isThingOf(relation.subject, asked, names);
}

/** "Anna's car" of a question about Anna that has the car in its other words. */
function isThingOf(subject: string, asked: Asked, names: Set<string>): boolean {
  const text = plain(subject);
  const whose = [...names].find((name) => text.startsWith(`${name}'s `) || text.startsWith(`${name}的`));
  if (whose === undefined || asked.words.length === 0) return false;
  const words = contentWords(text.slice(whose.length).replace(/^'s |^的/, ""));
  return words.length > 0 && coverage(words, asked.question) >= 0.99;
}

/** The owner's numbers that stand at the thing they belong to, for who asks for a number without naming it. */
export function isHeld(relation: Relation, asked: Asked): boolean {
  return asked.about.kind === "owner" && asked.words.length === 0 && /^(?:my |我的)/i.test(relation.subject) &&
    asked.attributes.some((attribute) =>
      ["phone", "id_number", "account", "bank_account", "plate"].includes(attribute.id) && says(relation, attribute)
    );
}

/** "Where did I park?": the sentence that told where the car is has the words of the question. */
export function isSpokenOf(relation: Relation, asked: Asked): boolean {
  if (asked.about.kind !== "owner" && asked.about.kind !== "thing" || asked.words.length === 0) return false;
  return asked.attributes.some((predicate) => says(relation, predicate)) &&
    coverage(asked.words, relation.sentence ?? "") >= 0.99;
}

/** "What colour is my car" asks about the car, not about the person. */
function needsThing(asked: Asked, attribute: Predicate | undefined): boolean {
  return attribute !== undefined &&
    [
      "color",
      "located_in",
      "price",
      "model",
      "password",
      "ip",
      "port",
      "expiry",
      "warranty",
      "address",
      "phone",
      "date",
      "time",
      "url",
      "version",
      "name",
    ].includes(attribute.id) &&
    asked.words.length > 0;
}

export function isThing(subject: string, asked: Asked): boolean {
  const words = contentWords(subject);
  // A machine's own name says which it is: nas01, of "server nas01".
  if (words.some((word) => /\p{L}\d|\d\p{L}/u.test(word) && asked.allWords.includes(word))) return true;
  const name = plain(subject).replace(/^(?:my |the |我的|我家的?|家里的?)/, "");
  const question = plain(asked.question);
  if (name.length > 1 && question.replace(/的/g, "").includes(name.replace(/的/g, ""))) return true;
  return words.length > 0 && coverage(words, asked.question) >= 0.99;
}

/** A relation told in the other language's script, which memory finds near enough to the question to answer it. */
const ANSWERS = 0.42;

export function isForeign(relation: Relation, asked: Asked): boolean {
  if (asked.about.kind !== "owner" && asked.about.kind !== "thing" || (relation.score ?? 0) < ANSWERS) return false;
  const isHan = (text: string) => /\p{Script=Han}/u.test(text);
  return relation.subject !== OWNER && isHan(relation.subject) !== isHan(asked.question) &&
    asked.attributes.some((predicate) => says(relation, predicate));
}

/** A relation outside the vocabulary, whose own words the question repeats. */
export function isFree(relation: Relation, asked: Asked, names: Set<string>): boolean {
  const known = canonicalPredicate(relation.predicate);
  if (known && asked.attributes.length > 0) return false;
  const subject = plain(relation.subject);
  const person = asked.about.kind !== "thing";
  if (person && !names.has(subject) && !(asked.about.kind === "owner" && isThing(relation.subject, asked))) {
    return false;
  }
  const words = contentWords(relation.predicate);
  const isTold = words.length > 0 && asked.words.length > 0 &&
    coverage(asked.words, `${relation.subject} ${relation.predicate}`) === 1;
  if (!person && !isThing(relation.subject, asked) && !isTold) return false;
  return words.length > 0 && coverage(words, asked.question) >= 0.6;
}

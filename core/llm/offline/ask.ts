import { type Language, languageOf, moodOf, nounOf, understand } from "../../base/facts/mod.ts";
import { canonicalPredicate, type Predicate } from "../../base/predicates.ts";
import { simplify } from "../../base/simplify.ts";
import { chinese } from "./ask_chinese.ts";
import { english } from "./ask_english.ts";

/** Whom a question is about. */
export type About =
  | { kind: "owner" }
  /** "my sister", "Anna's boss". */
  | { kind: "relation"; whose: About; predicate: Predicate; noun: string }
  | { kind: "named"; name: string }
  /** Nobody in particular: a thing, by the words of the question. */
  | { kind: "thing" };

/** A question as the rules understand it. */
export interface Asked {
  question: string;
  language: Language;
  about: About;
  /** Which relations would answer it, surest first; empty: anything about whom it asks. */
  attributes: Predicate[];
  /** Asks who, not what: 谁住在苏州, "who plays the cello". */
  reverse: boolean;
  /** A question to be answered with yes or no. */
  yesNo: boolean;
  /** Asks how many. */
  count: boolean;
  /** Asks what held before. */
  past: boolean;
  /** Asks for everything that is known. */
  open: boolean;
  /** The word by which someone is asked for: the dentist, of all doctors. */
  noun?: string;
  /** Meaningful words beside the person and the attribute. */
  words: string[];
  /** All meaningful words. */
  allWords: string[];
}

/** Understands a question. `topic` is whom it means by "she". */
export function understandQuestion(question: string, topic?: About): Asked {
  const language = languageOf(question);
  const asked = language === "zh" ? chinese(simplify(question), topic) : english(question, topic);
  return { ...asked, question };
}

/** Roles that only a man, or only a woman, has. */
const MALE = new Set([
  "father",
  "brother",
  "older_brother",
  "younger_brother",
  "husband",
  "son",
  "grandfather",
  "uncle",
]);
const FEMALE = new Set([
  "mother",
  "sister",
  "older_sister",
  "younger_sister",
  "wife",
  "daughter",
  "grandmother",
  "aunt",
]);

type Gender = "he" | "she";

function genderOf(role: Predicate | undefined, noun = ""): Gender | undefined {
  if (
    role && MALE.has(role.id) ||
    /\b(?:boyfriend|nephew|grandson|father-in-law|brother-in-law)\b|男朋友|侄子|外甥$|孙子|岳父|公公|姐夫|妹夫|表哥|表弟|堂哥|堂弟/
      .test(noun)
  ) return "he";
  if (
    role && FEMALE.has(role.id) ||
    /\b(?:girlfriend|niece|granddaughter|mother-in-law|sister-in-law)\b|女朋友|侄女|外甥女|孙女|岳母|婆婆|嫂子|表姐|表妹|堂姐|堂妹/
      .test(noun)
  ) return "she";
  return undefined;
}

/** Whom "she" would mean after these messages: the last person that was spoken of who may be a she. `pronoun` as the
 * message at hand has it. */
export function topicOf(history: readonly { own: boolean; text: string }[], pronoun?: Gender): About | undefined {
  let last: About | undefined;
  const byGender = new Map<Gender, About>();
  const genders = new Map<string, Gender>();
  const meant = (which: Gender | undefined) => which && byGender.get(which) || last;
  const take = (about: About, gender: Gender | undefined) => {
    last = about;
    for (const each of gender ? [gender] : ["he", "she"] as const) byGender.set(each, about);
  };
  for (const { text } of history.filter(({ own }) => own).slice(-8)) {
    const topic = meant(pronounOf(text));
    const name = topic && topic.kind !== "owner" && topic.kind !== "thing"
      ? aboutText(topic, languageOf(text))
      : undefined;
    const { facts } = understand(text, name === undefined ? {} : { topic: name });
    for (const { predicate, object } of facts) {
      const gender = genderOf(canonicalPredicate(predicate), predicate);
      if (gender) genders.set(object, gender);
    }
    for (const { subject, predicate, object } of facts) {
      const known = canonicalPredicate(predicate);
      if (subject !== "user") {
        take({ kind: "named", name: subject }, genders.get(subject) ?? genderOf(undefined, subject));
      } else if (known?.inverse || known?.broader) take({ kind: "named", name: object }, genders.get(object));
    }
    if (facts.length > 0 || moodOf(text, languageOf(text)) !== "question") continue;
    const asked = understandQuestion(text, topic);
    const kin = asked.attributes[0];
    if (asked.about.kind === "named") take(asked.about, genders.get(asked.about.name));
    else if (asked.about.kind === "relation") take(asked.about, genderOf(asked.about.predicate, asked.about.noun));
    else if (kin && (kin.broader === "relative" || kin.inverse) && kin.id !== "likes" && kin.id !== "owns") {
      take({ kind: "relation", whose: asked.about, predicate: kin, noun: kin[asked.language] }, genderOf(kin));
    }
  }
  return meant(pronoun);
}

/** The pronoun of a message that means somebody who was spoken of before. */
export function pronounOf(text: string): Gender | undefined {
  if (/\b(?:he|him|his)\b|他(?!们)/i.test(text)) return /\b(?:she|her)\b|她/i.test(text) ? undefined : "he";
  return /\b(?:she|her|hers)\b|她(?!们)/i.test(text) ? "she" : undefined;
}

/** The text of an entity in a question, for a search. */
export function aboutText(about: About, language: Language): string {
  switch (about.kind) {
    case "owner":
      return "user";
    case "named":
      return about.name;
    case "relation": {
      const whose = aboutText(about.whose, language);
      const noun = nounOf(about, language);
      if (language === "zh") return whose === "user" ? `我${noun}` : `${whose}的${noun}`;
      return whose === "user" ? `my ${noun}` : `${whose}'s ${noun}`;
    }
    case "thing":
      return "";
  }
}

import { cleanObject, listOf } from "./english_words.ts";
import type { Entity, Scene } from "./scene.ts";

/** What a verb phrase states. `who`: the kind of subject that it can be said of. */
export interface VerbRule {
  who: "person" | "thing" | "any";
  /** Matched at the start of the verb phrase, which reaches to the clause's end. */
  when: RegExp;
  /** Returns false when the words mean something else after all. */
  tell(match: RegExpExecArray, subject: Entity, scene: Scene): boolean | void;
}

/** Forms of "be", as a pattern. */
export const BE = "(?:am|is|are|was|were)";
const ADV =
  "(?:(?:just|now|also|really|absolutely|currently|still|always|both|have|has|recently|actually|usually|simply|particularly|especially|totally|truly|very much|finally|mostly|only|already|even|quite|do|does) )*";

/** A rule whose pattern may have adverbs before it. */
export const rule = (who: VerbRule["who"], pattern: string, tell: VerbRule["tell"]): VerbRule => ({
  who,
  when: new RegExp(`^${ADV}${pattern}`, "iu"),
  tell,
});

/** Objects that point elsewhere and tell nothing by themselves. */
export const EMPTY =
  /^(?:it|this|that|them|him|her|you|these|those|one|so|here|there|to|a lot|much|many things|everything|nothing|what .*|how .*|when .*|it .*|that .*|the way .*|your .*|you .*)$/i;

/** States each item of a list. */
export const many = (id: string) => (match: RegExpExecArray, subject: Entity, scene: Scene) => {
  const items = listOf(match[1]!).filter((item) => !EMPTY.test(item));
  for (const item of items) scene.say(subject, id, item);
  return items.length > 0;
};

/** States the rest of the phrase, shaped. */
export const value =
  (id: string, shape: (text: string) => string = (text) => text) =>
  (match: RegExpExecArray, subject: Entity, scene: Scene) => {
    const text = shape(cleanObject(match[1]!));
    if (text === "" || EMPTY.test(text)) return false;
    scene.say(subject, id, text);
  };

/** A month or season at the end of a phrase, which says when. */
export const MONTH =
  / (?:in|at the end of|this|last|back in) (?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|fall|winter)\b.*$/i;

/** The months, as a pattern. */
export const MONTHS = "(?:january|february|march|april|may|june|july|august|september|october|november|december)";

/** How a time begins that stays true whenever it is read: no "tomorrow", no "next week". */
export const DATED_START =
  `(?:${MONTHS}\\b|(?:the )?\\d{1,2}(?:st|nd|rd|th)\\b|\\d{1,2} (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\\d{4}-\\d\\d|(?:every |each )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?\\b)`;
/** Whether words tell a time that stays true whenever it is read. */
export const WHEN = new RegExp(
  `\\b(?:${MONTHS}|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|daily|weekly|monthly|yearly|every|each|(?:19|20)\\d\\d|\\d{1,2}:\\d\\d|\\d{1,2} ?[ap]m|the \\d{1,2}(?:st|nd|rd|th))\\b`,
  "i",
);

/** A time without end marks; nothing else is taken off. */
export const cleanedDate = (text: string) => text.trim().replace(/[\s,;:.!]+$/, "");

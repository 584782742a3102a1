import { type Predicate, predicateById } from "../predicates.ts";
import { EMPTY, many } from "./english_rule.ts";
import { relationNoun } from "./english_subject.ts";
import { cleanObject, isName, listOf, NUMBER, withoutArticle } from "./english_words.ts";
import type { Entity, Scene } from "./scene.ts";

/** "a dog named Biscuit", "two kids, Ella and Noah", "a red bicycle". */
export function has(match: RegExpExecArray, subject: Entity, scene: Scene): boolean {
  const text = cleanObject(match[1]!);
  const dated = DATED.exec(text);
  if (dated) {
    scene.say({ kind: "named", name: withoutArticle(dated[1]!), type: "thing" }, "#date", cleanObject(dated[2]!));
    return true;
  }
  if (
    /^(?:the|to|not|no|been|had|never|any|nothing|the same|fun|lunch|dinner|breakfast|a (?:question|problem|headache|cold|meeting|fever|good|great|nice|bad|lot|look|feeling|idea|dream|chance|point|break|rest|chat|sore|stomach|hard|long day|busy)|an? (?:idea|appointment|exam|interview)|time|trouble|work|plans|you|it|that|this)\b/i
      .test(text)
  ) return false;
  const weekly =
    /^(?:an? |the |my )?([\w' -]{3,25}?),? (?:class |lessons? |practice )?((?:every|each|on) (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekday|morning|evening|day|week).*)$/i
      .exec(text);
  if (weekly) {
    const name = scene.nameOf(subject) === "user" ? `my ${weekly[1]}` : `${scene.nameOf(subject)}'s ${weekly[1]}`;
    scene.say({ kind: "named", name, type: "thing" }, "#date", cleanObject(weekly[2]!));
    return true;
  }
  const allergy = /^(?:an? )?(?:(?:severe|mild|bad) )?(.+?) allerg(?:y|ies)$/i.exec(text);
  if (allergy) return many("#allergic_to")(allergy, subject, scene) ?? true;
  if (/\b(?:meetings?|appointments?|calls?|exams?|lessons?|errands|guests|visitors|deadlines?)\b/i.test(text)) {
    return false;
  }
  const named = new RegExp(
    `^(${NUMBER}|an?|some)? ?(.+?)(?:,|:| (?:named|called)| whose names? (?:is|are)| by the names? of) (?:(?:his|her|its|their) names? (?:is|are) |named |called )?(.+)$`,
    "iu",
  ).exec(text);
  if (named) {
    const relation = relationNoun(singular(named[2]!)) ?? relationNoun(singular(named[2]!.split(" ").at(-1)!));
    const names = listOf(named[3]!).map((name) => name.replace(/^(?:little|baby|young|old|big|our|my) (?=\p{Lu})/u, ""))
      .filter(isName);
    if (relation && names.length > 0) {
      for (const name of names) {
        scene.topic = scene.introduce(subject, relation, name, { noun: singular(named[2]!).toLowerCase() });
        if (relation.id === "pet") scene.say(scene.topic, "#species", singular(named[2]!).toLowerCase());
      }
      return true;
    }
  }
  const bare = relationNoun(singular(text.replace(new RegExp(`^(?:${NUMBER}|an?|some) `, "i"), "")));
  if (bare && bare.id !== "pet") {
    scene.topic = { kind: "relation", owner: subject, predicate: bare };
    return true;
  }
  const kind = relationNoun(singular(text.split(" ").at(-1)!))?.id === "pet" ||
    /\b(?:parrot|fish|turtle|tortoise|horse|pony|snake|lizard|guinea pig|ferret|budgie|canary|goldfish|hen|chicken|goat)s?$/i
      .test(text);
  const counted = new RegExp(`^(?:${NUMBER}|some) [\\p{L} -]+?(?:,|:) (?=an? |the |one )`, "iu");
  const items = text.replace(counted, "").split(/,? and (?:also )?(?=an? |the |one )|, (?=an? |the |one )/i);
  for (const item of items.flatMap((each) => listOf(each)).filter((item) => !EMPTY.test(item))) {
    scene.say(subject, kind ? "#pet" : "#owns", withoutArticle(item));
  }
  if (kind) scene.topic = { kind: "relation", owner: subject, predicate: predicateById("pet") };
  return true;
}

/** Something that comes at a time: "a dentist appointment on 14 March at 10:30". */
const DATED = new RegExp(
  `^(?:an? |the |my |our )?([\\p{L}' -]*?\\b(?:appointment|meeting|exam|interview|flight|lesson|check-?up|reservation|viewing|party|wedding|concert|match|trip|class|delivery|visit|session|call)(?: (?:with|at|for|in|to) (?:(?!\\bon\\b).)+?)?),? (?:on |at |this |for )?((?:(?:next |every |this )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|(?:january|february|march|april|may|june|july|august|september|october|november|december)\\b|(?:the )?\\d{1,2}(?:st|nd|rd|th)\\b|\\d{1,2} (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\\d{4}-\\d|\\d{1,2}[./:]\\d{1,2}).*)$`,
  "iu",
);

/** "my cat is called Pixel": Pixel is a cat. */
export function sayKind(pet: Entity, { predicate, noun }: { predicate: Predicate; noun?: string }, scene: Scene): void {
  if (predicate.id === "pet" && noun !== undefined && !/^(?:pets?|animals?)$/.test(noun)) {
    scene.say(pet, "#species", singular(noun));
  }
}

function singular(text: string): string {
  return text.replace(/\bchildren$/i, "child").replace(/(?<=[^s])s$/i, "");
}

/** From what a person says to the facts that it states, by rules alone, in English and 中文. Pure: no clock, no memory.
 * @module */
import { tellChinese } from "./chinese.ts";
import { tellEnglish } from "./english.ts";
import type { ExtractedFact } from "./fact.ts";
import { hasHan, languageOf } from "./language.ts";
import { moodOf } from "./mood.ts";
import { type Entity, Scene } from "./scene.ts";
import { splitSentences } from "./sentences.ts";

export { type ExtractedFact, OWNER } from "./fact.ts";
export { type Language, languageOf } from "./language.ts";
export { type Mood, moodOf } from "./mood.ts";
export { splitSentences } from "./sentences.ts";

const REMEMBER_EN =
  /^(?:(?:please|hey|ok|okay|and|also|can you|could you|would you)[,]? )*(?:remember|note|keep in mind|don['’]t forget|make a note|memori[sz]e|take note|save|write down|bear in mind|for future reference)(?: this| that down| down)?(?: that|:|,)? *(?=\S)/i;
const REMEMBER_ZH =
  /^(?:请|麻烦|麻烦你|你|你要|要|帮我|给我|替我|帮忙|一定要|务必|对了)*(?:记住|记一下|记下来|记下|记得|记着|记录一下|别忘了|别忘|不要忘了|备忘|牢记)(?:一下|这个|这件事|了)?[：:，, ]*(?=\S)/;

/** A longer sentence is pasted, not said. */
const LONGEST = 1000;

/** What a message states. */
export interface Understood {
  facts: ExtractedFact[];
  /** Sentences that the person asked to be remembered, without the asking. */
  remember: string[];
}

export interface UnderstandOptions {
  /** Whom "she" or "it" means when the message does not say: the name of who was spoken of before. */
  topic?: string;
}

/** Understands a message of the owner's. */
export function understand(text: string, { topic }: UnderstandOptions = {}): Understood {
  const third: Entity | undefined = topic ? { kind: "named", name: topic, type: "person" } : undefined;
  const scene = new Scene(third);
  const remember: string[] = [];
  for (const sentence of splitSentences(text)) {
    if (sentence.length > LONGEST) continue;
    const told = sentence.replace(hasHan(sentence) ? REMEMBER_ZH : REMEMBER_EN, "");
    const asked = told !== sentence && !/^to\b|^(?:我|你)?(?:要|去|提醒)/i.test(told) && !/[?？]$/.test(told);
    if (told !== sentence && !asked) continue;
    scene.language = languageOf(told);
    scene.sentence = sentence;
    const mood = moodOf(told, scene.language);
    if (asked) remember.push(told.replace(/[.。!！]+$/, ""));
    if (mood !== "telling") continue;
    if (scene.language === "zh") tellChinese(told, scene);
    if (scene.language === "en" || !scene.facts.some((fact) => fact.sentence === sentence)) {
      if (/\p{Script=Latin}/u.test(told)) tellEnglish(told, scene);
    }
  }
  return { facts: scene.finish(), remember };
}

/** The facts that a message of the owner's states. */
export function extractFacts(text: string): ExtractedFact[] {
  return understand(text).facts;
}

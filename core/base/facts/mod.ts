/** From what a person says to the facts that it states, by rules alone, in English and 中文. Pure: no clock, no memory.
 * @module */
import { tellChinese } from "./chinese.ts";
import { simplify } from "../simplify.ts";
import { correctionOf, withoutCorrectionOpening } from "./corrections.ts";
import { tellEnglish } from "./english.ts";
import type { Ending, ExtractedFact } from "./fact.ts";
import { hasHan, languageOf } from "./language.ts";
import { moodOf } from "./mood.ts";
import { type Entity, Scene } from "./scene.ts";
import { splitSentences } from "./sentences.ts";

export { type Ending, type ExtractedFact, OWNER } from "./fact.ts";
export { type Language, languageOf } from "./language.ts";
export { isUnrealClause, type Mood, moodOf } from "./mood.ts";
export { nounOf, usualNoun } from "./scene.ts";
export { splitSentences } from "./sentences.ts";

const REMEMBER_EN =
  /^(?:(?:please|hey|ok|okay|and|also|can you|could you|would you)[,]? )*(?:remember|note|keep in mind|don['’]t forget|make a note|memori[sz]e|take note|save|write down|bear in mind|for future reference)(?: this| that down| down)?(?: that|:|,)? *(?=\S)/i;
const REMEMBER_ZH =
  /^(?:请|麻烦|麻烦你|你|你要|要|帮我|给我|替我|帮忙|一定要|务必|对了)*(?:记住|记一下|记下来|记下|记得|记着|记录一下|别忘了|别忘|不要忘了|备忘|牢记)(?:一下|这个|这件事|了)?[：:，, ]*(?=\S)/;

/** What is only said along with a telling: "…, you know?", …，你知道吗？ */
const TAG_EN =
  /(?:,|\s[–—-])? (?:(?:did |do )?you know(?: that)?|you see|ok(?:ay)?|got (?:it|that)|remember|all ?right)[?.!]*$/i;
const TAG_ZH =
  /[，,。\s]+(?:你|您)?(?:(?:知道|晓得|明白|懂|记住|记下|记得|听懂|了解|听到|清楚)(?:了)?(?:吗|吧|么|没有?|不|嘛)?|好吗|好不好|好吧|行吗|可以吗)[？?。!！]*$/;
const LEAD =
  /^(?:did you know,?(?: that)? |you know what[?,.!]* |guess what[?,.!:]* |你(?:们)?知道(?:吗|么|吧)[，,？?\s]*|告诉你(?:一件事|个事|一个事)[，,：:]*)/i;

/** A longer sentence is pasted, not said. */
const LONGEST = 1000;

/** What a message states. */
export interface Understood {
  facts: ExtractedFact[];
  /** What it says to hold no longer. */
  endings: Ending[];
  /** Sentences that the person asked to be remembered, without the asking. */
  remember: string[];
  /** The sentences that any of these came from, as they stand in the message. */
  told: Set<string>;
}

export interface UnderstandOptions {
  /** Whom "she" or "it" means when the message does not say: the name of who was spoken of before. */
  topic?: string;
  /** The facts that were told last: what "no, it is 5002" corrects. */
  previous?: readonly ExtractedFact[];
}

/** Understands a message of the owner's. */
export function understand(text: string, { topic, previous = [] }: UnderstandOptions = {}): Understood {
  const own = simplify(text);
  const understood = understandSimple(own, { previous, ...(topic === undefined ? {} : { topic }) });
  return own === text ? understood : inOwnWriting(understood, { text, own });
}

/** What was understood of a text in its Simplified writing, in the writing that it has: 台北 told as 臺北 stays 臺北. */
function inOwnWriting(
  { facts, endings, remember, told }: Understood,
  { text, own }: { text: string; own: string },
): Understood {
  const whole = (part: string) => {
    const at = own.indexOf(part);
    return at < 0 ? part : text.slice(at, at + part.length);
  };
  const value = (part: string) => {
    const written = whole(part);
    return [...part].map((character, at) => hasHan(character) ? [...written][at]! : character).join("");
  };
  const subject = (name: string) => /^我/.test(name) ? name : value(name);
  return {
    facts: facts.map((fact) => ({
      ...fact,
      subject: subject(fact.subject),
      object: value(fact.object),
      sentence: whole(fact.sentence),
    })),
    endings: endings.map((ending) => ({ ...ending, sentence: whole(ending.sentence) })),
    remember: remember.map(whole),
    told: new Set([...told].map(whole)),
  };
}

function understandSimple(text: string, { topic, previous = [] }: UnderstandOptions): Understood {
  const third: Entity | undefined = topic ? { kind: "named", name: topic, type: "person" } : undefined;
  const scene = new Scene(third);
  const remember: string[] = [];
  const told = new Set<string>();
  const corrected: ExtractedFact[] = [];
  let announced = false;
  for (const sentence of splitSentences(text)) {
    if (sentence.length > LONGEST) continue;
    for (const part of correctedParts(sentence)) {
      const said = plainTelling(part);
      const asking = said.replace(hasHan(said) ? REMEMBER_ZH : REMEMBER_EN, "");
      const rest = asking === said ? ownPart(said) : asking;
      const asked = asking !== said && !/^to\b|^(?:我|你)?(?:要|去|提醒)/i.test(rest) && !/[?？]$/.test(rest);
      if (asking !== said && !asked) continue;
      scene.language = languageOf(rest);
      scene.sentence = sentence;
      const mood = moodOf(rest, scene.language);
      if (asked) {
        remember.push(rest.replace(/[.。!！]+$/, ""));
        told.add(sentence);
      }
      if (mood !== "telling") continue;
      const bare = withoutCorrectionOpening(rest);
      announced ||= bare !== rest.trim();
      if (bare === "") continue;
      const earlier = [...previous, ...scene.facts];
      const before = { facts: scene.facts.length, endings: scene.endings.length };
      // "No, it is 5002" is the value that was wrong, before it is anything of what "it" means.
      const isValue = announced && /^(?:it|that|this)\b|^(?:是|应该是|它)/i.test(bare);
      const instead = correctionOf(bare, { previous: earlier, announced: isValue });
      if (!instead) tell(rest, scene);
      if (scene.facts.length === before.facts && scene.endings.length === before.endings) {
        const correction = instead ?? correctionOf(bare, { previous: earlier, announced });
        if (!correction) continue;
        corrected.push(correction.fact);
        endOf(correction.fact, correction.old, scene);
      } else if (announced) {
        for (const fact of scene.facts.slice(before.facts)) {
          const old = earlier.findLast(({ subject, id, object }) =>
            subject === fact.subject && id !== undefined && id === fact.id && object !== fact.object
          );
          if (old) endOf(fact, old.object, scene);
        }
      }
      told.add(sentence);
    }
  }
  return { facts: [...scene.finish(), ...corrected], endings: scene.finishEndings(), remember, told };
}

/** What somebody says themselves before they tell what another said: "I work at Nordbank, but a friend told me …". */
function ownPart(sentence: string): string {
  if (hasHan(sentence) || moodOf(sentence, "en") !== "reported") return sentence;
  const parts = sentence.split(/, (?=(?:but|and|because|so|though) )/i);
  const at = parts.findIndex((part) => moodOf(part.replace(/^\w+ /, ""), "en") !== "telling");
  return at > 0 ? parts.slice(0, at).join(", ") : sentence;
}

/** A sentence that corrects itself on its way: …是蓝色，不对，是绿色. */
function correctedParts(sentence: string): string[] {
  return sentence.split(
    /(?:[，,]\s*|——)(?=(?:不对|不是|错了|说错了|更正|哦不)[，,])|,\s*(?:[—–-] )?(?=(?:no(?:,| wait)|sorry,|wait,|i mean\b|i meant\b))/i,
  );
}

/** The telling in a sentence that only looks like a question: "did you know that I …?", 我喜欢喝茶，你知道吗. */
function plainTelling(sentence: string): string {
  const bare = sentence.replace(LEAD, "").replace(TAG_EN, "").replace(TAG_ZH, "");
  if (bare === sentence || bare.trim() === "") return sentence;
  const led = LEAD.test(sentence);
  const plain = led ? bare.replace(/[?？]+$/, "") : bare;
  return moodOf(plain, languageOf(plain)) === "telling" && !/[?？]$/.test(plain) ? plain : sentence;
}

function tell(text: string, scene: Scene): void {
  const { sentence } = scene;
  const before = scene.endings.length;
  if (scene.language === "zh") tellChinese(text, scene);
  const none = !scene.facts.some((fact) => fact.sentence === sentence) && scene.endings.length === before;
  if ((scene.language === "en" || none) && /\p{Script=Latin}/u.test(text)) tellEnglish(text, scene);
}

function endOf(fact: ExtractedFact, old: string, scene: Scene): void {
  // What the message itself takes back is not told at all.
  scene.facts = scene.facts.filter(({ subject, id, object }) =>
    subject !== fact.subject || id !== fact.id || object !== old
  );
  scene.end({ kind: "named", name: fact.subject }, fact.id === undefined ? [] : [fact.id], old, {
    except: fact.object,
  });
}

/** The facts that a message of the owner's states. */
export function extractFacts(text: string): ExtractedFact[] {
  return understand(text).facts;
}

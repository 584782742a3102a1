import { cleanChinese } from "./chinese_words.ts";
import { cleanObject } from "./english_words.ts";
import type { ExtractedFact } from "./fact.ts";
import { hasHan } from "./language.ts";

const OPENING =
  /^(?:(?:(?:no|nope)(?=[,.!;:—]|\s*$| wait)|oops|wait|hang on|sorry|correction|actually|wrong|that['’]?s (?:wrong|not right|not true)|that is (?:wrong|not right|not true)|not quite|my mistake|i was wrong|i meant|i mean|不对|不是的?|错了|(?:我)?(?:刚才|刚刚)?(?:说|记|写|搞|弄)错了|更正(?:一下)?|纠正(?:一下)?|改正(?:一下)?|哦不|不不+|等等|等一下|抱歉|对不起|不好意思)(?:[,，.。:：;；!！— -]+|$|(?<=\p{Script=Han})(?=[是应叫我他她它])))+/iu;

/** The corrected value alone: "it's 5002", 应该是五号. */
const VALUE_EN =
  /^(?:(?:it|that|this|he|she|they|the (?:right|correct) (?:one|number|name|answer))(?: is|['’]s| are| was| should be) (?:actually |really |called |named |spelled |spelt |in |on |at )?|make (?:it|that) |should be |i meant )?(.+)$/i;
const VALUE_ZH = /^(?:它|他|她|那个?|这个?)?(?:应该|其实|实际上)*(?:是|叫|改成|改为|改到|改在|推迟到|为|在)?(.+)$/;

const INSTEAD: readonly RegExp[] = [
  /^(?:(?:it|that|he|she)(?: is|['’]s) )?not (?<old>.+?),? (?:but|it['’]?s|it is|rather|she['’]?s|he['’]?s) (?<now>.+)$/i,
  /^(?:(?:it|that|he|she)(?: is|['’]s) )?(?:called |named )?(?<now>[^,]+?),? (?:and )?not (?<old>.+)$/i,
  /^(?:她|他|它)?(?:不是|不叫)(?<old>.+?)[，,\s]*(?:而)?(?:是|叫)(?<now>.+)$/,
  /^(?:她|他|它)?(?:应该)?(?:是|叫)(?<now>.+?)[，,\s]*(?:而)?(?:不是|不叫)(?<old>.+)$/,
];

/** What a sentence takes back of what was said before it. */
export interface Correction {
  fact: ExtractedFact;
  /** The value that was wrong. */
  old: string;
}

/** A sentence without the words that announce a correction; the same text when it announces none. */
export function withoutCorrectionOpening(sentence: string): string {
  return sentence.trim().replace(OPENING, "").trim();
}

/** Reads a sentence that only names the right value, as a correction of what was told before. `announced`: it began as
 * one, so that a bare value is enough. */
export function correctionOf(
  sentence: string,
  { previous, announced }: { previous: readonly ExtractedFact[]; announced: boolean },
): Correction | undefined {
  const text = sentence.replace(/[。.!！\s]+$/, "");
  for (const shape of INSTEAD) {
    const { old, now } = shape.exec(text)?.groups ?? {};
    const target = old && previous.findLast(({ object }) => same(object, clean(old)));
    if (target && now) return replaced(target, clean(now));
  }
  if (!announced) return undefined;
  const value = clean((hasHan(text) ? VALUE_ZH : VALUE_EN).exec(text)?.[1] ?? "");
  if (value === "" || value.length > 60) return undefined;
  const target = previous.length === 1 && !hasVerb(value)
    ? previous[0]
    : previous.findLast(({ object }) => shapeOf(object) === shapeOf(value) && !hasVerb(value));
  return target && target.object !== value ? replaced(target, value) : undefined;
}

function replaced(target: ExtractedFact, value: string): Correction {
  const { sentence, object } = target;
  return {
    fact: {
      ...target,
      object: value,
      sentence: sentence.includes(object) ? sentence.replace(object, value) : sentence,
    },
    old: object,
  };
}

const clean = (text: string) => hasHan(text) ? cleanChinese(text) : cleanObject(text);

const same = (a: string, b: string) =>
  a.toLowerCase() === b.toLowerCase() || a.toLowerCase().includes(b.toLowerCase()) && b.length > 1;

/** Words that make a clause of it: no value. */
const hasVerb = (text: string) =>
  /\b(?:i|you|we|am|are|do|does|did|have|has|don['’]t|want|think|need|like)\b/i.test(text) || /[我你]/.test(text);

/** What a value looks like: only a like one replaces it. */
function shapeOf(value: string): string {
  if (/^[\d.:]+$/.test(value)) return value.includes(".") ? "dotted" : "number";
  if (/\d/.test(value)) {
    return /\d.*[月年日号]|january|february|march|april|may|june|july|august|september|october|november|december/i.test(
        value,
      )
      ? "date"
      : "with digits";
  }
  return hasHan(value) ? "han" : /^\p{Lu}/u.test(value) ? "name" : "words";
}

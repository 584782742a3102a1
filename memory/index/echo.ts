import { languageOf, moodOf, splitSentences } from "../../core/base/facts/mod.ts";

/** Texts that were said and are no source of what they speak of: the agent's own words, made of what it recalled; and a
 * person's questions. They can be found, and never answer. */
export type Echo = "agent" | "question";

/** Requests that ask for something known: "tell me who …", 告诉我…. Others ("remind me …", "buy …") tell what is wanted. */
const ASKS_FOR =
  /^(?:(?:please|kindly|and|so|ok(?:ay)?|hey),? |(?:could|can|would|will) you (?:please )?)*(?:tell me|show me|list|find|search|look up|explain|give me|remind me (?:what|who|where|when|which|how)|i(?:'d| would) like to know|what|say)\b|^(?:请|麻烦|帮我|给我|替我|能|可以|你能|你可以|再)*(?:告诉我|说说|列出|列一下|列举|查一下|查查|搜索|搜一下|找一下|找找|介绍|讲讲|看看)/i;
const LONGEST = 1_000;

/** Whether a person's message asks, and tells nothing beside it. */
export function isAsking(text: string): boolean {
  if (text.length > LONGEST) return false;
  const language = languageOf(text);
  const sentences = splitSentences(text);
  return sentences.length > 0 && sentences.every((sentence) => {
    const mood = moodOf(sentence, language);
    return mood === "question" || (mood === "request" && ASKS_FOR.test(sentence.trim()));
  });
}

/** What something said in a conversation is, if it is no source. */
export function echoOf(said: { role: "user" | "agent"; text: string }): Echo | undefined {
  if (said.role === "agent") return "agent";
  return isAsking(said.text) ? "question" : undefined;
}

/** Keeps a request within a model's window: gives up the least relevant of the timeline, then the recall, then shortens
 * long texts, tool results first. System prompt, skills in use, the last ten events and tool pairs stay. @module */
import type { ChatMessage, ToolSpec } from "../wire/llm.ts";
import { middleCut } from "./middle_cut.ts";
import { type SystemParts, systemText } from "./prompt.ts";

/** What a picture or sound is taken to cost. */
const PART_TOKENS = 1200;
/** A text is never shortened below this many characters by one step. */
const STEPS = [8000, 2000, 500, 160];

/** A careful guess at how many tokens a text has: one for a CJK character, a quarter for any other. */
export function estimateTokens(text: string): number {
  let wide = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x2e7f) wide++;
  return wide + Math.ceil((text.length - wide) / 4);
}

function messageTokens(message: ChatMessage): number {
  let sum = 4;
  if (typeof message.content === "string") sum += estimateTokens(message.content);
  else for (const part of message.content) sum += part.type === "text" ? estimateTokens(part.text) : PART_TOKENS;
  for (const call of message.tool_calls ?? []) {
    sum += 8 + estimateTokens(call.function.name) + estimateTokens(call.function.arguments);
  }
  return sum;
}

/** The guess for a whole request. */
export function requestTokens(messages: ChatMessage[], tools: ToolSpec[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0) + estimateTokens(JSON.stringify(tools));
}

/** The messages of a request that should fit into `budget` tokens (0: no limit known). `fits` is false when even the
 * smallest form does not; it is returned all the same, since the guess may be wrong. */
export function fitRequest(
  parts: SystemParts,
  conversation: ChatMessage[],
  tools: ToolSpec[],
  budget: number,
): { messages: ChatMessage[]; tokens: number; fits: boolean } {
  let system = parts;
  // What cannot fit however it is counted is shortened before it is counted again and again.
  let talk = budget > 0 ? conversation.map((message) => shortened(message, budget * 4)) : conversation;
  const build = () => {
    const messages: ChatMessage[] = [{ role: "system", content: systemText(system) }, ...talk];
    return { messages, tokens: requestTokens(messages, tools) };
  };
  let built = build();
  const done = () => budget <= 0 || built.tokens <= budget;
  if (done()) return { ...built, fits: true };
  const byRelevance = [...parts.timeline].sort((a, b) => a.score - b.score || a.event.at - b.event.at);
  for (let dropped = 1; dropped <= byRelevance.length && !done();) {
    const gone = new Set(byRelevance.slice(0, dropped));
    system = { ...parts, timeline: parts.timeline.filter((each) => !gone.has(each)) };
    built = build();
    dropped = Math.min(dropped * 2, byRelevance.length) === dropped
      ? dropped + 1
      : Math.min(dropped * 2, byRelevance.length);
  }
  if (!done()) {
    system = { ...system, memory: "" };
    built = build();
  }
  const last = conversation.findLastIndex((message) => message.role === "user");
  const shorten = (limit: number, includes: (message: ChatMessage, at: number) => boolean) => {
    talk = talk.map((message, at) => includes(message, at) ? shortened(message, limit) : message);
    built = build();
  };
  for (const limit of STEPS) {
    if (!done()) shorten(limit, (message, at) => message.role === "tool" && at < last);
    if (!done()) shorten(limit, (message, at) => message.role !== "tool" && at < last);
    if (!done()) shorten(limit, (message) => message.role === "tool");
  }
  for (const limit of STEPS) if (!done()) shorten(limit, () => true);
  return { ...built, fits: done() };
}

function shortened(message: ChatMessage, limit: number): ChatMessage {
  if (typeof message.content === "string") return { ...message, content: middleCut(message.content, limit) };
  return {
    ...message,
    content: message.content.map((part) =>
      part.type === "text" ? { type: "text", text: middleCut(part.text, limit) } : part
    ),
  };
}

import type { CompletionRequest, SourceSecrets, TokenUsage } from "../core/wire/llm.ts";
import type { AdapterTable } from "./vm.ts";

/** A number of tokens that the request has at the very least: long English words and code come to about eight characters
 * a token, 中文 to less than three. Pictures and sound are not counted. */
export function fewestTokens(request: CompletionRequest): number {
  let ascii = 0, wide = 0;
  const count = (text: string) => {
    for (let i = 0; i < text.length; i++) text.charCodeAt(i) < 128 ? ascii++ : wide++;
  };
  for (const { content, tool_calls } of request.messages) {
    if (typeof content === "string") count(content);
    else for (const part of content) if (part.type === "text") count(part.text);
    for (const call of tool_calls ?? []) count(call.function.arguments);
  }
  return Math.floor(ascii / 8 + wide / 3);
}

/** Ollama cuts a prompt that does not fit, and says nothing: the tokens it evaluated are then far below what was sent. */
export function silentlyCut(
  source: SourceSecrets,
  table: AdapterTable,
  request: CompletionRequest,
  usage: TokenUsage,
): string | undefined {
  if ((table.name ?? source.adapter) !== "ollama" || usage.prompt === 0) return undefined;
  const fewest = fewestTokens(request);
  if (fewest < 256 || usage.prompt >= fewest) return undefined;
  return `${source.name} evaluated only ${usage.prompt} tokens of a prompt that has at least ${fewest}: ` +
    `its context window cut off the rest. Set core.llm.sources.${source.name}.context_window higher, or use less context`;
}

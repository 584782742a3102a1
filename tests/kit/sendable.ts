import type { WireFormat } from "./llm_servers/reply.ts";

// The bodies' shapes are the vendors'; what does not fit fails the check.
// deno-lint-ignore no-explicit-any
type Body = any;

/** Why a vendor would refuse a request's body for its history, or null when it would take it: a call without exactly one
 * result, an empty message, half a character, a role out of turn. */
export function refusal(format: WireFormat, body: Body): string | null {
  const half = halfCharacter(body, "");
  if (half !== null) return `${half} has half a character`;
  return { openai: chat, ollama: chat, anthropic, gemini }[format](body, format);
}

function halfCharacter(value: unknown, at: string): string | null {
  if (typeof value === "string") return value.isWellFormed() ? null : at;
  if (typeof value !== "object" || value === null) return null;
  for (const [key, one] of Object.entries(value)) {
    const found = halfCharacter(one, `${at}/${key}`);
    if (found !== null) return found;
  }
  return null;
}

const isBlank = (content: unknown) =>
  content === undefined || content === null || (typeof content === "string" && content.trim() === "") ||
  (Array.isArray(content) && content.length === 0);

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined; // no JSON: the caller says so
  }
}

/** OpenAI's chat completions, and Ollama's chat, whose calls have no ids and arguments that are objects. */
function chat(body: Body, format: WireFormat): string | null {
  let open: string[] = [];
  for (const [at, message] of (body.messages as Body[]).entries()) {
    const where = `message ${at} (${message.role})`;
    if (message.role === "tool") {
      if (open.length === 0) return `${where} answers no call`;
      if (format === "openai") {
        const index = open.indexOf(message.tool_call_id);
        if (index === -1) return `${where} answers ${message.tool_call_id}, not one of ${open}`;
        open.splice(index, 1);
      } else open.shift();
      if (isBlank(message.content)) return `${where} is empty`;
      continue;
    }
    if (open.length > 0) return `${where} comes before the result of ${open[0]}`;
    if (!["system", "user", "assistant"].includes(message.role)) return `${where} has a role that nobody knows`;
    const calls = (message.tool_calls ?? []) as Body[];
    if (calls.length === 0 && isBlank(message.content)) return `${where} is empty`;
    if (message.tool_calls !== undefined && calls.length === 0) return `${where} has an empty list of calls`;
    for (const call of calls) {
      const args = call.function.arguments;
      const value = format === "openai" ? parsed(args) : args;
      if (!isObject(value)) return `${where} has malformed arguments: ${args}`;
      if (halfCharacter(value, "") !== null) return `${where} has half a character in its arguments`;
      if (!call.function.name) return `${where} has a call without a name`;
    }
    open = calls.map((call, index) => format === "openai" ? call.id : String(index));
    if (new Set(open).size !== open.length || open.some((id) => !id)) return `${where} has ids ${open}`;
  }
  if (open.length > 0) return `the call ${open[0]} has no result`;
  const last = body.messages.at(-1);
  return last.role === "user" || last.role === "tool" ? null : `the last message is of the ${last.role}`;
}

function anthropic(body: Body): string | null {
  let role = "assistant";
  let open: string[] = [];
  for (const [at, message] of (body.messages as Body[]).entries()) {
    const where = `message ${at} (${message.role})`;
    if (message.role === role) return `${where} is the second of its role in a row`;
    role = message.role;
    const blocks = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
    if (!Array.isArray(blocks) || blocks.length === 0) return `${where} is empty`;
    const results = blocks.filter(({ type }) => type === "tool_result").map(({ tool_use_id }) => tool_use_id);
    if (JSON.stringify([...results].sort()) !== JSON.stringify([...open].sort())) {
      return `${where} answers ${results}, the calls were ${open}`;
    }
    if (blocks.slice(0, results.length).some(({ type }) => type !== "tool_result")) {
      return `${where} has something before its results`;
    }
    for (const block of blocks) {
      if (block.type === "text" && isBlank(block.text)) return `${where} has an empty text`;
      if (block.type === "tool_result" && isBlank(block.content)) return `${where} has an empty result`;
      if (block.type === "tool_use" && !isObject(block.input)) return `${where} has malformed input`;
      if (block.type === "tool_use" && !block.name) return `${where} has a call without a name`;
    }
    open = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id);
    if (new Set(open).size !== open.length) return `${where} has ids ${open}`;
  }
  if (open.length > 0) return `the call ${open[0]} has no result`;
  return role === "user" ? null : "the last message is of the assistant";
}

function gemini(body: Body): string | null {
  let role = "model";
  let open: string[] = [];
  for (const [at, content] of (body.contents as Body[]).entries()) {
    const where = `content ${at} (${content.role})`;
    if (content.role === role) return `${where} is the second of its role in a row`;
    role = content.role;
    const parts = content.parts as Body[];
    if (!Array.isArray(parts) || parts.length === 0) return `${where} is empty`;
    const results = parts.filter((part) => part.functionResponse).map((part) => part.functionResponse.name);
    if (JSON.stringify(results) !== JSON.stringify(open)) return `${where} answers ${results}, the calls were ${open}`;
    for (const part of parts) {
      if ("text" in part && isBlank(part.text)) return `${where} has an empty text`;
      if (part.functionCall && !isObject(part.functionCall.args ?? {})) return `${where} has malformed arguments`;
      if (part.functionResponse && !isObject(part.functionResponse.response)) return `${where} has a bare response`;
    }
    open = parts.filter((part) => part.functionCall).map((part) => part.functionCall.name);
  }
  if (open.length > 0) return `the call of ${open[0]} has no response`;
  return role === "user" ? null : "the last content is of the model";
}

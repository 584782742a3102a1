/** The history is always sendable: every tool call has exactly one result, right after the message that asked for it;
 * arguments are JSON objects; nothing is empty; no half character. What is repaired here is what is stored. @module */
import type { ChatMessage, ContentPart, RequestToolCall, ToolCall } from "../wire/llm.ts";

/** The result of a call that nothing answered. */
export const LOST_RESULT = "The result of this call was lost before it was recorded.";

/** A tool call with what could be made of its arguments. `args` is null when they were no JSON object. */
export interface RepairedCall {
  call: ToolCall;
  args: Record<string, unknown> | null;
  /** What the model wrote, when it was malformed. */
  malformed?: string;
}

/** The calls of one answer: ids filled in and unique among `taken`, names trimmed, malformed arguments replaced by
 * `{}`. */
export function repairCalls(calls: ToolCall[], taken: Set<string>): RepairedCall[] {
  return calls.map((call) => {
    let id = (call.id ?? "").toWellFormed().trim() || `call_${taken.size + 1}`;
    for (let n = 2; taken.has(id); n++) id = `${call.id || "call"}_${n}`.toWellFormed();
    taken.add(id);
    let text = (call.arguments ?? "").toWellFormed();
    let args = parseArguments(text);
    if (args !== null && !allWellFormed(args)) {
      // Half a character that JSON had escaped.
      args = wellFormed(args) as Record<string, unknown>;
      text = JSON.stringify(args);
    }
    return {
      call: {
        id,
        type: "function",
        name: (call.name ?? "").toWellFormed().trim() || "unnamed",
        arguments: args === null ? "{}" : text.trim() || "{}",
        ...(call.signature !== undefined && { signature: call.signature }),
      },
      args,
      ...(args === null && { malformed: text }),
    };
  });
}

/** Argument text as an object; an empty text means no arguments; null when it is no JSON object. */
export function parseArguments(text: string): Record<string, unknown> | null {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as Record<string, unknown>
      : null;
  } catch {
    return null;
  }
}

/** The assistant message that asks for these calls. */
export function callMessage(text: string, calls: ToolCall[]): ChatMessage {
  return {
    role: "assistant",
    content: text.toWellFormed(),
    tool_calls: calls.map((call): RequestToolCall => ({
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: call.arguments },
      ...(call.signature !== undefined && { signature: call.signature }),
    })),
  };
}

/** The message with a call's result. */
export function resultMessage(call: { id: string; name: string }, content: string): ChatMessage {
  return {
    role: "tool",
    content: content.toWellFormed() || "(no output)",
    tool_call_id: call.id,
    name: call.name,
  };
}

/** Any list of messages as one that can be sent. Repairing twice changes nothing more. */
export function repairHistory(messages: ChatMessage[]): ChatMessage[] {
  const repaired: ChatMessage[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]!;
    if (message.role === "tool") continue; // taken with its call, or an orphan
    const content = repairContent(message.content);
    if (message.role !== "assistant" || !message.tool_calls?.length) {
      if (!isEmpty(content)) repaired.push({ role: message.role, content });
      continue;
    }
    const calls = repairRequestCalls(message.tool_calls);
    const results = new Map<string, ChatMessage>();
    for (let next = at + 1; messages[next]?.role === "tool"; next++) {
      const id = messages[next]!.tool_call_id ?? "";
      if (!results.has(id)) results.set(id, messages[next]!);
    }
    repaired.push({ role: "assistant", content, tool_calls: calls.map(({ call }) => call) });
    for (const { call, was } of calls) {
      const result = results.get(was);
      results.delete(was);
      const text = result ? repairContent(result.content) : LOST_RESULT;
      repaired.push({
        role: "tool",
        content: isEmpty(text) ? "(no output)" : text,
        tool_call_id: call.id,
        name: call.function.name,
      });
    }
  }
  return repaired;
}

/** Why a list of messages cannot be sent, or null when it can. */
export function unsendable(messages: ChatMessage[]): string | null {
  let open: RequestToolCall[] = [];
  for (const [at, message] of messages.entries()) {
    const where = `message ${at} (${message.role})`;
    if (JSON.stringify(message) !== JSON.stringify(message).toWellFormed()) return `${where} has half a character`;
    if (!allWellFormed(message)) return `${where} has half a character`;
    if (message.role === "tool") {
      const index = open.findIndex((call) => call.id === message.tool_call_id);
      if (index === -1) return `${where} answers no open call`;
      open.splice(index, 1);
      if (isEmpty(message.content)) return `${where} is empty`;
      continue;
    }
    if (open.length > 0) return `${where} comes before the result of ${open[0]!.id}`;
    if (message.tool_calls?.length) {
      if (new Set(message.tool_calls.map((call) => call.id)).size !== message.tool_calls.length) {
        return `${where} has two calls with one id`;
      }
      for (const call of message.tool_calls) {
        if (!call.id || !call.function.name) return `${where} has a call without id or name`;
        const args = parseArguments(call.function.arguments);
        if (call.function.arguments.trim() === "" || args === null) return `${where} has malformed arguments`;
        if (!allWellFormed(args)) return `${where} has half a character in its arguments`;
      }
      open = [...message.tool_calls];
    } else if (isEmpty(message.content)) return `${where} is empty`;
  }
  return open.length > 0 ? `the call ${open[0]!.id} has no result` : null;
}

function repairRequestCalls(calls: RequestToolCall[]): { call: RequestToolCall; was: string }[] {
  const flat = calls.map((call): ToolCall => ({
    id: call.id,
    type: "function",
    name: call.function?.name ?? "",
    arguments: call.function?.arguments ?? "",
    ...(call.signature !== undefined && { signature: call.signature }),
  }));
  return repairCalls(flat, new Set()).map(({ call }, index) => ({
    was: calls[index]!.id ?? "",
    call: {
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: call.arguments },
      ...(call.signature !== undefined && { signature: call.signature }),
    },
  }));
}

function repairContent(content: string | ContentPart[]): string | ContentPart[] {
  if (typeof content === "string") return content.toWellFormed();
  if (!Array.isArray(content)) return "";
  return content
    .map((part): ContentPart => part.type === "text" ? { type: "text", text: part.text.toWellFormed() } : part)
    .filter((part) => part.type !== "text" || part.text.trim() !== "");
}

function isEmpty(content: string | ContentPart[]): boolean {
  return typeof content === "string" ? content.trim() === "" : content.length === 0;
}

function allWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (Array.isArray(value)) return value.every(allWellFormed);
  if (typeof value === "object" && value !== null) return Object.entries(value).flat().every(allWellFormed);
  return true;
}

/** A JSON value in which half characters became replacement characters. */
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.toWellFormed(), wellFormed(one)]));
}

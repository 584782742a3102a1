import { type Language, languageOf } from "../../base/facts/mod.ts";
import type { ChatMessage, CompletionRequest } from "../../wire/llm.ts";
import { unfence } from "../fence.ts";

/** A tool's answer in this turn: its JSON, or the plain text that says what went wrong. */
export interface ToolResult {
  tool: string;
  args: Record<string, unknown>;
  value: unknown;
  error?: string;
}

/** One earlier message. `own`: in the owner's own words, through this channel. */
export interface Said {
  role: "user" | "assistant";
  text: string;
  own: boolean;
}

/** What a request says: the message to answer, what was said before, and what the tools have answered since. */
export interface Turn {
  text: string;
  language: Language;
  /** Before this message, oldest first. */
  history: Said[];
  results: ToolResult[];
  /** The owner's own words: facts are learned from nothing else. */
  trusted: boolean;
  /** Documents and knowledge that the kernel has put into the prompt for this message. */
  brief: { source: "documents" | "knowledge"; text: string }[];
  /** When it is, if the system prompt says so. */
  now?: Date;
  tools: Map<string, Record<string, unknown>>;
}

function plainText(message: ChatMessage): string {
  if (typeof message.content === "string") return message.content;
  return message.content.map((part) => part.type === "text" ? part.text : "").join("\n");
}

/** Takes off the mark that the kernel puts before what came in as an interrupt. */
const INTERRUPT_MARK = /^\s*\[打断消息[^\]]*\]\s*/;

/** The prompt's own line about this message: when it came, and whether through the owner's channel. */
const NOW = /^\[Now\]\n(\S+?);[^\n]*/m;
const OWN = "which is the owner's own";
/** How the kernel marks messages of other channels, its own notes and what it took back out of documents. */
const NOT_OWN = /^(?:\[打断消息[^\]]*\]\s*)?(?:\((?:note from homed|[^)\n]* through [^)\n]*)\)|⟦data from )|^⏰ Timer /;
const NOTE = /^\(note from homed\)|^⏰ Timer /;

/** Reads a completion request as the rules see it. */
export function readTurn(request: CompletionRequest): Turn {
  const messages = request.messages;
  const last = messages.findLastIndex((message) => message.role === "user");
  const text = last < 0 ? "" : plainText(messages[last]!).replace(INTERRUPT_MARK, "").trim();
  const history: Turn["history"] = [];
  for (const message of messages.slice(0, Math.max(0, last))) {
    const said = message.role === "user" || message.role === "assistant" ? plainText(message).trim() : "";
    if (said === "") continue;
    const own = message.role === "user" && !NOT_OWN.test(said);
    history.push({ role: message.role === "user" ? "user" : "assistant", text: said.replace(INTERRUPT_MARK, ""), own });
  }
  const system = messages.filter((message) => message.role === "system").map(plainText).join("\n");
  const stamp = NOW.exec(system);
  const isOwners = !stamp || stamp[0].includes(OWN);
  return {
    text,
    language: languageOf(text),
    trusted: isOwners && !NOTE.test(text),
    ...(stamp && !Number.isNaN(Date.parse(stamp[1]!)) ? { now: new Date(stamp[1]!) } : {}),
    history: history.map((said) => ({ ...said, own: said.own && isOwners })),
    brief: briefOf(system),
    results: resultsOf(messages.slice(last + 1)),
    tools: new Map((request.tools ?? []).map((tool) => [tool.function.name, tool.function.parameters])),
  };
}

const FENCED = /⟦data from (documents|knowledge)⟧\n([^]*?)\n⟦end of data⟧/g;

/** The entries of the prompt's sections: each begins with a dash and ends with its date. */
function briefOf(system: string): Turn["brief"] {
  return [...system.matchAll(FENCED)].flatMap(([, source, list]) =>
    list!.split(/\n(?=- )/).filter((entry) => !/, no longer true\)$/.test(entry)).map((entry) => ({
      source: source as "documents" | "knowledge",
      text: entry.replace(/^- /, "").replace(/ \(\d{4}-\d\d-\d\d\)$/, "").replaceAll("\n  ", "\n"),
    }))
  );
}

function resultsOf(messages: ChatMessage[]): ToolResult[] {
  const calls = new Map(
    messages.flatMap((message) => message.tool_calls ?? []).map((call) => [call.id, call.function]),
  );
  return messages.filter((message) => message.role === "tool").map((message) => {
    const call = calls.get(message.tool_call_id ?? "");
    const content = unfence(plainText(message));
    const args = parsed(call?.arguments ?? "{}");
    const value = parsed(content);
    return {
      tool: call?.name ?? message.name ?? "",
      args: (args ?? {}) as Record<string, unknown>,
      value,
      ...(value === undefined ? { error: plain(content) } : {}),
    };
  });
}

/** A sentence that has fenced data in it, without the fence: it is said to the person. */
const plain = (text: string) => text.replace(/⟦data from [^⟧]*⟧\n([^]*?)\n⟦end of data⟧/g, "$1").replace(/\n+/g, " ");

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: a tool's error is a plain sentence.
    return undefined;
  }
}

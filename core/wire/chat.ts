/** Conversation over the local socket, and between `main` and the kernel (CONTRACT 3). @module */
import type { TokenUsage } from "./llm.ts";

/** A file that comes with a message. `data` is base64 on the wire. */
export interface MediaInput {
  mime: string;
  data: string;
  name?: string;
}

export interface ChatSendParams {
  text: string;
  /** Where the reply goes; "cli" by default. */
  channel?: string;
  /** Who speaks; "cli" by default. */
  source?: string;
  media?: MediaInput[];
  /** Keep this turn out of what is learned. */
  no_memory?: boolean;
}

export interface ChatReply {
  turn: string;
  reply: string;
  /** Names of the tools that ran, in order. */
  tools: string[];
  usage: TokenUsage;
  /** The LLM source that gave the reply, "offline", or "stage" for a short-circuit. */
  source: string;
}

/** What happens while a turn runs, in order. `delta` text that a `notice` with `withdraws` follows was not meant. */
export type ChatEventBody =
  | { type: "started" }
  | { type: "delta"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "tool"; name: string; args: unknown }
  | { type: "tool_result"; name: string; ok: boolean; summary: string }
  | { type: "interrupt"; text: string }
  | { type: "notice"; text: string; withdraws?: true }
  | { type: "approval"; id: string; tool: string; args: unknown; expires: number; detail?: string }
  | { type: "reply"; text: string };

/** Params of the notification `chat.event`: `request` is the id of the `chat.send`, `seq` counts from 1 in a turn. */
export type ChatEvent = { request: number | string; turn: string; seq: number } & ChatEventBody;

export interface ApprovalAnswer {
  id: string;
  allow: boolean;
  /** Remember the answer for this tool: sets `core.approval.<tool>`. */
  always?: boolean;
}

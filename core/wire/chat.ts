/** Conversation over the local socket, and between `main` and the kernel (CONTRACT 3). @module */
import type { TokenUsage } from "./llm.ts";

/** A file that comes with a message. `data` is base64 on the wire. */
export interface MediaInput {
  /** Such as `image/png`; decides whether the model sees it, hears it or is told a description. */
  mime: string;
  /** Base64, without a `data:` prefix. */
  data: string;
  /** What the file was called where it came from; absent for recordings and the like. */
  name?: string;
}

/** One message to the agent. */
export interface ChatSendParams {
  /** What is said; half surrogate pairs in it are mended. */
  text: string;
  /** Where the reply goes; "cli" by default. */
  channel?: string;
  /** Who speaks; "cli" by default. */
  source?: string;
  /** Images and audio that belong to the text. */
  media?: MediaInput[];
  /** Keep this turn out of what is learned. */
  no_memory?: boolean;
}

/** How a turn ended, once it has. */
export interface ChatReply {
  /** Id of the turn, also in its events. */
  turn: string;
  /** The whole reply as it went out, after every stage. */
  reply: string;
  /** Names of the tools that ran, in order. */
  tools: string[];
  /** Tokens of all LLM calls of the turn together. */
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

/** The owner's answer to an `approval` event. */
export interface ApprovalAnswer {
  /** The `id` of that event. */
  id: string;
  /** False: the tool does not run, and the model is told so. */
  allow: boolean;
  /** Remember the answer for this tool: sets `core.approval.<tool>`. */
  always?: boolean;
}

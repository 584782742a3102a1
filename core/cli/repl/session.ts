/** What the REPL needs of an agent. It is the same over the local socket (a client of a daemon) and in the process (this
 * REPL holds the home's lock itself): the REPL cannot tell, and must not. @module */
import type { Language } from "../language.ts";
import type { Progress } from "../../base/progress.ts";
import type { ApprovalAnswer, ChatEventBody, ChatReply, MediaInput } from "../../wire/chat.ts";
import type { KernelStatus, ToolDef } from "../../wire/kernel.ts";
import type { MemoryStats, RecallResult } from "../../wire/memory.ts";
import type { SettingRow } from "../../wire/owner.ts";

/** A `chat.event` as the REPL sees it: which turn, and what happened. */
export type SessionEvent = { turn: string } & ChatEventBody;

/** A message to the agent. */
export interface SessionMessage {
  text: string;
  media?: MediaInput[];
}

/** One row of `homed config list --json`. A secret's `value` is masked. */
export type ConfigItem = Pick<SettingRow, "key" | "value" | "default" | "type" | "title" | "secret">;

/** The answer to `status`. `sources` of the kernel are those that are configured; none means that the offline provider
 * answers. */
export interface SessionStatus {
  version: string;
  home: string;
  kernel: KernelStatus;
  /** What the person should know, oldest first. */
  notices?: string[];
}

type Nothing = Record<never, never>;

/** The methods the REPL calls besides those of a conversation. All are served on the local socket to the owner, so
 * `config.set` may change keys marked *owner*. A failure rejects with an `RpcError` whose message is a sentence, and
 * whose `data.fix`, when there, says what to do. */
export interface SessionMethods {
  "status": { params: Nothing; result: SessionStatus };
  "tools.list": { params: Nothing; result: { tools: (ToolDef & { owner: string })[] } };
  /** As the command line: an array, by key. */
  "config.list": { params: { prefix?: string; language?: Language }; result: ConfigItem[] };
  /** `value` as typed by a person; it is checked against the key's definition. Returns when it is in force: a source
   * whose key, model or address was set can be called at once. */
  "config.set": { params: { key: string; value: string }; result: { warnings?: string[] } };
  "config.unset": { params: { key: string }; result: unknown };
  "memory.stats": { params: Nothing; result: MemoryStats };
  /** Only looks: nothing is consumed. */
  "memory.recall": { params: { query: string; top?: number }; result: RecallResult };
  "memory.undo": { params: { id?: string }; result: { undone: string; kind: string } };
  /** One tiny call to one source, for `/setup`: no context, no tools, nothing remembered. */
  "llm.complete": {
    params: { prompt: string; system?: string; source?: string; now?: boolean };
    result: { text: string };
  };
}

/** A conversation with one agent, in the owner's name. */
export interface ReplSession {
  /** Runs a turn. `onEvent` gets its events in order, all before the promise settles; it does not throw. Rejects with
   * an `RpcError`: code `noSource` when no LLM source answered, `cancelled` when the turn was cancelled,
   * `disconnected` when the agent went away. */
  send(message: SessionMessage, onEvent: (event: SessionEvent) => void): Promise<ChatReply>;
  /** Delivers text into the running turn. `turn` is the turn that took it, or that it opened when none was running:
   * what such a turn says arrives at `onOutput`. */
  interrupt(text: string): Promise<{ turn: string | null }>;
  /** Ends a turn; its `send` then settles soon. */
  cancel(turn: string): Promise<{ cancelled: boolean }>;
  /** `known: false`: it had expired, or someone else was faster. */
  answerApproval(answer: ApprovalAnswer): Promise<{ known: boolean }>;
  call<M extends keyof SessionMethods>(
    method: M,
    params: SessionMethods[M]["params"],
  ): Promise<SessionMethods[M]["result"]>;
  /** Registers the one listener for what the agent says on this channel outside a `send`: a timer that rang, the reply
   * to an interrupt that came after its turn. */
  onOutput(listener: (message: { text: string }) => void): void;
  /** Registers the one listener for how far long work is: a download, an import, vectors being made. */
  onProgress(listener: (progress: Progress) => void): void;
  /** Resolves with the reason when the agent is gone. Never rejects. */
  readonly closed: Promise<string>;
}

/** What the owner asks of a running homed, over the local socket or in the process (CONTRACT 3). The client speaks first;
 * every call is answered. @module */
import type { ApprovalAnswer, ChatReply, ChatSendParams } from "./chat.ts";
import type { EventType } from "./event.ts";
import type { KernelMethods, KernelStatus, Ok } from "./kernel.ts";
import type { ImportReport, MemoryMethods, ProbeResult } from "./memory.ts";
import type { CallOptions, Handler } from "./peer.ts";

/** The answer to `status`. */
export interface DaemonStatus {
  version: string;
  home: string;
  pid: number;
  /** ISO 8601. */
  since: string;
  socket: string;
  /** Address of the web page, when it is on. */
  page: string | null;
  kernel: KernelStatus;
  parts: { name: string; up: boolean; starts: number }[];
  clients: number;
  /** The embedding model that is being downloaded; `total` null: the server does not say. */
  download?: { name: string; bytes: number; total: number | null };
  /** What the person should know, oldest first. */
  notices: string[];
}

/** What `homed version --json` says. */
export interface VersionInfo {
  core: string;
  protocol: number;
  sdk: string;
  schema: number;
  deno: string;
  target: string;
}

/** One row of `homed config list`. Secrets are masked. */
export interface SettingRow {
  key: string;
  value: unknown;
  default: unknown;
  type: string;
  title: string;
  secret: boolean;
  help: string;
  /** Where the value comes from. */
  origin: "default" | "stored" | "environment";
  /** Changes only by the owner's hand. */
  owner: boolean;
}

/** One thing that `homed doctor` looked at. `fix`: what to do when it is not well. */
export interface Check {
  name: string;
  ok: boolean;
  detail: string;
  fix?: string;
}

export interface DoctorReport {
  checks: Check[];
  /** What each worker may do, as found by trying. */
  workers: { name: string; permissions: ProbeResult }[];
}

/** Methods of the local socket (CONTRACT 3), served to the owner. The command line and the REPL call them, over the
 * socket or in the process. `plugin.*` are added by the plugin subsystem. */
export interface OwnerMethods {
  "status": { params: Ok; result: DaemonStatus };
  "version": { params: Ok; result: VersionInfo };
  /** Ends the daemon once this is answered. */
  "stop": { params: Ok; result: { pid: number } };
  /** Sends `chat.event` notifications while it runs. */
  "chat.send": { params: ChatSendParams; result: ChatReply };
  /** Delivers as an interrupt: cancels the running LLM call, or starts a turn when idle. */
  "chat.interrupt": { params: { text: string; source?: string; channel?: string }; result: { turn: string | null } };
  "chat.cancel": KernelMethods["chat.cancel"];
  /** From here on, `chat.output {channel, text, turn}` tells what the agent says there outside an awaited turn. */
  "chat.listen": { params: { channel?: string }; result: Ok };
  "approval.answer": { params: ApprovalAnswer; result: { known: boolean } };
  /** From here on, `event` notifications carry the events of these types, all when none are named. */
  "events.subscribe": { params: { types?: EventType[] }; result: { seq: number } };
  "events.unsubscribe": { params: Ok; result: Ok };
  "config.list": { params: { prefix?: string; language?: "en" | "zh" }; result: SettingRow[] };
  "config.get": { params: { key: string }; result: { key: string; value: unknown } };
  /** Returns when it is in force. */
  "config.set": { params: { key: string; value: unknown }; result: { key: string; value: unknown; also: string[] } };
  "config.unset": { params: { key: string }; result: { key: string; value: unknown } };
  "memory.stats": MemoryMethods["memory.stats"];
  "memory.recall": MemoryMethods["memory.recall"];
  "memory.export": MemoryMethods["memory.export"];
  "memory.import": { params: { path: string }; result: ImportReport };
  "memory.forget": MemoryMethods["memory.forget"];
  "memory.undo": MemoryMethods["memory.undo"];
  "memory.undo_list": MemoryMethods["memory.undo_list"];
  "memory.tick": MemoryMethods["memory.tick"];
  "knowledge.list": MemoryMethods["knowledge.list"];
  "knowledge.add": MemoryMethods["knowledge.add"];
  "knowledge.search": MemoryMethods["knowledge.search"];
  "tools.list": KernelMethods["tools.list"];
  "llm.complete": KernelMethods["llm.complete"];
  "llm.switch": KernelMethods["llm.switch"];
  "doctor": { params: { online?: boolean }; result: DoctorReport };
  /** Writes a copy of the whole home into a file. */
  "backup": { params: { path: string }; result: { files: number; bytes: number } };
  "plugin.list": { params: Ok; result: { plugins: PluginRow[] } };
}

/** One row of `homed plugin list`. */
export interface PluginRow {
  name: string;
  version: string;
  kind: string;
  state: string;
  description: string;
  detail?: string;
}

/** Params of the notification `chat.output`. */
export interface ChatOutput {
  channel: string;
  text: string;
  turn: string | undefined;
}

/** The owner's end of a conversation with a running homed. */
export interface OwnerClient {
  call<M extends keyof OwnerMethods>(
    method: M,
    params: OwnerMethods[M]["params"],
    options?: CallOptions,
  ): Promise<OwnerMethods[M]["result"]>;
  /** A method that a plugin or a later version added. */
  ask(method: string, params: Record<string, unknown>, options?: CallOptions): Promise<unknown>;
  /** Gets notifications that belong to no call. */
  onNote(method: string, handler: Handler): void;
  readonly closed: Promise<string>;
  close(): Promise<void>;
}

/** What the owner asks of a running homed, over the local socket or in the process (CONTRACT 3). The client speaks first;
 * every call is answered. @module */
import type { ApprovalAnswer, ChatReply, ChatSendParams } from "./chat.ts";
import type { EventType } from "./event.ts";
import type { KernelMethods, KernelStatus, Ok } from "./kernel.ts";
import type { ImportReport, MemoryMethods, ProbeResult } from "./memory.ts";
import type { CallOptions, Handler } from "./peer.ts";

/** The answer to `status`. */
export interface DaemonStatus {
  /** Of homed. */
  version: string;
  /** The home folder it holds the lock of. */
  home: string;
  /** Process id of the daemon, or of the REPL that serves this home. */
  pid: number;
  /** ISO 8601. */
  since: string;
  /** Path of the local socket; on Windows, of the file with its address. */
  socket: string;
  /** Address of the web page, when it is on. */
  page: string | null;
  /** As the kernel answers at this moment. */
  kernel: KernelStatus;
  /** Workers; `starts` counts the first start too. */
  parts: { name: string; up: boolean; starts: number }[];
  /** Connections to the local socket, this one too. */
  clients: number;
  /** The embedding model that is being downloaded; `total` null: the server does not say. */
  download?: { name: string; bytes: number; total: number | null };
  /** What the person should know, oldest first. */
  notices: string[];
}

/** What `homed version --json` says. */
export interface VersionInfo {
  /** Of homed, such as `1.2.3`. */
  core: string;
  /** Of the plugin protocol. */
  protocol: number;
  /** Of the TypeScript SDK. */
  sdk: string;
  /** Number of the home folder's schema. */
  schema: number;
  /** Of the runtime that is built in. */
  deno: string;
  /** Target triple it was built for. */
  target: string;
}

/** One row of `homed config list`. Secrets are masked. */
export interface SettingRow {
  /** In full, with its prefix. */
  key: string;
  /** What is in force now. */
  value: unknown;
  /** What is in force without a stored value or a variable. */
  default: unknown;
  /** Such as "int" or "duration"; decides what `config.set` takes. */
  type: string;
  /** In the language that was asked for. */
  title: string;
  /** True: `value` is masked. */
  secret: boolean;
  /** In the language that was asked for. */
  help: string;
  /** Where the value comes from. */
  origin: "default" | "stored" | "environment";
  /** Changes only by the owner's hand. */
  owner: boolean;
}

/** One thing that `homed doctor` looked at. `fix`: what to do when it is not well. */
export interface Check {
  /** What was looked at, in a few words. */
  name: string;
  /** False: `fix` says what to do. */
  ok: boolean;
  /** What was found. */
  detail: string;
  /** A sentence; absent when all is well. */
  fix?: string;
}

/** What `homed doctor` found. */
export interface DoctorReport {
  /** In the order in which they were made. */
  checks: Check[];
  /** What each worker may do, as found by trying. */
  workers: { name: string; permissions: ProbeResult }[];
}

/** Methods of the local socket (CONTRACT 3), served to the owner. The command line and the REPL call them, over the
 * socket or in the process. `plugin.*` are added by the plugin subsystem. */
export interface OwnerMethods {
  /** Answered when the workers are up. */
  "status": { params: Ok; result: DaemonStatus };
  /** Of the homed that answers, which may be another than the caller's. */
  "version": { params: Ok; result: VersionInfo };
  /** Ends the daemon once this is answered. */
  "stop": { params: Ok; result: { pid: number } };
  /** Sends `chat.event` notifications while it runs. */
  "chat.send": { params: ChatSendParams; result: ChatReply };
  /** Delivers as an interrupt: cancels the running LLM call, or starts a turn when idle. */
  "chat.interrupt": { params: { text: string; source?: string; channel?: string }; result: { turn: string | null } };
  /** Ends the running turn or one that waits. */
  "chat.cancel": KernelMethods["chat.cancel"];
  /** From here on, `chat.output {channel, text, turn}` tells what the agent says there outside an awaited turn. */
  "chat.listen": { params: { channel?: string }; result: Ok };
  /** From here on, `progress {title, share}` tells how far long work is: a download, an import, vectors being made. `share`
   * is 1 when it is done and null when it was given up. */
  "progress.listen": { params: Ok; result: Ok };
  /** False when it was answered before, ran out, or never was. */
  "approval.answer": { params: ApprovalAnswer; result: { known: boolean } };
  /** From here on, `event` notifications carry the events of these types, all when none are named. */
  "events.subscribe": { params: { types?: EventType[] }; result: { seq: number } };
  /** No event comes after the answer. */
  "events.unsubscribe": { params: Ok; result: Ok };
  /** Settings whose key begins with `prefix`, all by default; titles and help in `language`, English by default. */
  "config.list": { params: { prefix?: string; language?: "en" | "zh" }; result: SettingRow[] };
  /** The value in force; a secret is masked. Fails when there is no such setting. */
  "config.get": { params: { key: string }; result: { key: string; value: unknown } };
  /** Returns when it is in force. `also`: keys that changed with it; `warnings`: sentences on what the value names and is
   * not there. */
  "config.set": {
    params: { key: string; value: unknown };
    result: { key: string; value: unknown; also: string[]; warnings?: string[] };
  };
  /** Takes the stored value away; answers with the value that is in force then. */
  "config.unset": { params: { key: string }; result: { key: string; value: unknown } };
  /** How much memory holds. */
  "memory.stats": MemoryMethods["memory.stats"];
  /** Looks only: nothing is consumed and no count changes. */
  "memory.recall": MemoryMethods["memory.recall"];
  /** Writes all of memory into a file as NDJSON. */
  "memory.export": MemoryMethods["memory.export"];
  /** Takes what is new in the file; a bad line is reported and stops nothing. */
  "memory.import": { params: { path: string }; result: ImportReport };
  /** Removes everything that names it, for good; `dry_run` only counts. */
  "memory.forget": {
    params: MemoryMethods["memory.forget"]["params"];
    /** `named_in`: settings and files of the person's own that still name it. */
    result: MemoryMethods["memory.forget"]["result"] & { named_in: string[] };
  };
  /** Takes a change of the graph back, the newest by default. */
  "memory.undo": MemoryMethods["memory.undo"];
  /** What `memory.undo` can take back, newest first. */
  "memory.undo_list": MemoryMethods["memory.undo_list"];
  /** Runs one of memory's loops now. */
  "memory.tick": MemoryMethods["memory.tick"];
  /** All entries of the knowledge base. */
  "knowledge.list": MemoryMethods["knowledge.list"];
  /** Keeps a text under a name. */
  "knowledge.add": MemoryMethods["knowledge.add"];
  /** Entries that match, best first. */
  "knowledge.search": MemoryMethods["knowledge.search"];
  /** All tools a turn would offer, with their owners. */
  "tools.list": KernelMethods["tools.list"];
  /** One question outside any conversation. */
  "llm.complete": KernelMethods["llm.complete"];
  /** Which source is asked from now on. */
  "llm.switch": KernelMethods["llm.switch"];
  /** Changes nothing. `online` also asks each source one tiny question. */
  "doctor": { params: { online?: boolean }; result: DoctorReport };
  /** Writes a copy of the whole home into a file. */
  "backup": { params: { path: string }; result: { files: number; bytes: number } };
  /** Installed plugins, those that are disabled too. */
  "plugin.list": { params: Ok; result: { plugins: PluginRow[] } };
}

/** One row of `homed plugin list`. */
export interface PluginRow {
  /** As in its manifest. */
  name: string;
  /** As in its manifest. */
  version: string;
  /** A `PluginKind`. */
  kind: string;
  /** A `PluginState`. */
  state: string;
  /** As in its manifest. */
  description: string;
  /** Why it is not running, in a sentence. */
  detail?: string;
}

/** Params of the notification `chat.output`. */
export interface ChatOutput {
  /** The channel that was listened to. */
  channel: string;
  /** One message, whole. */
  text: string;
  /** Absent when no turn said it. */
  turn: string | undefined;
}

/** The owner's end of a conversation with a running homed. */
export interface OwnerClient {
  /** Rejects with the `RpcError` that the daemon answered, and −32009 when it is gone. */
  call<M extends keyof OwnerMethods>(
    method: M,
    params: OwnerMethods[M]["params"],
    options?: CallOptions,
  ): Promise<OwnerMethods[M]["result"]>;
  /** A method that a plugin or a later version added. */
  ask(method: string, params: Record<string, unknown>, options?: CallOptions): Promise<unknown>;
  /** Gets notifications that belong to no call. */
  onNote(method: string, handler: Handler): void;
  /** Resolves with the reason when the connection is gone. */
  readonly closed: Promise<string>;
  /** Ends the connection; turns that run go on. */
  close(): Promise<void>;
}

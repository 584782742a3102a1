/** Between `main` and the kernel worker. The kernel knows nothing of a plugin's kind: it knows owners, tools, stages,
 * channels. @module */
import type { ApprovalAnswer, ChatReply, ChatSendParams } from "./chat.ts";
import type { NewEvent } from "./event.ts";
import type { CompleteParams, CompletionOutcome, ContentPart, SourceInfo, SourceSecrets } from "./llm.ts";
import type { ProbePlan, ProbeResult } from "./memory.ts";
import type { Stage, StageContext, StagePatch } from "./stage.ts";

type Ok = Record<never, never>;

/** Every worker serves these to `main`, on its own global port. */
export interface PartMethods {
  /** A direct line to another part (the kernel to `memory` and `lua`, `memory` to `embed`, and back). The port is in the transfer list too.
   * A second attach of the same part replaces the first: pending calls on the old line fail. */
  attach: { params: { part: "kernel" | "memory" | "lua" | "embed"; port: MessagePort }; result: Ok };
  /** The heartbeat. */
  ping: { params: Ok; result: Ok };
  /** Tries one real operation of every permission kind. */
  probe: { params: ProbePlan; result: ProbeResult };
}

/** A tool as its owner offers it. `name` is what the model sees. `parameters` is a JSON Schema object. */
export interface ToolDef {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  /** The output is kept as it is, but not vectorized and never distilled. */
  no_memory?: boolean;
  /** The owner has a cleaner for this tool's output (`cleaner.invoke`). */
  cleaner?: boolean;
  /** It changes something outside: the approval policy applies. */
  acts?: boolean;
}

export interface ChannelDef {
  name: string;
  /** Capability bits: text 1, file 2, image 4, audio 8, structured 16. */
  caps: number;
  description: string;
  /** Characters in one message; longer replies are split. */
  max_length?: number;
}

/** An input that a plugin declared (`core.input.register`): by its channel or source name. */
export interface InputDef {
  name: string;
  no_memory?: boolean;
  cleaner?: boolean;
}

/** The settings the kernel lives by; never a secret. Durations in milliseconds. */
export interface KernelSettings {
  max_tool_turns: number;
  max_context_size: number;
  tool_timeout: number;
  temperature: number;
  max_tokens: number;
  thinking_enabled: boolean;
  /** "auto" or one source's name. */
  provider: string;
  system_prompt: string;
  personal_prompt: string;
  /** `<home>/persona.md`, which replaces the personal prompt when it is there. */
  persona: string;
  approval_timeout: number;
  /** Tool name or pattern with `*` → policy; the longest match wins, the default for acting tools is "ask". */
  approvals: Record<string, "allow" | "ask" | "deny">;
  /** Sources that are configured, in no order. None: the offline provider answers. */
  sources: SourceInfo[];
  /** Sources that somebody set up and that cannot be asked, each with the reason. */
  broken_sources?: { source: string; message: string }[];
  /** For media on sources that cannot see or hear. */
  image: { fallback_source: string; fallback_model: string; describe_prompt: string; ocr_prompt: string };
  audio: { fallback_source: string; fallback_model: string; describe_prompt: string };
  media_enabled: boolean;
  /** Skills: name and description of each (progressive disclosure). */
  skills: { name: string; description: string }[];
  version: string;
}

/** How a message came in. `trusted`: from the owner's socket or page; only then may approvals be asked. */
export interface InputParams extends ChatSendParams {
  trusted?: boolean;
  /** Deliver as an interrupt: cancel the running LLM call, or start a turn when idle. */
  interrupt?: boolean;
}

export interface KernelStatus {
  busy: boolean;
  turn: string | null;
  queued: number;
  turns: number;
  context_events: number;
  sources: { name: string; model: string; state: "ready" | "paused" | "out"; reason?: string; until?: number }[];
  tools: number;
}

/** Methods the kernel serves to `main`. */
export interface KernelMethods extends PartMethods {
  /** After `attach` of `memory` and `lua`. */
  "kernel.start": { params: { settings: KernelSettings }; result: { notices: string[] } };
  "kernel.configure": { params: { settings: KernelSettings }; result: Ok };
  "kernel.stop": { params: { grace: number }; result: Ok };
  "kernel.status": { params: Ok; result: KernelStatus };
  /** Runs a turn; `chat.event` notifications carry this call's id as `request`. Cancelling the call does not cancel the
   * turn: that is `chat.cancel`. */
  "chat.send": { params: InputParams; result: ChatReply };
  "chat.interrupt": {
    params: { text: string; source?: string; channel?: string; trusted?: boolean };
    result: { turn: string | null };
  };
  "chat.cancel": { params: { turn: string }; result: { cancelled: boolean } };
  "approval.answer": { params: ApprovalAnswer; result: { known: boolean } };
  "tools.list": { params: Ok; result: { tools: (ToolDef & { owner: string })[] } };
  "tools.register": {
    params: { owner: string; tools: ToolDef[] };
    result: { rejected: { name: string; reason: string }[] };
  };
  "stages.register": { params: { owner: string; stage: Stage; scope?: "global" | "own-tools" }; result: Ok };
  "channels.register": { params: { owner: string; channel: ChannelDef }; result: Ok };
  "inputs.register": { params: { owner: string; input: InputDef }; result: Ok };
  /** Everything the owner registered is gone, at once; its running calls fail. */
  "owner.detach": { params: { owner: string; reason: string }; result: Ok };
  "llm.complete": {
    params: { prompt: string; system?: string; source?: string };
    result: { text: string; source: string };
  };
  "llm.switch": { params: { source: string }; result: Ok };
  /** Media that the next tool message of this turn carries (`core.io.setToolBlocks`). */
  "tool.blocks": { params: { turn: string; blocks: ContentPart[] }; result: Ok };
}

/** Methods `main` serves to the kernel. */
export interface MainMethods {
  "tool.invoke": {
    params: { owner: string; name: string; args: Record<string, unknown>; turn: string; deadline_ms: number };
    result: { result: unknown; blocks?: ContentPart[] };
  };
  /** Runs one stage's handlers of these owners concurrently on one shared context; failures are told, not thrown. */
  "stage.invoke": {
    params: { stage: Stage; ctx: StageContext; owners: string[] };
    result: { patch: StagePatch; errors: { owner: string; message: string }[] };
  };
  "output.invoke": {
    params: { owner: string; channel: string; payload: string; meta: Record<string, unknown>; type: string };
    result: { status: string; id?: string };
  };
  "cleaner.invoke": { params: { owner: string; name: string; text: string }; result: { text: string } };
  /** What the owner should know besides the arguments before a plugin's tool acts; absent: nothing. */
  "approval.detail": {
    params: { owner: string; tool: string; args: Record<string, unknown> };
    result: { detail?: string };
  };
  /** Stores an approval the owner gave "always". */
  "approval.remember": { params: { tool: string; policy: "allow" | "deny" }; result: Ok };
  "plugin.reload": { params: { name: string }; result: { state: string } };
  "skill.activate": { params: { name: string }; result: { text: string } };
  "skill.file": { params: { name: string; path: string }; result: { text: string } };
}

/** Notifications the kernel sends to `main`: `event {event: NewEvent}`, `log {record}`. */
export interface KernelNotes {
  event: { event: NewEvent };
}

/** Methods the `lua` worker serves: `llm.complete` to the kernel, the rest to `main`. */
export interface LuaMethods extends PartMethods {
  /** The bytes of the Lua machine, which the worker may not read itself (`readLuaWasm` in `adapters/wasm.ts`). Called
   * once, before `lua.configure`. */
  "lua.wasm": { params: { bytes: Uint8Array }; result: Ok };
  /** Replaces all sources. A script that does not load is told here and fails its calls with `adapter`. */
  "lua.configure": {
    params: { sources: SourceSecrets[] };
    result: { problems: { source: string; message: string }[] };
  };
  /** One attempt at one source. Deltas come as notifications `llm.delta {request, delta: CompletionDelta}`. Cancelling
   * the call closes the connection. */
  "llm.complete": { params: CompleteParams; result: CompletionOutcome };
}

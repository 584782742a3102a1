/** Between `main` and the kernel worker. The kernel knows nothing of a plugin's kind: it knows owners, tools, stages,
 * channels. @module */
import type { ApprovalAnswer, ChatReply, ChatSendParams } from "./chat.ts";
import type { NewEvent } from "./event.ts";
import type { CompleteParams, CompletionOutcome, ContentPart, SourceInfo, SourceSecrets } from "./llm.ts";
import type { ProbePlan, ProbeResult } from "./memory.ts";
import type { Stage, StageContext, StagePatch } from "./stage.ts";

/** No fields: parameters or a result that say nothing more. */
export type Ok = Record<never, never>;

/** Every worker serves these to `main`, on its own global port. */
export interface PartMethods {
  /** A direct line to another part (the kernel to `memory` and `lua`, `memory` to `embed`, and back). The port is in the
   * transfer list too. A second attach of the same part replaces the first: pending calls on the old line fail. */
  attach: { params: { part: "kernel" | "memory" | "lua" | "embed"; port: MessagePort }; result: Ok };
  /** The heartbeat. */
  ping: { params: Ok; result: Ok };
  /** Tries one real operation of every permission kind. */
  probe: { params: ProbePlan; result: ProbeResult };
}

/** A tool as its owner offers it. `name` is what the model sees. `parameters` is a JSON Schema object. */
export interface ToolDef {
  /** What the model sees; a plugin's begins with `<plugin>_`. */
  name: string;
  /** What the model reads to decide when to call it. */
  description: string;
  /** A JSON Schema object; arguments are checked against it before the owner is called. */
  parameters: Record<string, unknown>;
  /** The output is kept as it is, but not vectorized and never distilled. */
  no_memory?: boolean;
  /** The owner has a cleaner for this tool's output (`cleaner.invoke`). */
  cleaner?: boolean;
  /** It changes something outside: the approval policy applies. */
  acts?: boolean;
}

/** A way out for replies; the model sends through `output_send__<name>`. */
export interface ChannelDef {
  /** 1 to 40 of A-Z, a-z, 0-9, _ and -. */
  name: string;
  /** Capability bits: text 1, file 2, image 4, audio 8, structured 16. */
  caps: number;
  /** What the model gets from `output_send__<name>_help`. */
  description: string;
  /** Characters in one message; longer replies are split. */
  max_length?: number;
}

/** An input that a plugin declared (`core.input.register`): by its channel or source name. */
export interface InputDef {
  /** Of the channel or source whose messages are meant. */
  name: string;
  /** What comes in by it is kept out of what is learned. */
  no_memory?: boolean;
  /** The owner has a cleaner for its text (`cleaner.invoke`). */
  cleaner?: boolean;
}

/** The settings the kernel lives by; never a secret. Durations in milliseconds. */
export interface KernelSettings {
  /** Rounds of tool calls in one turn. */
  max_tool_turns: number;
  /** Events that stay in the context; the rest become documents. */
  max_context_size: number;
  /** Milliseconds for one tool. */
  tool_timeout: number;
  /** Sent with every request. */
  temperature: number;
  /** The most that one answer may have. */
  max_tokens: number;
  /** Asks models to think aloud where source and model can. */
  thinking_enabled: boolean;
  /** "auto" or one source's name. */
  provider: string;
  /** Replaces the built-in instructions; empty: the built-in ones. */
  system_prompt: string;
  /** Who the agent is and how it speaks. */
  personal_prompt: string;
  /** `<home>/persona.md`, which replaces the personal prompt when it is there. */
  persona: string;
  /** Milliseconds an approval is waited for; after them the answer is no. */
  approval_timeout: number;
  /** Tool name or pattern with `*` → policy; the longest match wins, the default for acting tools is "ask". */
  approvals: Record<string, "allow" | "ask" | "deny">;
  /** Sources that are configured, in no order. None: the offline provider answers. */
  sources: SourceInfo[];
  /** Sources that somebody set up and that cannot be asked, each with the reason. */
  broken_sources?: { source: string; message: string }[];
  /** For media on sources that cannot see or hear. */
  image: { fallback_source: string; fallback_model: string; describe_prompt: string; ocr_prompt: string };
  /** As `image`, for sound to be written down. */
  audio: { fallback_source: string; fallback_model: string; describe_prompt: string };
  /** False: only the text of a message is kept and sent. */
  media_enabled: boolean;
  /** Skills: name and description of each (progressive disclosure). */
  skills: { name: string; description: string }[];
  /** Of homed, as the prompt tells it. */
  version: string;
}

/** How a message came in. `trusted`: from the owner's socket or page; only then may approvals be asked. */
export interface InputParams extends ChatSendParams {
  /** From the owner's socket or page; absent is false. */
  trusted?: boolean;
  /** Deliver as an interrupt: cancel the running LLM call, or start a turn when idle. */
  interrupt?: boolean;
}

/** What the kernel is doing at the moment it is asked. */
export interface KernelStatus {
  /** A turn is running. */
  busy: boolean;
  /** Id of the running turn; null when idle. */
  turn: string | null;
  /** Messages that wait for the running turn to end. */
  queued: number;
  /** Turns since the kernel started. */
  turns: number;
  /** Events in the context window now. */
  context_events: number;
  /** `paused` until `until` (milliseconds since the epoch), `out` until its configuration changes. */
  sources: { name: string; model: string; state: "ready" | "paused" | "out"; reason?: string; until?: number }[];
  /** Tools that a turn started now would offer. */
  tools: number;
}

/** Methods the kernel serves to `main`. */
export interface KernelMethods extends PartMethods {
  /** After `attach` of `memory` and `lua`. */
  "kernel.start": { params: { settings: KernelSettings }; result: { notices: string[] } };
  /** Replaces all settings; the running turn goes on with the new ones where it reads them again. */
  "kernel.configure": { params: { settings: KernelSettings }; result: Ok };
  /** Takes nothing new, gives the running turn `grace` milliseconds, cancels it, and is answered when all is still. */
  "kernel.stop": { params: { grace: number }; result: Ok };
  /** Somebody is about to say something: makes ready, beside other work, what the first message would have to wait for. */
  "kernel.prepare": { params: Ok; result: Ok };
  /** Answered at once, also while a turn runs. */
  "kernel.status": { params: Ok; result: KernelStatus };
  /** Runs a turn; `chat.event` notifications carry this call's id as `request`. Cancelling the call does not cancel the
   * turn: that is `chat.cancel`. */
  "chat.send": { params: InputParams; result: ChatReply };
  /** Tells the turn the text went to, or null when it was not taken. */
  "chat.interrupt": {
    params: { text: string; source?: string; channel?: string; trusted?: boolean };
    result: { turn: string | null };
  };
  /** Ends the running turn, or takes a waiting one out of the queue. False when it is neither. */
  "chat.cancel": { params: { turn: string }; result: { cancelled: boolean } };
  /** Not `known`: it was answered before, ran out, or never was. */
  "approval.answer": { params: ApprovalAnswer; result: { known: boolean } };
  /** All tools, the built-in ones and those of plugins, as a turn started now would offer them. */
  "tools.list": { params: Ok; result: { tools: (ToolDef & { owner: string })[] } };
  /** Takes over the tools that it can and tells the others; an owner's tool of the same name is renewed. */
  "tools.register": {
    params: { owner: string; tools: ToolDef[] };
    result: { rejected: { name: string; reason: string }[] };
  };
  /** The owner is asked in this stage from now on; `own-tools`: only for calls of its own tools. */
  "stages.register": { params: { owner: string; stage: Stage; scope?: "global" | "own-tools" }; result: Ok };
  /** Offers the channel to the model, and replies may go out by it. */
  "channels.register": { params: { owner: string; channel: ChannelDef }; result: Ok };
  /** Holds for messages that come in from now on. */
  "inputs.register": { params: { owner: string; input: InputDef }; result: Ok };
  /** Everything the owner registered is gone, at once; its running calls fail. */
  "owner.detach": { params: { owner: string; reason: string }; result: Ok };
  /** One question outside any turn: no context, no tools, nothing remembered. No `source`: as a turn chooses.
   * `now`: a source that is paused after failures is asked all the same. */
  "llm.complete": {
    params: { prompt: string; system?: string; source?: string; now?: boolean };
    result: { text: string; source: string };
  };
  /** From now on this source is asked alone, or all ("auto"). Fails with −32002 for an unknown name. */
  "llm.switch": { params: { source: string }; result: Ok };
  /** Media that the next tool message of this turn carries (`core.io.setToolBlocks`). */
  "tool.blocks": { params: { turn: string; blocks: ContentPart[] }; result: Ok };
}

/** Methods of `MainMethods` that are answered on behalf of plugins. */
export type PluginCall =
  | "tool.invoke"
  | "stage.invoke"
  | "output.invoke"
  | "cleaner.invoke"
  | "plugin.reload"
  | "skill.activate"
  | "skill.file"
  | "approval.detail";

/** Methods `main` serves to the kernel. */
export interface MainMethods {
  /** Runs a plugin's tool. `deadline_ms` is what is left of its time; cancelling the call ends the work. */
  "tool.invoke": {
    params: { owner: string; name: string; args: Record<string, unknown>; turn: string; deadline_ms: number };
    result: { result: unknown; blocks?: ContentPart[] };
  };
  /** Runs one stage's handlers of these owners concurrently on one shared context; failures are told, not thrown. */
  "stage.invoke": {
    params: { stage: Stage; ctx: StageContext; owners: string[] };
    result: { patch: StagePatch; errors: { owner: string; message: string }[] };
  };
  /** Hands a message to the owner of a channel; `status` is "sent" or why it was not. */
  "output.invoke": {
    params: { owner: string; channel: string; payload: string; meta: Record<string, unknown>; type: string };
    result: { status: string; id?: string };
  };
  /** The text without its noise, for vectors and distilling only. `name`: the tool or input. */
  "cleaner.invoke": { params: { owner: string; name: string; text: string }; result: { text: string } };
  /** What the owner should know besides the arguments before a plugin's tool acts; absent: nothing. */
  "approval.detail": {
    params: { owner: string; tool: string; args: Record<string, unknown> };
    result: { detail?: string };
  };
  /** Stores an approval the owner gave "always". */
  "approval.remember": { params: { tool: string; policy: "allow" | "deny" }; result: Ok };
  /** Stops the plugin and starts it from its folder again; answers with the state it came to. */
  "plugin.reload": { params: { name: string }; result: { state: string } };
  /** The body of a skill's `SKILL.md`. */
  "skill.activate": { params: { name: string }; result: { text: string } };
  /** A text file of a skill; `path` is inside the skill's folder. */
  "skill.file": { params: { name: string; path: string }; result: { text: string } };
}

/** Notifications the kernel sends to `main`: `event {event: NewEvent}`, `log {record}`. */
export interface KernelNotes {
  /** For the bus, which numbers it. */
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

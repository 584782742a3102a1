/** What a plugin is, and what it may use: the whole surface for a plugin author in TypeScript. A plugin's entry exports
 * one `Plugin` as its default; homed calls `start` with the `Sdk`. @module */
import type {
  ChannelDef,
  ContentPart,
  CoreMethods,
  EventType,
  Hit,
  InputDef,
  PluginSetting,
  Stage,
  StageContext,
  StagePatch,
  ToolDef,
} from "../../core/wire/mod.ts";

/** A plugin. One object, made anew for every process. */
export interface Plugin {
  /** Registers tools, stages and channels. What it throws keeps the plugin from starting. */
  start(sdk: Sdk): void | Promise<void>;
  /** Ends what it began; homed waits `core.plugin.stop_grace` for it. */
  stop?(reason: string): void | Promise<void>;
  /** Built-in plugins: takes out of what it keeps everything that names somebody who is to be forgotten. Answers with how
   * much of what, or how much it would be. */
  forget?(mentions: (text: string) => boolean, options: { dryRun: boolean }): Promise<Record<string, number>>;
}

/** What a tool's handler is told besides its arguments. */
export interface ToolCallInfo {
  /** Id of the turn the call belongs to. */
  turn: string;
  /** Aborted when the caller gives up or the deadline has passed. A handler that goes on regardless is ended together
   * with its process. */
  signal: AbortSignal;
  /** Milliseconds left when the call came. */
  deadlineMs: number;
  /** Media that the model gets with the result. */
  setBlocks(blocks: ContentPart[]): void;
}

/** Answers any JSON value; a thrown error is told to the model as the tool's failure. */
export type ToolHandler = (args: Record<string, unknown>, info: ToolCallInfo) => unknown;

/** What a stage's handler is told besides the context. */
export interface StageCallInfo {
  /** Which stage runs, for a handler of several. */
  stage: Stage;
  /** Aborted when the stage is over for this plugin: what the handler does later is dropped. */
  signal: AbortSignal;
  /** Changes the context while nobody else can: `change` gets the newest one and edits it in place. For work that must
   * not be lost beside handlers of other plugins, such as appending to a list they append to as well. */
  update(change: (ctx: StageContext) => void | Promise<void>): Promise<void>;
}

/** Edits the context in place, or answers the fields it changes. When another plugin changed the same field meanwhile,
 * it is called again with the newer context. */
export type StageHandler = (
  ctx: StageContext,
  info: StageCallInfo,
) => void | StagePatch | Promise<void | StagePatch>;

/** One message on its way out through a channel of this plugin. */
export interface OutputMessage {
  /** Name of the channel, as it was registered. */
  channel: string;
  /** Text, or what `type` says: a path, a digest, JSON. */
  payload: string;
  /** For whom: `turn`, `user_id`, and what came with the message that is answered. */
  meta: Record<string, unknown>;
  /** "text", "file", "image", "audio" or "structured", within the channel's `caps`. */
  type: string;
}

/** Sends the message and says how that really went: `status` is "sent" or the reason why not. */
export type OutputHandler = (
  message: OutputMessage,
  signal: AbortSignal,
) => { status: string; id?: string } | Promise<{ status: string; id?: string }>;

/** An event as observers get it; `missed` events were lost before it because this plugin was too slow. */
export interface ObservedEvent {
  /** Counts all events of one run of homed, also those of other types. */
  seq: number;
  /** One of those subscribed to. */
  type: EventType;
  /** The part or plugin it came from. */
  source: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Its fields depend on `type`. */
  payload: Record<string, unknown>;
  /** Lost right before this one; 0 when none were. */
  missed: number;
}

/** What a method of homed takes. */
export type CallParams<M extends keyof CoreMethods> = CoreMethods[M]["params"];
/** What a method of homed answers. */
export type CallResult<M extends keyof CoreMethods> = Promise<CoreMethods[M]["result"]>;

/** What homed offers to a plugin. Methods outside `log`, `register…`, `settings` and `lifecycle` need the capability
 * named beside them in the manifest, else they reject with code −32001. */
export interface Sdk {
  /** The plugin's name, as in its manifest. */
  readonly name: string;
  /** A folder of the plugin's own, kept over upgrades. */
  readonly dataDir: string;
  /** The plugin's settings as they were at the start. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Any method by its name. */
  call<M extends keyof CoreMethods>(method: M, params: CallParams<M>): CallResult<M>;

  /** To the plugin's log. */
  readonly log: Record<"debug" | "info" | "warn" | "error", (text: string, fields?: Record<string, unknown>) => void>;
  /** `name` in full, beginning with the plugin's name and `_`. */
  registerTool(tool: Omit<ToolDef, "cleaner">, handler: ToolHandler, options?: ToolOptions): Promise<void>;
  /** `own-tools` limits the stages of tool calls to this plugin's own tools. */
  registerStage(stage: Stage, handler: StageHandler, options?: { scope?: "global" | "own-tools" }): Promise<void>;
  /** The model then has `output_send__<name>`. */
  registerOutput(channel: ChannelDef, handler: OutputHandler): Promise<void>;
  /** Says how messages of one channel or source are treated. */
  registerInput(input: Omit<InputDef, "cleaner">, options?: ToolOptions): Promise<void>;

  /** This plugin's own; keys without the prefix `plugin.<name>.`. */
  readonly settings: {
    get(key: string): Promise<unknown>;
    set(key: string, value: unknown): Promise<void>;
    list(): Promise<Record<string, unknown>>;
    defs(): Promise<PluginSetting[]>;
    registerDef(def: PluginSetting): Promise<void>;
  };
  /** How homed treats the process. */
  readonly lifecycle: {
    /** Whether homed starts the plugin again when it ends by itself. */
    autoRestart(enabled: boolean): Promise<void>;
  };
  /** Capability `io`. */
  readonly io: {
    injectText(params: CallParams<"core.io.injectText">): CallResult<"core.io.injectText">;
    injectTextNoMem(params: CallParams<"core.io.injectTextNoMem">): CallResult<"core.io.injectTextNoMem">;
    injectInputSync(params: CallParams<"core.io.injectInputSync">): CallResult<"core.io.injectInputSync">;
    injectInterrupt(params: CallParams<"core.io.injectInterrupt">): CallResult<"core.io.injectInterrupt">;
    injectMedia(params: CallParams<"core.io.injectMedia">): CallResult<"core.io.injectMedia">;
    injectMediaSync(params: CallParams<"core.io.injectMediaSync">): CallResult<"core.io.injectMediaSync">;
    injectInterruptMedia(
      params: CallParams<"core.io.injectInterruptMedia">,
    ): CallResult<"core.io.injectInterruptMedia">;
  };
  /** Capability `memory`. */
  readonly memory: {
    recall(params: CallParams<"core.memory.recall">): CallResult<"core.memory.recall">;
    commit(params: CallParams<"core.memory.commit">): CallResult<"core.memory.commit">;
    introspect(): CallResult<"core.memory.introspect">;
    merge(from: string, into: string): CallResult<"core.memory.merge">;
    purge(name: string): CallResult<"core.memory.purge">;
  };
  /** Capability `doc_memory`. */
  readonly docs: {
    query(query: string, top?: number): Promise<Hit[]>;
    insert(params: CallParams<"core.doc.insert">): CallResult<"core.doc.insert">;
    insertMedia(params: CallParams<"core.doc.insertMedia">): CallResult<"core.doc.insertMedia">;
    remove(id: string): Promise<boolean>;
    stats(): CallResult<"core.doc.stats">;
  };
  /** Capability `knowledge`. */
  readonly knowledge: {
    search(query: string, top?: number): Promise<Hit[]>;
    add(params: CallParams<"core.knowledge.add">): CallResult<"core.knowledge.add">;
    list(): CallResult<"core.knowledge.list">;
  };
  /** Capability `text_memory`. */
  readonly textMemory: { append(params: CallParams<"core.textmemory.append">): Promise<void> };
  /** Capability `llm`. */
  readonly llm: {
    listSources(): CallResult<"core.llm.listSources">;
    setSource(source: string): Promise<void>;
    currentSource(): Promise<string>;
    complete(params: CallParams<"core.llm.complete">): CallResult<"core.llm.complete">;
  };
  /** Capability `social`; read only. */
  readonly social: {
    getPerson(name: string): CallResult<"core.social.getPerson">;
    getTrait(name: string, trait: string): Promise<string | null>;
    getRelations(name: string): CallResult<"core.social.getRelations">;
    getNetwork(name: string, depth?: number): CallResult<"core.social.getNetwork">;
    listPersons(): Promise<string[]>;
  };
  /** Capability `events`; subscribe only. */
  readonly events: {
    /** Calls `listener` for each event of these types from now on, in order, until the returned function is called. */
    subscribe(types: EventType[], listener: (event: ObservedEvent) => void): Promise<() => void>;
  };
  /** Capability `plugin_mgr`. */
  readonly plugins: {
    reloadOne(name: string): CallResult<"core.plugin.reloadOne">;
    listLoaded(): CallResult<"core.plugin.listLoaded">;
    isDisabled(name: string): Promise<boolean>;
  };
}

/** What a tool or an input may bring along. */
export interface ToolOptions {
  /** Takes noise out of a text before it is vectorized and distilled; the text itself is kept as it is. */
  cleaner?: (text: string) => string;
}

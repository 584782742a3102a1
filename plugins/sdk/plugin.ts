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
}

/** What a tool's handler is told besides its arguments. */
export interface ToolCallInfo {
  turn: string;
  /** Aborted when the caller gives up or the deadline has passed. A handler that goes on regardless is ended together
   * with its process. */
  signal: AbortSignal;
  deadlineMs: number;
  /** Media that the model gets with the result. */
  setBlocks(blocks: ContentPart[]): void;
}

/** Answers any JSON value; a thrown error is told to the model as the tool's failure. */
export type ToolHandler = (args: Record<string, unknown>, info: ToolCallInfo) => unknown;

/** What a stage's handler is told besides the context. */
export interface StageCallInfo {
  stage: Stage;
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
  channel: string;
  payload: string;
  meta: Record<string, unknown>;
  type: string;
}

/** Sends the message and says how that really went: `status` is "sent" or the reason why not. */
export type OutputHandler = (
  message: OutputMessage,
  signal: AbortSignal,
) => { status: string; id?: string } | Promise<{ status: string; id?: string }>;

/** An event as observers get it; `missed` events were lost before it because this plugin was too slow. */
export interface ObservedEvent {
  seq: number;
  type: EventType;
  source: string;
  at: number;
  payload: Record<string, unknown>;
  missed: number;
}

type Params<M extends keyof CoreMethods> = CoreMethods[M]["params"];
type Result<M extends keyof CoreMethods> = Promise<CoreMethods[M]["result"]>;

/** What homed offers to a plugin. Methods outside `log`, `register…`, `settings` and `lifecycle` need the capability
 * named beside them in the manifest, else they reject with code −32001. */
export interface Sdk {
  readonly name: string;
  /** A folder of the plugin's own, kept over upgrades. */
  readonly dataDir: string;
  /** The plugin's settings as they were at the start. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Any method by its name. */
  call<M extends keyof CoreMethods>(method: M, params: Params<M>): Result<M>;

  /** To the plugin's log. */
  readonly log: Record<"debug" | "info" | "warn" | "error", (text: string, fields?: Record<string, unknown>) => void>;
  /** `name` in full, beginning with the plugin's name and `_`. */
  registerTool(tool: Omit<ToolDef, "cleaner">, handler: ToolHandler, options?: ToolOptions): Promise<void>;
  registerStage(stage: Stage, handler: StageHandler, options?: { scope?: "global" | "own-tools" }): Promise<void>;
  registerOutput(channel: ChannelDef, handler: OutputHandler): Promise<void>;
  registerInput(input: Omit<InputDef, "cleaner">, options?: ToolOptions): Promise<void>;

  readonly settings: {
    get(key: string): Promise<unknown>;
    set(key: string, value: unknown): Promise<void>;
    list(): Promise<Record<string, unknown>>;
    defs(): Promise<PluginSetting[]>;
    registerDef(def: PluginSetting): Promise<void>;
  };
  readonly lifecycle: {
    /** Whether homed starts the plugin again when it ends by itself. */
    autoRestart(enabled: boolean): Promise<void>;
  };
  /** Capability `io`. */
  readonly io: {
    injectText(params: Params<"core.io.injectText">): Result<"core.io.injectText">;
    injectTextNoMem(params: Params<"core.io.injectTextNoMem">): Result<"core.io.injectTextNoMem">;
    injectInputSync(params: Params<"core.io.injectInputSync">): Result<"core.io.injectInputSync">;
    injectInterrupt(params: Params<"core.io.injectInterrupt">): Result<"core.io.injectInterrupt">;
    injectMedia(params: Params<"core.io.injectMedia">): Result<"core.io.injectMedia">;
    injectMediaSync(params: Params<"core.io.injectMediaSync">): Result<"core.io.injectMediaSync">;
    injectInterruptMedia(params: Params<"core.io.injectInterruptMedia">): Result<"core.io.injectInterruptMedia">;
  };
  /** Capability `memory`. */
  readonly memory: {
    recall(params: Params<"core.memory.recall">): Result<"core.memory.recall">;
    commit(params: Params<"core.memory.commit">): Result<"core.memory.commit">;
    introspect(): Result<"core.memory.introspect">;
    merge(from: string, into: string): Result<"core.memory.merge">;
    purge(name: string): Result<"core.memory.purge">;
  };
  /** Capability `doc_memory`. */
  readonly docs: {
    query(query: string, top?: number): Promise<Hit[]>;
    insert(params: Params<"core.doc.insert">): Result<"core.doc.insert">;
    insertMedia(params: Params<"core.doc.insertMedia">): Result<"core.doc.insertMedia">;
    remove(id: string): Promise<boolean>;
    stats(): Result<"core.doc.stats">;
  };
  /** Capability `knowledge`. */
  readonly knowledge: {
    search(query: string, top?: number): Promise<Hit[]>;
    add(params: Params<"core.knowledge.add">): Result<"core.knowledge.add">;
    list(): Result<"core.knowledge.list">;
  };
  /** Capability `text_memory`. */
  readonly textMemory: { append(params: Params<"core.textmemory.append">): Promise<void> };
  /** Capability `llm`. */
  readonly llm: {
    listSources(): Result<"core.llm.listSources">;
    setSource(source: string): Promise<void>;
    currentSource(): Promise<string>;
    complete(params: Params<"core.llm.complete">): Result<"core.llm.complete">;
  };
  /** Capability `social`; read only. */
  readonly social: {
    getPerson(name: string): Result<"core.social.getPerson">;
    getTrait(name: string, trait: string): Promise<string | null>;
    getRelations(name: string): Result<"core.social.getRelations">;
    getNetwork(name: string, depth?: number): Result<"core.social.getNetwork">;
    listPersons(): Promise<string[]>;
  };
  /** Capability `events`; subscribe only. */
  readonly events: {
    /** Calls `listener` for each event of these types from now on, in order, until the returned function is called. */
    subscribe(types: EventType[], listener: (event: ObservedEvent) => void): Promise<() => void>;
  };
  /** Capability `plugin_mgr`. */
  readonly plugins: {
    reloadOne(name: string): Result<"core.plugin.reloadOne">;
    listLoaded(): Result<"core.plugin.listLoaded">;
    isDisabled(name: string): Promise<boolean>;
  };
}

export interface ToolOptions {
  /** Takes noise out of a text before it is vectorized and distilled; the text itself is kept as it is. */
  cleaner?: (text: string) => string;
}

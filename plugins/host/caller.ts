import type { Capability, CoreMethods, EventType, PluginInfo, PluginSetting } from "../../core/wire/mod.ts";
import type { HostPorts } from "./ports.ts";

type Params<M extends keyof CoreMethods> = CoreMethods[M]["params"];
type Result<M extends keyof CoreMethods> = CoreMethods[M]["result"];
type Ok = Record<never, never>;

/** What the rows of the method table may ask of the host as a whole. */
export interface HostApi {
  list(): PluginInfo[];
  reload(name: string): Promise<{ state: string }>;
  inspect(file: string): Promise<object>;
  install(file: string, confirm: { sha256: string }): Promise<{ name: string; state: string }>;
  remove(name: string, options: { data: boolean; settings: boolean }): Promise<void>;
  enable(name: string): Promise<void>;
  disable(name: string): Promise<void>;
  logs(name: string, lines?: number): Promise<string[]>;
}

/** The plugin that calls a `core.*` method, as the rows see it: known by its connection, never by a name it sends. */
export interface CoreCaller {
  readonly owner: string;
  readonly capabilities: ReadonlySet<Capability>;
  readonly dataDir: string;
  readonly ports: HostPorts;
  readonly host: HostApi;
  registerTool(tool: Params<"core.tool.register">): Promise<Ok>;
  registerStage(params: Params<"core.stage.register">): Promise<Ok>;
  registerOutput(channel: Params<"core.output.register">): Promise<Ok>;
  registerInput(input: Params<"core.input.register">): Promise<Ok>;
  registerApi(route: Params<"core.api.register">): Ok;
  /** Names of its output channels. */
  outputs(): string[];
  lockStage(params: Params<"core.stage.lock">, signal: AbortSignal): Promise<Result<"core.stage.lock">>;
  unlockStage(params: Params<"core.stage.unlock">): Result<"core.stage.unlock">;
  allocSlice(size: number): Result<"core.segment.alloc">;
  freeSlice(offset: number): void;
  setAutoRestart(enabled: boolean): void;
  settingDefs(): PluginSetting[];
  registerDef(def: PluginSetting): Promise<void>;
  writeLog(level: string, text: string, fields?: Record<string, unknown>): void;
  subscribe(types: EventType[]): Result<"core.events.subscribe">;
  unsubscribe(types?: EventType[]): void;
}

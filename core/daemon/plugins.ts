import type { Log } from "../base/log.ts";
import type { EventBus } from "../bus/mod.ts";
import type { Registry } from "../config/mod.ts";
import type { PluginRow } from "../wire/owner.ts";
import type { InputParams, MainMethods, MemoryMethods, PluginCall } from "../wire/mod.ts";
import type { CallOptions, Handler } from "../wire/peer.ts";
import type { ChatReply } from "../wire/chat.ts";
import type { BuiltinWorker } from "../../plugins/sdk/builtin.ts";
import type { Home } from "./home.ts";
import type { KernelDoor } from "./kernel_door.ts";

/** Everything that is a plugin, as the daemon sees it. */
export interface PluginSubsystem {
  /** Starts what is installed and enabled, once the kernel is up. Trouble of one plugin is its own and is not thrown. */
  start(): Promise<void>;
  /** Ends every plugin. Called before the kernel goes. */
  stop(): Promise<void>;
  /** What the kernel asks of plugins. */
  readonly kernelHandlers: { [M in PluginCall]: (params: MainMethods[M]["params"], context: CallContext) => unknown };
  /** `plugin.*` of the local socket. */
  readonly ownerMethods: Record<string, Handler>;
  /** Every plugin and how it is. */
  list(): PluginRow[];
  /** Takes what names someone out of what built-in plugins keep; `dryRun` only counts. Answers with how much of what. */
  forget(mentions: (text: string) => boolean, options: { dryRun: boolean }): Promise<Record<string, number>>;
  /** The threads that built-in plugins have started. */
  workers(): BuiltinWorker[];
  /** Names and descriptions for the prompt. */
  skills(): { name: string; description: string }[];
}

type CallContext = Parameters<Handler>[1];

/** What the daemon gives the plugin subsystem. */
export interface PluginSurroundings {
  home: Home;
  registry: Registry;
  bus: EventBus;
  log: Log;
  env: Readonly<Record<string, string>>;
  /** Registrations through it outlive the kernel's worker. */
  kernel: KernelDoor;
  memory: {
    call<M extends keyof MemoryMethods & string>(
      method: M,
      params: MemoryMethods[M]["params"],
      options?: CallOptions,
    ): Promise<MemoryMethods[M]["result"]>;
  };
  /** Runs a turn for a plugin; never `trusted`. */
  send(params: InputParams): Promise<ChatReply>;
  /** The skills have changed: the kernel is told. */
  skillsChanged(): void;
}

/** Plugins that should run and have given up, each as a sentence with what to do. One that is between two starts is no
 * news yet. */
export function pluginNotices(plugins: readonly PluginRow[]): string[] {
  return plugins.flatMap(({ name, state, detail }) => {
    if (state !== "failed" && state !== "quarantined") return [];
    const what = state === "failed" ? `The plugin ${name} has failed` : `The plugin ${name} is in quarantine`;
    return [`${what}: homed plugin logs ${name} tells more${detail ? ` (${detail})` : ""}`];
  });
}

/** Makes the plugin subsystem of a daemon. */
export type PluginSubsystemFactory = (surroundings: PluginSurroundings) => Promise<PluginSubsystem> | PluginSubsystem;

/** What the plugin host needs of the rest of homed. The composition root passes these in; nothing here knows a worker or
 * a database. @module */
import type { Clock, Log } from "../../core/base/mod.ts";
import type {
  BusEvent,
  CallOptions,
  EventType,
  KernelMethods,
  MemoryMethods,
  NewEvent,
  PluginSetting,
} from "../../core/wire/mod.ts";

/** The kernel's methods; a `Peer<KernelMethods>` is one. */
export interface KernelPort {
  call<M extends keyof KernelMethods & string>(
    method: M,
    params: KernelMethods[M]["params"],
    options?: CallOptions,
  ): Promise<KernelMethods[M]["result"]>;
}

/** The memory worker's methods; a `Peer<MemoryMethods>` is one. */
export interface MemoryPort {
  call<M extends keyof MemoryMethods & string>(
    method: M,
    params: MemoryMethods[M]["params"],
    options?: CallOptions,
  ): Promise<MemoryMethods[M]["result"]>;
}

/** Who changes a setting: the host itself, or a plugin, which may not change *owner* keys. */
export type SettingsActor = { kind: "host" } | { kind: "plugin"; name: string };

/** The settings, by full keys (`core.…`, `plugin.<name>.…`). */
export interface SettingsPort {
  get(key: string): unknown;
  /** @throws when the value is of the wrong type or out of limits, or the actor may not */
  set(key: string, value: unknown, actor: SettingsActor): Promise<void> | void;
  unset(key: string, actor: SettingsActor): Promise<void> | void;
  /** Every key that begins with `prefix`, sorted. `owner`: only the owner changes it. */
  list(prefix: string): { key: string; value: unknown; type: string; secret: boolean; owner: boolean }[];
  /** Defines `plugin.<name>.<def.key>`. Defining the same key again replaces the definition and keeps the value. */
  define(plugin: string, def: PluginSetting): Promise<void> | void;
  /** Forgets a plugin's definitions and, with `values`, its values. */
  undefine(plugin: string, options: { values: boolean }): Promise<void> | void;
}

/** The bus; `EventBus` is one. */
export interface BusPort {
  publish(event: NewEvent): unknown;
  subscribe(types: readonly EventType[] | undefined, listener: (event: BusEvent) => void): Disposable;
}

/** Folders, absolute and existing but for `run` and `logs`, which are made. */
export interface HostFolders {
  home: string;
  /** Installed plugins. */
  plugins: string;
  /** `plugin-data`. */
  data: string;
  skills: string;
  run: string;
  logs: string;
}

/** Milliseconds and counts from `core.plugin.*`, read anew for each use. */
export interface HostLimits {
  restart_max: number;
  restart_window: number;
  restart_backoff: number;
  start_timeout: number;
  stop_grace: number;
  /** How long a cancelled call may take to end before the process is ended. */
  cancel_grace: number;
  stage_timeout: number;
}

export const DEFAULT_LIMITS: HostLimits = {
  restart_max: 5,
  restart_window: 300_000,
  restart_backoff: 1000,
  start_timeout: 10_000,
  stop_grace: 5000,
  cancel_grace: 1000,
  stage_timeout: 10_000,
};

export interface HostPorts {
  kernel: KernelPort;
  memory: MemoryPort;
  settings: SettingsPort;
  bus: BusPort;
  log: Log;
  clock: Clock;
  folders: HostFolders;
  limits?: () => HostLimits;
  /** How homed is run again: program and arguments before the hidden verb. */
  command: string[];
  version: string;
  /** The environment that the allow-list is taken from. */
  env: Record<string, string>;
  /** False: plugin processes get everything inline (what Windows does). */
  segment?: boolean;
}

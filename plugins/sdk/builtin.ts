import type { Clock } from "../../core/base/clock.ts";
import type { ProbePlan, ProbeResult } from "../../core/wire/memory.ts";
import type { Capability } from "../../core/wire/manifest.ts";
import type { PluginSetting } from "../../core/wire/plugin_setting.ts";
import type { Plugin } from "./plugin.ts";

export type { Clock };

/** A plugin that comes with homed, written against this SDK alone. What it offers is data: only `create` makes anything,
 * and a plugin that needs a thread of its own starts it at its first use. */
export interface BuiltinPlugin {
  /** One of `BUILTIN_PLUGINS`. */
  readonly name: string;
  /** One sentence for lists. */
  readonly description: string;
  /** What its `Sdk` may use; `host` too. */
  readonly capabilities: readonly Capability[];
  /** Keys without the prefix `plugin.<name>.`. */
  readonly settings: readonly PluginSetting[];
  /** Called once for every start; does nothing by itself. */
  create(ports: BuiltinPorts): Plugin;
}

/** What a built-in plugin gets besides its `Sdk`. */
export interface BuiltinPorts {
  /** For all waiting and stamping. */
  clock: Clock;
  /** Told of every thread that the plugin starts, until the disposal of what it answers. */
  workers?: (worker: BuiltinWorker) => Disposable;
}

/** A thread of a built-in plugin, as `homed doctor` shows it. */
export interface BuiltinWorker {
  /** As `homed doctor` lists it. */
  name: string;
  /** Folders and hosts that it may reach; absent: it may do everything. */
  rights?: { read: string[]; write: string[]; net: string[] };
  /** Tries one operation of every kind in it. */
  probe(plan: ProbePlan): Promise<ProbeResult>;
}

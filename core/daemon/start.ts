import { adapterRoom } from "./adapter_room.ts";
import { giveFreedMemoryBack } from "./allocator.ts";
import { Daemon, type DaemonOptions } from "./daemon.ts";
import { PART_ENTRIES } from "./entries.ts";
import type { PluginSubsystemFactory } from "./plugins.ts";

/** Loaded at the start of a daemon, not with the command line. */
const plugins: PluginSubsystemFactory = async (surroundings) =>
  (await import("./plugin_subsystem.ts")).pluginSubsystem(surroundings);

/** Takes a home, starts every part and serves the socket; ready to talk when it resolves.
 * @throws {HomedError} codes `home`, `locked`, `newer_home`, `migration` */
export async function startDaemon(
  options: Omit<DaemonOptions, "entries" | "adapters"> & Partial<Pick<DaemonOptions, "entries" | "adapters">>,
): Promise<Daemon> {
  await giveFreedMemoryBack();
  return await Daemon.start({ entries: PART_ENTRIES, adapters: adapterRoom(), plugins, ...options });
}

/** The composition root: builds, wires, and takes down the parts in order. @module */
import { ownCommand, restartSelf as beginAnew } from "../../plugins/host/reexec.ts";
import type { Home } from "./home.ts";
import { HomeLock } from "./lock.ts";

export { runHostCommand } from "../../plugins/host/host_command.ts";
export { restore } from "./backup.ts";
export { joinDaemon } from "./client.ts";
export { type Daemon, type DaemonOptions, isLocked } from "./daemon.ts";
export { Home, homeExists, prepareHome, resolveHome } from "./home.ts";
export { ServiceNotifier } from "./notify.ts";
export { pluginAuthor } from "./plugin_author.ts";
export { openSession, within } from "./session.ts";
export { definePluginSettings } from "./plugin_settings.ts";
export { openSettings } from "./settings_only.ts";
export { startDaemon } from "./start.ts";
export { versionInfo } from "./version.ts";

/** Whether some process has the home. */
export const isHeld = (home: Home): boolean => HomeLock.holder(home.lock) !== undefined;

/** How this program is started again, by a service or by itself. */
export { ownCommand };

/** Begins this process anew, with the same arguments. */
export const restartSelf = (args: readonly string[]): void => beginAnew(ownCommand(args));

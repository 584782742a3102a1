/** The composition root: builds, wires, and takes down the parts in order. @module */
export { backUp, restore } from "./backup.ts";
export { joinDaemon, ownerClient } from "./client.ts";
export { type Daemon, type DaemonOptions, isLocked } from "./daemon.ts";
export { Home, homeExists, prepareHome, resolveHome } from "./home.ts";
export { HomeLock } from "./lock.ts";
export { ServiceNotifier } from "./notify.ts";
export { openSession, within } from "./session.ts";
export { startDaemon } from "./start.ts";

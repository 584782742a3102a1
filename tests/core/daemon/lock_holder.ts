import { HomeLock } from "../../../core/daemon/lock.ts";

/** Takes the lock that it is told and keeps it until it is killed. */
const lock = HomeLock.take(Deno.args[0]!);
console.log("held");
setInterval(() => lock, 1000);

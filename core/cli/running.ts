import { HomedError } from "../base/errors.ts";
import type { OwnerClient } from "../wire/owner.ts";
import type { VerbCall } from "./verb.ts";

/** Runs `work` with the homed that runs for this home.
 * @throws {HomedError} code `not_running` when none does */
export async function withRunning<R>(call: VerbCall, work: (client: OwnerClient) => Promise<R>): Promise<R> {
  const home = await call.home();
  const client = await (await call.room()).joinDaemon(home);
  if (!client) {
    throw new HomedError("not_running", `No homed is running for ${home.root}`, { fix: "start it with `homed serve`" });
  }
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

import type { OwnerClient } from "../wire/owner.ts";
import type { VerbCall } from "./verb.ts";

/** Runs `work` with a homed for the home of this call: the one that runs, else one that this process runs meanwhile. */
export async function withHomed<R>(call: VerbCall, work: (client: OwnerClient) => Promise<R>): Promise<R> {
  const room = await call.room();
  const home = await call.home();
  await using session = await room.openSession({ home, env: call.io.env });
  return await work(session.client);
}

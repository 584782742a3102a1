import type { OwnerClient } from "../wire/owner.ts";
import { inLanguage } from "./chinese.ts";
import type { VerbCall } from "./verb.ts";

/** Runs `work` with a homed for the home of this call: the one that runs, else one that this process runs meanwhile.
 * `tell`: what was found while starting goes to stderr afterwards. */
export async function withHomed<R>(
  call: VerbCall,
  work: (client: OwnerClient) => Promise<R>,
  { tell = true }: { tell?: boolean } = {},
): Promise<R> {
  const room = await call.room();
  const home = await call.home();
  await using session = await room.openSession({ home, env: call.io.env });
  const { notices = [], warnings = [] } = session.own ?? {};
  const found = [...notices, ...warnings.map(({ text, fix }) => `${text}: ${fix}`)];
  const result = await work(session.client);
  // What was found while starting is told once, with the answer; a failure is one line.
  if (tell) { for (const notice of found) call.io.writeError(inLanguage(notice, call.language) + "\n"); }
  return result;
}

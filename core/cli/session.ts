import type { Progress } from "../base/progress.ts";
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
  // What settings name and is not there matters to whoever talks to it; else `status` and `doctor` tell.
  const matters = call.verb.name === "chat" ? warnings : [];
  const found = [...notices, ...matters.map(({ text, fix }) => `${text}: ${fix}`)];
  if (tell && call.io.errorIsTerminal) await showProgress(call, session.client);
  const result = await work(session.client).finally(() => call.io.bar.clear());
  // What was found while starting is told once, with the answer; a failure is one line.
  if (tell) { for (const notice of found) call.io.writeError(inLanguage(notice, call.language) + "\n"); }
  return result;
}

/** Draws how far long work is while the verb waits. */
async function showProgress({ io, language }: VerbCall, client: OwnerClient): Promise<void> {
  await watchProgress(client, ({ title, share }) => io.bar.draw({ title: inLanguage(title, language), share }));
}

/** From here on `onProgress` is told how far long work is. */
export async function watchProgress(client: OwnerClient, onProgress: (progress: Progress) => void): Promise<void> {
  client.onNote("progress", onProgress);
  await client.call("progress.listen", {});
}

import type { Progress } from "../base/progress.ts";
import type { ChatEvent } from "../wire/chat.ts";
import type { ChatOutput, OwnerClient } from "../wire/owner.ts";
import type { ReplSession, SessionMethods } from "./repl/mod.ts";
import { watchProgress, withHomed } from "./session.ts";
import type { VerbCall } from "./verb.ts";

/** Opens the REPL on the homed of this home. */
export async function converse(call: VerbCall): Promise<number> {
  const { denoReplIo, runRepl } = await import("./repl/mod.ts");
  const home = await call.home();
  return await withHomed(call, async (client) => {
    const io = denoReplIo({ lang: call.language, historyFile: home.path("run", "history"), env: call.io.env });
    return await runRepl(await replSession(client), io);
    // The REPL tells it when it begins.
  }, { tell: false });
}

/** The REPL's view of a homed. */
export async function replSession(client: OwnerClient): Promise<ReplSession> {
  let listener: ((message: { text: string }) => void) | undefined;
  client.onNote("chat.output", ({ text }: ChatOutput) => listener?.({ text }));
  let watcher: ((progress: Progress) => void) | undefined;
  // What is told before somebody listens is kept.
  const before: Progress[] = [];
  await watchProgress(client, (progress) => watcher ? watcher(progress) : void before.push(progress));
  await client.call("chat.listen", {});
  return {
    send: ({ text, media }, onEvent) =>
      client.call("chat.send", { text, ...(media && { media }) }, {
        onEvent: (method, params) => {
          if (method !== "chat.event") return;
          const { request: _request, seq: _seq, ...event } = params as unknown as ChatEvent;
          onEvent(event);
        },
      }),
    interrupt: (text) => client.call("chat.interrupt", { text }),
    cancel: (turn) => client.call("chat.cancel", { turn }),
    answerApproval: (answer) => client.call("approval.answer", answer),
    call: (method, params) =>
      client.ask(method, params as Record<string, unknown>) as Promise<SessionMethods[typeof method]["result"]>,
    onOutput: (to) => void (listener = to),
    onProgress(to) {
      watcher = to;
      before.splice(0).forEach(to);
    },
    closed: client.closed,
  };
}

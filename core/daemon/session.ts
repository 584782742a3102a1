import { memoryPair, type OwnerClient, type OwnerMethods, Peer } from "../wire/mod.ts";
import { joinDaemon, ownerClient } from "./client.ts";
import type { Daemon, DaemonOptions } from "./daemon.ts";
import { isLocked } from "./daemon.ts";
import { startDaemon } from "./start.ts";

/** A way to talk to the homed of a home: `own` is the one that this process runs for it, if no other did. */
export interface HomeSession extends AsyncDisposable {
  client: OwnerClient;
  own: Daemon | undefined;
}

/** Joins the homed that runs for this home, else runs it in this process, which then holds the home and serves the socket
 * like any other.
 * @throws {HomedError} as `startDaemon` */
export async function openSession(options: Omit<DaemonOptions, "entries" | "adapters">): Promise<HomeSession> {
  for (let attempt = 0;; attempt++) {
    const joined = await joinDaemon(options.home);
    if (joined) return { client: joined, own: undefined, [Symbol.asyncDispose]: () => joined.close() };
    try {
      // `homed stop` reaches a REPL that holds the home, too: its session is closed, and it leaves.
      const stop = Promise.withResolvers<void>();
      const session = within(await startDaemon({ onStop: stop.resolve, ...options }));
      void stop.promise.then(() => session[Symbol.asyncDispose]());
      return session;
    } catch (error) {
      // Someone holds the home and does not serve yet (it starts) or any more (it stops): wait for either.
      if (!isLocked(error) || attempt >= 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** A session with a daemon in this process, over the same methods as the socket's. */
export function within(daemon: Daemon): HomeSession {
  const [here, there] = memoryPair();
  const closing = new AbortController();
  const served = new Peer<Record<never, never>>(there, { name: "this process" });
  served.serve(daemon.methodsFor({
    notify: (method, params) => served.notify(method, params),
    closing: closing.signal,
  })).open();
  const client = ownerClient(new Peer<OwnerMethods>(here, { name: "homed" }).open());
  return {
    client,
    own: daemon,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await daemon.stop();
      await client.close();
    },
  };
}

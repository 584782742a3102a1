import { HomedError } from "../base/errors.ts";
import { EXIT } from "./failure.ts";
import { withRunning } from "./running.ts";
import type { VerbCall } from "./verb.ts";

/** How long the daemon may take to go, beyond its own grace. */
const WAIT = 60_000;

export async function run(call: VerbCall): Promise<number> {
  const { io, json, language } = call;
  const pid = await withRunning(call, async (client) => {
    const answer = await client.call("stop", {});
    const late = setTimeout(() => void client.close(), WAIT);
    await client.closed;
    clearTimeout(late);
    return answer.pid;
  });
  await released(call, pid);
  if (json) io.write(JSON.stringify({ pid }) + "\n");
  else io.write(language === "zh" ? "homed 已停止\n" : "homed has stopped\n");
  return EXIT.done;
}

/** Waits until the home is free, so that what comes next can have it. */
async function released(call: VerbCall, pid: number): Promise<void> {
  const room = await call.room();
  const home = await call.home();
  const until = performance.now() + WAIT;
  while (room.isHeld(home)) {
    if (performance.now() > until) {
      throw new HomedError("stop", `homed (process ${pid}) was told to stop and is still there`, {
        fix: `end it with kill ${pid}`,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

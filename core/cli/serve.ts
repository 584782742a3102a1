import type { LogRecord } from "../base/log.ts";
import { progressOf } from "../base/progress.ts";
import { EXIT, failureOf } from "./failure.ts";
import type { RunningDaemon } from "./daemon_room.ts";
import { inLanguage } from "./chinese.ts";
import type { VerbCall } from "./verb.ts";

/** How serving ended. */
type End = "stop" | "restart";

export async function run(call: VerbCall): Promise<number> {
  const { io, args } = call;
  const room = await call.room();
  const home = await call.home();
  const ended = Promise.withResolvers<End>();
  const verbose = call.flag("--verbose");
  const onLog = ({ level, from, text, fields }: LogRecord) => {
    const progress = progressOf(fields);
    if (progress) io.bar.draw({ ...progress, title: inLanguage(progress.title, call.language) });
    if (verbose || level === "warn" || level === "error") {
      io.writeError(`${level} [${from}] ${inLanguage(text, call.language)}\n`);
    }
  };
  let daemon: RunningDaemon;
  try {
    daemon = await room.startDaemon({
      home,
      env: io.env,
      onLog,
      onStop: () => ended.resolve("stop"),
      onExhausted: () => ended.resolve("restart"),
    });
  } catch (error) {
    if (!room.isLocked(error)) throw error;
    io.writeError(failureOf(error, call.language).line + "\n");
    return EXIT.homeInUse;
  }
  const notifier = new room.ServiceNotifier(io.env);
  using _signals = onSignals({ stop: () => ended.resolve("stop"), reload: () => void daemon.reload() });
  const page = daemon.page === null ? "" : ` ${daemon.page}`;
  io.write(`homed ready ${daemon.socketPlace}${page}\n`);
  await notifier.ready();
  const end = await ended.promise;
  await notifier.stopping();
  await daemon.stop();
  if (end === "restart") room.restartSelf(args);
  return EXIT.done;
}

/** SIGINT and SIGTERM end it in order, a second one at once; SIGHUP reads the settings again. */
function onSignals(to: { stop(): void; reload(): void }): Disposable {
  let asked = 0;
  const stop = () => {
    if (++asked > 1) Deno.exit(EXIT.failed);
    to.stop();
  };
  const listeners: [Deno.Signal, () => void][] = Deno.build.os === "windows"
    ? [["SIGINT", stop], ["SIGBREAK", stop]]
    : [["SIGINT", stop], ["SIGTERM", stop], ["SIGHUP", () => to.reload()]];
  for (const [signal, listener] of listeners) Deno.addSignalListener(signal, listener);
  return {
    [Symbol.dispose]() {
      for (const [signal, listener] of listeners) Deno.removeSignalListener(signal, listener);
    },
  };
}

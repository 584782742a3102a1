import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/errors.ts";
import { RPC_CODES, RpcError } from "../wire/rpc.ts";

/** How long work that was told to stop is waited for. */
const STOP_GRACE = 2000;

/** Runs `work` with a signal that aborts when `signal` does or after `ms`. Work that was told to stop is waited for a
 * little: what it still gives is the result, and what does not end is said to be perhaps still running.
 * @throws {RpcError} −32004 after `ms`; −32008 when `signal` aborts; else what `work` threw */
export async function deadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  options: { clock: Clock; ms: number; signal: AbortSignal; what: string },
): Promise<T> {
  const { clock, ms, signal, what } = options;
  signal.throwIfAborted();
  const inner = new AbortController();
  const timer = new AbortController();
  const stopped = Promise.withResolvers<{ code: number; message: string }>();
  const stop = (code: number, message: string) => {
    stopped.resolve({ code, message });
    inner.abort(new RpcError(code, message));
  };
  const onAbort = () => stop(RPC_CODES.cancelled, `${what} was stopped: ${messageOf(signal.reason)}`);
  signal.addEventListener("abort", onAbort, { once: true });
  clock.sleep(ms, { signal: timer.signal }).then(
    () => stop(RPC_CODES.timedOut, `${what} did not finish in ${ms} ms and was stopped`),
    () => {}, // the work was done first
  );
  try {
    const running = work(inner.signal);
    running.catch(() => {}); // it may end after it was given up
    const first = await Promise.race([running.then((value) => ({ value })), stopped.promise]);
    if ("value" in first) return first.value;
    const last = await Promise.race([
      running.then((value) => ({ value }), () => "ended" as const),
      clock.sleep(STOP_GRACE, { signal: timer.signal }).then(() => "running" as const, () => "ended" as const),
    ]);
    if (typeof last === "object") return last.value;
    const doubt = last === "running" ? "; it has not confirmed that, so it may still be running" : "";
    throw new RpcError(first.code, first.message + doubt);
  } finally {
    timer.abort();
    signal.removeEventListener("abort", onAbort);
  }
}

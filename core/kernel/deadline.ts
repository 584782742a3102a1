import type { Clock } from "../base/clock.ts";
import { RPC_CODES, RpcError } from "../wire/rpc.ts";

/** Runs `work` with a signal that aborts when `signal` does or after `ms`, and does not wait for work that ignores it.
 * @throws {RpcError} −32004 after `ms`; the signal's reason when it aborts; else what `work` threw */
export async function deadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  options: { clock: Clock; ms: number; signal: AbortSignal; what: string },
): Promise<T> {
  const { clock, ms, signal, what } = options;
  signal.throwIfAborted();
  const inner = new AbortController();
  const timer = new AbortController();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (reason: unknown) => {
    inner.abort(reason);
    reject(reason);
  };
  const onAbort = () => stop(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  clock.sleep(ms, { signal: timer.signal }).then(
    () => stop(new RpcError(RPC_CODES.timedOut, `${what} did not finish in ${ms} ms and was stopped`)),
    () => {}, // the work was done first
  );
  stopped.catch(() => {}); // it may lose the race
  try {
    return await Promise.race([work(inner.signal), stopped]);
  } finally {
    timer.abort();
    signal.removeEventListener("abort", onAbort);
  }
}

/** A signal that aborts when any of `signals` does, until it is disposed of. `AbortSignal.any` would not do: its result
 * is held weakly, and a call that waits for nothing but being aborted can lose it to the garbage collector. */
export function linkSignals(...signals: AbortSignal[]): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const links = signals.map((signal) => ({ signal, onAbort: () => controller.abort(signal.reason) }));
  for (const { signal, onAbort } of links) {
    if (signal.aborted) controller.abort(signal.reason);
    else signal.addEventListener("abort", onAbort, { once: true });
  }
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const { signal, onAbort } of links) signal.removeEventListener("abort", onAbort);
    },
  };
}

/** What `work` gives, unless `signal` aborts first: for work that does not end by itself when it loses its reason.
 * @throws the signal's reason, or what `work` threw */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  work.catch(() => {}); // it may end after it was given up
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

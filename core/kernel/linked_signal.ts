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

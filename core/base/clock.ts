/** Time as an argument: everything that waits or stamps takes one of these, so that tests own time. */
export interface Clock {
  /** Milliseconds since the epoch. May jump when the wall clock is set. */
  now(): number;
  /** Milliseconds that only go forward. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. A zero or negative wait resolves at once. */
  sleep(ms: number, options?: { signal?: AbortSignal }): Promise<void>;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep(ms, { signal } = {}) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal!.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      }, Math.max(0, ms));
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  },
};

/** The pause before attempt `attempt` (from 0): doubles from `base`, at most `max`, with up to a fifth of jitter taken
 * off so that many waiters do not come back together. All in milliseconds. */
export function backoff(attempt: number, options: { base: number; max: number; random?: () => number }): number {
  const { base, max, random = Math.random } = options;
  const full = Math.min(max, base * 2 ** Math.min(attempt, 30));
  return full * (1 - 0.2 * random());
}

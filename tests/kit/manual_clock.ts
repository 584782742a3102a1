import { setImmediate } from "node:timers";
import type { Clock } from "../../core/base/clock.ts";

/** Time that stands still until the test moves it. */
export class ManualClock implements Clock {
  #wall: number;
  #steady = 0;
  #sleepers: { due: number; wake: () => void }[] = [];

  /** `start`: the wall clock's first reading, milliseconds since the epoch. */
  constructor(start = Date.UTC(2027, 0, 1)) {
    this.#wall = start;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#steady;
  }

  /** How many are asleep. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  sleep(ms: number, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (ms <= 0) return resolve();
      const sleeper = {
        due: this.#steady + ms,
        wake: () => (signal?.removeEventListener("abort", onAbort), resolve()),
      };
      const onAbort = () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal!.reason);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#sleepers.push(sleeper);
    });
  }

  /** Lets `ms` pass: wakes each sleeper at its own time, in order, and lets what it does settle before time goes on. */
  async advance(ms: number): Promise<void> {
    const end = this.#steady + ms;
    for (;;) {
      await this.#settle();
      const next = this.#sleepers.reduce((least, sleeper) => sleeper.due < least.due ? sleeper : least, {
        due: Infinity,
        wake: () => {},
      });
      if (next.due > end) break;
      this.#pass(next.due - this.#steady);
      this.#sleepers = this.#sleepers.filter((sleeper) => sleeper !== next);
      next.wake();
    }
    this.#pass(end - this.#steady);
    await this.#settle();
  }

  /** Sets the wall clock without time passing, as a person or a time server does. */
  setWall(now: number): void {
    this.#wall = now;
  }

  #pass(ms: number): void {
    this.#steady += ms;
    this.#wall += ms;
  }

  /** Lets everything that is ready run; while nobody is asleep, also what waits for the disk, for a fifth of a second. */
  async #settle(): Promise<void> {
    for (let i = 0; i < 4; i++) await new Promise<void>((resolve) => setImmediate(resolve));
    for (let i = 0; i < 100 && this.#sleepers.length === 0; i++) await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

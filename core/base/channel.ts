/** A bounded first-in-first-out queue between tasks. `push` waits while it is full (back-pressure), iteration ends after
 * `close` once what was pushed is drained. */
export class Channel<T> implements AsyncIterable<T> {
  #items: T[] = [];
  #takers: ((result: IteratorResult<T, undefined>) => void)[] = [];
  #waiting: (() => void)[] = [];
  #closed = false;
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#items.length;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Adds without waiting; false when full or closed. */
  offer(item: T): boolean {
    if (this.#closed) return false;
    const taker = this.#takers.shift();
    if (taker) {
      taker({ value: item, done: false });
      return true;
    }
    if (this.#items.length >= this.#capacity) return false;
    this.#items.push(item);
    return true;
  }

  /** Adds, waiting for room. False when the channel was closed before there was any. */
  async push(item: T): Promise<boolean> {
    while (!this.offer(item)) {
      if (this.#closed) return false;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return true;
  }

  /** The next item at once, or undefined when there is none. */
  poll(): T | undefined {
    const item = this.#items.shift();
    if (item !== undefined) this.#waiting.shift()?.();
    return item;
  }

  /** The next item, waiting for one; done after `close` and the last item. */
  take(): Promise<IteratorResult<T, undefined>> {
    const item = this.poll();
    if (item !== undefined) return Promise.resolve({ value: item, done: false });
    if (this.#closed) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  close(): void {
    this.#closed = true;
    for (const taker of this.#takers.splice(0)) taker({ value: undefined, done: true });
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (let next = await this.take(); !next.done; next = await this.take()) yield next.value;
  }
}

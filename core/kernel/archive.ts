import { messageOf } from "../base/errors.ts";
import type { Pruned } from "./context.ts";
import type { Kernel } from "./kernel.ts";

/** So many events on their way are sent at once, whatever else is going on. */
const MANY = 16;
/** Milliseconds without a turn after which those that wait are sent. */
const QUIET = 200;

/** What left the window, on its way to the documents. It goes in batches, when nobody waits for a turn: each batch is one
 * durable movement. Until then it is in the context on disk, and is recalled from there; a kernel that starts anew finds
 * it and prunes it again. */
export class Archive {
  readonly #kernel: Kernel;
  #waiting: Pruned = { archive: [], drop: [] };
  #pause: AbortController | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  get size(): number {
    return this.#waiting.archive.length + this.#waiting.drop.length;
  }

  /** Takes what was pruned; sends when there is much of it. */
  add({ archive, drop }: Pruned): void {
    this.#waiting.archive.push(...archive);
    this.#waiting.drop.push(...drop);
    if (this.size >= MANY) void this.send();
  }

  /** A turn begins: what waits goes on waiting. */
  hold(): void {
    this.#pause?.abort();
    this.#pause = undefined;
  }

  /** No turn runs: sends after a pause, if none begins by then. */
  rest(): void {
    if (this.size === 0 || this.#pause) return;
    const pause = this.#pause = new AbortController();
    void this.#kernel.clock.sleep(QUIET, { signal: pause.signal }).then(() => this.send(), () => {
      // a turn began
    });
  }

  /** Sends what waits; resolves when it is in the documents. Never throws: what could not be sent waits for the next time. */
  send(): Promise<void> {
    this.hold();
    this.#sending = this.#sending.then(() => this.#send());
    return this.#sending;
  }

  async #send(): Promise<void> {
    if (this.size === 0) return;
    const { archive, drop } = this.#waiting;
    this.#waiting = { archive: [], drop: [] };
    const ids = archive.map(({ id }) => id);
    try {
      const { documents } = await this.#kernel.memory.call("context.archive", { ids, drop: drop.map(({ id }) => id) });
      this.#kernel.emit("memory_archive", { events: ids, documents });
    } catch (error) {
      this.#waiting = { archive: [...archive, ...this.#waiting.archive], drop: [...drop, ...this.#waiting.drop] };
      this.#kernel.log.warn(`Cannot archive ${ids.length} events: ${messageOf(error)}`);
    }
  }
}

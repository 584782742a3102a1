import type { BusEvent, EventType } from "../../core/wire/mod.ts";
import type { BusPort } from "./ports.ts";

/** The segment's event ring, as far as a feed needs it. */
export interface Doorbell {
  /** Records written so far, modulo 2³². */
  readonly written: number;
  /** Keeps the ring filled until disposed. */
  join(): Disposable;
}

export interface EventFeedOptions {
  bus: BusPort;
  /** Sends `events.wake`. */
  notify: (params: { head: number } | { events: BusEvent[]; missed: number }) => void;
  /** Events that may wait for an inline reader; older ones are dropped and counted. */
  capacity?: number;
}

/** Milliseconds within which wake-ups are joined into one. */
const COALESCE_MS = 2;

/** Events for one plugin: with the segment, a doorbell; else batches, bounded, with a count of what was missed. The
 * publisher never waits. */
export class EventFeed {
  readonly #options: Required<EventFeedOptions>;
  readonly #types = new Set<EventType>();
  #ring: Doorbell | undefined;
  #subscription: Disposable | undefined;
  #joined: Disposable | undefined;
  #queue: BusEvent[] = [];
  #missed = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = 0;

  constructor(options: EventFeedOptions) {
    this.#options = { capacity: 1024, ...options };
  }

  useRing(ring: Doorbell): void {
    this.#ring = ring;
  }

  /** Adds types; answers the cursor: with the ring the records written so far, else the number of the last event seen. */
  subscribe(types: readonly EventType[]): number {
    for (const type of types) this.#types.add(type);
    if (this.#ring) this.#joined ??= this.#ring.join();
    this.#subscription ??= this.#options.bus.subscribe(undefined, (event) => this.#take(event));
    return this.#ring?.written ?? this.#last;
  }

  /** Takes types away; without any, all. */
  unsubscribe(types?: readonly EventType[]): void {
    for (const type of types ?? [...this.#types]) this.#types.delete(type);
    if (this.#types.size === 0) this.close();
  }

  close(): void {
    this.#subscription?.[Symbol.dispose]();
    this.#joined?.[Symbol.dispose]();
    this.#subscription = this.#joined = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#queue = [];
  }

  #take(event: BusEvent): void {
    this.#last = event.seq;
    if (!this.#types.has(event.type)) return;
    if (!this.#ring) {
      this.#queue.push(event);
      if (this.#queue.length > this.#options.capacity) {
        this.#queue.shift();
        this.#missed++;
      }
    }
    this.#timer ??= setTimeout(() => this.#wake(), COALESCE_MS);
  }

  #wake(): void {
    this.#timer = undefined;
    if (this.#ring) return this.#options.notify({ head: this.#ring.written });
    const events = this.#queue, missed = this.#missed;
    this.#queue = [];
    this.#missed = 0;
    if (events.length > 0) this.#options.notify({ events, missed });
  }
}

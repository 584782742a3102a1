import type { BusEvent, EventType, NewEvent } from "../wire/event.ts";
import { ringBytes, RingWriter } from "./event_ring.ts";

/** Gets events in order, on the publisher's stack: it must be quick and must not throw or publish. */
export type EventListener = (event: BusEvent) => void;

export interface EventBusOptions {
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Bytes of the ring, a power of two. */
  ringCapacity?: number;
  /** Told when a listener throws: that one is skipped, the others get the event. */
  onProblem?: (text: string) => void;
}

/** Numbers events and hands them to listeners in this thread and, once somebody asked for it, to the ring that other
 * threads read. Lives in `main`; the other parts send it their events. */
export class EventBus {
  readonly #listeners = new Set<{ types: ReadonlySet<EventType> | undefined; listener: EventListener }>();
  readonly #options: Required<EventBusOptions>;
  readonly #encoder = new TextEncoder();
  #ring: { writer: RingWriter; buffer: SharedArrayBuffer } | undefined;
  #seq = 0;

  constructor(options: EventBusOptions = {}) {
    this.#options = { now: Date.now, ringCapacity: 1 << 20, onProblem: () => {}, ...options };
  }

  /** Number of the last event. */
  get seq(): number {
    return this.#seq;
  }

  /** Numbers the event, stamps it and passes it on. Never throws, never waits. */
  publish(event: NewEvent): BusEvent {
    const numbered: BusEvent = { seq: ++this.#seq, at: this.#options.now(), ...event };
    for (const { types, listener } of this.#listeners) {
      if (types && !types.has(event.type)) continue;
      try {
        listener(numbered);
      } catch (error) {
        this.#options.onProblem(`A listener of "${event.type}" failed: ${error}`);
      }
    }
    this.#ring && this.#toRing(this.#ring.writer, numbered);
    return numbered;
  }

  /** Calls `listener` for events of these types, all when none are named, until disposed. */
  subscribe(types: readonly EventType[] | undefined, listener: EventListener): Disposable {
    const entry = { types: types && new Set(types), listener };
    this.#listeners.add(entry);
    return { [Symbol.dispose]: () => void this.#listeners.delete(entry) };
  }

  /** The ring's memory for a reader in another thread (`RingReader`; records are events as UTF-8 JSON). Made at the first
   * call; until then no event is encoded. */
  ring(): SharedArrayBuffer {
    if (!this.#ring) {
      const capacity = this.#options.ringCapacity;
      const buffer = new SharedArrayBuffer(ringBytes(capacity));
      this.#ring = { writer: new RingWriter(buffer, { capacity }), buffer };
    }
    return this.#ring.buffer;
  }

  #toRing(writer: RingWriter, event: BusEvent): void {
    if (writer.write(this.#encoder.encode(JSON.stringify(event)))) return;
    writer.write(this.#encoder.encode(JSON.stringify({ ...event, payload: { too_large: true } })));
  }
}

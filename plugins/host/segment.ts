import { removeIfThere } from "../../core/base/files.ts";
import { RingWriter } from "../../core/bus/event_ring.ts";
import type { BusEvent, SegmentInfo } from "../../core/wire/mod.ts";
import type { Doorbell } from "./event_feed.ts";
import { Mapping } from "./mapping.ts";
import type { SliceStore } from "./payload.ts";
import type { BusPort } from "./ports.ts";
import {
  CTX_CAPACITY,
  CTX_OFFSET,
  RING_CAPACITY,
  RING_OFFSET,
  SEGMENT_BYTES,
  SEGMENT_MAGIC,
  SEGMENT_VERSION,
  SLICES_BYTES,
  SLICES_OFFSET,
  WORD,
} from "./segment_layout.ts";
import { SliceArena } from "./slice_arena.ts";
import type { SharedContext } from "./stage_room.ts";

/** The segment that homed and its plugin processes share. */
export interface Segment {
  readonly info: SegmentInfo;
  readonly slices: SliceStore;
  readonly events: Doorbell;
  readonly context: SharedContext;
  /** After every plugin has stopped: what lies in it is gone. */
  close(): void;
}

export interface SegmentOptions {
  /** The home's run folder; the name of the file is made from it. */
  run: string;
  bus: BusPort;
  /** Where shared memory lies on this machine; absent or not there: `run`. */
  shm?: string;
}

/** Makes the segment's file anew and maps it.
 * @throws {Error} where that cannot be had (Windows, a full disk): everything then goes inline */
export async function createSegment(options: SegmentOptions): Promise<Segment> {
  const { run, bus, shm = "/dev/shm" } = options;
  const path = await segmentPath(run, shm);
  removeIfThere(path);
  {
    using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
    await file.truncate(SEGMENT_BYTES);
  }
  const mapping = Mapping.open(path, SEGMENT_BYTES);
  const { buffer } = mapping;
  const words = new Int32Array(buffer, 0, 64);
  words[WORD.version] = SEGMENT_VERSION;
  words[WORD.size] = SEGMENT_BYTES;
  words[WORD.ctx_offset] = CTX_OFFSET;
  words[WORD.ctx_capacity] = CTX_CAPACITY;
  words[WORD.slices_offset] = SLICES_OFFSET;
  words[WORD.slices_size] = SLICES_BYTES;
  words[WORD.ring_offset] = RING_OFFSET;
  words[WORD.ring_size] = SEGMENT_BYTES - RING_OFFSET;
  const events = new SegmentEvents(new RingWriter(buffer, { capacity: RING_CAPACITY, offset: RING_OFFSET }), bus);
  Atomics.store(words, WORD.magic, SEGMENT_MAGIC);
  return {
    info: { path, size: SEGMENT_BYTES, version: SEGMENT_VERSION },
    slices: new SliceArena(buffer, { offset: SLICES_OFFSET, size: SLICES_BYTES }),
    events,
    context: new SegmentContext(buffer, words),
    close() {
      events.close();
      mapping.close();
      removeIfThere(path);
    },
  };
}

/** One file a home, so that a crash leaves at most one behind, which the next start replaces. */
async function segmentPath(run: string, shm: string): Promise<string> {
  const isFolder = await Deno.stat(shm).then((stat) => stat.isDirectory, () => false);
  if (!isFolder) return `${run}/segment`;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(run));
  const name = Array.from(new Uint8Array(digest, 0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${shm}/homed-${name}`;
}

/** The ring, filled as long as somebody reads it. */
class SegmentEvents implements Doorbell {
  readonly #writer: RingWriter;
  readonly #bus: BusPort;
  readonly #encoder = new TextEncoder();
  readonly #scratch: Uint8Array<ArrayBuffer>;
  #readers = 0;
  #subscription: Disposable | undefined;

  constructor(writer: RingWriter, bus: BusPort) {
    this.#writer = writer;
    this.#bus = bus;
    this.#scratch = new Uint8Array(writer.maxRecord);
  }

  get written(): number {
    return this.#writer.written;
  }

  join(): Disposable {
    this.#readers++;
    this.#subscription ??= this.#bus.subscribe(undefined, (event) => this.#write(event));
    let left = false;
    return {
      [Symbol.dispose]: () => {
        if (left) return;
        left = true;
        if (--this.#readers === 0) this.close();
      },
    };
  }

  close(): void {
    this.#subscription?.[Symbol.dispose]();
    this.#subscription = undefined;
  }

  #write(event: BusEvent): void {
    // In this order: readers find the type without reading the rest.
    const { seq, at, type, source, payload } = event;
    const text = JSON.stringify({ seq, at, type, source, payload });
    const { read, written } = this.#encoder.encodeInto(text, this.#scratch);
    if (read === text.length) this.#writer.write(this.#scratch.subarray(0, written));
    else {this.#writer.write(
        this.#encoder.encode(JSON.stringify({ seq, at, type, source, payload: { too_large: true } })),
      );}
  }
}

class SegmentContext implements SharedContext {
  readonly capacity = CTX_CAPACITY;
  readonly #words: Int32Array;
  readonly #buffers: Uint8Array[];

  constructor(buffer: ArrayBuffer, words: Int32Array) {
    this.#words = words;
    this.#buffers = [0, 1].map((index) => new Uint8Array(buffer, CTX_OFFSET + index * CTX_CAPACITY, CTX_CAPACITY));
  }

  get #inactive(): 0 | 1 {
    return this.#words[WORD.ctx_active] === 0 ? 1 : 0;
  }

  publish(text: string, { seq, version }: { seq: number; version: number }): boolean {
    const target = this.#inactive;
    const { read, written } = new TextEncoder().encodeInto(text, this.#buffers[target]!);
    if (read < text.length) return false;
    this.#words[WORD.ctx_length_0 + target] = written;
    Atomics.store(this.#words, WORD.stage_seq, seq);
    this.acceptDraft(version);
    return true;
  }

  readDraft(): string {
    const target = this.#inactive;
    const length = this.#words[WORD.ctx_length_0 + target]!;
    if (length < 0 || length > CTX_CAPACITY) throw new RangeError(`A context cannot have ${length} bytes`);
    return new TextDecoder().decode(this.#buffers[target]!.subarray(0, length));
  }

  acceptDraft(version: number): void {
    // No version while the valid buffer changes: whoever reads meanwhile reads again.
    Atomics.store(this.#words, WORD.ctx_version, 0);
    Atomics.store(this.#words, WORD.ctx_active, this.#inactive);
    Atomics.store(this.#words, WORD.ctx_version, version);
  }

  setHolder(slot: number): void {
    Atomics.store(this.#words, WORD.lock, slot);
  }
}

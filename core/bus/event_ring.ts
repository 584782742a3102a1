/** The event ring: one writer, many readers with their own cursors, in one piece of memory that threads (a
 * `SharedArrayBuffer`) or processes (a mapped file) share. The writer never waits and never looks at a reader; a reader
 * that falls behind by more than the ring holds is told how many records it missed and goes on at the oldest that is
 * whole.
 *
 * Layout: a header of sixteen 32-bit words, then `capacity` bytes of records. Positions count units of 8 bytes and wrap
 * at 2³². A record is `u32 length, u32 seq, bytes`, padded to a whole unit, never split at the end of the ring (a
 * record of length 0xffffffff says: go on at the start).
 *
 * | word | holds |
 * |---|---|
 * | 0 | magic `0x676e5248` ("HRng") |
 * | 1 | layout version, 1 |
 * | 2 | capacity in bytes, a power of two |
 * | 3 | head: where the next record will begin; everything before it is readable |
 * | 4 | reserved: up to where the writer may be writing |
 * | 5 | tail: where the oldest whole record begins |
 * | 6 | seq of the next record |
 * | 7 | waiters: how many readers sleep on word 3 |
 * @module */

const MAGIC = 0x676e5248;
const VERSION = 1;
const UNIT = 8;
const SKIP = 0xffffffff;
export const RING_HEADER_BYTES = 64;
const CAPACITY = 2, HEAD = 3, RESERVED = 4, TAIL = 5, NEXT_SEQ = 6, WAITERS = 7;

/** Bytes that a ring of this capacity needs. */
export function ringBytes(capacity: number): number {
  return RING_HEADER_BYTES + capacity;
}

interface Views {
  header: Int32Array;
  words: Uint32Array;
  bytes: Uint8Array;
  /** Capacity in units, and the mask for it. */
  units: number;
}

function viewsOf(buffer: ArrayBufferLike, offset: number, capacity: number): Views {
  return {
    header: new Int32Array(buffer, offset, 16),
    words: new Uint32Array(buffer, offset + RING_HEADER_BYTES, capacity / 4),
    bytes: new Uint8Array(buffer, offset + RING_HEADER_BYTES, capacity),
    units: capacity / UNIT,
  };
}

const unitsFor = (length: number) => 1 + ((length + UNIT - 1) >>> 3);

/** The writing end. There must be one only. */
export class RingWriter {
  readonly #v: Views;
  #head = 0;
  #tail = 0;
  #seq = 0;

  /** Formats the memory at `offset` as an empty ring. `capacity`: a power of two, at least 1 KiB. */
  constructor(buffer: ArrayBufferLike, options: { capacity: number; offset?: number }) {
    const { capacity, offset = 0 } = options;
    if (capacity < 1024 || (capacity & (capacity - 1)) !== 0) {
      throw new RangeError(`Cannot make a ring of ${capacity} bytes: the capacity must be a power of two from 1024`);
    }
    this.#v = viewsOf(buffer, offset, capacity);
    this.#v.header.fill(0);
    this.#v.header[CAPACITY] = capacity;
    this.#v.header[1] = VERSION;
    Atomics.store(this.#v.header, 0, MAGIC);
  }

  /** Bytes of the longest record that fits: a quarter of the ring. */
  get maxRecord(): number {
    return (this.#v.units * UNIT) / 4;
  }

  /** Records written so far, modulo 2³². */
  get written(): number {
    return this.#seq;
  }

  /** Appends one record; false when it is longer than `maxRecord`. Never waits. */
  write(record: Uint8Array): boolean {
    const length = record.length;
    if (length > this.maxRecord) return false;
    const { header, words, bytes, units } = this.#v;
    const need = unitsFor(length);
    const at = this.#head & (units - 1);
    const skip = at + need > units ? units - at : 0;
    const end = (this.#head + skip + need) >>> 0;
    Atomics.store(header, RESERVED, end | 0);
    // The oldest records make room: the tail moves over them before their bytes change.
    if (((end - this.#tail) >>> 0) > units) {
      do {
        const tailAt = this.#tail & (units - 1);
        const old = words[tailAt * 2]!;
        this.#tail = (this.#tail + (old === SKIP ? units - tailAt : unitsFor(old))) >>> 0;
      } while (((end - this.#tail) >>> 0) > units);
      Atomics.store(header, TAIL, this.#tail | 0);
    }
    if (skip > 0) words[at * 2] = SKIP;
    const start = skip > 0 ? 0 : at;
    words[start * 2] = length;
    words[start * 2 + 1] = this.#seq;
    bytes.set(record, (start + 1) * UNIT);
    this.#seq = (this.#seq + 1) >>> 0;
    Atomics.store(header, NEXT_SEQ, this.#seq | 0);
    this.#head = end;
    Atomics.store(header, HEAD, end | 0);
    if (Atomics.load(header, WAITERS) > 0) Atomics.notify(header, HEAD);
    return true;
  }
}

/** What a reader found: a record (a copy, valid until the next `read`), or how many were overwritten before it came. */
export type RingRead = { kind: "record"; seq: number; bytes: Uint8Array } | { kind: "missed"; count: number };

/** A reading end with its own cursor; any number may read one ring. */
export class RingReader {
  readonly #v: Views;
  readonly #scratch: Uint8Array;
  #at: number;
  #seq: number;

  /** Starts at the newest record to come, or with `from: "oldest"` at the oldest that is still whole.
   * @throws {Error} when the memory holds no ring of this version */
  constructor(buffer: ArrayBufferLike, options: { offset?: number; from?: "newest" | "oldest" } = {}) {
    const { offset = 0, from = "newest" } = options;
    const header = new Int32Array(buffer, offset, 16);
    if (Atomics.load(header, 0) !== MAGIC) throw new Error("Cannot read the ring: the memory holds none");
    if (header[1] !== VERSION) {
      throw new Error(`Cannot read the ring as its layout is version ${header[1]}: this reader knows ${VERSION}`);
    }
    this.#v = viewsOf(buffer, offset, header[CAPACITY]!);
    this.#scratch = new Uint8Array(header[CAPACITY]! / 4);
    this.#at = this.#seq = 0;
    if (from === "newest") this.#toNewest();
    else this.#toOldest();
  }

  /** Where this reader stands, in records, modulo 2³². */
  get seq(): number {
    return this.#seq;
  }

  /** The next record, the news of missed ones, or undefined when there is nothing new. */
  read(): RingRead | undefined {
    const { header, words, bytes, units } = this.#v;
    for (;;) {
      if (this.#at === Atomics.load(header, HEAD) >>> 0) return undefined;
      const at = this.#at & (units - 1);
      const length = words[at * 2]!;
      const seq = words[at * 2 + 1]!;
      if (length === SKIP) {
        if (this.#overrun()) return this.#recover();
        this.#at = (this.#at + units - at) >>> 0;
        continue;
      }
      if (length > this.#scratch.length || at + unitsFor(length) > units) return this.#recover();
      const copy = this.#scratch.subarray(0, length);
      copy.set(bytes.subarray((at + 1) * UNIT, (at + 1) * UNIT + length));
      // Whatever was copied is only whole if the writer had not come round to it by now.
      if (this.#overrun()) return this.#recover();
      this.#at = (this.#at + unitsFor(length)) >>> 0;
      this.#seq = (seq + 1) >>> 0;
      return { kind: "record", seq, bytes: copy };
    }
  }

  /** Resolves when there may be something to read. Needs a `SharedArrayBuffer`; processes are woken by a doorbell. */
  async wait(): Promise<void> {
    const { header } = this.#v;
    Atomics.add(header, WAITERS, 1);
    try {
      const result = Atomics.waitAsync(header, HEAD, this.#at | 0);
      if (result.async) await result.value;
    } finally {
      Atomics.sub(header, WAITERS, 1);
    }
  }

  #overrun(): boolean {
    return ((Atomics.load(this.#v.header, RESERVED) - this.#at) >>> 0) > this.#v.units;
  }

  #recover(): RingRead {
    const before = this.#seq;
    this.#toOldest();
    return { kind: "missed", count: (this.#seq - before) >>> 0 };
  }

  #toNewest(): void {
    const { header } = this.#v;
    // The writer stores the sequence number before the head: read them in the other order and both belong together or
    // the record between them is read as new.
    do {
      this.#at = Atomics.load(header, HEAD) >>> 0;
      this.#seq = Atomics.load(header, NEXT_SEQ) >>> 0;
    } while (this.#at !== Atomics.load(header, HEAD) >>> 0);
  }

  #toOldest(): void {
    const { header, words, units } = this.#v;
    for (;;) {
      this.#at = Atomics.load(header, TAIL) >>> 0;
      const at = this.#at & (units - 1);
      if (this.#at === Atomics.load(header, HEAD) >>> 0) return this.#toNewest();
      const length = words[at * 2]!;
      const seq = words[at * 2 + 1]!;
      if (this.#overrun()) continue;
      if (length === SKIP) {
        // A skip mark holds no number: the record behind it does.
        this.#at = (this.#at + units - at) >>> 0;
        const next = words[1]!;
        if (this.#overrun() || this.#at === Atomics.load(header, HEAD) >>> 0) continue;
        this.#seq = next;
        return;
      }
      this.#seq = seq;
      return;
    }
  }
}

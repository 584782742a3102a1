import { ringBytes, RingReader, RingWriter } from "../core/bus/event_ring.ts";
import { type Row, times } from "./kit/measure.ts";

const EVENTS = 1_000_000;
const CAPACITY = 1 << 22;
const EVENT = new Uint8Array(200).fill(65);

const rate = (events: number, from: number) => events / ((performance.now() - from) / 1000);
const perSecond = (value: number) => `${(value / 1e6).toFixed(2)} M/s`;

function write(writer: RingWriter, count: number): number {
  const from = performance.now();
  for (let i = 0; i < count; i++) writer.write(EVENT);
  return rate(count, from);
}

/** A writer that is held back before it laps the reader, so that what counts is what both manage together. */
async function withReader(): Promise<{ delivered: number; missed: number }> {
  const buffer = new SharedArrayBuffer(ringBytes(CAPACITY));
  const progress = new SharedArrayBuffer(4);
  const read = new Int32Array(progress);
  const writer = new RingWriter(buffer, { capacity: CAPACITY });
  const worker = new Worker(new URL("./workers/ring_reader.ts", import.meta.url), { type: "module" });
  const next = () =>
    new Promise<MessageEvent>((resolve) => worker.addEventListener("message", resolve, { once: true }));
  const ready = next();
  worker.postMessage({ buffer, progress, total: EVENTS });
  await ready;
  const done = next();
  const from = performance.now();
  for (let i = 0; i < EVENTS; i++) {
    for (let seen = Atomics.load(read, 0); i - seen > 15_000; seen = Atomics.load(read, 0)) {
      Atomics.wait(read, 0, seen, 5);
    }
    writer.write(EVENT);
  }
  const { data } = await done;
  const delivered = rate(data.seen, from);
  worker.terminate();
  return { delivered, missed: data.missed };
}

/** The writer alone, with a reader in the same memory that never reads. */
function withStoppedReader(): number {
  const buffer = new SharedArrayBuffer(ringBytes(CAPACITY));
  const writer = new RingWriter(buffer, { capacity: CAPACITY });
  new RingReader(buffer);
  return write(writer, EVENTS);
}

function alone(): number {
  const writer = new RingWriter(new SharedArrayBuffer(ringBytes(CAPACITY)), { capacity: CAPACITY });
  return write(writer, EVENTS);
}

/** The floor: the same bytes copied into the same memory, one atomic store each. */
function floor(): number {
  const memory = new Uint8Array(new SharedArrayBuffer(CAPACITY));
  const word = new Int32Array(memory.buffer);
  const from = performance.now();
  for (let i = 0, at = 64; i < EVENTS; i++, at = at + 208 > CAPACITY - 208 ? 64 : at + 208) {
    memory.set(EVENT, at);
    Atomics.store(word, 0, i);
  }
  return rate(EVENTS, from);
}

export async function ringBench(): Promise<Row[]> {
  alone();
  await withReader();
  const bare = floor(), free = alone(), stopped = withStoppedReader();
  const { delivered, missed } = await withReader();
  return [
    {
      what: `ring: 200-byte events to one reading worker (${missed} missed)`,
      figure: perSecond(delivered),
      floor: `${perSecond(bare)} bare copy + atomic`,
      reach: "≥ 1 M/s",
      ok: delivered >= 1e6,
    },
    {
      what: "ring: writer with a stopped reader, against no reader",
      figure: times(stopped / free),
      floor: perSecond(free),
      reach: "≥ 0.80×",
      ok: stopped / free >= 0.8,
    },
  ];
}

if (import.meta.main) { for (const row of await ringBench()) console.log(row); }

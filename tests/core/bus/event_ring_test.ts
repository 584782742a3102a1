import assert from "node:assert/strict";
import fc from "fast-check";
import { ringBytes, RingReader, RingWriter } from "../../../core/bus/event_ring.ts";

const make = (capacity = 1024) => {
  const buffer = new SharedArrayBuffer(ringBytes(capacity));
  return { buffer, writer: new RingWriter(buffer, { capacity }) };
};
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes.slice());
const bytes = (value: string) => new TextEncoder().encode(value);

Deno.test("a reader gets every record in order, also empty ones and across the end of the ring", () => {
  const { buffer, writer } = make();
  const reader = new RingReader(buffer);
  for (let i = 0; i < 500; i++) {
    const record = "x".repeat(i % 97) + i;
    assert.ok(writer.write(bytes(record)));
    const got = reader.read();
    assert.ok(got?.kind === "record");
    assert.equal(text(got.bytes), record);
    assert.equal(got.seq, i);
  }
  writer.write(new Uint8Array());
  assert.equal(reader.read()?.kind, "record");
  assert.equal(reader.read(), undefined);
});

Deno.test("a reader that was overrun is told exactly how many records it missed, whatever their sizes", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constant("read" as const), fc.integer({ min: 0, max: 256 })), { maxLength: 400 }),
      fc.constantFrom("newest" as const, "oldest" as const),
      (steps, from) => {
        const { buffer, writer } = make();
        const reader = new RingReader(buffer, { from });
        let written = 0, seen = 0;
        const read = () => {
          for (let next = reader.read(); next; next = reader.read()) {
            if (next.kind === "missed") seen += next.count;
            else {
              assert.equal(next.seq, seen);
              assert.ok(next.bytes.every((byte) => byte === next.seq % 256));
              seen++;
            }
          }
        };
        for (const step of steps) {
          if (step === "read") read();
          else {
            assert.ok(writer.write(new Uint8Array(step).fill(written % 256)));
            written++;
          }
        }
        read();
        assert.equal(seen, written);
      },
    ),
  );
});

Deno.test("a late reader from the oldest record sees a gapless end of the history", () => {
  const { buffer, writer } = make();
  for (let i = 0; i < 300; i++) writer.write(bytes(`event ${i}`));
  const reader = new RingReader(buffer, { from: "oldest" });
  const seqs: number[] = [];
  for (let next = reader.read(); next; next = reader.read()) {
    assert.ok(next.kind === "record");
    assert.equal(text(next.bytes), `event ${next.seq}`);
    seqs.push(next.seq);
  }
  assert.equal(seqs.at(-1), 299);
  assert.ok(seqs.length >= 30);
  assert.deepEqual(seqs, seqs.map((_, i) => seqs[0]! + i));
});

Deno.test("a record over a quarter of the ring is refused and nothing is written", () => {
  const { buffer, writer } = make();
  const reader = new RingReader(buffer);
  assert.equal(writer.write(new Uint8Array(257)), false);
  assert.equal(reader.read(), undefined);
  assert.equal(writer.written, 0);
});

Deno.test("memory without a ring, or of another layout, is refused", () => {
  assert.throws(() => new RingReader(new SharedArrayBuffer(2048)), /holds none/);
  const { buffer } = make();
  new Int32Array(buffer)[1] = 9;
  assert.throws(() => new RingReader(buffer), /version 9: this reader knows 1/);
  assert.throws(() => new RingWriter(new SharedArrayBuffer(4096), { capacity: 3000 }), /power of two/);
});

Deno.test("a sleeping reader in another thread is woken and misses nothing it is not told of", async () => {
  const { buffer, writer } = make(1 << 16);
  const url = new URL("./ring_reader_worker.ts", import.meta.url);
  const worker = new Worker(url, { type: "module", deno: { permissions: "none" } });
  const ready = Promise.withResolvers<void>();
  const done = Promise.withResolvers<{ seen: number; missed: number; torn: number }>();
  worker.onmessage = ({ data }) => data === "ready" ? ready.resolve() : done.resolve(data);
  worker.postMessage({ buffer, total: 20_000 });
  await ready.promise;
  for (let i = 0; i < 20_000; i++) {
    writer.write(new Uint8Array(200).fill(i % 251));
    if (i % 500 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const { seen, missed, torn } = await done.promise;
  worker.terminate();
  assert.equal(torn, 0);
  assert.equal(seen + missed, 20_000);
  assert.ok(seen > 0);
});

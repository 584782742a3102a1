import assert from "node:assert/strict";
import { createLog, type LogRecord } from "../../../core/base/log.ts";
import { measured, progressLog, progressOf } from "../../../core/base/progress.ts";

Deno.test("long work is told once a hundredth for who watches, and once a tenth for the log", () => {
  const records: LogRecord[] = [];
  const tell = progressLog(createLog("memory", (record) => records.push(record)), "Converting x");
  for (let i = 0; i <= 10_000; i++) tell(i / 10_000, `${i} words`);
  tell(1.5, "more than there was");
  assert.equal(records.length, 101);
  assert.deepEqual(records.filter(({ level }) => level === "info").length, 11);
  assert.deepEqual(progressOf(records.at(-1)!.fields), { title: "Converting x", share: 1 });
  assert.match(records[50]!.text, /^Converting x: 5000 words \(50 %\)$/);
});

Deno.test("work that was given up is told once, if it was told at all", () => {
  const records: LogRecord[] = [];
  const tell = progressLog(createLog("memory", (record) => records.push(record)), "Converting x");
  tell(null, "given up");
  assert.deepEqual(records, []);
  tell(0.25, "some words");
  tell(null, "given up");
  tell(null, "given up");
  assert.deepEqual(records.map(({ fields }) => progressOf(fields)?.share), [0.25, null]);
});

Deno.test("measured() gives the stream as it is and tells the share that was read", async () => {
  const shares: number[] = [];
  const bytes = new Uint8Array(10).fill(7);
  const stream = new Blob([bytes]).stream() as ReadableStream<Uint8Array<ArrayBuffer>>;
  const out = new Uint8Array(await new Response(measured(stream, 20, (share) => shares.push(share))).arrayBuffer());
  assert.deepEqual(out, bytes);
  assert.equal(shares.at(-1), 0.5);
});

Deno.test("other lines of the log carry no progress", () => {
  assert.equal(progressOf(undefined), undefined);
  assert.equal(progressOf({ progress: "half" }), undefined);
});

import assert from "node:assert/strict";
import { createLog, type LogRecord } from "../../../core/base/log.ts";
import { progressLog, progressOf } from "../../../core/base/progress.ts";

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

Deno.test("other lines of the log carry no progress", () => {
  assert.equal(progressOf(undefined), undefined);
  assert.equal(progressOf({ progress: "half" }), undefined);
});

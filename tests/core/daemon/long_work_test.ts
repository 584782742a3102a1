import assert from "node:assert/strict";
import type { Progress } from "../../../core/base/progress.ts";
import { LongWork } from "../../../core/daemon/long_work.ts";

Deno.test("who begins to watch is told what is going on, and from then on everything, until they stop", () => {
  const work = new LongWork();
  work.tell({ title: "a", share: 0.1 });
  work.tell({ title: "b", share: 0.2 });
  work.tell({ title: "a", share: 0.3 });
  work.tell({ title: "b", share: null });
  work.tell({ title: "c", share: 1 });
  const told: Progress[] = [];
  const watching = work.watch((progress) => told.push(progress));
  assert.deepEqual(told, [{ title: "a", share: 0.3 }]);
  work.tell({ title: "a", share: 1 });
  assert.deepEqual(told.at(-1), { title: "a", share: 1 });
  watching[Symbol.dispose]();
  work.tell({ title: "a", share: 0 });
  assert.equal(told.length, 2);
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { EventBatch, TypeFilter, unpackEvents } from "../../../plugins/host/event_batch.ts";

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

Deno.test("EventBatch gives back every event that was added, whatever is in it, and what did not fit again later", () => {
  fc.assert(fc.property(fc.array(fc.jsonValue(), { maxLength: 40 }), (payloads) => {
    const batch = new EventBatch();
    for (const payload of payloads) assert.ok(batch.add(encode(payload)));
    batch.missed += 3;
    assert.equal(batch.isEmpty, false);
    const taken = batch.take();
    assert.deepEqual(unpackEvents(taken), JSON.parse(JSON.stringify(payloads)));
    assert.equal(taken.missed, 3);
    assert.ok(batch.isEmpty);
  }));
  const batch = new EventBatch();
  const large = encode("x".repeat(200 << 10));
  assert.ok(batch.add(large));
  assert.equal(batch.add(large), false);
  assert.equal(unpackEvents(batch.take()).length, 1);
  assert.ok(batch.add(encode("y".repeat(1 << 20))), "one that is larger than a batch goes alone");
  assert.equal(unpackEvents(batch.take()).length, 1);
});

Deno.test("TypeFilter tells an event's type from its bytes, in whatever order it is written", () => {
  const filter = new TypeFilter();
  filter.add("response");
  filter.add("timer");
  const event = (type: string, payload: unknown = {}) => encode({ seq: 12, at: 3.5, type, source: "a,b", payload });
  assert.ok(filter.wants(event("response")));
  assert.ok(filter.wants(event("timer", { type: "output" })));
  assert.ok(!filter.wants(event("output", { type: "response" })));
  assert.ok(!filter.wants(event("response_more")));
  assert.ok(!filter.wants(event("respons")));
  assert.ok(filter.wants(encode({ type: "response", seq: 1, at: 1, source: "x", payload: {} })));
  assert.ok(!filter.wants(encode({ source: "response", type: "output", seq: 1, at: 1, payload: {} })));
  filter.delete("timer");
  assert.ok(!filter.wants(event("timer")));
});

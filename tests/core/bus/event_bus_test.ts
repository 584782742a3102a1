import assert from "node:assert/strict";
import { EventBus, RingReader } from "../../../core/bus/mod.ts";
import type { BusEvent } from "../../../core/wire/event.ts";

Deno.test("publish() numbers events without gaps and gives each listener only its types", () => {
  const bus = new EventBus({ now: () => 7 });
  const all: BusEvent[] = [], tools: BusEvent[] = [];
  bus.subscribe(undefined, (event) => all.push(event));
  const subscription = bus.subscribe(["tool_call"], (event) => tools.push(event));
  bus.publish({ type: "raw_input", source: "cli", payload: { text: "hi" } });
  bus.publish({ type: "tool_call", source: "kernel", payload: {} });
  subscription[Symbol.dispose]();
  bus.publish({ type: "tool_call", source: "kernel", payload: {} });
  assert.deepEqual(all.map((event) => event.seq), [1, 2, 3]);
  assert.deepEqual(all[0], { seq: 1, at: 7, type: "raw_input", source: "cli", payload: { text: "hi" } });
  assert.deepEqual(tools.map((event) => event.seq), [2]);
});

Deno.test("a listener that throws is reported and the others still get the event", () => {
  const problems: string[] = [];
  const bus = new EventBus({ onProblem: (text) => problems.push(text) });
  let got = 0;
  bus.subscribe(undefined, () => {
    throw new Error("boom");
  });
  bus.subscribe(undefined, () => got++);
  bus.publish({ type: "error", source: "test", payload: {} });
  assert.equal(got, 1);
  assert.match(problems[0]!, /boom/);
});

Deno.test("the ring holds every event as JSON; one that is too large says so instead of vanishing", () => {
  const bus = new EventBus({ ringCapacity: 4096 });
  const reader = new RingReader(bus.ring());
  bus.publish({ type: "response", source: "kernel", payload: { text: "你好" } });
  bus.publish({ type: "response", source: "kernel", payload: { text: "x".repeat(5000) } });
  const events: BusEvent[] = [];
  for (let next = reader.read(); next?.kind === "record"; next = reader.read()) {
    events.push(JSON.parse(new TextDecoder().decode(next.bytes.slice())));
  }
  assert.deepEqual(events.map((event) => event.payload), [{ text: "你好" }, { too_large: true }]);
});

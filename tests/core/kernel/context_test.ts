import assert from "node:assert/strict";
import fc from "fast-check";
import { cosine, PROTECTED_EVENTS, RelevanceContext, textForVector } from "../../../core/kernel/context.ts";
import type { ContextEvent, Vector } from "../../../core/wire/memory.ts";
import { fakeVector } from "../../kit/fake_memory.ts";
import { kernelHome } from "../../kit/kernel_home.ts";

const event = (id: number, more: Partial<ContextEvent> = {}): ContextEvent => ({
  id: String(id),
  kind: "user",
  at: id,
  turn: String(id),
  source: "cli",
  channel: "cli",
  input: `message ${id}`,
  ...more,
});
const ids = (events: readonly ContextEvent[]) => events.map(({ id }) => id);

const events = fc.array(
  fc.record({
    at: fc.integer({ min: 0, max: 50 }),
    source: fc.constantFrom("cli", "agentcli", "terminal"),
    text: fc.constantFrom("cats", "dogs", "weather", ""),
  }),
  { maxLength: 60 },
).map((rows) => rows.map((row, index) => event(index, { ...row, vector: fakeVector(row.text) })));

Deno.test("prune() keeps the last ten events whatever their score, keeps topK, and keeps order", () => {
  fc.assert(fc.property(events, fc.integer({ min: 0, max: 40 }), (given, topK) => {
    const context = new RelevanceContext();
    context.load(given);
    const before = [...context.events];
    const { archive, drop } = context.prune(fakeVector("cats"), topK);
    const kept = ids(context.events);
    assert.deepEqual(kept.slice(-PROTECTED_EVENTS), ids(before).slice(-PROTECTED_EVENTS));
    assert.equal(kept.length, Math.min(before.length, Math.max(topK, PROTECTED_EVENTS)));
    assert.deepEqual(kept, ids(before).filter((id) => kept.includes(id)));
    assert.deepEqual([...kept, ...ids(archive), ...ids(drop)].sort(), ids(before).sort());
    assert.ok(drop.every(({ source }) => source !== "cli") && archive.every(({ source }) => source === "cli"));
    assert.deepEqual(context.prune(fakeVector("cats"), topK), { archive: [], drop: [] });
  }));
});

Deno.test("prune() gives up what is farthest from the message at hand", () => {
  const context = new RelevanceContext();
  context.load(Array.from({ length: 20 }, (_, id) => event(id, { vector: fakeVector(id === 3 ? "cats" : "zzz") })));
  context.prune(fakeVector("cats"), 11);
  assert.deepEqual(ids(context.events), ["3", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19"]);
});

Deno.test("a vector's text: an agent's response, a user's input, a returned document's both, a cleaner's before all", () => {
  const both = { input: "in", response: "out" };
  assert.equal(textForVector(event(1, { kind: "agent", ...both })), "out");
  assert.equal(textForVector(event(1, { kind: "user", ...both })), "in");
  assert.equal(textForVector(event(1, { kind: "cold_storage", ...both })), "in\nout");
  assert.equal(textForVector(event(1, { ...both, vector_text: "cleaned" })), "cleaned");
  assert.equal(textForVector(event(1, { ...both, vector_text: "cleaned", no_memory: true })), "");
});

Deno.test("cosine() never compares two spaces, and sparse vectors by their indexes", () => {
  const vector = (space: string, values: number[], at?: number[]): Vector => ({
    space,
    values: new Float32Array(values),
    ...(at && { at: new Uint32Array(at) }),
  });
  assert.equal(cosine(vector("a", [1, 0]), vector("b", [1, 0])), 0);
  assert.equal(cosine(vector("a", [1, 0]), vector("a", [1, 0])), 1);
  assert.equal(cosine(vector("a", [0.5, 0.5], [1, 9]), vector("a", [1, 0.5], [2, 9])), 0.25);
  assert.equal(cosine(vector("a", [1, 0]), vector("a", [1], [0])), 0);
  assert.equal(cosine(undefined, vector("a", [1])), 0);
  assert.equal(cosine(vector("a", [NaN]), vector("a", [1])), 0);
});

Deno.test("a long conversation stays within the window, and what leaves it is archived once", async () => {
  const home = await kernelHome([]);
  for (let n = 0; n < 40; n++) {
    await home.say(`message ${n}`);
    assert.ok(home.kernel.archive.size <= 16, "much of it does not wait for a pause");
  }
  assert.ok(home.kernel.context.events.length <= 31, String(home.kernel.context.events.length));
  assert.ok(home.memory.archived.length > 0);
  await home.clock.advance(1000);
  assert.equal(home.kernel.archive.size, 0);
  assert.equal(new Set(home.memory.archived).size, home.memory.archived.length);
  assert.equal(home.memory.archived.length + home.kernel.context.events.length, home.memory.events.length);
});

Deno.test("what left the window is archived once nobody speaks for a moment, and at the end", async () => {
  const home = await kernelHome([], { settings: { max_context_size: 10 } });
  for (let n = 0; n < 6; n++) await home.say(`message ${n}`);
  const waiting = home.kernel.archive.size;
  assert.ok(waiting > 0);
  assert.deepEqual(home.memory.archived, [], "nothing waits for it while messages come");
  await home.clock.advance(1000);
  assert.equal(home.memory.archived.length, waiting);
  await home.say("one more");
  assert.ok(home.kernel.archive.size > 0);
  await home.kernel.loop.stop(0);
  assert.equal(home.kernel.archive.size, 0);
});

Deno.test("events that could not be archived wait for the next time, in their order, and are archived once", async () => {
  const home = await kernelHome([], { settings: { max_context_size: 10 } });
  const archive = home.memory.on["context.archive"];
  home.memory.on["context.archive"] = () => {
    throw new Error("disk full");
  };
  for (let n = 0; n < 10; n++) await home.say(`message ${n}`);
  await home.clock.advance(1000);
  const waiting = home.kernel.archive.size;
  assert.equal(waiting + home.kernel.context.events.length, 20);
  if (archive) home.memory.on["context.archive"] = archive;
  else delete home.memory.on["context.archive"];
  await home.kernel.archive.send();
  assert.equal(home.memory.archived.length, waiting);
  assert.deepEqual(home.memory.archived, [...home.memory.archived].sort());
});

Deno.test("documents that were consumed join the window at their own time", async () => {
  const home = await kernelHome([{ calls: [{ name: "doc_query", args: { query: "old" } }] }, { text: "found" }]);
  home.memory.documents = [event(5, { kind: "cold_storage", source: "cold_storage", input: "an old note" })];
  await home.say("what about the old note?");
  assert.equal(home.kernel.context.events[0]!.input, "an old note");
});

Deno.test("the window is there again after a restart, with vectors for what lies beyond the last ten", async () => {
  const home = await kernelHome([]);
  home.memory.events.push(...Array.from({ length: 15 }, (_, id) => event(id)));
  await home.kernel.start(home.kernel.settings);
  assert.equal(home.kernel.context.events.length, 15);
  await home.say("hello");
  const embedded = home.memory.calls.find(({ method }) => method === "memory.embed")!.params as { texts: string[] };
  assert.deepEqual(embedded.texts, Array.from({ length: 6 }, (_, id) => `message ${id}`));
});

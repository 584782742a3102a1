import assert from "node:assert/strict";
import { SliceArena } from "../../../plugins/host/slice_arena.ts";
import { packFields, unpackFields } from "../../../plugins/host/payload.ts";
import { until } from "../../kit/until.ts";
import { js, jsTool, type PluginFiles, raw, stageContext, testHost } from "./kit.ts";
import { StageRoom } from "../../../plugins/host/stage_room.ts";

const appender = (name: string, count = 2000): PluginFiles =>
  js(`await sdk.registerStage("on_input", async (ctx, info) => {
    for (let i = 0; i < ${count}; i++) await info.update((now) => { now.errors.push("${name} " + i); });
  });`);

/** Processes append to one context; with `times` each. */
async function appendAll(times: number, segment: boolean) {
  const names = ["one", "two", "three", "four"];
  await using test = await testHost({
    plugins: {
      ...Object.fromEntries(names.map((name) => [name, appender(name, times)])),
      // It does not map the segment.
      "raw-append": raw(),
    },
    limits: { stage_timeout: 300_000 },
    ports: { segment },
  });
  const owners = [...names, "raw-append"];
  const { patch, errors } = await test.stage("on_input", owners, { extra: { times } });
  assert.deepEqual(errors, []);
  assert.equal(new Set(patch.errors).size, owners.length * times);
  for (const name of owners) {
    const own = patch.errors!.filter((line) => line.startsWith(`${name} `));
    assert.deepEqual(own, Array.from({ length: times }, (_, i) => `${name} ${i}`));
  }
}

Deno.test("five processes that append to one context lose nothing, one of them without the segment", async () => {
  await appendAll(2000, true);
});

Deno.test("without a segment they lose nothing either", async () => {
  await appendAll(100, false);
});

Deno.test("handlers that append at once without the lock are joined, and run again on a conflict", async () => {
  const edit = (name: string, body: string) =>
    js(`await sdk.registerStage("pre_action", async (ctx) => { ${body} }); void "${name}";`);
  await using test = await testHost({
    plugins: {
      one: edit("one", 'ctx.errors.push("one"); ctx.extra.one = 1; ctx.memory += "1";'),
      two: edit("two", 'ctx.errors.push("two"); ctx.extra.two = 2; ctx.memory += "2";'),
      three: edit("three", 'throw new Error("not me");'),
    },
  });
  const { patch, errors } = await test.stage("pre_action", ["one", "two", "three"], { errors: ["zero"] });
  assert.deepEqual(patch.errors!.toSorted(), ["one", "two", "zero"]);
  assert.deepEqual(patch.extra, { one: 1, two: 2 });
  assert.equal(patch.memory!.length, 2);
  assert.deepEqual(errors.map(({ owner }) => owner), ["three"]);
});

Deno.test("large arguments, results and patches come through whole, with the segment and without", async (t) => {
  for (const segment of [true, false]) {
    await t.step(segment ? "through the segment" : "in parts", async () => {
      await using test = await testHost({
        plugins: {
          big: js(
            jsTool("big_echo", "return args.text;") +
              jsTool("big_list", "return {list: Array.from({length: args.n}, (_, i) => i), n: args.n};") +
              `await sdk.registerStage("on_input", (ctx) => { ctx.extra.big = "ü".repeat(100000); });`,
          ),
        },
        ports: { segment },
      });
      const text = "día 日 🎉 ".repeat(400_000);
      assert.equal((await test.tool("big_echo", { text })).result, text);
      const { result } = await test.tool("big_list", { n: 100_000 });
      assert.equal((result as { list: number[] }).list.length, 100_000);
      const { patch, errors } = await test.stage("on_input", ["big"], { raw_message: "x".repeat(50_000) });
      assert.deepEqual(errors, []);
      assert.equal(patch.extra!.big, "ü".repeat(100_000));
    });
  }
});

Deno.test("events reach a plugin in order through the ring and inline, and what was missed is counted", async (t) => {
  for (const segment of [true, false]) {
    await t.step(segment ? "ring" : "inline", async () => {
      await using test = await testHost({
        plugins: {
          ear: {
            ...js(
              `const seen = []; let missed = 0;
              await sdk.events.subscribe(["response"], (event) => { missed += event.missed; seen.push(event.payload.i); });` +
                jsTool(
                  "ear_seen",
                  "return {seen: seen.length, missed, sorted: seen.every((v, i) => i === 0 || v > seen[i - 1]), last: seen.at(-1)};",
                ),
            ),
            manifest: { capabilities: ["events"] },
          },
        },
        ports: { segment },
      });
      for (let i = 0; i < 100_000; i++) {
        test.bus.publish({ type: "response", source: "test", payload: { i } });
        test.bus.publish({ type: "timer", source: "test", payload: {} });
      }
      const last = await until("the last event is there", async () => {
        const { result } = await test.tool("ear_seen") as {
          result: { seen: number; missed: number; sorted: boolean; last: number };
        };
        return result.last === 99_999 && result;
      });
      assert.equal(last.sorted, true);
      assert.ok(last.missed > 0 && last.seen > 100);
      if (!segment) assert.equal(last.seen + last.missed, 100_000);
    });
  }
});

Deno.test("StageRoom gives a stale patch a conflict instead of a lost update", async () => {
  const room = new StageRoom({ seq: 1, stage: "on_input", ctx: stageContext("on_input"), shared: undefined });
  const { version } = room.enter({ owner: "a", slot: 1, shared: false });
  await room.apply({ memory: "first" }, version);
  await assert.rejects(
    () => room.apply({ memory: "second" }, version),
    (error: { code: number }) => error.code === -32003,
  );
  await assert.rejects(() => room.apply({ context_msgs: "no list" } as never, version), /must be a list/);
  await assert.rejects(() => room.apply({ phase: "on_input" }, version), /not for handlers/);
  assert.equal(room.ctx.memory, "first");
});

Deno.test("SliceArena gives memory back, joins free ranges, and keeps slots apart", () => {
  const arena = new SliceArena(new ArrayBuffer(1024), { offset: 0, size: 1024 });
  const slices = Array.from({ length: 8 }, () => arena.alloc(128, 1)!);
  assert.equal(arena.alloc(1, 2), undefined);
  for (const offset of [3, 1, 2, 0, 7, 5, 6, 4]) arena.free(slices[offset]!, 1);
  assert.equal(arena.alloc(1024, 2), 0);
  arena.free(0, 1);
  assert.equal(arena.available, 0);
  assert.throws(() => arena.read(0, 10, 1), /no slice/);
  arena.releaseAll(2);
  assert.equal(arena.available, 1024);
});

Deno.test("packFields() and unpackFields() are each other's opposite", () => {
  const memory = new Map<number, Uint8Array>();
  let next = 0;
  const fields = {
    small: 1,
    text: "é".repeat(5000),
    list: Array.from({ length: 5000 }, (_, i) => i),
    bytes: new Uint8Array(9000).fill(7),
    none: null,
  };
  const packed = packFields(fields, {
    write(bytes) {
      memory.set(next, bytes);
      return next++;
    },
  });
  assert.equal(memory.size, 3);
  assert.deepEqual(unpackFields(packed, { read: (offset) => memory.get(offset)! }), fields);
});

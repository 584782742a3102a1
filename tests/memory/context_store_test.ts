import assert from "node:assert/strict";
import fc from "fast-check";
import { ContextStore, SNAPSHOT_DELAY } from "../../memory/context_store.ts";
import { diskStore, type FileStore } from "../../memory/files.ts";
import { ManualClock } from "../kit/manual_clock.ts";
import { tempFolder } from "../kit/temp_folder.ts";
import { said } from "./kit.ts";

function open(path: string, around: { store?: FileStore; clock?: ManualClock } = {}) {
  const { clock = new ManualClock(), store = diskStore([path]) } = around;
  const problems: string[] = [];
  const context = new ContextStore({
    store,
    path: `${path}/context.json`,
    clock,
    onProblem: (text) => problems.push(text),
  });
  return { context, notices: context.open(), clock, problems };
}

const ids = (context: ContextStore) => context.events().map((event) => event.id);

Deno.test("put() is on disk before it resolves, without any snapshot", async () => {
  await using folder = await tempFolder();
  const { context } = open(folder.path);
  await context.put(said("a", "one"));
  await context.put(said("b", "two"));
  await context.remove(["a", "unknown"]);
  assert.deepEqual(ids(open(folder.path).context), ["b"]);
  assert.equal(await exists(`${folder.path}/context.json`), false);
});

Deno.test("the snapshot is written five seconds after the first change, once for all", async () => {
  await using folder = await tempFolder();
  const { context, clock } = open(folder.path);
  await context.put(said("a", "one"));
  await clock.advance(SNAPSHOT_DELAY - 1);
  assert.equal(await exists(`${folder.path}/context.json`), false);
  await context.put(said("b", "two"));
  await clock.advance(1);
  const snapshot = JSON.parse(await Deno.readTextFile(`${folder.path}/context.json`));
  assert.deepEqual(snapshot.events.map((event: { id: string }) => event.id), ["a", "b"]);
  assert.equal(clock.sleeping, 0, "nothing waits while nothing happens");
});

Deno.test("each event has its own place among all that was said, also after a restart and when others have left", async () => {
  await using folder = await tempFolder();
  const places = (context: ContextStore) => context.events().map(({ id, n }) => `${id}${n}`);
  const { context } = open(folder.path);
  for (const [at, id] of ["a", "b", "c"].entries()) await context.put(said(id, "x", { at }));
  assert.deepEqual(places(context), ["a1", "b2", "c3"]);
  await context.put(said("b", "said otherwise", { at: 1 }));
  await context.remove(["c"]);
  const fromLog = open(folder.path).context;
  await fromLog.put(said("d", "x", { at: 3 }));
  await fromLog.save();
  const fromSnapshot = open(folder.path).context;
  await fromSnapshot.put(said("e", "x", { at: 4 }));
  assert.deepEqual(places(fromSnapshot), ["a1", "b2", "d4", "e5"]);
});

Deno.test("events are in the order of their times, whenever they came", async () => {
  await using folder = await tempFolder();
  const { context } = open(folder.path);
  await context.put(said("late", "x", { at: 300 }));
  await context.put(said("early", "y", { at: 100 }));
  await context.put(said("early too", "z", { at: 100 }));
  assert.deepEqual(ids(context), ["early", "early too", "late"]);
});

Deno.test("the log's replay equals the state, for any changes with snapshots anywhere between", async () => {
  const change = fc.oneof(
    { weight: 5, arbitrary: fc.record({ put: fc.nat(9), text: fc.string({ unit: "grapheme" }) }) },
    { weight: 2, arbitrary: fc.record({ remove: fc.array(fc.nat(9), { maxLength: 3 }) }) },
    { weight: 1, arbitrary: fc.constant("save" as const) },
    { weight: 1, arbitrary: fc.constant("reopen" as const) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 25 }), async (changes) => {
      await using folder = await tempFolder();
      let { context } = open(folder.path);
      for (const one of changes) {
        if (one === "save") await context.save();
        else if (one === "reopen") ({ context } = open(folder.path));
        else if ("put" in one) await context.put(said(`e${one.put}`, one.text, { at: one.put }));
        else await context.remove(one.remove.map((n) => `e${n}`));
      }
      const again = open(folder.path);
      assert.deepEqual(again.notices, []);
      assert.deepEqual(again.context.events(), context.events());
    }),
    { numRuns: 60 },
  );
});

Deno.test("a log cut at any byte loses only the append that was not acknowledged", async () => {
  await using folder = await tempFolder();
  const { context } = open(folder.path);
  await context.put(said("a", "第一句"));
  const whole = (await Deno.stat(`${folder.path}/context.log`)).size;
  await context.put(said("b", "第二句 🎈"));
  const log = await Deno.readFile(`${folder.path}/context.log`);
  for (let length = whole; length < log.length; length++) {
    await Deno.writeFile(`${folder.path}/context.log`, log.subarray(0, length));
    const cut = open(folder.path);
    assert.deepEqual(cut.notices, [], "a torn end is what a kill leaves, no damage");
    assert.deepEqual(ids(cut.context), ["a"]);
    await cut.context.put(said("c", "第三句"));
    assert.deepEqual(ids(open(folder.path).context), ["a", "c"], "and the next line is not glued to it");
  }
});

Deno.test("a log whose end is no line at all is damage, and told", async () => {
  for (const spoil of [(n: number) => new Uint8Array(n), (n: number) => new Uint8Array(n).fill(0x7b)]) {
    await using folder = await tempFolder();
    const { context } = open(folder.path);
    await context.put(said("a", "第一句"));
    const whole = await Deno.readFile(`${folder.path}/context.log`);
    await Deno.writeFile(`${folder.path}/context.log`, new Uint8Array([...whole, ...spoil(300)]));
    const again = open(folder.path);
    assert.match(again.notices.join(), /context\.log was damaged .* kept as/);
    assert.deepEqual(ids(again.context), ["a"]);
    assert.deepEqual(open(folder.path).notices, []);
  }
});

for (
  const [damage, bytes] of [
    ["empty", () => new Uint8Array()],
    ["full of zeros", (old: Uint8Array) => new Uint8Array(old.length)],
    ["cut", (old: Uint8Array) => old.slice(0, old.length >> 1)],
    ["another file's", () => new TextEncoder().encode('{"some":"thing"}')],
    ["changed", (old: Uint8Array) => new TextEncoder().encode(new TextDecoder().decode(old).replace("one", "two"))],
  ] as const
) {
  Deno.test(`a snapshot that is ${damage} is set aside, told, and costs no event`, async () => {
    await using folder = await tempFolder();
    const { context } = open(folder.path);
    await context.put(said("a", "one"));
    await context.save();
    await context.put(said("b", "more"));
    await context.save();
    await context.put(said("c", "last"));
    const path = `${folder.path}/context.json`;
    await Deno.writeFile(path, bytes(await Deno.readFile(path)));

    const after = open(folder.path);
    assert.deepEqual(ids(after.context), ["a", "b", "c"]);
    assert.equal(after.notices.length, 1);
    assert.match(after.notices[0]!, /context\.json was damaged .* set aside as .*\.damaged-/);
    const names = [...Deno.readDirSync(folder.path)].map((entry) => entry.name);
    assert.equal(names.filter((name) => name.includes(".damaged-")).length, 1);
    const again = open(folder.path);
    assert.deepEqual([ids(again.context), again.notices], [["a", "b", "c"], []]);
  });
}

Deno.test("a broken line in the middle of the log is told, and the other lines count", async () => {
  await using folder = await tempFolder();
  const { context } = open(folder.path);
  for (const id of ["a", "b", "c"]) await context.put(said(id, id));
  const lines = (await Deno.readTextFile(`${folder.path}/context.log`)).split("\n");
  lines[1] = lines[1]!.replace(/.$/, "X");
  await Deno.writeTextFile(`${folder.path}/context.log`, lines.join("\n"));
  const after = open(folder.path);
  assert.deepEqual(ids(after.context), ["a", "c"]);
  assert.match(after.notices.join(), /1 of its lines could not be read/);
  assert.deepEqual(open(folder.path).notices, []);
});

Deno.test("a full disk refuses the message, keeps nothing of it, and recovers when there is room", async () => {
  await using folder = await tempFolder();
  const disk = diskStore([folder.path]);
  let full = false;
  const store: FileStore = {
    ...disk,
    append(path, bytes) {
      if (!full) return disk.append(path, bytes);
      return Promise.reject(Object.assign(new Error("No space left on device"), { code: "ENOSPC" }));
    },
  };
  const { context } = open(folder.path, { store });
  await context.put(said("a", "one"));
  full = true;
  await assert.rejects(context.put(said("b", "two")));
  await assert.rejects(context.put(said("a", "changed")));
  await assert.rejects(context.remove(["a"]));
  assert.deepEqual(context.events().map((event) => event.input), ["one"], "reading goes on, with what is on disk");
  full = false;
  await context.put(said("c", "three"));
  await context.save();
  assert.deepEqual(open(folder.path).context.events().map((event) => event.input), ["one", "three"]);
});

Deno.test("appends that come together share the disk's time and keep their order", async () => {
  await using folder = await tempFolder();
  const disk = diskStore([folder.path]);
  let appends = 0;
  const { context } = open(folder.path, {
    store: { ...disk, append: (path, bytes) => (appends++, disk.append(path, bytes)) },
  });
  await Promise.all(Array.from({ length: 50 }, (_, i) => context.put(said(`e${i}`, `${i}`, { at: i }))));
  assert.ok(appends < 10, `${appends} waits for the disk`);
  assert.equal(open(folder.path).context.size, 50);
});

Deno.test("scrub() leaves no byte of what was removed in any file", async () => {
  await using folder = await tempFolder();
  const { context } = open(folder.path);
  await context.put(said("a", "Mirabelle lives in Lyon"));
  await context.save();
  await context.put(said("b", "something else"));
  await context.save();
  await context.remove(["a"]);
  await context.scrub();
  for (const { name } of Deno.readDirSync(folder.path)) {
    assert.doesNotMatch(await Deno.readTextFile(`${folder.path}/${name}`), /Mirabelle/, name);
  }
  assert.deepEqual(ids(open(folder.path).context), ["b"]);
});

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

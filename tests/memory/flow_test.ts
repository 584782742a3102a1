import assert from "node:assert/strict";
import type { ContextEvent, Triple } from "../../core/wire/memory.ts";
import { HomedError } from "../../core/base/errors.ts";
import { diskStore, type FileStore } from "../../memory/files.ts";
import { Flow } from "../../memory/flow.ts";
import type { Memory } from "../../memory/memory.ts";
import { ManualClock } from "../kit/manual_clock.ts";
import { tempFolder } from "../kit/temp_folder.ts";
import { checkConsistent } from "./flow_check.ts";
import { abandon, HOUR, Kill, Killed, openMemory, said } from "./kit.ts";

const FACT: Triple = { subject: "Iris", predicate: "lives in", object: "Lyon" };

interface Movement {
  name: string;
  prepare(memory: Memory): Promise<void>;
  run(flow: Flow, memory: Memory): Promise<unknown>;
  /** Where each fact must be found: in exactly one place. */
  check(memory: Memory): void;
}

function picture(memory: Memory): string {
  return memory.media!.put("image/png", new Uint8Array([1, 2, 3]), "a map");
}

function onceEach(memory: Memory, ids: string[]): void {
  for (const id of ids) {
    const places = [memory.context.get(id), memory.documents.get(id)].filter((place) => place !== undefined);
    assert.equal(places.length, 1, `${id} is in one tier`);
  }
}

const MOVEMENTS: Movement[] = [
  {
    name: "append",
    prepare: () => Promise.resolve(),
    run: (flow, memory) => flow.append(said("e1", "a thing", { media: [picture(memory)] })),
    check: (memory) => assert.ok(memory.context.size <= 1),
  },
  {
    name: "archive",
    async prepare(memory) {
      await memory.append(said("e1", "first thing", { media: [picture(memory)] }));
      await memory.append(said("e2", "second thing"));
      await memory.append(said("e3", "top -b", { source: "terminal" }));
    },
    run: (flow) => flow.archive(["e1", "e2"], ["e3"]),
    check: (memory) => onceEach(memory, ["e1", "e2"]),
  },
  {
    name: "consume",
    async prepare(memory) {
      memory.commitDocument({ content: "the boiler was serviced", media_digests: [picture(memory)] });
      await memory.append(said("e1", "boiler code is 4471"));
      await memory.flow.archive(["e1"]);
    },
    run: (flow, memory) => flow.consume([...memory.documents.iterate()].map((document) => document.id)),
    check(memory) {
      const texts = [
        ...memory.context.events().map((event) => event.input),
        ...[...memory.documents.iterate()].map((d) => d.content),
      ];
      assert.deepEqual(texts.sort(), ["boiler code is 4471", "the boiler was serviced"]);
    },
  },
  {
    name: "distill",
    async prepare(memory) {
      await memory.append(said("e1", "Iris lives in Lyon.", { media: [picture(memory)] }));
      await memory.flow.archive(["e1"]);
    },
    run: (flow, memory) => Promise.resolve(flow.distill(memory.documents.get("e1")!, [FACT])),
    check(memory) {
      const facts = [...memory.graph.iterate()];
      assert.equal(facts.length + (memory.documents.has("e1") ? 1 : 0), 1, "a document, or its fact");
      for (const fact of facts) assert.equal(fact.sentence, "Iris lives in Lyon.");
    },
  },
  {
    name: "take back",
    async prepare(memory) {
      await memory.append(said("e1", "Iris lives in Lyon.", { media: [picture(memory)] }));
      await memory.flow.archive(["e1"]);
      memory.flow.distill(memory.documents.get("e1")!, [FACT]);
    },
    run: (flow, memory) => Promise.resolve(flow.takeBack(memory.undo.get(), { accesses: 3 })),
    check(memory) {
      const facts = [...memory.graph.iterate()].length;
      assert.equal(facts + (memory.documents.has("e1") ? 1 : 0), 1, "a document, or its fact");
      assert.equal(memory.undo.list().length, facts, "what is not taken back can be");
    },
  },
];

for (const { name, prepare, run, check } of MOVEMENTS) {
  Deno.test(`a kill at any write step of ${name} leaves every fact once, in a consistent home`, async () => {
    let swept = 0;
    for (let at = 1;; at++) {
      await using folder = await tempFolder();
      const before = openMemory(folder.path);
      await prepare(before);
      await before.close();

      const kill = new Kill(at);
      const victim = openMemory(folder.path);
      let survived = true;
      try {
        await run(new Flow(kill.tiers(victim.tiers)), victim);
      } catch (error) {
        assert.ok(error instanceof Killed, String(error));
        survived = false;
      }
      abandon(victim);

      await using after = openMemory(folder.path);
      assert.deepEqual(after.notices, []);
      checkConsistent(after);
      check(after);
      if (survived) break;
      swept++;
    }
    assert.ok(swept >= 4, `only ${swept} steps were swept`);
  });

  Deno.test(`a kill at any file operation of ${name} leaves every fact once, in a consistent home`, async () => {
    for (let at = 1;; at++) {
      await using folder = await tempFolder();
      const before = openMemory(folder.path);
      await prepare(before);
      await before.close();

      const kill = new Kill(Infinity);
      const victim = openMemory(folder.path, { store: (roots) => kill.store(diskStore(roots)) });
      kill.killIn(at);
      let survived = true;
      try {
        await run(victim.flow, victim);
      } catch (error) {
        assert.ok(error instanceof Killed, String(error));
        survived = false;
      }
      abandon(victim);

      await using after = openMemory(folder.path);
      checkConsistent(after);
      check(after);
      if (survived) break;
    }
  });
}

/** A disk that has room for so many writes more, then for none: once, or for good. */
function fullAt(inner: FileStore, room: { left: number; forGood: boolean }): FileStore {
  const takes = () => {
    if (room.left === 0 || (room.left < 0 && room.forGood)) {
      room.left = -1;
      throw new HomedError("disk_full", "Cannot save: the disk is full");
    }
    if (room.left > 0) room.left--;
  };
  const writing = new Set<string | symbol>(["write", "append", "draft"]);
  return new Proxy(inner, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (!writing.has(name)) return value;
      return name === "append"
        // deno-lint-ignore require-await
        ? async (path: string, bytes: Uint8Array) => (takes(), target.append(path, bytes))
        : (path: string, bytes: Uint8Array) => (takes(), value.call(target, path, bytes));
    },
  });
}

for (const { name, prepare, run, check } of MOVEMENTS) {
  for (const forGood of [false, true]) {
    Deno.test(`a disk that is full ${forGood ? "from" : "at"} any write of ${name}: it is refused whole, at once`, async () => {
      for (let at = 0;; at++) {
        await using folder = await tempFolder();
        const before = openMemory(folder.path);
        await prepare(before);
        await before.close();

        const room = { left: Infinity, forGood };
        const victim = openMemory(folder.path, { store: (roots) => fullAt(diskStore(roots), room) });
        room.left = at;
        let failed = false;
        try {
          await run(victim.flow, victim);
        } catch (error) {
          assert.equal((error as HomedError).code, "disk_full", String(error));
          failed = true;
        }
        checkConsistent(victim);
        check(victim);
        room.left = Infinity;
        await victim.close();
        await using after = openMemory(folder.path);
        assert.deepEqual(after.notices, []);
        checkConsistent(after);
        check(after);
        if (!failed) break;
      }
    });
  }
}

Deno.test("an event comes back from documents as it was, at its own time", async () => {
  await using folder = await tempFolder();
  await using memory = openMemory(folder.path);
  const event: ContextEvent = {
    ...said("e1", "what is the code?", { at: 1000 }),
    kind: "agent",
    response: "4471",
    messages: [{ role: "assistant", content: "", tool_calls: [] }],
  };
  await memory.append(event);
  assert.deepEqual(await memory.flow.archive(["e1"]), ["e1"]);
  const [back] = await memory.flow.consume(["e1"]);
  assert.equal(back!.kind, "cold_storage");
  assert.equal(back!.source, "cold_storage");
  assert.equal(back!.at, 1000);
  assert.equal(back!.input, "what is the code?");
  assert.equal(back!.response, "4471");
  assert.equal(back!.untrusted, true, "it is not learned again as if said now");
  await memory.flow.archive(["e1"]);
  assert.deepEqual(
    memory.documents.get("e1")!.event,
    JSON.parse(JSON.stringify(event)),
    "the document is the first one",
  );
  checkConsistent(memory);
});

Deno.test("derived documents are neither moved nor distilled", async () => {
  await using folder = await tempFolder();
  await using memory = openMemory(folder.path);
  memory.documents.put({ id: "graph-1", content: "Iris lives in Lyon", derived: true });
  assert.deepEqual(await memory.flow.consume(["graph-1"]), []);
  assert.deepEqual(memory.flow.distill(memory.documents.get("graph-1")!, [FACT]), { ids: [] });
  assert.ok(memory.documents.has("graph-1"));
});

Deno.test("a distilled document can be taken back as a whole", async () => {
  await using folder = await tempFolder();
  await using memory = openMemory(folder.path);
  const id = memory.commitDocument({ content: "Iris lives in Lyon.", media_digests: [picture(memory)] });
  memory.flow.distill(memory.documents.get(id)!, [FACT]);
  assert.equal(memory.documents.has(id), false);
  assert.equal(memory.takeBack().kind, "consolidation");
  assert.equal(memory.documents.get(id)!.content, "Iris lives in Lyon.");
  assert.deepEqual([...memory.graph.iterate()], []);
});

Deno.test("what was being taken back when a kill came is taken back at the next start, however late that is", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  const clock = new ManualClock();
  {
    await using memory = openMemory(home, { clock });
    const id = memory.documents.put({ content: "The lamp is in the attic.", at: clock.now() });
    const fact = { subject: "lamp", predicate: "located in", object: "attic" };
    memory.flow.distill(memory.documents.get(id)!, [fact]);
    memory.tiers.journal.begin({ kind: "take_back", item: memory.undo.get().id, accesses: 3 });
  }
  clock.setWall(clock.now() + 31 * 24 * HOUR);
  await using memory = openMemory(home, { clock });
  assert.equal(memory.documents.stats().documents, 1);
  assert.equal(memory.graph.stats().relations, 0);
  assert.deepEqual(memory.undo.list(), []);
});

import assert from "node:assert/strict";
import type { RpcError } from "../../core/wire/rpc.ts";
import { tempFolder } from "../kit/temp_folder.ts";
import { ManualClock } from "../kit/manual_clock.ts";
import { checkConsistent } from "../memory/flow_check.ts";
import { HOUR, openMemory, openService, said } from "../memory/kit.ts";

/** A real disk of a few hundred kilobytes; needs the right to mount. */
async function smallDisk(size: string): Promise<{ path: string } & AsyncDisposable | undefined> {
  const folder = await tempFolder();
  const run = (command: string, ...args: string[]) =>
    new Deno.Command(command, { args, stdout: "null", stderr: "null" }).output().then(
      ({ success }) => success,
      () => false,
    );
  const mounted = Deno.build.os === "linux" &&
    await run("mount", "-t", "tmpfs", "-o", `size=${size}`, "none", folder.path);
  if (!mounted) {
    await folder[Symbol.asyncDispose]();
    return undefined;
  }
  return {
    path: folder.path,
    [Symbol.asyncDispose]: async () => {
      assert.ok(await run("umount", folder.path));
      await folder[Symbol.asyncDispose]();
    },
  };
}

const probe = await smallDisk("1m");
await probe?.[Symbol.asyncDispose]();

Deno.test("a full disk refuses writes in a sentence, keeps answering, and recovers when there is room", {
  ignore: probe === undefined, // Only root may mount a small disk.
}, async () => {
  await using disk = (await smallDisk("1500k"))!;
  const filler = `${disk.path}/filler`;
  {
    await using home = await openService(disk.path);
    await home.call("graph.commit", { triples: [{ subject: "Iris", predicate: "lives in", object: "Lyon" }] });
    await home.call("context.append", { event: said("e1", "before") });
    const fillers: string[] = [];
    const refused: string[] = [];
    const attempt = async (name: string, work: () => Promise<unknown>) => {
      // What settles meanwhile gives room back: full is what the disk is now.
      fillers.push(`${filler}-${name}`);
      fill(fillers.at(-1)!);
      try {
        await work();
      } catch (error) {
        assert.match((error as RpcError).message, /the disk is full/, name);
        assert.match(String(((error as RpcError).data as { fix: string }).fix), /Make room/, name);
        refused.push(name);
      }
    };
    const long = "word ".repeat(20_000);
    await attempt("context", () => home.call("context.append", { event: said("e2", long) }));
    await attempt("document", () => home.call("doc.commit", { content: long }));
    await attempt(
      "graph",
      () =>
        home.call("graph.commit", {
          triples: [{ subject: long, predicate: "is", object: "long" }],
          sentence_text: long,
        }),
    );
    await attempt("knowledge", () => home.call("knowledge.add", { name: "long", content: long }));
    await attempt("media", () => home.call("media.put", { mime: "image/png", data: new Uint8Array(200_000).fill(1) }));
    assert.deepEqual(refused, ["context", "document", "graph", "knowledge", "media"]);

    assert.ok((await home.call("memory.recall", { query: "where does Iris live" })).hits.length > 0, "reading goes on");
    assert.deepEqual((await home.call("context.load", {})).events.map((event) => event.id), ["e1"]);

    for (const path of fillers) Deno.removeSync(path);
    await home.call("context.append", { event: said("e3", "after") });
    await home.call("doc.commit", { content: "a document after" });
    await home.call("graph.commit", { triples: [{ subject: "Otto", predicate: "likes", object: "rum" }] });
  }
  await using home = await openService(disk.path);
  assert.deepEqual(home.notices, []);
  assert.deepEqual((await home.call("context.load", {})).events.map((event) => event.id), ["e1", "e3"]);
  const { relations, documents } = await home.call("memory.stats", {});
  assert.deepEqual([relations, documents], [2, 1]);
});

type Service = Awaited<ReturnType<typeof openService>>;

const STAGES: Record<string, (home: Service & { path: string }) => Promise<unknown>> = {
  append: (home) => home.call("context.append", { event: said("new", "word ".repeat(400)) }),
  archive: (home) => home.call("context.archive", { ids: ["e0", "e1", "e2"] }),
  consume: (home) => home.call("doc.consume", { query: "old note in a box", top: 3 }),
  commit: (home) => home.call("graph.commit", { triples: [FACT], sentence_text: "long ".repeat(5_000) }),
  merge: (home) => home.call("graph.merge", { from: "Ann", into: "Anna" }),
  undo: (home) => home.call("memory.undo", {}),
  forget: (home) => home.call("memory.forget", { name: "Zelda" }),
  "distilling and copying": (home) => home.call("memory.tick", { loop: "archive" }),
  import: (home) => home.call("memory.import", { path: `${home.path}.jsonl` }),
};
const FACT = { subject: "Ann", predicate: "likes", object: "tea" };

Deno.test(
  "whatever finds the disk full, and wherever: reading goes on, the memory closes, and with room again all is there",
  {
    ignore: probe === undefined, // Only root may mount a small disk.
  },
  async () => {
    const lines = Array.from(
      { length: 40 },
      (_, i) => ({ kind: "document", id: `i${i}`, content: `imported ${i} `.repeat(40) }),
    );
    for (const [name, work] of Object.entries(STAGES)) {
      for (const left of [0, 16_384, 65_536]) {
        await using disk = (await smallDisk("6m"))!;
        const path = `${disk.path}/home`;
        await Deno.writeTextFile(`${path}.jsonl`, lines.map((line) => JSON.stringify(line)).join("\n"));
        const clock = new ManualClock();
        {
          await using home = Object.assign(await openService(path, { clock }), { path });
          for (let i = 0; i < 5; i++) {
            await home.call("context.append", { event: said(`e${i}`, `I like thing${i}.`, { at: clock.now() + i }) });
          }
          await home.call("context.archive", { ids: ["e4"] });
          for (let i = 0; i < 3; i++) await home.call("doc.commit", { content: `An old note in a box, number ${i}` });
          await home.call("graph.commit", { triples: [FACT, { ...FACT, subject: "Zelda" }] });
          await home.call("graph.purge", { name: "tea" });
          clock.setWall(clock.now() + 100 * HOUR);
          fill(`${disk.path}/filler`);
          const file = await Deno.open(`${disk.path}/filler`, { write: true });
          await file.truncate(Math.max(0, (await file.stat()).size - left));
          file.close();
          try {
            await work(home);
          } catch (error) {
            assert.match((error as Error).message, /the disk is full/, `${name}, ${left}`);
          }
          await home.call("memory.recall", { query: "Which things do I like?" });
          await home.call("context.load", {});
        }
        Deno.removeSync(`${disk.path}/filler`);
        await using after = openMemory(path, { clock });
        assert.deepEqual(after.notices, [], `${name}, ${left}`);
        checkConsistent(after);
        for (const id of ["e0", "e1", "e2", "e3", "e4"]) {
          const learned = after.graph.db.prepare("SELECT 1 FROM seen WHERE id LIKE ?").get(`${id}/%`);
          const places = [after.context.get(id), after.documents.has(id) || undefined, learned];
          assert.equal(places.filter((place) => place !== undefined).length, 1, `${name}, ${left}: ${id}`);
        }
      }
    }
  },
);

function fill(path: string): void {
  const file = Deno.openSync(path, { write: true, create: true });
  try {
    for (;;) {
      if (file.writeSync(new Uint8Array(4096)) === 0) break;
    }
  } catch (error) {
    assert.equal((error as { code?: string }).code, "ENOSPC");
  } finally {
    file.close();
  }
}

import assert from "node:assert/strict";
import type { MemoryAsks, MemoryMethods } from "../../core/wire/memory.ts";
import { Peer } from "../../core/wire/peer.ts";
import { portTransport } from "../../core/wire/transport.ts";
import { tempFolder } from "../kit/temp_folder.ts";
import { said, settingsOf } from "./kit.ts";

/** The worker as `main` starts it: with its folders and nothing else. */
async function startWorker() {
  const folder = await tempFolder();
  const folders = [`${folder.path}/memory`, `${folder.path}/knowledge`];
  for (const path of folders) await Deno.mkdir(path);
  const worker = new Worker(new URL("../../memory/worker.ts", import.meta.url), {
    type: "module",
    deno: {
      permissions: {
        read: folders,
        write: folders,
        net: false,
        env: false,
        run: false,
        ffi: false,
        sys: false,
        import: false,
      },
    },
  });
  const logs: string[] = [];
  const main = new Peer<MemoryMethods>(portTransport(worker), { name: "the memory worker" })
    .serve({ log: ({ record }) => logs.push(record.text) }).open();
  return {
    main,
    folder,
    logs,
    [Symbol.asyncDispose]: async () => {
      await main.call("memory.close", {});
      main.close();
      worker.terminate();
      await folder[Symbol.asyncDispose]();
    },
  };
}

Deno.test("the memory worker works in its own folders and may do nothing else", async () => {
  await using open = await startWorker();
  const { main, folder } = open;
  const inside = `${folder.path}/memory`;
  const found = await main.call("probe", {
    read: [inside, "/etc"],
    write: [inside, folder.path],
    net: ["127.0.0.1:1"],
  });
  assert.deepEqual(found, {
    read: [inside],
    write: [inside],
    net: "denied",
    run: "denied",
    ffi: "denied",
    env: "denied",
    sys: "denied",
    import: "denied",
  });
  assert.deepEqual(await main.call("memory.open", settingsOf(folder.path)), { notices: [] });
  const { vector } = await main.call("context.append", {
    event: said("e1", "Iris lives in Lyon.", { at: Date.now() }),
  });
  assert.ok(vector!.values.length > 0 && vector!.space === "tfidf-1");
  await main.call("graph.commit", { triples: [{ subject: "Iris", predicate: "lives in", object: "Lyon" }] });
  const { hits } = await main.call("memory.recall", { query: "where does Iris live?" });
  assert.ok(hits.some((hit) => hit.kind === "relation"));
  await main.call("knowledge.add", { name: "router", content: "port 5001" });
  for (const loop of ["distill", "archive", "merge", "review", "pipeline", "media"] as const) {
    await main.call("memory.tick", { loop });
  }
  await assert.rejects(
    main.call("memory.export", { path: `${folder.path}/outside.jsonl` }),
    /[Rr]equires write access/,
  );
  await main.call("memory.forget", { name: "Iris" });
  assert.deepEqual(open.logs, []);
});

Deno.test("the kernel gets its own line, is asked for decisions on it, and told what left the context", async () => {
  await using open = await startWorker();
  const { main, folder } = open;
  await main.call("memory.open", settingsOf(folder.path));
  const triple = (subject: string) => ({ subject, predicate: "likes", object: "tea" });
  await main.call("graph.commit", { triples: [triple("Katherine Johnson"), triple("Katherine Jonson")] });
  assert.equal((await main.call("memory.tick", { loop: "merge" })).did, 0, "nobody to decide yet");

  const lines: { asked: string[]; left: string[]; peer: Peer<MemoryMethods> }[] = [];
  for (let i = 0; i < 2; i++) {
    const { port1, port2 } = new MessageChannel();
    await main.call("attach", { part: "kernel", port: port2 }, { transfer: [port2] });
    const line = { asked: [] as string[], left: [] as string[], peer: null as unknown as Peer<MemoryMethods> };
    line.peer = new Peer<MemoryMethods>(portTransport(port1), { name: "memory" }).serve({
      "self.decide": ({ kind }: MemoryAsks["self.decide"]["params"]) => {
        line.asked.push(kind);
        return { text: '[{"n":1,"same":true,"keep":"Katherine Johnson"}]' };
      },
      "context.left": ({ ids }) => void line.left.push(...ids),
    }).open();
    lines.push(line);
  }
  const [old, kernel] = lines;
  assert.equal((await kernel!.peer.call("memory.tick", { loop: "merge" })).did, 1);
  assert.deepEqual([old!.asked, kernel!.asked], [[], ["merge"]], "the second line replaced the first");
  await kernel!.peer.call("context.append", { event: said("e1", "Katherine called.") });
  await kernel!.peer.call("memory.forget", { name: "Katherine" });
  for (let i = 0; i < 100 && kernel!.left.length === 0; i++) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(kernel!.left, ["e1"]);
  for (const { peer } of lines) peer.close();
});

Deno.test("what was acknowledged is there after the worker was ended in the middle", async () => {
  await using folder = await tempFolder();
  const start = async () => {
    const worker = new Worker(new URL("../../memory/worker.ts", import.meta.url), { type: "module" });
    const main = new Peer<MemoryMethods>(portTransport(worker), { name: "memory" }).serve({ log: () => {} }).open();
    const { notices } = await main.call("memory.open", settingsOf(folder.path));
    return { main, notices, end: () => (main.close(), worker.terminate()) };
  };
  let count = 0;
  for (let life = 0; life < 4; life++) {
    const { main, notices, end } = await start();
    assert.deepEqual(notices, []);
    const { events } = await main.call("context.load", {});
    assert.equal(events.length, count, `life ${life} has all of the last`);
    for (let i = 0; i < 5; i++) {
      await main.call("context.append", { event: said(`e${count}`, `thing ${count}`, { at: count }) });
      count++;
    }
    end();
    // The thread is gone when its handles are; a moment is enough for that.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});

import assert from "node:assert/strict";
import type { RpcError } from "../../core/wire/rpc.ts";
import { tempFolder } from "../kit/temp_folder.ts";
import { openService, said } from "../memory/kit.ts";

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

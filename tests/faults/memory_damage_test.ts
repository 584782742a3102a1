import assert from "node:assert/strict";
import { tempFolder } from "../kit/temp_folder.ts";
import { openService, said } from "../memory/kit.ts";

type Home = Awaited<ReturnType<typeof openService>>;

/** A home with something in every tier, closed again. */
async function livedIn(path: string): Promise<void> {
  await using home = await openService(path);
  await home.call("graph.commit", {
    triples: [{ subject: "Iris", predicate: "lives in", object: "Lyon" }],
    sentence_text: "Iris lives in Lyon.",
  });
  await home.call("doc.commit", { content: "The boiler code is 4471." });
  await home.call("doc.commit", { content: "The garden needs water." });
  await home.call("knowledge.add", { name: "router", content: "The router is a Fritzbox." });
  await home.call("media.put", { mime: "image/png", data: new Uint8Array([1, 2, 3]) });
  await home.call("context.append", { event: said("e1", "Good morning, plumber.") });
  await home.call("memory.tick", { loop: "archive" });
}

const finds = async (home: Home, query: string, text: RegExp) =>
  (await home.call("memory.recall", { query })).hits.some((hit) => text.test(hit.text));

async function everythingElseWorks(home: Home, except: "graph" | "documents" | "none" = "none"): Promise<void> {
  if (except !== "graph") assert.ok(await finds(home, "where does Iris live", /Lyon/));
  if (except !== "documents") assert.ok(await finds(home, "boiler code", /4471/));
  assert.ok(await finds(home, "garden water", /garden/));
  assert.ok((await home.call("knowledge.search", { query: "router Fritzbox" })).hits.length > 0);
  assert.equal((await home.call("context.load", {})).events.length, 1);
  await home.call("context.append", { event: said("e2", "still here") });
  await home.call("graph.commit", { triples: [{ subject: "Otto", predicate: "likes", object: "rum" }] });
}

/** Writes noise over the middle of a file, header and all pages but the last. */
function ruin(path: string, from = 0): void {
  const bytes = Deno.readFileSync(path);
  for (let i = from; i < bytes.length; i++) bytes[i] = (i * 31 + 7) & 0xff;
  Deno.writeFileSync(path, bytes);
}

const dropLogs = (path: string) => {
  for (const suffix of ["-wal", "-shm"]) {
    try {
      Deno.removeSync(path + suffix);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
};

for (const damage of ["ruined", "empty", "missing"] as const) {
  Deno.test(`an index that is ${damage} is made again from its sources`, async () => {
    await using folder = await tempFolder();
    await livedIn(folder.path);
    const path = `${folder.path}/memory/index.db`;
    dropLogs(path);
    if (damage === "ruined") ruin(path);
    else if (damage === "empty") Deno.truncateSync(path);
    else Deno.removeSync(path);
    await using home = await openService(folder.path);
    if (damage === "ruined") assert.match(home.notices.join("\n"), /index\.db was damaged/);
    await everythingElseWorks(home);
    assert.equal((await home.call("doc.stats", {})).documents, 2);
  });
}

Deno.test("a graph that cannot be read is reported, and its backup takes its place", async () => {
  await using folder = await tempFolder();
  await livedIn(folder.path);
  const path = `${folder.path}/memory/graph.db`;
  assert.ok(Deno.statSync(`${path}.bak`).size > 0, "the archive loop kept a backup");
  dropLogs(path);
  ruin(path);
  await using home = await openService(folder.path);
  assert.match(home.notices.join("\n"), /graph\.db was damaged .*its backup is in use/s);
  await everythingElseWorks(home);
});

/** A home with a graph of several hundred pages and a backup of it. */
async function muchKnown(path: string): Promise<string> {
  await livedIn(path);
  await using home = await openService(path);
  for (let from = 0; from < 2000; from += 500) {
    const triples = Array.from({ length: 500 }, (_, i) => ({
      subject: `box ${from + i}`,
      predicate: "is on",
      object: `shelf ${(from + i) % 97}`,
    }));
    await home.call("graph.commit", { triples });
  }
  home.clock.setWall(home.clock.now() + 2 * 24 * 3_600_000);
  await home.call("memory.tick", { loop: "archive" });
  return `${path}/memory/graph.db`;
}

/** Noise over six pages in the middle: header and most of the file stay. */
function ruinPages(path: string): void {
  const bytes = Deno.readFileSync(path);
  const start = Math.floor(bytes.length / 4096 / 2) * 4096;
  for (let i = start; i < start + 6 * 4096; i++) bytes[i] = (i * 31 + 7) & 0xff;
  Deno.writeFileSync(path, bytes);
}

Deno.test("a graph with broken pages is noticed at the start, and its backup takes its place", async () => {
  await using folder = await tempFolder();
  const path = await muchKnown(folder.path);
  dropLogs(path);
  ruinPages(path);
  await using home = await openService(folder.path);
  assert.match(home.notices.join("\n"), /graph\.db was damaged .*its backup is in use/s);
  await everythingElseWorks(home);
  assert.ok(await finds(home, "where is box 1500", /shelf 45/));
});

Deno.test("pages that break while the graph is in use are told with what to do, never copied over the backup", async () => {
  await using folder = await tempFolder();
  const path = await muchKnown(folder.path);
  {
    await using home = await openService(folder.path);
    ruinPages(path);
    const failed = await (async () => {
      for (let i = 0; i < 300; i++) {
        try {
          await home.call("graph.commit", {
            triples: [{ subject: `box ${i}`, predicate: "holds", object: `thing ${i}` }],
          });
        } catch (error) {
          return error as Error;
        }
      }
    })();
    // What is read from the cache of pages goes on; sooner or later one has to come from the disk.
    if (failed) assert.match(failed.message, /graph: its database is damaged/);
    home.clock.setWall(home.clock.now() + 2 * 24 * 3_600_000);
    await home.call("memory.tick", { loop: "archive" }).catch(() => {});
  }
  dropLogs(path);
  ruinPages(path);
  await using again = await openService(folder.path);
  assert.match(again.notices.join("\n"), /its backup is in use/);
  assert.ok(await finds(again, "where is box 1500", /shelf 45/));
});

Deno.test("a graph that cannot be read and has no backup begins anew, the damaged file kept", async () => {
  await using folder = await tempFolder();
  await livedIn(folder.path);
  const path = `${folder.path}/memory/graph.db`;
  Deno.removeSync(`${path}.bak`);
  dropLogs(path);
  ruin(path);
  await using home = await openService(folder.path);
  assert.match(home.notices.join("\n"), /graph\.db was damaged .*begun anew/s);
  assert.ok([...Deno.readDirSync(`${folder.path}/memory`)].some((entry) => entry.name.startsWith("graph.db.damaged-")));
  await everythingElseWorks(home, "graph");
});

Deno.test("a document with broken JSON is set aside and told, the others stay", async () => {
  for (const broken of ["", "{", '{"id":1}', "\0".repeat(50)]) {
    await using folder = await tempFolder();
    await livedIn(folder.path);
    const documents = `${folder.path}/memory/documents`;
    for (const { name } of Deno.readDirSync(documents)) {
      if (!/^[0-9a-f]{2}$/.test(name)) continue;
      for (const file of Deno.readDirSync(`${documents}/${name}`)) {
        const path = `${documents}/${name}/${file.name}`;
        if (Deno.readTextFileSync(path).includes("4471")) Deno.writeTextFileSync(path, broken);
      }
    }
    // Not a clean end: files are compared with the index.
    Deno.removeSync(`${folder.path}/memory/index.db`);
    dropLogs(`${folder.path}/memory/index.db`);
    await using home = await openService(folder.path);
    assert.match(home.notices.join("\n"), /was damaged .*set aside as .*\.damaged-/s);
    await everythingElseWorks(home, "documents");
    assert.equal((await home.call("doc.stats", {})).documents, 1);
  }
});

Deno.test("media.db that cannot be read begins anew without stopping the start", async () => {
  await using folder = await tempFolder();
  await livedIn(folder.path);
  const path = `${folder.path}/memory/media/media.db`;
  dropLogs(path);
  ruin(path);
  await using home = await openService(folder.path);
  assert.match(home.notices.join("\n"), /media\.db was damaged/);
  await everythingElseWorks(home);
});

Deno.test("a journal entry that was cut, an undo file that is empty and strangers' files stop nothing", async () => {
  await using folder = await tempFolder();
  await livedIn(folder.path);
  const memory = `${folder.path}/memory`;
  await Deno.mkdir(`${memory}/journal`, { recursive: true });
  await Deno.mkdir(`${memory}/undo`, { recursive: true });
  await Deno.writeTextFile(`${memory}/journal/01x.json`, '{"kind":"dist');
  await Deno.writeTextFile(`${memory}/journal/02x.json.tmp`, "half");
  await Deno.writeTextFile(`${memory}/undo/01x.json`, "");
  await Deno.writeTextFile(`${memory}/text/notes.txt`, "mine");
  await Deno.writeTextFile(`${memory}/text/2027.jsonl`, "not a log");
  await Deno.writeTextFile(`${folder.path}/knowledge/readme.txt`, "mine");
  await using home = await openService(folder.path);
  assert.match(home.notices.join("\n"), /journal.*was damaged/);
  await everythingElseWorks(home);
  assert.deepEqual((await home.call("memory.undo_list", {})).items, []);
  assert.equal(await Deno.readTextFile(`${memory}/text/notes.txt`), "mine");
});

Deno.test("a message of 50 MB is kept whole, and the memory goes on", async () => {
  await using folder = await tempFolder();
  const huge = "x".repeat(50 * 1024 * 1024 - 6) + " 4471!";
  {
    await using home = await openService(folder.path);
    await home.call("context.append", { event: said("huge", huge, { at: home.clock.now() }) });
    await home.call("context.append", { event: said("e2", "and a small one", { at: home.clock.now() }) });
    await home.call("memory.tick", { loop: "pipeline" });
    await home.call("context.archive", { ids: ["huge"] });
  }
  await using home = await openService(folder.path);
  assert.deepEqual(home.notices, []);
  assert.equal((await home.call("context.load", {})).events.length, 1);
  const { hits } = await home.call("memory.recall", { query: "small one" });
  assert.ok(hits.length > 0);
  const path = `${folder.path}/out.jsonl`;
  assert.deepEqual((await home.call("memory.export", { path })).counts, { document: 1, message: 2 });
});

import assert from "node:assert/strict";
import { tempFolder } from "../kit/temp_folder.ts";
import { diskStore } from "../../memory/files.ts";
import { ManualClock } from "../kit/manual_clock.ts";
import { openService, said } from "./kit.ts";

for (const part of ["/text/", "/context.log"]) {
  Deno.test(`a message whose ${part} cannot be written is refused whole, and is not there after a restart either`, async () => {
    await using folder = await tempFolder();
    let isFull = false;
    const store = (roots: string[]) => {
      const disk = diskStore(roots);
      return {
        ...disk,
        append: (path: string, bytes: Uint8Array) =>
          isFull && path.includes(part)
            ? Promise.reject(Object.assign(new Error("No space left on device"), { code: "ENOSPC" }))
            : disk.append(path, bytes),
      };
    };
    {
      await using home = await openService(folder.path, { store });
      await home.call("context.append", { event: said("e1", "the first message") });
      isFull = true;
      await assert.rejects(
        home.call("context.append", { event: said("e2", "the refused message") }),
        /disk is full|No space/,
      );
      const { events } = await home.call("context.load", {});
      assert.deepEqual(events.map(({ id }) => id), ["e1"]);
      isFull = false;
      await home.call("context.append", { event: said("e3", "the third message") });
    }
    await using home = await openService(folder.path);
    const { events } = await home.call("context.load", {});
    assert.deepEqual(events.map(({ id }) => id), ["e1", "e3"]);
    const { hits } = await home.call("memory.recall", { query: "the refused message" });
    assert.ok(!hits.some(({ text }) => text.includes("refused")), JSON.stringify(hits));
    assert.equal((await home.call("memory.export", { path: `${folder.path}/out.jsonl` })).counts.message, 2);
    assert.doesNotMatch(await Deno.readTextFile(`${folder.path}/out.jsonl`), /refused/);
  });
}

Deno.test("an export is taken in by an empty home whole, and twice changes nothing", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/out.jsonl`;
  await using first = await openService(`${folder.path}/first`);
  await first.call("graph.commit", {
    triples: [{ subject: "user", predicate: "lives in", object: "Lyon", confidence: 0.8, subject_type: "person" }],
    sentence_text: "I live in Lyon.",
  });
  first.clock.setWall(first.clock.now() + 1000);
  await first.call("graph.commit", { triples: [{ subject: "user", predicate: "lives in", object: "Oslo" }] });
  const { digest } = await first.call("media.put", {
    mime: "image/png",
    data: new Uint8Array([1, 2]),
    description: "map",
  });
  await first.call("doc.commit", { title: "Boiler", content: "Code 4471", at: 5000, media_digests: [digest] });
  await first.call("context.append", { event: said("e1", "你好，世界", { media: [digest] }) });
  await first.call("context.archive", { ids: ["e1"] });
  await first.call("doc.consume", { query: "4471" });
  await first.call("knowledge.add", { name: "手册", content: "# 手册\n端口 5001" });
  const { counts } = await first.call("memory.export", { path });
  assert.deepEqual(counts, { relation: 2, document: 2, message: 1, knowledge: 1, media: 1 });

  await using second = await openService(`${folder.path}/second`);
  const report = await second.call("memory.import", { path });
  assert.deepEqual(report, { counts, rejected: [] });
  const lines = async (home: typeof first) => {
    const to = `${folder.path}/again.jsonl`;
    await home.call("memory.export", { path: to });
    const rows = (await Deno.readTextFile(to)).trim().split("\n").map((line) => JSON.parse(line));
    // A message gets an id by being imported.
    for (const row of rows) if (row.kind === "message") delete row.id, delete row.source;
    // So does a document that belonged to no conversation get the import's order as one.
    for (const row of rows) if (row.thread?.startsWith("tool@")) delete row.thread, delete row.n;
    return rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
  };
  const whole = await lines(second);
  assert.deepEqual(whole, await lines(first));
  await second.call("memory.import", { path });
  assert.deepEqual(await lines(second), whole);
  assert.deepEqual((await second.call("media.get", { digest })).blob!.data, new Uint8Array([1, 2]));
  second.clock.setWall(first.clock.now() + 1000);
  const { hits } = await second.call("memory.recall", { query: "user lives in" });
  assert.deepEqual(
    hits.filter((hit) => hit.kind === "relation").map((hit) => [hit.text.split(".")[0], hit.current]).sort(),
    [["user lives in Lyon", false], ["user lives in Oslo", true]],
  );

  await first.call("memory.import", { path });
  assert.equal((await first.call("memory.stats", {})).messages, 1, "a home's own export brings nothing twice");
});

Deno.test("what was exported, imported and exported again is the same to the letter", async () => {
  await using folder = await tempFolder();
  const [first, second] = [`${folder.path}/1.jsonl`, `${folder.path}/2.jsonl`];
  const clock = new ManualClock();
  {
    await using home = await openService(`${folder.path}/a`, { clock });
    const { digest } = await home.call("media.put", {
      mime: "image/png",
      data: new Uint8Array([1, 2]),
      description: "a map",
    });
    for (const i of [0, 1, 2, 3, 4]) {
      const more = { at: clock.now() + i, ...(i === 1 && { media: [digest] }), ...(i === 2 && { untrusted: true }) };
      await home.call("context.append", { event: said(`e${i}`, `I like thing${i}.`, more) });
    }
    await home.call("context.archive", { ids: ["e0", "e1", "e2"] });
    await home.call("doc.consume", { query: "thing1", top: 1 });
    const say = async (subject: string, predicate: string, ...objects: string[]) => {
      clock.setWall(clock.now() + 1000);
      const triples = objects.map((object) => ({ subject, predicate, object }));
      return (await home.call("graph.commit", { triples, sentence_text: `${subject} ${predicate} ${objects}` })).ids;
    };
    for (const city of ["Bern", "Basel", "Bern"]) await say("Ann", "lives in", city);
    await say("Ann", "nickname", "Annie");
    await say("Annie", "speaks", "German", "French");
    await say("Annette", "likes", "tea");
    await home.call("graph.merge", { from: "Annette", into: "Ann" });
    await home.call("graph.edit", { name: "Ann", set: { type: "person", description: "a friend" } });
    const [old] = await say("Gitea", "port", "1");
    await say("Gitea", "port", "2");
    await home.call("graph.edit", { id: old!, set: { many_valued: true } });
    await home.call("knowledge.add", { name: "k", content: "knows" });
    await home.call("memory.export", { path: first });
  }
  await using home = await openService(`${folder.path}/b`, { clock });
  for (const _ of ["once", "again"]) {
    assert.deepEqual((await home.call("memory.import", { path: first })).rejected, []);
    await home.call("memory.export", { path: second });
    const lines = async (path: string) => (await Deno.readTextFile(path)).split("\n").map(inOrder).sort();
    assert.deepEqual(await lines(second), await lines(first));
  }
  const { person } = await home.call("social.get_person", { name: "Annie" });
  assert.deepEqual([person!.name, person!.aliases, person!.traits.likes], ["Ann", ["Annette", "Annie"], "tea"]);
});

/** A line of an export with its fields by name. */
function inOrder(line: string): string {
  return line === "" ? "" : JSON.stringify(Object.entries(JSON.parse(line)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

Deno.test("an id that comes twice in a file is what comes last, however often the file is imported", async () => {
  await using folder = await tempFolder();
  const lines = ["first", "second"].map((content) => JSON.stringify({ kind: "document", id: "d", content }));
  const bad = [`{"kind":"knowledge","name":"..","content":"x"}`, `{"kind":"knowledge","name":"good","content":"y"}`];
  await Deno.writeTextFile(`${folder.path}/in.jsonl`, [...lines, ...bad].join("\n"));
  await using home = await openService(folder.path);
  for (const _ of ["once", "again"]) {
    const { rejected } = await home.call("memory.import", { path: `${folder.path}/in.jsonl` });
    assert.deepEqual(rejected.map(({ line }) => line), [3], "a bad name takes no other with it");
    assert.equal((await home.call("doc.query", { query: "second" })).hits.length, 1);
  }
  assert.deepEqual((await home.call("knowledge.list", {})).items.map(({ name }) => name), ["good"]);
});

Deno.test("a bad line of an import is told with its number, and the rest is taken", async () => {
  await using folder = await tempFolder();
  await using home = await openService(folder.path);
  const lines = [
    '{"kind":"document","content":"one"}',
    "not json",
    '{"kind":"relation","subject":"a"}',
    '{"kind":"message","role":"user","text":"hi"}',
    '{"kind":"media","digest":"00","mime":"x"}',
  ];
  await Deno.writeTextFile(`${folder.path}/in.jsonl`, lines.join("\n"));
  const { counts, rejected } = await home.call("memory.import", { path: `${folder.path}/in.jsonl` });
  assert.deepEqual([counts.document, counts.message], [1, 1]);
  assert.deepEqual(rejected.map((one) => one.line), [2, 3, 5]);
});

Deno.test("doc.consume moves what it finds into the context, and doc.query only looks", async () => {
  await using folder = await tempFolder();
  await using home = await openService(folder.path);
  const { id } = await home.call("doc.commit", { title: "Boiler", content: "The code is 4471", at: 5000 });
  assert.equal((await home.call("doc.query", { query: "boiler code" })).hits[0]!.id, id);
  assert.equal((await home.call("doc.stats", {})).documents, 1);
  const { events } = await home.call("doc.consume", { query: "boiler code" });
  assert.deepEqual([events[0]!.kind, events[0]!.at, events[0]!.input], [
    "cold_storage",
    5000,
    "Boiler\nThe code is 4471",
  ]);
  assert.ok(events[0]!.vector!.values.length > 0);
  assert.equal((await home.call("doc.stats", {})).documents, 0);
  assert.deepEqual((await home.call("doc.consume", { query: "boiler code" })).events, []);
});

Deno.test("with media off everything is plain text, without an error", async () => {
  await using folder = await tempFolder();
  await using home = await openService(folder.path, { settings: { media_enabled: false } });
  const { digest } = await home.call("media.put", { mime: "image/png", data: new Uint8Array([1]) });
  assert.equal((await home.call("media.get", { digest })).blob, null);
  await home.call("media.describe", { digest, description: "x" });
  await home.call("doc.commit", { content: "with a picture", media_digests: [digest] });
  await home.call("graph.commit", {
    triples: [{ subject: "a", predicate: "b", object: "c" }],
    media_digests: [digest],
  });
  await home.call("context.append", { event: said("e1", "hello", { media: [digest] }) });
  assert.equal((await home.call("memory.tick", { loop: "media" })).did, 0);
  assert.deepEqual((await home.call("memory.stats", {})).media, { items: 0, bytes: 0 });
});

Deno.test("media given by the short digest of a marker are bound to a sentence made of the triple", async () => {
  await using folder = await tempFolder();
  await using home = await openService(folder.path);
  const { digest } = await home.call("media.put", { mime: "image/png", data: new Uint8Array([1]) });
  await home.call("graph.commit", {
    triples: [{ subject: "Iris", predicate: "painted", object: "a map" }],
    media_digests: [digest.slice(0, 12), "ffffffffffff"],
  });
  const { relations } = await home.call("graph.recall", { query: "Iris painted" });
  assert.equal(relations[0]!.sentence, "Iris painted a map");
  home.clock.setWall(home.clock.now() + 1e12);
  await home.call("memory.tick", { loop: "media" });
  await home.call("memory.tick", { loop: "media" });
  assert.ok((await home.call("media.get", { digest })).blob!.data, "it is referenced");
});

Deno.test("purge, delete, edit and merge can be taken back, the newest first, for thirty days", async () => {
  await using folder = await tempFolder();
  await using home = await openService(folder.path);
  const facts = async () =>
    (await home.call("graph.recall", { query: "Iris", keywords: ["Iris", "Otto"], depth: 1 })).relations
      .map((r) => `${r.subject} ${r.predicate} ${r.object}`).sort();
  await home.call("graph.commit", {
    triples: [{ subject: "Iris", predicate: "likes", object: "tea" }, {
      subject: "Otto",
      predicate: "likes",
      object: "rum",
    }],
  });
  const { ids } = await home.call("graph.commit", {
    triples: [{ subject: "Iris", predicate: "plays", object: "cello" }],
  });
  const whole = await facts();
  await home.call("graph.edit", { id: ids[0]!, set: { object: "viola" } });
  const edited = await facts();
  await home.call("graph.delete_entity", { name: "Otto" });
  await home.call("graph.purge", { name: "Iris" });
  assert.deepEqual(await facts(), []);
  const { items } = await home.call("memory.undo_list", {});
  assert.deepEqual(items.map((item) => item.kind), ["purge", "delete", "edit"]);
  await home.call("memory.undo", {});
  await home.call("memory.undo", { id: items[1]!.id });
  assert.deepEqual(await facts(), edited);
  assert.equal(
    (await home.call("memory.recall", { query: "Otto likes rum" })).hits[0]!.kind,
    "relation",
    "found again",
  );
  await home.call("memory.undo", {});
  assert.deepEqual(await facts(), whole);
  await assert.rejects(home.call("memory.undo", {}), /nothing to take back/);
  await assert.rejects(home.call("memory.undo", { id: "nope" }), /nothing to take back under "nope"/);
  await home.call("graph.purge", { name: "Iris" });
  home.clock.setWall(home.clock.now() + 31 * 24 * 3_600_000);
  assert.deepEqual((await home.call("memory.undo_list", {})).items, []);
});

Deno.test("memory.stats counts what is there", async () => {
  await using folder = await tempFolder();
  await using home = await openService(folder.path);
  await home.call("context.append", { event: { ...said("e1", "question"), response: "answer", kind: "agent" } });
  await home.call("context.append", { event: said("e2", "more") });
  await home.call("doc.commit", { content: "document" });
  await home.call("graph.commit", {
    triples: [{ subject: "a", predicate: "lives in", object: "b" }],
    sentence_text: "s",
  });
  home.clock.setWall(home.clock.now() + 1000);
  await home.call("graph.commit", { triples: [{ subject: "a", predicate: "lives in", object: "c" }] });
  home.clock.setWall(home.clock.now() + 1000);
  await home.call("knowledge.add", { name: "k", content: "x" });
  const stats = await home.call("memory.introspect", {});
  const { entities, relations, current_relations, sentences, documents, context_events, messages, knowledge } = stats;
  assert.deepEqual(
    { entities, relations, current_relations, sentences, documents, context_events, messages, knowledge },
    {
      entities: 3,
      relations: 2,
      current_relations: 1,
      sentences: 1,
      documents: 1,
      context_events: 2,
      messages: 3,
      knowledge: 1,
    },
  );
});

Deno.test("people are seen through the graph", async () => {
  await using folder = await tempFolder();
  await using home = await openService(folder.path);
  await home.call("social.set_trait", { name: "Iris", trait: "lives in", value: "Lyon" });
  home.clock.setWall(home.clock.now() + 1000);
  await home.call("social.set_trait", { name: "Iris", trait: "lives in", value: "Oslo" });
  home.clock.setWall(home.clock.now() + 1000);
  await home.call("social.set_trait", { name: "Iris", trait: "likes", value: "tea" });
  await home.call("social.set_trait", { name: "Iris", trait: "likes", value: "rum" });
  await home.call("social.relate", { from: "Iris", relation: "sister of", to: "Otto" });
  await home.call("social.relate", { from: "Otto", relation: "friend of", to: "Mia" });
  const { person } = await home.call("social.get_person", { name: "iris" });
  assert.equal(person!.name, "Iris");
  assert.equal(person!.traits["lives in"], "Oslo", "the current value");
  assert.deepEqual(person!.traits.likes!.split(", ").sort(), ["rum", "tea"], "values that stand side by side");
  assert.deepEqual(person!.relations, [{ relation: "sister of", to: "Otto" }]);
  assert.equal((await home.call("social.get_person", { name: "Nobody" })).person, null);
  assert.deepEqual((await home.call("social.list", {})).persons, ["Iris", "Mia", "Otto"]);
  const { relations } = await home.call("social.network", { name: "Iris" });
  assert.deepEqual(relations.map((r) => `${r.from} ${r.relation} ${r.to}`).sort(), [
    "Iris sister of Otto",
    "Otto friend of Mia",
  ]);
  assert.equal((await home.call("social.network", { name: "Iris", depth: 1 })).relations.length, 1);
});

Deno.test("a method before memory.open, and after memory.close, says so", async () => {
  await using folder = await tempFolder();
  const home = await openService(folder.path);
  await home.call("memory.close", {});
  await assert.rejects(home.call("memory.stats", {}), /The memory is not open/);
});

Deno.test("a graph that lies elsewhere needs its own file there and nothing beside it", async () => {
  await using folder = await tempFolder();
  await Deno.mkdir(`${folder.path}/elsewhere`);
  {
    await using home = await openService(`${folder.path}/home`, {
      settings: { graph: `${folder.path}/elsewhere/mine.db` },
    });
    await home.call("graph.commit", { triples: [{ subject: "Iris", predicate: "lives in", object: "Lyon" }] });
    await home.call("memory.tick", { loop: "archive" });
    assert.ok((await home.call("memory.stats", {})).bytes.graph! > 0);
    await home.call("memory.forget", { name: "Otto" });
  }
  assert.deepEqual([...Deno.readDirSync(`${folder.path}/elsewhere`)].map((entry) => entry.name), ["mine.db"]);
});

Deno.test("who talks while a long import runs waits for a batch of it, not for its end; closing breaks it off", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/in.jsonl`;
  const line = (i: number) => JSON.stringify({ kind: "document", id: `d${i}`, content: `note ${i}` });
  await Deno.writeTextFile(path, Array.from({ length: 6_000 }, (_, i) => line(i)).join("\n"));
  const home = await openService(`${folder.path}/home`);
  await home.call("context.append", { event: said("e1", "hello") });
  const imported = home.call("memory.import", { path });
  let isOver = false;
  imported.then(() => isOver = true, () => isOver = true);
  await home.call("context.archive", { ids: ["e1"] });
  await home.call("memory.forget", { name: "Nobody" });
  assert.equal(isOver, false, "movements went between its batches");
  const [result] = await Promise.allSettled([imported, home[Symbol.asyncDispose]()]);
  assert.match(String((result as PromiseRejectedResult).reason), /Memory is being closed/);
  await using again = await openService(`${folder.path}/home`);
  assert.deepEqual((await again.call("memory.import", { path })).counts, { document: 6_000 });
  assert.equal((await again.call("doc.stats", {})).documents, 6_001);
});

Deno.test("what changed nothing is nothing to take back", async () => {
  await using folder = await tempFolder();
  await using home = await openService(folder.path);
  await home.call("graph.commit", { triples: [{ subject: "Ann", predicate: "likes", object: "tea" }] });
  await home.call("graph.merge", { from: "Ann", into: "Anna" });
  await home.call("graph.merge", { from: "Nobody", into: "Anna" });
  await home.call("graph.merge", { from: "Ann", into: "Anna" });
  await home.call("graph.purge", { name: "Nobody" });
  await home.call("graph.edit", { id: "none", set: { object: "x" } });
  assert.deepEqual((await home.call("memory.undo", {})).undone, "Ann → Anna");
  await assert.rejects(home.call("memory.undo", {}), /nothing to take back/);
});

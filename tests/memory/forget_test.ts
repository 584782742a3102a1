import assert from "node:assert/strict";
import { tempFolder } from "../kit/temp_folder.ts";
import { HOUR, openService, said } from "./kit.ts";

/** Files below a folder that have one of these words in their bytes, in any capitals. */
function filesWith(folder: string, words: string[]): string[] {
  const found: string[] = [];
  const visit = (path: string) => {
    for (const entry of Deno.readDirSync(path)) {
      const inner = `${path}/${entry.name}`;
      if (words.some((word) => entry.name.toLowerCase().includes(word.toLowerCase()))) found.push(inner);
      if (entry.isDirectory) visit(inner);
      else {
        const text = new TextDecoder("latin1").decode(Deno.readFileSync(inner)).toLowerCase();
        const has = words.some((word) =>
          text.includes(new TextDecoder("latin1").decode(new TextEncoder().encode(word)).toLowerCase())
        );
        if (has) found.push(inner);
      }
    }
  };
  visit(folder);
  return found;
}

/** A home in which Mirabelle (who is also called 米拉) is in every corner. */
async function livedIn(path: string) {
  const home = await openService(path, { decide: () => null });
  const { clock } = home;
  const { digest } = await home.call("media.put", {
    mime: "image/png",
    data: new Uint8Array([7, 7, 7]),
    description: "Mirabelle at sea",
  });
  const other = await home.call("media.put", { mime: "image/png", data: new Uint8Array([8]), description: "a chart" });
  await home.call("graph.commit", {
    triples: [
      { subject: "Mirabelle", predicate: "lives in", object: "Lyon", subject_type: "person" },
      { subject: "user", predicate: "sister", object: "Mirabelle" },
      { subject: "Mirabelle", predicate: "nickname", object: "米拉" },
    ],
    sentence_text: "My sister Mirabelle lives in Lyon.",
    media_digests: [digest],
  });
  await home.call("graph.commit", {
    triples: [{ subject: "user", predicate: "works as", object: "carpenter" }],
    sentence_text: "I am a carpenter, says mirabelle.",
  });
  await home.call("graph.commit", { triples: [{ subject: "米拉的猫", predicate: "名字", object: "咪咪" }] });
  await home.call("context.append", { event: said("e1", "Mirabelle called.", { at: clock.now(), media: [digest] }) });
  await home.call("context.append", { event: said("e2", "米拉打电话来了", { at: clock.now() }) });
  await home.call("context.append", {
    event: said("e3", "Water the garden.", { at: clock.now(), media: [other.digest] }),
  });
  await home.call("context.append", { event: said("e4", "MIRABELLE again, in capitals", { at: clock.now() }) });
  await home.call("context.archive", { ids: ["e2", "e4"] });
  await home.call("doc.commit", { title: "Letter", content: "Dear Mirabelle, thank you.", media_digests: [digest] });
  await home.call("doc.commit", { content: "The boiler code is 4471.", media_digests: [other.digest] });
  await home.call("knowledge.add", { name: "birthdays", content: "# Birthdays\n\nMirabelle: 3 May\nOtto: 1 June" });
  await home.call("knowledge.add", { name: "Mirabelle", content: "Everything about her." });
  await home.call("graph.merge", { from: "Mirabelle", into: "Mirabelle Roth" });
  await home.call("memory.tick", { loop: "pipeline" });
  await home.call("memory.tick", { loop: "archive" });
  await clock.advance(6_000);
  await home.call("context.append", { event: said("e5", "The plumber comes on Monday.", { at: clock.now() }) });
  return home;
}

Deno.test("forget leaves no byte of a name in any file, and everything else as it was", async () => {
  await using folder = await tempFolder();
  {
    await using home = await livedIn(folder.path);
    await Deno.writeTextFile(`${folder.path}/memory/context.json.damaged-2026`, "old Mirabelle");
    await Deno.writeTextFile(`${folder.path}/memory/documents/x.json.damaged-2026`, "nothing of hers");
    assert.ok(filesWith(folder.path, ["mirabelle"]).length > 6, "she is everywhere before");

    const dry = await home.call("memory.forget", { name: "Mirabelle", dry_run: true });
    const { counts } = await home.call("memory.forget", { name: "Mirabelle" });
    for (
      const kind of ["entities", "relations", "documents", "context_events", "messages", "media", "knowledge", "undo"]
    ) {
      assert.ok(counts[kind]! > 0, kind);
      assert.equal(dry.counts[kind], counts[kind], `a dry run counts ${kind} the same`);
    }
    assert.deepEqual(home.left, ["e1"]);
    assert.deepEqual(filesWith(folder.path, ["mirabelle", "米拉"]), [], "while it runs");

    const facts = await home.call("graph.recall", { query: "carpenter" });
    assert.match(facts.hits[0]!.text, /^user works as carpenter\.$/, "a fact she told stays, without her words");
    assert.equal((await home.call("doc.query", { query: "boiler code" })).hits.length, 1);
    const { items } = await home.call("knowledge.list", {});
    assert.deepEqual(items.map((item) => item.name), ["birthdays"]);
    assert.match((await home.call("knowledge.search", { query: "Otto June" })).hits[0]!.text, /Otto: 1 June/);
    assert.deepEqual((await home.call("context.load", {})).events.map((event) => event.id), ["e3", "e5"]);
    await assert.rejects(home.call("memory.undo", {}), /nothing to take back/, "it cannot be undone");
    assert.ok(await Deno.stat(`${folder.path}/memory/documents/x.json.damaged-2026`));
    home.clock.setWall(home.clock.now() + 30 * HOUR);
    await home.call("memory.tick", { loop: "pipeline" });
    await home.call("memory.tick", { loop: "archive" });
    await home.call("memory.tick", { loop: "media" });
  }
  assert.deepEqual(filesWith(folder.path, ["mirabelle", "米拉"]), [], "and after its end");
  await using again = await openService(folder.path);
  assert.deepEqual(again.notices, []);
  assert.equal((await again.call("memory.recall", { query: "Mirabelle" })).hits.length, 0);
});

Deno.test("a name inside another word is not meant", async () => {
  await using folder = await tempFolder();
  await using home = await openService(folder.path);
  await home.call("doc.commit", { content: "The anniversary is in May." });
  await home.call("doc.commit", { content: "Ann: bring cake." });
  const { counts } = await home.call("memory.forget", { name: "Ann" });
  assert.equal(counts.documents, 1);
  assert.equal((await home.call("doc.query", { query: "anniversary May" })).hits.length, 1);
});

Deno.test("to forget nothing is refused, and to forget an unknown changes nothing", async () => {
  await using folder = await tempFolder();
  await using home = await livedIn(folder.path);
  await assert.rejects(home.call("memory.forget", { name: "  " }), /no name was given/);
  const before = await home.call("memory.export", { path: `${folder.path}/before.jsonl` });
  const { counts } = await home.call("memory.forget", { name: "Zoltan" });
  assert.ok(Object.values(counts).every((count) => count === 0), JSON.stringify(counts));
  assert.deepEqual(await home.call("memory.export", { path: `${folder.path}/after.jsonl` }), before);
  assert.equal(
    await Deno.readTextFile(`${folder.path}/after.jsonl`),
    await Deno.readTextFile(`${folder.path}/before.jsonl`),
  );
});

Deno.test("whoever else has the name in one of theirs stays, without it; and so do attributes that are named after somebody", async () => {
  await using folder = await tempFolder();
  {
    await using home = await openService(folder.path);
    await home.call("graph.commit", {
      triples: [
        { subject: "Otto", predicate: "nickname", object: "Mirabelle's brother" },
        { subject: "Otto", predicate: "likes", object: "rum" },
        { subject: "cake", predicate: "baked by Mirabelle for", object: "Otto" },
        { subject: "cake", predicate: "baked by Mirabelle for", object: "Ida" },
      ],
    });
    await home.call("memory.forget", { name: "Mirabelle" });
    const { relations } = await home.call("graph.recall", { query: "Otto" });
    assert.deepEqual(relations.map(({ object }) => object), ["rum"]);
  }
  assert.deepEqual(filesWith(folder.path, ["mirabelle"]), []);
});

Deno.test("forgetting one of two who share a nickname leaves the other", async () => {
  await using folder = await tempFolder();
  await using home = await openService(folder.path);
  for (const name of ["Ann Lee", "Ann Wu"]) {
    await home.call("graph.commit", {
      triples: [
        { subject: name, predicate: "nickname", object: "Annie" },
        { subject: name, predicate: "lives in", object: `${name.split(" ")[1]} Street` },
      ],
    });
  }
  await home.call("doc.commit", { content: "Ann Wu has a red bicycle." });
  await home.call("memory.forget", { name: "Ann Lee" });
  const wu = await home.call("graph.recall", { query: "Ann Wu" });
  assert.ok(wu.relations.some(({ object }) => object === "Wu Street"));
  assert.equal((await home.call("doc.query", { query: "red bicycle" })).hits.length, 1);
  assert.deepEqual(
    (await home.call("graph.recall", { query: "Ann Lee Street" })).relations.filter((one) => one.subject === "Ann Lee"),
    [],
  );
  await home.call("memory.forget", { name: "Annie" });
  assert.deepEqual((await home.call("graph.recall", { query: "Ann Wu" })).relations, []);
});

Deno.test("forgetting one finds what is left over in any spelling, and broken lines of the text log", async () => {
  await using folder = await tempFolder();
  const text = `${folder.path}/memory/text`;
  const utf16 = (name: string) => new Uint8Array(new Uint16Array([...name].map((c) => c.charCodeAt(0))).buffer);
  const leftOver: Record<string, Uint8Array> = {
    capitals: new TextEncoder().encode("dear MIRABELLE"),
    escaped: new TextEncoder().encode(
      `{"a":"${[..."米拉"].map((c) => "\\u" + c.charCodeAt(0).toString(16)).join("")}"}`,
    ),
    traditional: new TextEncoder().encode("張曉雯來了"),
    utf16: utf16("a b Mirabelle c"),
    another: new TextEncoder().encode("Mirabellea"),
  };
  await using home = await openService(folder.path);
  await home.call("graph.commit", {
    triples: [
      { subject: "Mirabelle", predicate: "nickname", object: "米拉" },
      { subject: "Mirabelle", predicate: "nickname", object: "张晓雯" },
    ],
  });
  await home.call("context.append", { event: said("e1", "Water the garden.") });
  for (const { name } of Deno.readDirSync(text)) {
    await Deno.writeTextFile(`${text}/${name}`, `{"text":"half a Mirabelle\n`, { append: true });
  }
  for (const [name, bytes] of Object.entries(leftOver)) {
    await Deno.writeFile(`${folder.path}/memory/${name}.json.damaged-2026`, bytes);
  }
  const { counts } = await home.call("memory.forget", { name: "米拉" });
  assert.equal(counts.files, 4);
  assert.deepEqual(
    [...Deno.readDirSync(`${folder.path}/memory`)].map(({ name }) => name).filter((name) => name.includes("damaged")),
    ["another.json.damaged-2026"],
  );
  for (const { name } of Deno.readDirSync(text)) {
    const left = await Deno.readTextFile(`${text}/${name}`);
    assert.match(left, /garden/);
    assert.doesNotMatch(left, /Mirabelle/);
  }
});

Deno.test("what is forgotten while the rule distiller reads is not learned again", async () => {
  await using folder = await tempFolder();
  await using home = await openService(folder.path);
  for (let i = 0; i < 5; i++) {
    await home.call("context.append", { event: said(`e${i}`, `My sister Mirabelle lives in Lyon ${i}.`) });
  }
  await Promise.all([
    home.call("memory.tick", { loop: "pipeline" }),
    home.call("memory.forget", { name: "Mirabelle" }),
    home.call("memory.tick", { loop: "pipeline" }),
  ]);
  await home.call("memory.tick", { loop: "pipeline" });
  assert.deepEqual((await home.call("graph.recall", { query: "Mirabelle" })).relations, []);
});

Deno.test("media that were turned off are forgotten like any", async () => {
  await using folder = await tempFolder();
  {
    await using home = await openService(folder.path);
    const data = new Uint8Array([1, 2, 3]);
    await home.call("media.put", { mime: "image/png", data, description: "Mirabelle at sea" });
    await home.call("media.put", { mime: "image/png", data: new Uint8Array([4]), description: "a chart" });
  }
  {
    await using home = await openService(folder.path, { settings: { media_enabled: false } });
    assert.equal((await home.call("memory.forget", { name: "Mirabelle" })).counts.media, 1);
  }
  assert.deepEqual(filesWith(folder.path, ["mirabelle"]), []);
  await using home = await openService(folder.path);
  assert.equal((await home.call("memory.stats", {})).media.items, 1);
});

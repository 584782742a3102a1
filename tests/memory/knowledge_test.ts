import assert from "node:assert/strict";
import { tempFolder } from "../kit/temp_folder.ts";
import { openMemory } from "./kit.ts";

const search = async (memory: ReturnType<typeof openMemory>, query: string) => {
  memory.knowledge.refresh({ force: true });
  const { hits } = await memory.recall.recall(query, { kinds: ["knowledge"] });
  return hits.map((hit) => hit.id);
};

Deno.test("an entry is a file, and is found by what it says", async () => {
  await using folder = await tempFolder();
  await using memory = openMemory(folder.path);
  memory.knowledge.add("heating", "# Heating\n\nThe boiler is a Vaillant ecoTEC, code 4471.");
  assert.equal(
    await Deno.readTextFile(`${folder.path}/knowledge/heating/content.md`),
    "# Heating\n\nThe boiler is a Vaillant ecoTEC, code 4471.",
  );
  assert.deepEqual(await search(memory, "Vaillant boiler"), ["heating#0"]);
  assert.deepEqual(memory.knowledge.list(), [{ name: "heating", bytes: 54, title: "Heating" }]);
});

Deno.test("what a person adds, edits and removes in the folder is noticed", async () => {
  await using folder = await tempFolder();
  await using memory = openMemory(folder.path);
  await Deno.mkdir(`${folder.path}/knowledge/by hand?`, { recursive: true });
  const path = `${folder.path}/knowledge/by hand?/content.md`;
  await Deno.writeTextFile(path, "The spare key is in the shed.");
  assert.deepEqual(await search(memory, "spare key"), ["by hand?#0"]);
  await Deno.writeTextFile(path, "The ladder hangs in the garage, left wall.");
  assert.deepEqual(await search(memory, "ladder garage"), ["by hand?#0"]);
  assert.equal(memory.knowledge.content("by hand?"), "The ladder hangs in the garage, left wall.");
  await Deno.remove(`${folder.path}/knowledge/by hand?`, { recursive: true });
  assert.deepEqual(await search(memory, "ladder garage"), []);
  assert.equal(memory.knowledge.count, 0);
});

Deno.test("a file that did not change is not read again, also after a restart", async () => {
  await using folder = await tempFolder();
  const first = openMemory(folder.path);
  first.knowledge.add("a", "alpha");
  await first.close();
  await using memory = openMemory(folder.path);
  const before = memory.index.changes;
  memory.knowledge.refresh({ force: true });
  assert.equal(memory.index.changes, before);
});

for (
  const name of [
    "a/b",
    "..",
    "con",
    "AUX.txt",
    "café: menu?",
    "中文 手册",
    "trailing.",
    ".hidden",
    "100%",
    "a%2Fb",
    "tab\there",
    "x".repeat(190),
  ]
) {
  Deno.test(`the name ${JSON.stringify(name.slice(0, 20))} is kept in a way that every file system takes`, async () => {
    await using folder = await tempFolder();
    await using memory = openMemory(folder.path);
    if (name === "..") return assert.throws(() => memory.knowledge.add(name, "x"), /Cannot use/);
    memory.knowledge.add(name, "zeppelin");
    assert.deepEqual(memory.knowledge.list().map((item) => item.name), [name]);
    assert.equal(memory.knowledge.content(name), "zeppelin");
    const [entry] = [...Deno.readDirSync(`${folder.path}/knowledge`)];
    assert.match(entry!.name, /^(?!(con|prn|aux|nul|com\d|lpt\d)(\.|$))[^<>:"/\\|?*\p{Cc}]*[^. ]$/iu);
    assert.deepEqual(await search(memory, "zeppelin"), [`${name}#0`]);
  });
}

Deno.test("the same name in other capitals is the same entry", async () => {
  await using folder = await tempFolder();
  await using memory = openMemory(folder.path);
  memory.knowledge.add("Router", "one");
  assert.throws(() => memory.knowledge.add("router", "two"), /There is knowledge named "Router" already/);
  assert.equal(memory.knowledge.add("ROUTER", "two", { replace: true }), "Router");
  assert.equal(memory.knowledge.content("Router"), "two");
});

Deno.test("a long entry is found by the piece that says it", async () => {
  await using folder = await tempFolder();
  await using memory = openMemory(folder.path);
  const parts = Array.from(
    { length: 40 },
    (_, i) => `Chapter ${i} speaks of topic${i} and of nothing else at all. `.repeat(5),
  );
  memory.knowledge.add("book", parts.join("\n\n"));
  const [best] = (await memory.recall.recall("topic33", { kinds: ["knowledge"] })).hits;
  assert.match(best!.text, /topic33/);
  assert.ok(best!.text.length < 3000);
});

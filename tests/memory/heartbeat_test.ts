import assert from "node:assert/strict";
import type { MemoryAsks } from "../../core/wire/memory.ts";
import { arrayIn, quote } from "../../memory/loops/answer.ts";
import { ALIKE, alikePairs } from "../../memory/loops/merge.ts";
import type { Entity } from "../../memory/graph/rows.ts";
import { ManualClock } from "../kit/manual_clock.ts";
import { tempFolder } from "../kit/temp_folder.ts";
import { HOUR, openService, said } from "./kit.ts";

type Asked = MemoryAsks["self.decide"]["params"];

/** A model that answers from a script, and remembers what it was asked. */
function model(answer: (asked: Asked) => string | null) {
  const asked: Asked[] = [];
  return { asked, decide: (params: Asked) => (asked.push(params), answer(params)) };
}

const entityNamed = (name: string): Entity => ({
  name,
  type: "",
  description: "",
  aliases: [],
  created: 0,
  updated: 0,
});

Deno.test("the rule distiller learns what the owner said, once, and only that", async () => {
  await using folder = await tempFolder();
  const clock = new ManualClock();
  await using home = await openService(folder.path, { clock });
  const at = clock.now();
  await home.call("context.append", { event: said("e1", "My name is Iris and I live in Lyon.", { at }) });
  await home.call("context.append", { event: said("e2", "I live in Oslo.", { at, untrusted: true }) });
  await home.call("context.append", { event: said("e3", "I live in Rome.", { at, no_memory: true }) });
  await home.call("context.append", {
    event: { ...said("e4", "", { at }), kind: "agent", response: "I live in Kyiv." },
  });
  await home.call("context.append", {
    event: { ...said("e5", "I live in Bern.", { at }), kind: "cold_storage", source: "cold_storage", untrusted: true },
  });
  await home.call("text.append", { record: { role: "tool", text: "I live in Bonn.", channel: "x", source: "x", at } });
  assert.ok((await home.call("memory.tick", { loop: "pipeline" })).did >= 2);
  const { hits } = await home.call("graph.recall", { query: "live in" });
  assert.deepEqual(hits.filter((hit) => /Oslo|Rome|Kyiv|Bern|Bonn/.test(hit.text)), []);
  assert.ok(hits.some((hit) => hit.text.includes("Lyon")));
  assert.equal(
    (await home.call("memory.tick", { loop: "pipeline" })).did,
    0,
    "and the second time there is nothing new",
  );
});

Deno.test("the rule distiller goes on where it was after a restart, and passes over what is older than the retention", async () => {
  await using folder = await tempFolder();
  const clock = new ManualClock();
  {
    await using home = await openService(folder.path, { clock });
    await home.call("context.append", { event: said("e0", "I live in Oslo.", { at: clock.now() - 8 * 24 * HOUR }) });
    await home.call("context.append", { event: said("e1", "I live in Lyon.", { at: clock.now() }) });
    assert.equal((await home.call("memory.tick", { loop: "pipeline" })).did, 1);
  }
  await using home = await openService(folder.path, { clock });
  assert.equal((await home.call("memory.tick", { loop: "pipeline" })).did, 0);
  assert.equal((await home.call("memory.stats", {})).relations, 1);
});

Deno.test("cold documents of the owner become facts with the words they came from; the others wait for a model", async () => {
  await using folder = await tempFolder();
  const clock = new ManualClock();
  const { asked, decide } = model(() => null);
  await using home = await openService(folder.path, { clock, decide });
  await home.call("context.append", { event: said("e1", "I live in Lyon.", { at: clock.now() }) });
  await home.call("context.archive", { ids: ["e1"] });
  await home.call("doc.commit", { content: "The boiler was serviced by Mr Roth." });
  assert.equal((await home.call("memory.tick", { loop: "archive" })).did, 0, "they are not cold yet");
  clock.setWall(clock.now() + 73 * HOUR);
  assert.ok((await home.call("memory.tick", { loop: "archive" })).did >= 1);
  assert.deepEqual(asked.map((one) => one.kind), ["distill"]);
  assert.equal((await home.call("doc.query", { query: "boiler serviced" })).hits.length, 1, "nothing vanished");
  const { hits } = await home.call("graph.recall", { query: "where do I live" });
  assert.match(hits[0]!.text, /Lyon\. I live in Lyon\./);
  assert.equal((await home.call("memory.tick", { loop: "archive" })).did, 0);
  assert.equal(asked.length, 1, "idle beats ask nothing");
});

Deno.test("a cold document whose facts are known becomes nothing but them, unless it says more than they were told in", async () => {
  await using folder = await tempFolder();
  const clock = new ManualClock();
  await using home = await openService(folder.path, { clock });
  for (const [i, text] of ["I live in Lyon.", "I live in Lyon. The stairs creak at night."].entries()) {
    await home.call("context.append", { event: said(`e${i}`, text, { at: clock.now() + i }) });
  }
  await home.call("memory.tick", { loop: "pipeline" });
  await home.call("context.archive", { ids: ["e0", "e1"] });
  clock.setWall(clock.now() + 73 * HOUR);
  await home.call("memory.tick", { loop: "archive" });
  const { hits } = await home.call("doc.query", { query: "live in Lyon, stairs creak", top: 9 });
  assert.deepEqual(hits.map(({ id }) => id).filter((id) => !id.startsWith("graph-")), ["e1"]);
  assert.equal((await home.call("memory.stats", {})).relations, 1);
});

Deno.test("a model's triples of a cold document are committed; what holds no facts is not asked about again", async () => {
  await using folder = await tempFolder();
  const clock = new ManualClock();
  const { asked, decide } = model(() =>
    'Sure: [{"n":1,"triples":[{"subject":"Mr Roth","predicate":"serviced","object":"the boiler"},{"subject":"","predicate":"x"}]},{"n":2,"triples":[]},{"n":9}]'
  );
  await using home = await openService(folder.path, { clock, decide });
  await home.call("doc.commit", { content: "The boiler was serviced by Mr Roth.", at: 1 });
  await home.call("doc.commit", { content: "Hm, well, that umbrella.", at: 2 });
  clock.setWall(clock.now() + 73 * HOUR);
  await home.call("memory.tick", { loop: "archive" });
  assert.equal((await home.call("memory.stats", {})).relations, 1);
  const { hits } = await home.call("graph.recall", { query: "boiler" });
  assert.match(hits[0]!.text, /Mr Roth serviced the boiler\. The boiler was serviced by Mr Roth\./);
  clock.setWall(clock.now() + 100 * HOUR);
  await home.call("memory.tick", { loop: "archive" });
  assert.equal(asked.length, 1);
  assert.equal((await home.call("doc.query", { query: "umbrella" })).hits.length, 1);
});

Deno.test("people get a derived document that follows the graph and is never distilled back", async () => {
  await using folder = await tempFolder();
  const clock = new ManualClock();
  await using home = await openService(folder.path, { clock });
  await home.call("social.set_trait", { name: "Iris", trait: "lives in", value: "Lyon" });
  assert.equal((await home.call("memory.tick", { loop: "archive" })).did, 1);
  const found = async () => (await home.call("doc.query", { query: "Iris lives" })).hits.map((hit) => hit.text);
  assert.deepEqual(await found(), ["Iris\nIris lives in Lyon"]);
  clock.setWall(clock.now() + HOUR);
  await home.call("social.set_trait", { name: "Iris", trait: "lives in", value: "Oslo" });
  await home.call("memory.tick", { loop: "archive" });
  assert.deepEqual(await found(), ["Iris\nIris lives in Oslo"]);
  clock.setWall(clock.now() + 1000 * HOUR);
  await home.call("memory.tick", { loop: "archive" });
  assert.equal((await home.call("memory.stats", {})).relations, 2);
  await home.call("graph.purge", { name: "Iris" });
  await home.call("memory.tick", { loop: "archive" });
  assert.deepEqual(await found(), []);
});

Deno.test("alike names are merged by decision alone, each pair asked once, and it can be taken back", async () => {
  await using folder = await tempFolder();
  let answer: string | null = null;
  const { asked, decide } = model(() => answer);
  await using home = await openService(folder.path, { decide });
  const lives = (subject: string, object: string) => ({ subject, predicate: "likes", object });
  await home.call("graph.commit", { triples: [lives("Katherine Johnson", "tea"), lives("Katherine Jonson", "chess")] });
  assert.equal((await home.call("memory.tick", { loop: "merge" })).did, 0);
  assert.equal(asked.length, 1);
  assert.match(asked[0]!.prompt, /«Katherine Johnson»/);
  assert.ok((await home.call("memory.stats", {})).entities === 4, "without a model nothing is merged, and it waits");

  answer = '[{"n":1,"same":true,"keep":"Katherine Johnson"}]';
  assert.equal((await home.call("memory.tick", { loop: "merge" })).did, 1);
  assert.equal((await home.call("memory.stats", {})).entities, 3);
  assert.equal((await home.call("memory.tick", { loop: "merge" })).did, 0);
  assert.equal(asked.length, 2, "a decided pair is not asked again");

  assert.equal((await home.call("memory.undo", {})).kind, "merge");
  assert.equal((await home.call("memory.stats", {})).entities, 4);
  await home.call("memory.tick", { loop: "merge" });
  assert.equal(asked.length, 2, "and what was taken back is not merged again");
});

Deno.test("a no, a mess and a name that is not of the pair merge nothing", async () => {
  for (
    const answer of [
      '[{"n":1,"same":false}]',
      "I think they might be the same person?",
      '[{"n":7,"same":true}]',
      "[",
      "",
    ]
  ) {
    await using folder = await tempFolder();
    const { asked, decide } = model(() => answer);
    await using home = await openService(folder.path, { decide });
    const triple = (subject: string) => ({ subject, predicate: "likes", object: "tea" });
    await home.call("graph.commit", { triples: [triple("Katherine Johnson"), triple("Katherine Jonson")] });
    await home.call("memory.tick", { loop: "merge" });
    await home.call("memory.tick", { loop: "merge" });
    assert.equal((await home.call("memory.stats", {})).entities, 3, answer);
    assert.equal(asked.length, 1, answer);
  }
});

Deno.test("a review mends and deletes what its sentence does not say, and asks once for each relation", async () => {
  await using folder = await tempFolder();
  let answer: string | null = null;
  const { asked, decide } = model(() => answer);
  await using home = await openService(folder.path, { decide });
  const commit = (subject: string, predicate: string, object: string, sentence_text: string) =>
    home.call("graph.commit", { triples: [{ subject, predicate, object }], sentence_text });
  await commit("Iris", "likes", "tea", "Iris likes tea.");
  await commit("Iris", "owns", "Bern", "Does Iris own a house in Bern?");
  await commit("user", "has pet", "Rex", "Iris has a dog called Rex.");
  assert.equal((await home.call("memory.tick", { loop: "review" })).did, 0);
  answer = '[{"n":2,"action":"delete"},{"n":3,"action":"edit","subject":"Iris"},{"n":1,"action":"explode"}]';
  assert.equal((await home.call("memory.tick", { loop: "review" })).did, 2);
  const { relations } = await home.call("graph.recall", { query: "Iris" });
  assert.deepEqual(
    relations.map((r) => `${r.subject} ${r.predicate} ${r.object}`).sort(),
    ["Iris has pet Rex", "Iris likes tea"],
  );
  for (let i = 0; i < 3; i++) assert.equal((await home.call("memory.tick", { loop: "review" })).did, 0);
  assert.equal(asked.length, 2, "nothing new, nothing asked");
  await commit("Iris", "plays", "cello", "Iris plays the cello.");
  await home.call("memory.tick", { loop: "review" });
  assert.equal(asked.length, 3);
  assert.doesNotMatch(asked[2]!.prompt, /tea/, "only what is new");
});

Deno.test("a window that is too large is pruned while nobody talks, and the kernel is told", async () => {
  await using folder = await tempFolder();
  await using home = await openService(folder.path, { settings: { max_context_size: 12 } });
  for (let i = 0; i < 20; i++) {
    await home.call("context.append", {
      event: said(`e${i}`, i % 2 ? "the garden needs water" : "the boiler makes a noise", {
        at: i,
        ...(i === 3 && { source: "terminal" }),
      }),
    });
  }
  assert.equal((await home.call("memory.tick", { loop: "distill" })).did, 8);
  const { events } = await home.call("context.load", {});
  assert.deepEqual(events.slice(-10).map((event) => event.id), Array.from({ length: 10 }, (_, i) => `e${i + 10}`));
  assert.equal(events.length, 12);
  assert.equal(home.left.length, 8);
  const { documents } = await home.call("memory.stats", {});
  assert.equal(documents, home.left.includes("e3") ? 7 : 8, "terminal output is dropped, the rest archived");
  assert.equal((await home.call("memory.tick", { loop: "distill" })).did, 0);
});

Deno.test("the loops beat at their intervals, ask no model and write nothing when nothing happens", async () => {
  await using folder = await tempFolder();
  const clock = new ManualClock();
  const { asked, decide } = model(() => "[]");
  await using home = await openService(folder.path, { clock, decide });
  await home.call("context.append", { event: said("e1", "I live in Lyon.", { at: clock.now() }) });
  await clock.advance(11 * 60_000);
  await until(async () => (await home.call("memory.stats", {})).relations === 1);
  await clock.advance(5 * HOUR);
  const before = [asked.length, written(folder.path)];
  await clock.advance(48 * HOUR);
  assert.deepEqual([asked.length, written(folder.path)], before);
});

Deno.test("a damaged state of the loops is set aside, and they look once more", async () => {
  await using folder = await tempFolder();
  {
    await using home = await openService(folder.path);
    await home.call("context.append", { event: said("e1", "I live in Lyon.", { at: home.clock.now() }) });
    await home.call("memory.tick", { loop: "pipeline" });
  }
  await Deno.writeFile(`${folder.path}/memory/heartbeat.json`, new Uint8Array(100));
  await using home = await openService(folder.path);
  assert.match(home.notices.join("\n"), /heartbeat\.json was damaged/);
  await home.call("memory.tick", { loop: "pipeline" });
  assert.equal((await home.call("memory.stats", {})).relations, 1, "and learn nothing twice");
});

Deno.test("alikePairs() finds exactly the pairs over the limit", async () => {
  const names = [
    "Katherine Johnson",
    "Katherine Jonson",
    "Catherine Johnson",
    "Bob",
    "Bobby",
    "北京大学医院",
    "北京大学医院部",
    "上海",
    "Alexandria Ocasio",
    "Alexandria Ocasia",
  ];
  const bigrams = (name: string) => {
    const letters = [...name.toLowerCase()];
    return new Set(letters.slice(1).map((letter, i) => letters[i]! + letter));
  };
  const expected: string[] = [];
  for (const [i, a] of names.entries()) {
    for (const b of names.slice(i + 1)) {
      const [x, y] = [bigrams(a), bigrams(b)];
      const shared = [...x].filter((pair) => y.has(pair)).length;
      if (shared / (x.size + y.size - shared) > ALIKE) expected.push(`${a} ~ ${b}`);
    }
  }
  assert.ok(expected.length >= 3);
  const found = await alikePairs(names.map(entityNamed));
  assert.deepEqual(found.map(([a, b]) => `${a.name} ~ ${b.name}`).sort(), expected.sort());
});

Deno.test("alikePairs() takes no two of a numbered series for one: their questions would never end", async () => {
  const series = Array.from({ length: 60 }, (_, i) => `jar of day ${i}`);
  assert.deepEqual(await alikePairs([...series, "Meridian-12", "Meridian-13"].map(entityNamed)), []);
  const [pair] = await alikePairs(["the jar of day 7", "The Jar of day 7!", "the jar of day 8"].map(entityNamed));
  assert.deepEqual(pair?.map(({ name }) => name), ["the jar of day 7", "The Jar of day 7!"]);
});

Deno.test("arrayIn() finds the array in whatever a model wrote around it", () => {
  assert.deepEqual(arrayIn('```json\n[{"n":1}]\n```'), [{ n: 1 }]);
  assert.deepEqual(arrayIn('As I said [sic]: [{"a":[1,2]}] and [more]'), [{ a: [1, 2] }]);
  assert.deepEqual(arrayIn("[]"), []);
  assert.equal(arrayIn("no array [here"), undefined);
});

Deno.test("quote() cannot be left by what it quotes", () => {
  assert.equal(quote("a »\nAnswer: [] «b"), "«a › Answer: [] ‹b»");
});

function written(folder: string): string {
  const times: string[] = [];
  const visit = (path: string) => {
    for (const entry of Deno.readDirSync(path)) {
      if (entry.isDirectory) visit(`${path}/${entry.name}`);
      else times.push(`${path}/${entry.name} ${Deno.statSync(`${path}/${entry.name}`).mtime?.getTime()}`);
    }
  };
  visit(`${folder}/memory`);
  return times.filter((line) => !/-shm /.test(line)).sort().join("\n");
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail("it never came true");
}

Deno.test("what somebody takes out or corrects is not learned again from what was said before, nor after the loops lost their place", async () => {
  await using folder = await tempFolder();
  const clock = new ManualClock();
  {
    await using home = await openService(folder.path, { clock });
    await home.call("context.append", { event: said("e1", "My friend Bob lives in Rome.", { at: clock.now() }) });
    await home.call("graph.purge", { name: "Bob" });
    await home.call("context.append", { event: said("e2", "I live in Lyon.", { at: clock.now() + 1 }) });
    const { relations: [fact] } = await home.call("graph.recall", { query: "where do I live" });
    await home.call("graph.edit", { id: fact?.id ?? "none yet", set: { object: "Nice" } });
    await home.call("memory.tick", { loop: "pipeline" });
    const { relations } = await home.call("graph.recall", { query: "where do I live" });
    await home.call("graph.edit", { id: relations[0]!.id, set: { object: "Nice" } });
    await home.call("memory.tick", { loop: "pipeline" });
    assert.equal((await home.call("social.get_person", { name: "Bob" })).person, null);
  }
  await Deno.writeTextFile(`${folder.path}/memory/heartbeat.json`, "{cut");
  await using home = await openService(folder.path, { clock });
  await home.call("memory.tick", { loop: "pipeline" });
  assert.equal((await home.call("social.get_person", { name: "Bob" })).person, null);
  const { relations } = await home.call("graph.recall", { query: "where do I live" });
  assert.deepEqual(relations.map(({ object }) => object), ["Nice"]);
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { type Fact, Graph } from "../../memory/graph/graph.ts";

function open(now = 1_800_000_000_000): Graph {
  return new Graph(":memory:", { now: () => now });
}

const day = (n: number) => Date.UTC(2025, 0, 1 + n);

/** Who holds what, and since and until when: everything that counts, in a fixed order. */
function state(graph: Graph): string[] {
  return [...graph.iterate()].map((r) => `${r.subject}|${r.attribute}|${r.object}|${r.from}|${r.until ?? "now"}`)
    .sort();
}

Deno.test("commit() of a new value closes the old one and keeps both", () => {
  using graph = open();
  graph.commit([{ subject: "我", predicate: "住在", object: "北京" }], { at: day(0) });
  const { closed } = graph.commit([{ subject: "我", predicate: "搬到", object: "上海" }], { at: day(9) });
  assert.equal(closed.length, 1);
  const [current, old] = graph.relationsOf("我");
  assert.equal(current!.object, "上海");
  assert.equal(current!.until, undefined);
  assert.equal(old!.object, "北京");
  assert.equal(old!.until, day(9));
});

Deno.test("commit() lets values that can coexist stand side by side", () => {
  using graph = open();
  for (const object of ["腰果", "尘螨"]) graph.commit([{ subject: "小诺", predicate: "过敏", object }]);
  assert.deepEqual(graph.relationsOf("小诺").map((r) => r.until), [undefined, undefined]);
});

Deno.test("commit() of an older fact that arrives later does not close the newer one", () => {
  using graph = open();
  graph.commit([{ subject: "router", predicate: "firmware version", object: "3.4.09" }], { at: day(30) });
  graph.commit([{ subject: "router", predicate: "firmware version", object: "3.2.17" }], { at: day(1) });
  const current = graph.relationsOf("router").filter((r) => r.until === undefined);
  assert.deepEqual(current.map((r) => r.object), ["3.4.09"]);
});

Deno.test("commit() gives the same graph whatever the order of the facts", () => {
  const fact = fc.record({
    subject: fc.constantFrom("我", "Ann"),
    predicate: fc.constantFrom("住在", "喜欢", "extension"),
    object: fc.constantFrom("A", "B", "C"),
    at: fc.integer({ min: 0, max: 12 }).map(day),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(fact, { maxLength: 9, selector: (f) => `${f.subject}${f.predicate}${f.at}` }),
      (facts) => {
        using forward = open();
        using backward = open();
        for (const f of facts) forward.commit([f]);
        for (const f of facts.toReversed()) backward.commit([f]);
        assert.deepEqual(state(backward), state(forward));
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("commit() with an id that was seen changes nothing", () => {
  using graph = open();
  const facts: Fact[] = [{ id: "r1", subject: "NAS", predicate: "port", object: "8123", at: day(1) }];
  const [first, again] = [graph.commit(facts), graph.commit(facts)];
  assert.equal(again.committed, 0);
  assert.deepEqual(again.ids, first.ids);
  assert.equal(graph.stats().relations, 1);
});

Deno.test("equal names never make two nodes", () => {
  using graph = open();
  for (const subject of ["張曉雯", " 张晓雯", "「张晓雯」"]) {
    graph.commit([{ subject, predicate: "喜欢", object: "茶" }]);
  }
  for (const subject of ["Jellyfin", "JELLYFIN", "ｊｅｌｌｙｆｉｎ"]) {
    graph.commit([{ subject, predicate: "port", object: "8097" }]);
  }
  assert.equal(graph.stats().entities, 4);
  assert.equal(graph.stats().relations, 2);
});

Deno.test("merge() moves everything, keeps the name as an alias, and does nothing the second time", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.constantFrom("x", "y", "a", "b")), { maxLength: 8 }),
      (edges) => {
        using graph = open();
        for (const [subject, object] of edges) graph.commit([{ subject, predicate: "knows", object }]);
        graph.merge("a", "b");
        const once = state(graph);
        assert.equal(graph.merge("a", "b").moved, 0);
        assert.deepEqual(state(graph), once);
        if (edges.some((edge) => edge.includes("a"))) assert.equal(graph.entity("a")?.name, "b");
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("undo() puts back what a merge, a purge or an edit changed", () => {
  using graph = open();
  graph.commit([{ subject: "Ann", predicate: "lives in", object: "Bern" }], {
    at: day(0),
    sentence: "Ann lives in Bern",
  });
  graph.commit([{ subject: "Anna", predicate: "lives in", object: "Basel" }], { at: day(3) });
  const before = state(graph);
  for (
    const change of [
      () => graph.merge("Anna", "Ann").undo,
      () => graph.purge("Bern").undo,
      () => graph.edit({ name: "Ann" }, { type: "person", description: "a friend" }).undo,
    ]
  ) {
    const undo = change();
    graph.undo(JSON.parse(JSON.stringify(undo)));
    assert.deepEqual(state(graph), before);
  }
  assert.equal(graph.entity("Ann")!.type, "");
  assert.equal(graph.relationsOf("Ann")[0]!.sentence, "Ann lives in Bern");
});

Deno.test("purge() takes nodes along that only it named, with their sentences", () => {
  using graph = open();
  graph.commit([{ subject: "Bo", predicate: "has pet", object: "Rex" }], { sentence: "Bo has a dog, Rex" });
  const { relations } = graph.purge("Bo");
  assert.equal(relations, 1);
  assert.deepEqual(graph.stats(), { entities: 0, relations: 0, current_relations: 0, sentences: 0 });
});

Deno.test("edit() can say that an attribute has many values, and closed ones open again", () => {
  using graph = open();
  const { ids } = graph.commit([{ subject: "Gitea", predicate: "port", object: "3223" }], { at: day(0) });
  graph.commit([{ subject: "Gitea", predicate: "port", object: "2227" }], { at: day(1) });
  assert.equal(graph.stats().current_relations, 1);
  graph.edit({ id: ids[0]! }, { many_valued: true });
  assert.equal(graph.stats().current_relations, 2);
});

Deno.test("an end that was said stays, and a value can begin anew after it", () => {
  using graph = open();
  const fact = { subject: "Cy", predicate: "likes", object: "chess" };
  graph.commit([{ ...fact, valid_from: "2020-01-01", valid_to: "2021-01-01" }]);
  graph.commit([{ ...fact, valid_from: "2024-01-01" }]);
  const untils = graph.relationsOf("Cy").map((r) => r.until);
  assert.deepEqual(untils, [undefined, Date.parse("2021-01-01")]);
});

Deno.test("a nickname means whoever has it, unless something else has that name", () => {
  using graph = open();
  graph.commit([{ subject: "Ann", predicate: "nickname", object: "Annie", subject_type: "person" }]);
  graph.commit([{ subject: "Annie", predicate: "likes", object: "tea" }]);
  graph.commit([{ subject: "Ann", predicate: "nickname", object: "annie" }]);
  assert.deepEqual(graph.relationsOf("Ann").map((r) => r.object).sort(), ["Annie", "tea"]);
  assert.equal(graph.entity("annie")!.name, "Ann");
  assert.equal(graph.typeOf("Annie"), "", "the name itself is no person");
  graph.commit([{ subject: "Max", predicate: "nickname", object: "Bear" }]);
  graph.commit([{ subject: "Ida", predicate: "nickname", object: "Bear" }]);
  assert.equal(graph.entity("Bear")!.name, "Bear", "of two it is neither");
  graph.commit([{ subject: "zoo", predicate: "has", object: "Owl" }]);
  graph.commit([{ subject: "Otto", predicate: "nickname", object: "Owl" }]);
  assert.equal(graph.entity("Owl")!.name, "Owl", "an owl is an owl");
});

Deno.test("media that come with another sentence for a known fact hang on the one it has, and no sentence is left over", () => {
  using graph = open();
  const fact = { subject: "Cy", predicate: "plays", object: "chess" };
  graph.commit([fact], { sentence: "Cy plays chess" });
  graph.commit([fact], { sentence: "Look, Cy at chess!", mediaDigests: ["aa"] });
  graph.commit([fact], { sentence: "And again", mediaDigests: ["bb"] });
  const [relation] = graph.relationsOf("Cy");
  assert.deepEqual([relation!.sentence, relation!.media], ["Cy plays chess", ["aa", "bb"]]);
  assert.equal(graph.stats().sentences, 1);
});

Deno.test("walk() goes two steps and no further", () => {
  using graph = open();
  for (const [subject, object] of [["a", "b"], ["b", "c"], ["c", "d"]]) {
    graph.commit([{ subject: subject!, predicate: "knows", object: object! }]);
  }
  assert.deepEqual(graph.walk(["a"], { depth: 2 }).map((r) => [r.subject, r.distance]), [["a", 1], ["b", 2]]);
});

Deno.test("a file that is no database is set aside, and the graph begun anew", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeFile(`${folder}/graph.db`, new Uint8Array(8192));
    await Deno.writeTextFile(`${folder}/graph.db`, "this is no database".repeat(600));
    using graph = new Graph(`${folder}/graph.db`);
    assert.equal(graph.notices.length, 1);
    graph.commit([{ subject: "a", predicate: "knows", object: "b" }]);
    assert.ok([...Deno.readDirSync(folder)].some((entry) => entry.name.includes(".damaged-")));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { Graph } from "../../memory/graph/graph.ts";
import type { GraphUndo } from "../../memory/graph/snapshot.ts";

function open(): Graph {
  return new Graph(":memory:", { now: () => 1_800_000_000_000 });
}

const day = (n: number) => Date.UTC(2025, 0, 1 + n);

/** Nodes with their aliases, and who holds what, since and until when: in a fixed order. */
function state(graph: Graph): string[] {
  const facts = [...graph.iterate()].map((r) =>
    `${r.subject}|${r.predicate}|${r.object}|${r.from}|${r.until ?? "now"}`
  );
  const nodes = [...graph.entities()].map((e) => `${e.name}|${e.type}|${e.description}|${e.aliases}`);
  return [...facts.sort(), ...nodes.sort()];
}

interface Said {
  subject: string;
  predicate: string;
  object: string;
  day: number;
}

const names = fc.constantFrom("user", "Tom", "Thomas", "Berlin", "Acme");
const said = (days: { min: number; max: number }): fc.Arbitrary<Said> =>
  fc.record({
    subject: names,
    predicate: fc.constantFrom("lives in", "likes", "works at", "knows"),
    object: names,
    day: fc.integer(days),
  });

function say(graph: Graph, { subject, predicate, object, day: at }: Said): void {
  graph.commit([{ subject, predicate, object }], { at: day(at), sentence: `${subject} ${predicate} ${object}, ${at}` });
}

const changes: Record<string, (graph: Graph) => GraphUndo[]> = {
  merge: (graph) => [graph.merge("Tom", "Thomas").undo],
  purge: (graph) => [graph.purge("Tom").undo],
  delete: (graph) => [graph.deleteEntity("Berlin").undo],
  rename: (graph) => [graph.edit({ name: "Tom" }, { subject: "Tomas", type: "person", description: "a friend" }).undo],
  "edit of a relation": (graph) =>
    [...graph.iterate()].slice(0, 1).map(({ id }) =>
      graph.edit({ id }, { object: "Hamburg", confidence: 0.5, valid_to: "2025-01-20" }).undo
    ),
  "removal of a relation": (graph) => [...graph.iterate()].slice(0, 1).map(({ id }) => graph.deleteRelation(id).undo),
  consolidation: (graph) => {
    const facts = [
      { id: "d/0", subject: "Tom", predicate: "lives in", object: "Rome", at: day(9) },
      { id: "d/1", subject: "Tom", predicate: "likes", object: "Berlin", at: day(9) },
    ];
    return [graph.commit(facts, { undoable: true, sentence: "Tom, Rome" }).undo!];
  },
};

for (const [name, change] of Object.entries(changes)) {
  Deno.test(`undo() takes back a ${name} and nothing of what was learned since`, () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(said({ min: 0, max: 7 }), { minLength: 1, maxLength: 8, selector: ({ day }) => day }),
        fc.uniqueArray(said({ min: 10, max: 16 }), { maxLength: 6, selector: ({ day }) => day }),
        (before, since) => {
          // What was said since names nobody whose name the change takes away, else it would be about somebody else.
          const about = since.filter((one) =>
            ![one.subject, one.object].some((end) => end === "Tom" || end === "Berlin")
          );
          using graph = open();
          for (const one of before) say(graph, one);
          const undos: GraphUndo[] = JSON.parse(JSON.stringify(change(graph)));
          for (const one of about) say(graph, one);
          for (const undo of undos) graph.undo(undo);
          using never = open();
          for (const one of [...before, ...about]) say(never, one);
          assert.deepEqual(state(graph), state(never));
          for (const undo of undos) graph.undo(undo);
          assert.deepEqual(state(graph), state(never), "again it does nothing");
        },
      ),
      { numRuns: 150 },
    );
  });
}

Deno.test("undo() gives what comes back to the node that has been made anew under its name", () => {
  using graph = open();
  say(graph, { subject: "Tom", predicate: "likes", object: "jazz", day: 1 });
  const { undo } = graph.purge("Tom");
  say(graph, { subject: "tom", predicate: "likes", object: "tea", day: 2 });
  graph.undo(undo);
  assert.deepEqual(graph.relationsOf("Tom").map((r) => r.object).sort(), ["jazz", "tea"]);
  assert.equal([...graph.entities()].filter((e) => e.name.toLowerCase() === "tom").length, 1);
});

Deno.test("undo() of a consolidation keeps what was said again since", () => {
  using graph = open();
  const { undo } = graph.commit([{ id: "d/0", subject: "Tom", predicate: "likes", object: "jazz", at: day(1) }], {
    undoable: true,
  });
  say(graph, { subject: "Tom", predicate: "likes", object: "jazz", day: 5 });
  graph.undo(undo!);
  assert.deepEqual(graph.relationsOf("Tom").map((r) => [r.object, r.from]), [["jazz", day(5)]]);
  const again = graph.commit([{ id: "d/0", subject: "Tom", predicate: "likes", object: "jazz", at: day(1) }]);
  assert.equal(again.committed, 1, "what was taken back is not taken for known");
});

Deno.test("undo() of what an older homed kept loses nothing that was learned since", () => {
  using graph = open();
  say(graph, { subject: "Tom", predicate: "lives in", object: "Berlin", day: 1 });
  say(graph, { subject: "Thomas", predicate: "works at", object: "Acme", day: 1 });
  const around = ["entities", "aliases", "relations", "sentences", "seen"].map((table) =>
    [table, graph.db.prepare(`SELECT * FROM ${table}`).all()] as const
  );
  graph.merge("Tom", "Thomas");
  say(graph, { subject: "Thomas", predicate: "likes", object: "tea", day: 3 });
  const entities = [1, 2, 3, 4];
  graph.undo(JSON.parse(JSON.stringify({ kind: "merge", summary: "", entities, rows: Object.fromEntries(around) })));
  assert.deepEqual(graph.relationsOf("Tom").map((r) => r.object), ["Berlin"]);
  assert.deepEqual(graph.relationsOf("Thomas").map((r) => r.object).sort(), ["Acme", "tea"]);
});

Deno.test("what takes a change back is as small as the change", () => {
  using graph = open();
  for (let i = 0; i < 500; i++) say(graph, { subject: "user", predicate: "likes", object: `thing ${i}`, day: 1 });
  say(graph, { subject: "user", predicate: "knows", object: "Tom", day: 1 });
  for (const undo of [graph.merge("Tom", "Thomas").undo, graph.purge("Thomas").undo]) {
    assert.ok(JSON.stringify(undo).length < 5_000, `${undo.kind}: ${JSON.stringify(undo).length} characters`);
  }
});

Deno.test("a consolidation is taken back whole, also when the same was told of another time since", () => {
  for (const [consolidated, since] of [[9, 12], [12, 9]] as const) {
    using graph = open();
    const fact = { subject: "lamp", predicate: "located in", object: "attic" };
    const { undo } = graph.commit([{ ...fact, id: "doc/0", at: day(consolidated) }], { undoable: true, sentence: "a" });
    graph.commit([{ ...fact, id: "text/0", at: day(since) }], { sentence: "b" });
    graph.undo(undo!);
    graph.undo(undo!);
    const ids = graph.db.prepare("SELECT id FROM seen").all().map((row) => row.id);
    assert.deepEqual(ids, ["text/0"]);
    assert.deepEqual([...graph.iterate()].map(({ object, from }) => [object, from]), [["attic", day(since)]]);
  }
});

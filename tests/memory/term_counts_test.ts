import assert from "node:assert/strict";
import fc from "fast-check";
import { SearchIndex } from "../../memory/index/search_index.ts";
import { TermCounts } from "../../memory/recall/candidates.ts";

const WORDS = ["lamp", "river", "stone", "灯", "port", "oslo"];

Deno.test("TermCounts tells after any writes what the index would count, failed ones included", () => {
  const step = fc.record({
    op: fc.constantFrom("put" as const, "remove" as const, "fail" as const, "clear" as const),
    id: fc.integer({ min: 0, max: 6 }),
    text: fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }).map((words) => words.join(" ")),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      using index = new SearchIndex(":memory:");
      const counts = new TermCounts(index);
      const check = () => {
        for (const word of WORDS) assert.equal(counts.of(word), index.countOfTerm(word, 10_000), word);
        assert.equal(index.count, index.countOf("document"));
      };
      for (const { op, id, text } of steps) {
        const unit = { kind: "document" as const, id: `d${id}`, text, at: id };
        if (op === "put") index.put(unit);
        else if (op === "remove") index.remove("document", unit.id);
        else if (op === "clear") index.clear();
        else {
          assert.throws(() =>
            index.batch(() => {
              index.put(unit);
              throw new Error("no space");
            })
          );
        }
        check();
      }
    }),
    { numRuns: 60 },
  );
});

Deno.test("neighbours() finds the turns around several places of several threads, each once", () => {
  using index = new SearchIndex(":memory:");
  for (const thread of ["a", "b"]) {
    index.putMany(
      Array.from({ length: 10 }, (_, n) => ({ kind: "document", id: `${thread}${n}`, text: "x", at: n, thread, n })),
    );
  }
  const ids = index.neighbours([
    { thread: "a", from: 2, to: 4 },
    { thread: "a", from: 4, to: 5 },
    { thread: "b", from: 9, to: 12 },
    { thread: "c", from: 0, to: 9 },
  ]).map(({ id }) => id);
  assert.deepEqual(ids.sort(), ["a2", "a3", "a4", "a5", "b9"]);
  assert.deepEqual(index.neighbours([]), []);
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { MOST_POSTINGS, Postings } from "../../memory/index/postings.ts";
import { SearchIndex } from "../../memory/index/search_index.ts";
import { Tally } from "../../memory/recall/tally.ts";
import { termCode, termCodes } from "../../memory/words/term_codes.ts";

const WORDS = ["lamp", "river", "stone", "灯", "port", "oslo"];

/** What the table itself says: the numbers of the units with a word, rising. */
function stored(index: SearchIndex, table: string, word: string): number[] {
  const rows = index.statement(`SELECT rowid AS num FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid`)
    .all(`"${word}"`) as { num: number }[];
  return rows.map(({ num }) => num);
}

Deno.test("postings() and echoes() tell after any writes what the tables hold, failed ones included", () => {
  const step = fc.record({
    op: fc.constantFrom("put" as const, "remove" as const, "fail" as const, "clear" as const),
    id: fc.integer({ min: 0, max: 6 }),
    text: fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }).map((words) => words.join(" ")),
    isEcho: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      using index = new SearchIndex(":memory:");
      const check = () => {
        for (const word of WORDS) {
          assert.deepEqual([...index.postings(word)], stored(index, "units_fts", word), word);
          assert.deepEqual([...index.echoes(word)], stored(index, "echoes_fts", word), word);
          assert.equal(index.countOfTerm(word), index.postings(word).length, word);
        }
        assert.equal(index.count, index.countOf("document"));
      };
      for (const { op, id, text, isEcho } of steps) {
        const unit = {
          kind: "document" as const,
          id: `d${id}`,
          text,
          at: id,
          ...(isEcho && { echo: "question" as const }),
        };
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

Deno.test("of a common term the newest units are known, whatever comes and goes", () => {
  const all = Array.from({ length: MOST_POSTINGS + 50 }, (_, i) => i + 1);
  const postings = new Postings((_, limit) => all.slice(-limit).reverse());
  const newest = () => all.slice(-MOST_POSTINGS);
  assert.deepEqual([...postings.of("a")], newest());
  for (let i = 0; i < 6000; i++) {
    all.push(all.at(-1)! + 2);
    postings.added(all.at(-1)!, ["a", "b", "a"]);
  }
  assert.deepEqual([...postings.of("a")], newest());
  assert.equal(postings.count("a"), MOST_POSTINGS);
  for (const at of [all.length - 1, 9000, 0]) postings.removed(all.splice(at, 1)[0]!, ["a"]);
  assert.deepEqual([...postings.of("a")], newest());
});

Deno.test("best() of a tally is what sorting all sums gives", () => {
  const share = fc.record({
    numbers: fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 40 }),
    weight: fc.integer({ min: 1, max: 5 }),
    round: fc.integer({ min: 0, max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(share, { maxLength: 12 }), fc.integer({ min: 0, max: 70 }), (given, limit) => {
      const shares = given.sort((a, b) => a.round - b.round);
      const tally = new Tally(shares.reduce((sum, { numbers }) => sum + numbers.length, 0));
      const sums = new Map<number, number>();
      const seen = new Set<string>();
      for (const { numbers, weight, round } of shares) {
        tally.add(numbers, weight, round);
        for (const number of numbers) {
          if (round > 0 && seen.has(`${round} ${number}`)) continue;
          seen.add(`${round} ${number}`);
          sums.set(number, (sums.get(number) ?? 0) + weight);
        }
      }
      const sorted = [...sums].sort((a, b) => b[1] - a[1] || b[0] - a[0]).map(([number]) => number);
      assert.deepEqual(tally.best(limit), sorted.slice(0, limit));
    }),
  );
});

Deno.test("termCodes() of joined terms are the codes of each", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, unit: fc.constantFrom("a", "7", "山", "é", ".") })), (terms) => {
      assert.deepEqual([...termCodes(terms.join(" "), terms.length)], terms.map(termCode));
    }),
  );
  assert.equal(new Set(WORDS.map(termCode)).size, WORDS.length);
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

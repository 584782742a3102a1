import assert from "node:assert/strict";
import { MemoryHome } from "../../benches/recall/memory_home.ts";
import { type HomeQuery, judgeHome, type Marks, means } from "../../benches/recall/score.ts";

const FOLDER = new URL("../fixtures/recall/", import.meta.url);

/** Kinds that words alone cannot reach, reported apart. */
const APART = new Set(["paraphrase", "crosslingual"]);

Deno.test("a household's facts are found, the current one first, and what no fact tells is met with silence", async () => {
  const queries = (await Deno.readTextFile(new URL("queries.jsonl", FOLDER))).trim().split("\n")
    .map((line) => JSON.parse(line) as HomeQuery);
  assert.ok(queries.filter(({ kind }) => kind === "absent").length >= 40);
  using home = new MemoryHome();
  await home.import(decodeURIComponent(new URL("corpus.jsonl", FOLDER).pathname));
  const judged: { kind: string; marks: Marks }[] = [];
  for (const query of queries) {
    judged.push({ kind: query.kind, marks: judgeHome(query, await home.recall.recall(query.q)) });
  }
  const of = (take: (kind: string) => boolean) =>
    means(judged.filter(({ kind }) => take(kind)).map(({ marks }) => marks));
  const known = of((kind) => kind !== "absent" && !APART.has(kind));
  const atLeast = (name: string, value: number | undefined, floor: number) =>
    assert.ok((value ?? 0) >= floor, `${name} is ${value}, at least ${floor} is wanted`);
  atLeast("hit@5", known["hit@5"], 0.95);
  atLeast("answered", known["answered"], 0.92);
  atLeast("current first", known["current_first"], 0.95);
  atLeast("the right time first", known["right_time_first"], 0.95);
  atLeast("silent", of((kind) => kind === "absent")["silent"], 0.85);
  atLeast("hit@5 across languages", of((kind) => kind === "crosslingual")["hit@5"], 0.9);
});

Deno.test("what is asked about somebody is not answered by something else about them, nor by the same of others", async () => {
  using home = new MemoryHome();
  await home.import(decodeURIComponent(new URL("corpus.jsonl", FOLDER).pathname));
  for (
    const query of [
      "许婧的血型是什么",
      "郭砚之的电话",
      "番茄是什么品种",
      "When is Imogen's birthday?",
      "What is the piano's brand?",
    ]
  ) {
    const { answerable, hits } = home.recall.recall(query);
    assert.equal(answerable, false, query);
    assert.ok(hits.length > 0, `${query}: what is nearest is still told`);
  }
});

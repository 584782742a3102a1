import assert from "node:assert/strict";
import { MemoryHome } from "../../benches/recall/memory_home.ts";
import { type HomeQuery, judgeHome, type Marks, means } from "../../benches/recall/score.ts";

import { tempFolder } from "../kit/temp_folder.ts";
import { openService } from "./kit.ts";

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

/** A model of a few words: each group has an axis of its own, all words share a little. */
const GROUPS = [
  ["borrow", "lent", "ladder"],
  ["neighbour", "owen"],
  ["travel", "documents", "passports"],
  ["除夕", "聚餐", "年夜饭"],
  ["着迷", "迷", "动物", "恐龙"],
  ["毛笔字", "书法"],
  ["血型"],
  ["生日", "birthday"],
  ["电话", "phone"],
];

function toyVectors(): string {
  const axes = GROUPS.length + 1;
  return GROUPS.flatMap((words, axis) =>
    words.map((word, i) => {
      const values = Array.from({ length: axes }, (_, at) => (at === axis ? 1 - i / 50 : at === axes - 1 ? 0.1 : 0));
      return `${word} ${values.join(" ")}\n`;
    })
  ).join("");
}

Deno.test("word vectors bring paraphrases in among what words find, and silence holds", async () => {
  await using folder = await tempFolder();
  await Deno.writeTextFile(`${folder.path}/toy.vec`, toyVectors());
  await using home = await openService(`${folder.path}/home`);
  await home.call("memory.import", { path: decodeURIComponent(new URL("corpus.jsonl", FOLDER).pathname) });
  const queries = (await Deno.readTextFile(new URL("queries.jsonl", FOLDER))).trim().split("\n")
    .map((line) => JSON.parse(line) as HomeQuery);
  const run = async (kind: string) => {
    const marks: Marks[] = [];
    for (const query of queries.filter((one) => one.kind === kind)) {
      marks.push(judgeHome(query, await home.call("memory.recall", { query: query.q })));
    }
    return means(marks);
  };
  const words = await run("paraphrase");
  await home.call("memory.configure", { embedding_model_path: `${folder.path}/toy.vec` });
  for (let i = 0; (await home.call("memory.stats", {})).embedder.name === "tfidf"; i++) {
    assert.ok(i < 300, "the model was never ready");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const meaning = await run("paraphrase");
  const told = `by words ${JSON.stringify(words)}, with the model ${JSON.stringify(meaning)}`;
  assert.ok(meaning["hit@5"]! >= words["hit@5"]! + 0.25, told);
  assert.ok(meaning["answered"]! >= 0.25, told);
  assert.ok((await run("absent"))["silent"]! >= 0.85);
  assert.ok((await run("keyword"))["hit@5"]! >= 0.95);
});

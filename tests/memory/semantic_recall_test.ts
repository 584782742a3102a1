import assert from "node:assert/strict";
import type { Embedder } from "../../memory/embedders/embedder.ts";
import { tempFolder } from "../kit/temp_folder.ts";
import { openService } from "./kit.ts";
import { VectorIndex } from "../../memory/embedders/vector_index.ts";
import { SearchIndex } from "../../memory/index/search_index.ts";

const TOY = `feline 1 0 0 0.1
cat 0.95 0.1 0 0
kitten 0.9 0.2 0 0
locomotive 0 0.1 1 0
train 0 0 0.95 0.1
soup 0 1 0 0
`;

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 300; i++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail("it never came true");
}

Deno.test("a model of word vectors finds what no word does, and says why; without it there is silence", async () => {
  await using folder = await tempFolder();
  await Deno.writeTextFile(`${folder.path}/toy.vec`, TOY);
  await using home = await openService(folder.path);
  await home.call("doc.commit", { content: "The kitten" });
  await home.call("doc.commit", { content: "The train" });
  assert.deepEqual((await home.call("memory.recall", { query: "feline" })).hits, []);

  await home.call("memory.configure", { embedding_model_path: `${folder.path}/toy.vec` });
  await until(async () => (await home.call("memory.stats", {})).embedder.name === "static: toy.vec");
  const { answerable, hits } = await home.call("memory.recall", { query: "feline" });
  assert.deepEqual([answerable, hits.map((hit) => [hit.text, hit.why])], [true, [["The kitten", ["vector"]]]]);

  await home.call("doc.commit", { content: "A cat" });
  assert.equal((await home.call("memory.recall", { query: "feline" })).hits.length, 2, "what is new is found at once");
  await home.call("doc.consume", { query: "kitten", top: 1 });
  assert.equal(
    (await home.call("memory.recall", { query: "feline" })).hits.filter((hit) => hit.kind === "document").length,
    1,
  );
  const [both] = (await home.call("memory.recall", { query: "train" })).hits;
  assert.ok(both!.why.includes("vector") && both!.why.length > 1);
  assert.equal((await home.call("memory.stats", {})).embedder.pending, 0);

  await Deno.writeTextFile(`${folder.path}/broken.vec`, "nothing of the kind");
  await home.call("memory.configure", { embedding_model_path: `${folder.path}/broken.vec` });
  await until(async () => (await home.call("memory.stats", {})).embedder.name === "tfidf");
  assert.deepEqual((await home.call("memory.recall", { query: "feline" })).hits, [], "by words, as the person is told");
  await home.call("memory.configure", { embedding_model_path: "" });
  await until(async () => (await home.call("memory.stats", {})).embedder.name === "tfidf");
  assert.deepEqual((await home.call("memory.recall", { query: "feline" })).hits, []);
});

Deno.test("after a change of the model old vectors are not compared, and all are made anew in the background", async () => {
  await using folder = await tempFolder();
  using index = new SearchIndex(`${folder.path}/index.db`);
  index.putMany(Array.from({ length: 150 }, (_, i) => ({ kind: "document", id: `d${i}`, text: `text ${i}`, at: i })));
  let gate = Promise.resolve();
  const embedder = (fingerprint: string, turn: number): Embedder => ({
    name: fingerprint,
    dimension: 2,
    fingerprint,
    async embed(texts) {
      await gate;
      return texts.map((text) => {
        const angle = Number(text.match(/\d+/)![0]) / 60 + turn;
        return { space: fingerprint, values: Float32Array.from([Math.cos(angle), Math.sin(angle)]) };
      });
    },
  });
  const vectors = new VectorIndex(index);
  vectors.use(embedder("one", 0));
  await vectors.fill();
  assert.equal(vectors.pending, 0);
  const best = async (text: string) => index.many([(await vectors.search(text, 1))[0]!.num])[0]!.id;
  assert.equal(await best("text 70"), "d70");

  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  vectors.use(embedder("two", 1));
  assert.equal(vectors.pending, 150);
  resolve();
  await vectors.fill();
  assert.equal(vectors.pending, 0);
  assert.equal(await best("text 70"), "d70");
  const spaces = index.db.prepare("SELECT DISTINCT space FROM vectors").all().map((row) => row.space);
  assert.deepEqual(spaces, ["two"]);

  const again = new VectorIndex(index);
  again.use(embedder("two", 1));
  assert.equal(again.pending, 0, "vectors are kept between starts");
  await again.close();
  await vectors.close();
});

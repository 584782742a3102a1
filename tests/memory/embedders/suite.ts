import assert from "node:assert/strict";
import { type Embedder, similarity } from "../../../memory/embedders/embedder.ts";

/** What holds for every embedder. `near` are three texts of which the first two are closer to each other than to the
 * third. */
export function embedderSuite(
  name: string,
  make: () => Promise<Embedder & Partial<AsyncDisposable>>,
  near: [string, string, string],
): void {
  const run = (title: string, check: (embedder: Embedder) => Promise<void>) =>
    Deno.test(`${name}: ${title}`, async () => {
      const embedder = await make();
      try {
        await check(embedder);
      } finally {
        await embedder[Symbol.asyncDispose]?.();
      }
    });

  run("vectors have length 1 and name their space, one a text, in order", async (embedder) => {
    const vectors = await embedder.embed([...near, near[0]]);
    assert.equal(vectors.length, 4);
    for (const vector of vectors) {
      assert.equal(vector.space, embedder.fingerprint);
      assert.ok(Math.abs(Math.hypot(...vector.values) - 1) < 1e-5);
      if (vector.at) {
        assert.equal(vector.at.length, vector.values.length);
        assert.ok(vector.at.every((at, i) => at < embedder.dimension && (i === 0 || at > vector.at![i - 1]!)));
      } else assert.equal(vector.values.length, embedder.dimension);
    }
    assert.deepEqual(vectors[3], vectors[0]);
  });

  run("a text with nothing in it is like nothing", async (embedder) => {
    const [empty, blank, word] = await embedder.embed(["", " \n…", near[0]]);
    assert.equal(similarity(empty!, word!), 0);
    assert.equal(similarity(blank!, word!), 0);
  });

  run("what is alike is nearer", async (embedder) => {
    const [a, b, c] = await embedder.embed(near);
    assert.ok(similarity(a!, b!) > similarity(a!, c!), `${similarity(a!, b!)} > ${similarity(a!, c!)}`);
  });

  run("no texts give no vectors, and a very long one a sound vector", async (embedder) => {
    assert.deepEqual(await embedder.embed([]), []);
    const [long] = await embedder.embed([`${near[0]} `.repeat(20_000)]);
    assert.ok(long!.values.every(Number.isFinite));
  });
}

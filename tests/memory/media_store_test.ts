import assert from "node:assert/strict";
import fc from "fast-check";
import { diskStore } from "../../memory/files.ts";
import { digestOf, MediaStore } from "../../memory/media_store.ts";
import { ManualClock } from "../kit/manual_clock.ts";
import { tempFolder } from "../kit/temp_folder.ts";
import { HOUR } from "./kit.ts";

function open(folder: string, clock = new ManualClock()): MediaStore & Disposable {
  const media = new MediaStore({ store: diskStore([folder]), folder, now: () => clock.now() });
  return Object.assign(media, { [Symbol.dispose]: () => media.close() });
}

const picture = (n: number) => new Uint8Array(10).fill(n);
const blobPath = (folder: string, digest: string) => `${folder}/blobs/${digest.slice(0, 2)}/${digest}`;

Deno.test("the same bytes are one blob, found by the beginning of its digest", async () => {
  await using folder = await tempFolder();
  using media = open(folder.path);
  const digest = media.put("image/png", picture(1), "a chart");
  assert.equal(media.put("image/png", picture(1)), digest);
  assert.deepEqual(media.stats(), { items: 1, bytes: 10 });
  assert.equal(media.resolve(digest.slice(0, 12)), digest);
  assert.deepEqual(media.get(digest), {
    digest,
    mime: "image/png",
    bytes: 10,
    description: "a chart",
    data: picture(1),
  });
  assert.deepEqual([...Deno.readDirSync(`${folder.path}/blobs/${digest.slice(0, 2)}`)].map((file) => file.name), [
    digest,
  ]);
});

Deno.test("bytes that are not what was stored are told once, set aside, and never given out", async () => {
  await using folder = await tempFolder();
  using media = open(folder.path);
  const digest = media.put("image/png", picture(1), "a chart");
  await Deno.writeFile(blobPath(folder.path, digest), picture(2));
  assert.throws(() => media.get(digest), /its bytes are not what was stored/);
  assert.equal(media.get(digest)!.data, undefined);
  assert.equal(media.get(digest)!.description, "a chart");
  media.put("image/png", picture(1));
  assert.deepEqual(media.get(digest)!.data, picture(1), "and they can be stored again");
});

Deno.test("collect() marks first, removes only after the age, and a reference in between saves", async () => {
  await using folder = await tempFolder();
  const clock = new ManualClock();
  using media = open(folder.path, clock);
  const [kept, saved, gone] = [1, 2, 3].map((n) => media.put("image/png", picture(n)));
  media.setReferences("document", "d1", [kept!]);
  clock.setWall(clock.now() + 10 * HOUR);
  assert.equal(media.collect(HOUR), 0, "the first pass only marks");
  clock.setWall(clock.now() + 2 * HOUR);
  media.setReferences("graph_sentence", "s1", [saved!]);
  assert.equal(media.collect(HOUR), 1);
  assert.equal(media.get(gone!), null);
  assert.ok(media.get(kept!)!.data && media.get(saved!)!.data);
});

Deno.test("a referenced blob is never collected, whatever happens in whatever order", async () => {
  const step = fc.oneof(
    fc.record({ put: fc.nat(4) }),
    fc.record({ refer: fc.nat(2), to: fc.array(fc.nat(4), { maxLength: 2 }) }),
    fc.record({ wait: fc.nat(4) }),
    fc.constant("collect" as const),
    fc.constant("reopen" as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      await using folder = await tempFolder();
      const clock = new ManualClock();
      let media = open(folder.path, clock);
      const stored = new Set<string>();
      const references = new Map<number, string[]>();
      for (const one of steps) {
        if (one === "collect") {
          media.collect(2 * HOUR);
          for (const digest of stored) if (!media.get(digest)) stored.delete(digest);
        } else if (one === "reopen") {
          media.close();
          media = open(folder.path, clock);
        } else if ("put" in one) stored.add(media.put("image/png", picture(one.put)));
        else if ("wait" in one) clock.setWall(clock.now() + one.wait * HOUR);
        else {
          const digests = one.to.map((n) => digestOf(picture(n))).filter((digest) => stored.has(digest));
          media.setReferences("document", `d${one.refer}`, digests);
          references.set(one.refer, digests);
        }
        for (const digest of [...references.values()].flat()) assert.ok(media.get(digest)?.data, "a reference holds");
      }
      media.close();
    }),
    { numRuns: 60 },
  );
});

Deno.test("evict() drops bytes until the rest fits, oldest use first, and keeps the descriptions", async () => {
  await using folder = await tempFolder();
  const clock = new ManualClock();
  using media = open(folder.path, clock);
  const digests = [1, 2, 3, 4].map((n) => {
    clock.setWall(clock.now() + HOUR);
    return media.put("image/png", picture(n), `picture ${n}`);
  });
  media.setReferences("document", "d1", digests.slice(0, 2));
  clock.setWall(clock.now() + 0.5 * HOUR);
  assert.equal(media.evict(20, HOUR), 2);
  const has = digests.map((digest) => media.get(digest)!.data !== undefined);
  assert.deepEqual(has, [false, true, false, true], "unreferenced first; what came within the age stays");
  assert.equal(media.get(digests[0]!)!.description, "picture 1");
  assert.deepEqual(media.stats(), { items: 4, bytes: 20 });
});

Deno.test("a file that a crash left without its row is collected when it is old enough", async () => {
  await using folder = await tempFolder();
  const clock = new ManualClock(Date.now());
  using media = open(folder.path, clock);
  const stray = blobPath(folder.path, digestOf(picture(9)));
  await Deno.mkdir(stray.replace(/[^/]*$/, ""), { recursive: true });
  await Deno.writeFile(stray, picture(9));
  assert.equal(media.collect(HOUR), 0);
  clock.setWall(clock.now() + 2 * HOUR);
  assert.equal(media.collect(HOUR), 1);
});

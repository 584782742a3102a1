import assert from "node:assert/strict";
import { diskStore } from "../../memory/files.ts";
import { ManualClock } from "../kit/manual_clock.ts";
import { tempFolder } from "../kit/temp_folder.ts";
import { HOUR, openService, said } from "../memory/kit.ts";

const PNG = [137, 80, 78, 71, 13, 10, 26, 10];

/** A home with something in every file there is; left as a kill leaves it (`live`) and as an end does (`ended`). */
async function livedIn(folder: string): Promise<{ live: string; ended: string; digests: string[]; now: number }> {
  const [home, live, ended] = ["home", "live", "ended"].map((name) => `${folder}/${name}`) as [string, string, string];
  const clock = new ManualClock();
  const service = await openService(home, { clock });
  const digests: string[] = [];
  for (const [i, description] of ["a map of Lyon", "a chart", "a boat"].entries()) {
    const data = new Uint8Array([...PNG, i]);
    digests.push((await service.call("media.put", { mime: "image/png", data, description })).digest);
  }
  for (let i = 0; i < 8; i++) {
    const media = i === 2 ? { media: [digests[0]!] } : {};
    await service.call("context.append", {
      event: said(`e${i}`, `Message number ${i} about topic${i}`, { at: clock.now() + i, ...media }),
    });
  }
  await service.call("context.archive", { ids: ["e0", "e1", "e2"] });
  await service.call("doc.commit", {
    title: "Boiler",
    content: "The boiler code is 4471.",
    media_digests: [digests[1]!],
  });
  await service.call("graph.commit", {
    triples: [{ subject: "user", predicate: "lives in", object: "St. Gallen" }, {
      subject: "Iris",
      predicate: "plays",
      object: "cello",
    }],
    sentence_text: "I live in St. Gallen. Iris plays cello.",
    media_digests: [digests[2]!],
  });
  await service.call("graph.merge", { from: "Iris", into: "Iris Roth" });
  await service.call("knowledge.add", { name: "birthdays", content: "Otto: 1 June" });
  await Deno.writeTextFile(
    `${folder}/in.jsonl`,
    `{"kind":"message","role":"user","text":"imported hello","at":"2020-01-01T00:00:00Z"}\n`,
  );
  await service.call("memory.import", { path: `${folder}/in.jsonl` });
  await clock.advance(6_000);
  for (const loop of ["distill", "pipeline", "archive", "media"] as const) await service.call("memory.tick", { loop });
  await service.call("context.append", { event: said("late", "A late message", { at: clock.now() }) });
  await service.call("graph.commit", { triples: [{ subject: "Otto", predicate: "likes", object: "rum" }] });
  await copy(home, live);
  await service[Symbol.asyncDispose]();
  await copy(home, ended);
  return { live, ended, digests, now: clock.now() };
}

let next = 0;

async function copy(from: string, to: string): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copy(`${from}/${name}`, `${to}/${name}`);
    else await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}

function* filesBelow(folder: string, below = ""): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(`${folder}/${below}`)) {
    if (isDirectory) yield* filesBelow(folder, `${below}${name}/`);
    else yield `${below}${name}`;
  }
}

const DAMAGE: Record<string, (bytes: Uint8Array) => Uint8Array | null> = {
  empty: () => new Uint8Array(),
  zeros: (bytes) => new Uint8Array(bytes.length),
  cut: (bytes) => bytes.slice(0, bytes.length >> 1),
  garbage: (bytes) => bytes.map((_, i) => (i * 7919 + 13) % 251),
  "broken in the middle": (bytes) =>
    bytes.map((byte, i) => i >= bytes.length >> 1 && i < (bytes.length >> 1) + 40 ? byte ^ 0x5a : byte),
  "of another kind": () => new TextEncoder().encode("null\n[]\n{}\n"),
  gone: () => null,
};

/** Everything that a home gives out, by kind; and, after weeks of collecting, which media still have their bytes. */
async function told(home: string, { digests, now }: { digests: string[]; now: number }) {
  const clock = new ManualClock(now);
  await using service = await openService(home, { clock });
  const out = `${home}.out`;
  await service.call("memory.export", { path: out });
  const things = new Set<string>();
  for (const line of (await Deno.readTextFile(out)).trim().split("\n")) {
    const { kind, subject, predicate, object, text, content, description } = JSON.parse(line);
    things.add([kind, subject, predicate, object, text, content, description].filter((part) => part).join(" "));
  }
  for (const { id } of (await service.call("context.load", {})).events) things.add(`context ${id}`);
  const { hits } = await service.call("memory.recall", { query: "imported hello" });
  if (hits.some(({ text }) => text === "imported hello")) things.add("an imported message is found");
  for (const days of [5, 10]) {
    clock.setWall(now + days * 24 * HOUR);
    await service.call("memory.tick", { loop: "media" });
  }
  for (const digest of digests) {
    try {
      if ((await service.call("media.get", { digest })).blob?.data) things.add(`bytes of ${digest}`);
    } catch {
      // Told as damaged.
    }
  }
  return { things, notices: service.notices };
}

/** What is in one file alone goes with it; and what nobody need be told. */
function isOwn(file: string, thing: string, digests: string[]): boolean {
  if (file.startsWith("memory/text/")) return /^message |an imported message/.test(thing);
  if (file.startsWith("knowledge/")) return thing.startsWith("knowledge ");
  if (file.startsWith("memory/media/blobs/")) {
    return digests.some((digest) => file.endsWith(digest) && thing.endsWith(digest));
  }
  // Everything since the snapshot: the text log has its words.
  if (file.endsWith("memory/context.log")) return thing === "context late";
  return false;
}

Deno.test("whichever file of a home is damaged, however: it opens, and what other files know is not lost", async (t) => {
  await using folder = await tempFolder();
  const { live, ended, ...home } = await livedIn(folder.path);
  for (const [state, source] of Object.entries({ live, ended })) {
    await copy(source, `${folder.path}/whole`);
    const whole = await told(`${folder.path}/whole`, home);
    assert.ok(whole.things.size > 24 && whole.things.has("an imported message is found"));
    assert.deepEqual(whole.notices, []);
    await Deno.remove(`${folder.path}/whole`, { recursive: true });
    for (const file of filesBelow(source)) {
      await t.step(`${state} ${file.replace(/[0-9a-f]{50,}|01[a-z0-9]{24}/, "…")}`, async () => {
        for (const [kind, spoil] of Object.entries(DAMAGE)) {
          const victim = `${folder.path}/victim${next++}`;
          await copy(source, victim);
          const spoiled = spoil(await Deno.readFile(`${victim}/${file}`));
          if (spoiled) await Deno.writeFile(`${victim}/${file}`, spoiled);
          else await Deno.remove(`${victim}/${file}`);
          const { things, notices } = await told(victim, home);
          const lost = [...whole.things].filter((thing) => !things.has(thing));
          const isDocument = file.startsWith("memory/documents/");
          // A person may take a document away: what only it refers to goes with it.
          const goes = (thing: string) => isDocument && kind === "gone" && /^document |^bytes of /.test(thing);
          const others = lost.filter((thing) => !isOwn(file, thing, home.digests) && !goes(thing));
          assert.deepEqual(others, [], `${kind}: ${notices}`);
          if (isDocument && kind !== "gone") assert.deepEqual(lost, [], `${kind}: the index has its text`);
          if (state === "ended") assert.deepEqual((await told(victim, home)).notices, [], `${kind}: told once`);
          await Deno.remove(victim, { recursive: true });
        }
      });
    }
    if (state === "live") continue;
    for (const file of ["memory/context.json", "memory/graph.db", "memory/media/media.db", "memory/heartbeat.json"]) {
      for (const [kind, spoil] of Object.entries(DAMAGE)) {
        const victim = `${folder.path}/victim${next++}`;
        await copy(source, victim);
        const spoiled = spoil(await Deno.readFile(`${victim}/${file}`));
        if (spoiled) await Deno.writeFile(`${victim}/${file}`, spoiled);
        if (spoiled) assert.ok((await told(victim, home)).notices.length > 0, `${file} ${kind}: it is told`);
        await Deno.remove(victim, { recursive: true });
      }
    }
  }
});

Deno.test("a folder where a file of the memory should be is passed over, or named with what to do", async () => {
  await using folder = await tempFolder();
  const { ended, ...home } = await livedIn(folder.path);
  for (const file of filesBelow(ended)) {
    const victim = `${folder.path}/victim${next++}`;
    await copy(ended, victim);
    await Deno.remove(`${victim}/${file}`);
    await Deno.mkdir(`${victim}/${file}/kept`, { recursive: true });
    try {
      await told(victim, home);
    } catch (error) {
      assert.match(String(error), /is a folder|Is a directory/, file);
      assert.match(String(error), new RegExp(file.split("/").at(-1)!.replaceAll(".", "\\.")), "it is named");
      assert.match(file, /\.db$|context|heartbeat/, `${file} need not stop a start`);
    }
    assert.ok(await Deno.stat(`${victim}/${file}/kept`));
    await Deno.remove(victim, { recursive: true });
  }
});

Deno.test("an index that lost its newest writes with the power takes itself for what it is", async () => {
  await using folder = await tempFolder();
  {
    await using service = await openService(folder.path);
    await service.call("doc.commit", { content: "before the power went" });
  }
  const service = await openService(folder.path);
  await service.call("doc.commit", { content: "the boiler code is 4471" });
  await Deno.writeTextFile(
    `${folder.path}/in.jsonl`,
    `{"kind":"message","role":"user","text":"the shed key is blue"}\n`,
  );
  await service.call("memory.import", { path: `${folder.path}/in.jsonl` });
  await copy(folder.path, `${folder.path}-after`);
  await service[Symbol.asyncDispose]();
  for (const suffix of ["-wal", "-shm"]) await Deno.remove(`${folder.path}-after/memory/index.db${suffix}`);
  try {
    await using after = await openService(`${folder.path}-after`);
    assert.equal((await after.call("doc.query", { query: "boiler code" })).hits.length, 1);
    assert.equal((await after.call("memory.recall", { query: "shed key blue" })).hits[0]?.text, "the shed key is blue");
  } finally {
    await Deno.remove(`${folder.path}-after`, { recursive: true });
  }
});

Deno.test("an import that is killed between its messages and their index is found whole at the next start", async () => {
  await using folder = await tempFolder();
  await Deno.writeTextFile(
    `${folder.path}/in.jsonl`,
    `{"kind":"message","role":"user","text":"the shed key is blue"}\n`,
  );
  {
    const service = await openService(folder.path, {
      store: (roots) => {
        const disk = diskStore(roots);
        const append = async (path: string, bytes: Uint8Array) => {
          await disk.append(path, bytes);
          if (path.includes("/text/")) throw new Error("killed here");
        };
        return { ...disk, append };
      },
    });
    await service.call("memory.import", { path: `${folder.path}/in.jsonl` });
    await copy(folder.path, `${folder.path}-after`);
    await service[Symbol.asyncDispose]();
  }
  try {
    await using after = await openService(`${folder.path}-after`);
    assert.equal((await after.call("memory.recall", { query: "shed key blue" })).hits[0]?.text, "the shed key is blue");
    await after.call("memory.import", { path: `${folder.path}/in.jsonl` });
    const { counts } = await after.call("memory.export", { path: `${folder.path}/out.jsonl` });
    assert.equal(counts.message, 1);
  } finally {
    await Deno.remove(`${folder.path}-after`, { recursive: true });
  }
});

Deno.test("what a kill left of unfinished writes, imports and exports is removed at the next start, and nothing else", async () => {
  await using folder = await tempFolder();
  const memory = `${folder.path}/memory`;
  const service = await openService(folder.path);
  await service.call("doc.commit", { content: "a note" });
  await service.call("knowledge.add", { name: "k", content: "known" });
  await service.call("media.put", { mime: "image/png", data: new Uint8Array([1]) });
  const [blob] = [...Deno.readDirSync(`${memory}/media/blobs`)];
  const [note] = [...Deno.readDirSync(`${memory}/documents`)].filter(({ name }) => name.length === 2);
  const left = [
    `import-${"0".repeat(26)}.jsonl`,
    "context.json.new",
    "graph.db.bak.new-wal",
    "heartbeat.json.tmp",
    "undo/x.json.tmp",
    "documents/journal/0000000001.jsonl.tmp",
    `documents/${note!.name}/x.json.tmp`,
    `media/blobs/${blob!.name}/x.tmp`,
    "../knowledge/k/content.md.tmp",
  ];
  const others = ["mine.jsonl", "../knowledge/k/mine.tmp"];
  for (const path of [...left, ...others].map((name) => `${memory}/${name}`)) {
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(path, "half");
  }
  await copy(folder.path, `${folder.path}-after`);
  await service[Symbol.asyncDispose]();
  const after = `${folder.path}-after`;
  try {
    await using _again = await openService(after);
    const isThere = (name: string) => Deno.stat(`${after}/memory/${name}`).then(() => true, () => false);
    for (const name of left) assert.equal(await isThere(name), false, name);
    for (const name of others) assert.equal(await isThere(name), true, name);
  } finally {
    await Deno.remove(after, { recursive: true });
  }
});

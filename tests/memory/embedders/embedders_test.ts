import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { checked, type Embedder, similarity } from "../../../memory/embedders/embedder.ts";
import { knownModel } from "../../../memory/embedders/known_models.ts";
import { convertModel, StaticEmbedder } from "../../../memory/embedders/static.ts";
import { tfidf } from "../../../memory/embedders/tfidf.ts";
import { parseModelPaths, readVectorFile } from "../../../memory/embedders/vector_file.ts";
import { VectorTable, writeVectorTable } from "../../../memory/embedders/vector_table.ts";
import { tempFolder } from "../../kit/temp_folder.ts";
import { ENGLISH_FREQUENCY } from "../../../memory/words/english_frequency.ts";
import { embedderSuite } from "./suite.ts";

const WORDS: Record<string, number[]> = {
  cat: [0.9, 0.1, 0, 0.05],
  kitten: [0.85, 0.2, 0, 0],
  猫: [0.9, 0.12, 0, 0],
  小猫: [0.86, 0.2, 0, 0.01],
  train: [0, 0.1, 0.95, 0],
  station: [0.02, 0, 0.9, 0.2],
  火车: [0, 0.12, 0.93, 0],
  北京: [0.1, 0.1, 0.1, 0.9],
};

const rowsOf = (words: Record<string, number[]>, prefix = "") =>
  Object.entries(words).map(([word, values]) => `${prefix}${word} ${values.join(" ")}`).join("\n") + "\n";

const FORMATS: [string, string, Uint8Array][] = [
  ["fastText", "cc.xx.vec", new TextEncoder().encode(`8 4\n${rowsOf(WORDS)}`)],
  ["fastText, gzipped", "cc.xx.vec.gz", gzipSync(`8 4\n${rowsOf(WORDS)}`)],
  ["GloVe", "glove.txt", new TextEncoder().encode(rowsOf(WORDS))],
  ["Numberbatch, multilingual", "numberbatch.txt", new TextEncoder().encode(`8 4\n${rowsOf(WORDS, "/c/en/")}`)],
];

async function embedderOf(folder: string, files: [string, Uint8Array][], top = ""): Promise<StaticEmbedder> {
  const ready: { path: string; name: string }[] = [];
  for (const [name, bytes] of files) {
    await Deno.writeFile(`${folder}/${name}`, bytes as Uint8Array<ArrayBuffer>);
    const [model] = parseModelPaths(`${folder}/${name}${top}`);
    const { path } = await convertModel(model!, { folder: `${folder}/tables`, progress: () => {} });
    ready.push({ path, name });
  }
  return new StaticEmbedder(ready);
}

embedderSuite("tfidf", () => Promise.resolve(tfidf), [
  "the boiler in the cellar makes a noise",
  "a noisy boiler in our cellar",
  "tickets for the opera on Friday",
]);
embedderSuite("tfidf, 中文", () => Promise.resolve(tfidf), ["我住在北京朝阳区", "北京朝阳区的房子", "喜欢喝咖啡"]);

for (const [format, name, bytes] of FORMATS) {
  embedderSuite(`static, ${format}`, async () => {
    const folder = await tempFolder();
    const embedder = await embedderOf(folder.path, [[name, bytes]]);
    return Object.assign(embedder, {
      [Symbol.asyncDispose]: async () => {
        embedder[Symbol.dispose]();
        await folder[Symbol.asyncDispose]();
      },
    });
  }, ["a cat", "the Kitten!", "train station"]);
}

Deno.test("a multilingual model brings languages together, and Chinese is cut by the words it knows", async () => {
  await using folder = await tempFolder();
  using embedder = await embedderOf(folder.path, [[FORMATS[3]![1], FORMATS[3]![2]]]);
  const [cat, zh, train] = await embedder.embed(["the cat", "有一只小猫", "北京的火车"]);
  assert.ok(similarity(cat!, zh!) > 0.98);
  assert.ok(similarity(cat!, train!) < 0.3);
});

Deno.test("models that are not aligned have a part of the vector each; Numberbatch files complete one another", async () => {
  await using folder = await tempFolder();
  const { cat, kitten, train, 猫, 火车 } = WORDS;
  const english: [string, Uint8Array] = [
    "en.vec",
    new TextEncoder().encode(rowsOf({ cat: cat!, kitten: kitten!, train: train! })),
  ];
  const chinese: [string, Uint8Array] = ["zh.vec", new TextEncoder().encode(rowsOf({ 猫: 猫!, 火车: 火车! }))];
  using apart = await embedderOf(folder.path, [english, chinese]);
  assert.equal(apart.dimension, 8);
  const [a, b, c] = await apart.embed(["cat", "猫", "kitten"]);
  assert.equal(similarity(a!, b!), 0, "numbers of two spaces say nothing about each other");
  assert.ok(similarity(a!, c!) > 0.9);

  using aligned = await embedderOf(folder.path, [["numberbatch-en.txt", english[1]], [
    "numberbatch-zh.txt",
    chinese[1],
  ]]);
  assert.equal(aligned.dimension, 4);
  const [d, e] = await aligned.embed(["cat", "猫"]);
  assert.ok(similarity(d!, e!) > 0.98);
});

Deno.test("what the frequent words of a language have in common brings no two texts together, and frequent words say little", async () => {
  await using folder = await tempFolder();
  // As in trained models: every word leans into one direction, and has one of its own besides.
  const frequent = ENGLISH_FREQUENCY.flatMap(([, stems]) => stems.split(" ")).slice(0, 300);
  const words = Object.fromEntries(
    [...frequent, "violin", "gasket"].map((
      word,
      i,
    ) => [word, [2, Math.sin(i), Math.cos(1.7 * i), Math.sin(2.3 * i + 1)]]),
  );
  using embedder = await embedderOf(folder.path, [["leaning.txt", new TextEncoder().encode(rowsOf(words))]]);
  const [violin, gasket, both, go] = await embedder.embed(["violin", "gasket", "go make violin", "go make"]);
  assert.ok(similarity(violin!, gasket!) < 0.5, `${similarity(violin!, gasket!)}`);
  assert.ok(similarity(violin!, both!) > similarity(go!, both!));
});

Deno.test("#topN takes the first rows, and is another space", async () => {
  await using folder = await tempFolder();
  using all = await embedderOf(folder.path, [["x.vec", FORMATS[0]![2]]]);
  using two = await embedderOf(folder.path, [["x.vec", FORMATS[0]![2]]], "#2");
  assert.notEqual(all.fingerprint, two.fingerprint);
  const [vector] = await two.embed(["train"]);
  assert.ok(vector!.values.every((value) => value === 0), "it does not know the word");
});

Deno.test("a model is converted once, and again when its file changed or the table was cut", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/x.vec`;
  await Deno.writeTextFile(path, rowsOf(WORDS));
  const convert = () => convertModel({ path, top: undefined }, { folder: `${folder.path}/tables`, progress: () => {} });
  const first = await convert();
  assert.equal(first.report!.rows, 8);
  assert.equal((await convert()).report, null);
  await Deno.truncate(first.path, 4200);
  assert.equal((await convert()).report!.rows, 8);
  await Deno.writeTextFile(path, rowsOf({ cat: [1, 2, 3] }));
  const changed = await convert();
  assert.notEqual(changed.path, first.path);
});

Deno.test("a conversion that fails, or that another one of the same model overtakes, leaves whole tables and nothing else", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/x.vec`, tables = `${folder.path}/tables`;
  await Deno.writeTextFile(path, "no vectors here");
  const convert = () => convertModel({ path, top: undefined }, { folder: tables, progress: () => {} });
  await assert.rejects(convert(), /no word vectors/);
  assert.deepEqual([...Deno.readDirSync(tables)], []);
  await Deno.writeTextFile(path, rowsOf(WORDS));
  const made = await Promise.all([convert(), convert(), convert()]);
  assert.deepEqual([...Deno.readDirSync(tables)].map(({ name }) => `${tables}/${name}`), [made[0]!.path]);
  using embedder = new StaticEmbedder([{ path: made[0]!.path, name: "x" }]);
  const [vector] = await embedder.embed([Object.keys(WORDS)[0]!]);
  assert.ok(vector!.values.some((value) => value !== 0));
});

Deno.test("bad lines are counted and passed over: cut, not numbers, another length, NaN", async () => {
  const report = { rows: 0, rejected: 0 };
  const text =
    "5 3\ngood 1 2 3\nshort 1 2\nnan 1 NaN 3\nwords 1 x 3\nalso good 3 2 1\ninf 1 Infinity 3\nhuge 1 1e39 3\nends 1 2";
  const rows = [];
  for await (const row of readVectorFile(new Blob([text]).stream(), { gzip: false, report })) rows.push(row.word);
  assert.deepEqual(rows, ["good", "also good"]);
  assert.deepEqual(report, { rows: 2, rejected: 6 });
  await assert.rejects(async () => {
    for await (
      const _ of readVectorFile(new Blob(["\n\n"]).stream(), { gzip: false, report: { rows: 0, rejected: 0 } })
    );
  }, /no word vectors/);
});

Deno.test("a table of many words finds every one of them, and no other", async () => {
  await using folder = await tempFolder();
  const words = Array.from({ length: 5000 }, (_, i) => `word${i}`);
  const path = `${folder.path}/t.vectors`;
  await writeVectorTable(
    path,
    (async function* () {
      await Promise.resolve();
      for (const [i, word] of [...words, "word7"].entries()) {
        yield { word, values: Float32Array.from([Math.cos(i), Math.sin(i)]) };
      }
    })(),
    { fingerprint: "f", progress: () => {} },
  );
  using table = new VectorTable(path);
  assert.equal(table.rows, 5000, "a word that comes twice is there once");
  for (const [i, word] of words.entries()) {
    const [x, y] = table.get(word)!;
    assert.ok(Math.abs(x! - Math.cos(i)) < 0.01 && Math.abs(y! - Math.sin(i)) < 0.01, word);
  }
  for (let i = 0; i < 1000; i++) assert.equal(table.get(`other${i}`), undefined);
});

Deno.test("an embedder that gives NaN, too few or nothing cannot poison the memory, and is told once", async () => {
  const make = (embed: Embedder["embed"]): Embedder => ({ name: "bad", dimension: 2, fingerprint: "bad", embed });
  const good = { space: "bad", values: Float32Array.from([3, 4]) };
  for (
    const bad of [
      make(() => Promise.resolve([{ space: "bad", values: Float32Array.from([NaN, 1]) }, good])),
      make(() => Promise.resolve([{ space: "bad", values: Float32Array.from([1, 2, 3]) }, good])),
      make(() => Promise.resolve([good])),
      make(() => Promise.reject(new Error("out of order"))),
    ]
  ) {
    const told: string[] = [];
    const safe = checked(bad, (text) => told.push(text));
    const vectors = [await safe.embed(["a", "b"]), await safe.embed(["a", "b"])].flat();
    assert.equal(vectors.length, 4);
    for (const vector of vectors) assert.ok(vector.values.every(Number.isFinite));
    assert.equal(similarity(vectors[0]!, vectors[2]!), 0);
    assert.equal(told.length, 1, told.join());
  }
});

Deno.test("vectors of two spaces are never compared", () => {
  const values = Float32Array.from([1, 0]);
  assert.equal(similarity({ space: "a", values }, { space: "a", values }), 1);
  assert.equal(similarity({ space: "a", values }, { space: "b", values }), 0);
});

Deno.test("the setting names files, known models, or by the seed's rule the default", () => {
  assert.deepEqual(parseModelPaths(" /a/b.vec#1000 , c.gz,"), [{ path: "/a/b.vec", top: 1000 }, {
    path: "c.gz",
    top: undefined,
  }]);
  assert.equal(knownModel("cc.zh.300.vec.gz")!.file, "cc.zh.300.vec.gz");
  assert.equal(knownModel("numberbatch-en#100")!.file, "numberbatch-en-19.08.txt.gz");
  assert.equal(knownModel("models/numberbatch-19.08.txt.gz")!.file, "numberbatch-19.08.txt.gz");
  assert.equal(knownModel("auto")!.match, "numberbatch");
  assert.equal(knownModel("/home/me/own.vec"), undefined);
});

/** Embedding models by their address, from the outside: downloaded by homed, used by memory, seen by doctor. @module */
import assert from "node:assert/strict";
import { fileServer } from "../core/daemon/models/file_server.ts";
import { homed, serve } from "../kit/homed.ts";
import { tempFolder } from "../kit/temp_folder.ts";
import { until } from "../kit/until.ts";
import { writeToyModel } from "../memory/embed/toy_model.ts";

const TOY = "feline 1 0 0 0.1\ncat 0.95 0.1 0 0\nkitten 0.9 0.2 0 0\ntrain 0 0 0.95 0.1\nsoup 0 1 0 0\n";
const WORDS = { feline: [0.97, 0.1, 0], kitten: [0.9, 0.2, 0], train: [0, 0.1, 1], a: [0.02, 0.02, 0.02] };

/** The neural runtime: always in the executable, from source once it was built. */
const hasRuntime = Deno.env.get("HOMED_BIN") !== undefined ||
  await Deno.stat(new URL("../../memory/embed/assets/ort.bin", import.meta.url)).then(() => true, () => false);

async function findsByMeaning(setting: string, embedder: RegExp): Promise<void> {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  const run = async (...args: string[]) => (await homed(args, { home })).stdout;
  await run("config", "set", "core.agent.embedding_model_path", setting);
  await using daemon = await serve({ home });
  await run("chat", "My kitten is called Pim.");
  await until(() => daemon.output(), async () => embedder.test(await run("memory", "stats")), 30_000);
  const found = JSON.parse(await run("memory", "recall", "feline", "--json"));
  assert.ok(found.hits[0]?.why.includes("vector"), JSON.stringify(found));
  assert.match(found.hits[0].text, /Pim/);
  if (/neural/.test(embedder.source)) {
    const doctor = JSON.parse(await run("doctor", "--json"));
    const row = doctor.workers.find(({ name }: { name: string }) => name === "embed");
    assert.equal(row.permissions.write, "denied");
    assert.equal(row.permissions.net, "denied");
    assert.ok(doctor.checks.find(({ name }: { name: string }) => name === "worker embed").ok);
  }
}

Deno.test("word vectors by their address are downloaded, converted and used", async () => {
  await using server = fileServer();
  server.files.set("/toy.vec", new TextEncoder().encode(TOY));
  await findsByMeaning(`${server.url}/toy.vec`, /static: toy\.vec/);
});

Deno.test("a neural model by its address on a hub is downloaded and used in a worker of its own", {
  ignore: !hasRuntime,
}, async () => {
  await using folder = await tempFolder();
  await writeToyModel(`${folder.path}/tiny`, WORDS);
  await using server = fileServer();
  for (const name of ["config.json", "tokenizer.json", "tokenizer_config.json", "onnx/model.onnx"]) {
    server.files.set(`/acme/tiny/resolve/main/${name}`, await Deno.readFile(`${folder.path}/tiny/${name}`));
  }
  await findsByMeaning(`${server.url}/acme/tiny`, /neural: acme_tiny/);
});

Deno.test("a model that cannot be had is told with what to do, and memory finds by words", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using server = fileServer();
  await homed(["config", "set", "core.agent.embedding_model_path", `${server.url}/none.vec`], { home });
  await using daemon = await serve({ home });
  await until(() => daemon.output(), () => /Cannot download .*404/.test(daemon.output()), 30_000);
  assert.match(daemon.output(), /finds by words.*put the file at/s);
  await homed(["chat", "My kitten is called Pim."], { home });
  assert.match((await homed(["memory", "recall", "kitten"], { home })).stdout, /Pim/);
});

Deno.test("a model that is not there, or is none, is told in the person's language with what is used instead", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await Deno.writeTextFile(`${folder.path}/prose.vec`, "Dear Sir,\nthis is a letter.\n");
  const set = (value: string) => homed(["config", "set", "core.agent.embedding_model_path", value], { home });
  await set("/nowhere/words.vec");
  // Nobody's homed runs: each command brings its own.
  const alone = await homed(["chat", "我叫小王。"], { home, env: { LANG: "zh_CN.UTF-8" } });
  assert.match(
    alone.stderr,
    /无法使用向量模型 \/nowhere\/words\.vec：没有这个文件或文件夹；记忆按词语检索：用 homed config set/,
  );
  await using _daemon = await serve({ home });
  assert.match((await homed(["status"], { home })).stdout, /words\.vec cannot be used, as there is no such file/);
  const doctor = await homed(["doctor"], { home });
  assert.match(doctor.stdout, /✗ settings: The embedding model \/nowhere.*\n {4}→ name a file of word vectors/);
  assert.equal(doctor.code, 1);
  const refused = await set(folder.path);
  assert.match(refused.stderr, /the folder holds no model: it lacks config\.json and tokenizer\.json/);
  assert.match((await set("typo.vec")).stderr, /typo\.vec cannot be used, as there is no such file/);
  assert.equal((await set("")).stderr, "");
  assert.doesNotMatch((await homed(["status"], { home })).stdout, /cannot be used/, "what was mended is told no more");
  // What only reading shows is told, too.
  await set(`${folder.path}/prose.vec`);
  const told = async () => (await homed(["status"], { home })).stdout;
  await until(
    "the letter is told to be no word vectors",
    async () => /Cannot use the embedding model .*prose\.vec: .*memory finds by words/.test(await told()),
    30_000,
  );
});

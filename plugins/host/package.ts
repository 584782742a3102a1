/** `.hmap` packages: looked at, shown, unpacked beside and moved into place. @module */
import { HomedError, newId, reasonOf } from "../../core/base/mod.ts";
import { kindOfEntry, type PluginKind, type PluginManifest } from "../../core/wire/mod.ts";
import { checkManifest, MAX_MANIFEST_BYTES, parseManifest } from "./manifest.ts";
import { type Enforcement, enforcement } from "./sandbox.ts";
import { landlockVersion } from "./landlock.ts";
import { checkScript } from "./script/js_check.ts";
import { PACKAGE_LIMITS, readZip, type ZipEntry } from "./zip_reader.ts";

/** What a package is and asks for, to be shown before it is installed. */
export interface PackageReport {
  /** Of the file: installing wants it again, so that what was confirmed is what is installed. */
  sha256: string;
  name: string;
  version: string;
  description: string;
  kind: Exclude<PluginKind, "builtin">;
  files: number;
  bytes: number;
  /** Sentences: what it may do once it is installed. */
  asks: string[];
  /** What holds it to that on this machine. */
  enforcement: Enforcement[];
}

/** A package read into memory and checked. */
export interface OpenPackage {
  report: PackageReport;
  manifest: PluginManifest;
  entries: ZipEntry[];
}

export interface PackageContext {
  version: string;
  home: string;
  /** `plugin-data`. */
  data: string;
  userHome: string | undefined;
}

/** Reads a package without unpacking it anywhere.
 * @throws {HomedError} `package`, `manifest`, `platform`, `permissions`, … with the reason */
export async function openPackage(file: string, context: PackageContext): Promise<OpenPackage> {
  const bytes = await readFile(file);
  const entries = readZip(bytes);
  const described = entries.find(({ path }) => path === "plugin.json");
  if (!described) throw new HomedError("package", "The package is refused: it has no plugin.json at its root");
  if (described.size > MAX_MANIFEST_BYTES) {
    throw new HomedError("package", `The package is refused: its plugin.json has ${described.size} bytes`);
  }
  const manifest = parseManifest(new TextDecoder().decode(described.read()));
  checkManifest(manifest, {
    version: context.version,
    home: context.home,
    dataDir: `${context.data}/${manifest.name}`,
    ...(context.userHome && { userHome: context.userHome }),
  });
  const entry = entries.find(({ path }) => path === manifest.entry);
  if (!entry) {
    throw new HomedError("package", `The package is refused: its entry "${manifest.entry}" is not in it`);
  }
  const kind = kindOfEntry(manifest.entry);
  if (kind === "js") checkScript(new TextDecoder().decode(entry.read()));
  const report: PackageReport = {
    sha256: await sha256(bytes),
    name: manifest.name,
    version: manifest.version,
    description: manifest.description,
    kind,
    files: entries.length,
    bytes: entries.reduce((sum, { size }) => sum + size, 0),
    asks: requests(manifest, kind),
    enforcement: enforcement(kind, landlockVersion()),
  };
  return { report, manifest, entries };
}

/** Unpacks into a new folder beside the installed plugins and answers its path. When anything is wrong the folder is gone
 * again. */
export async function unpackPackage({ manifest, entries }: OpenPackage, plugins: string): Promise<string> {
  const staging = `${plugins}/.new-${newId()}`;
  await Deno.mkdir(staging, { mode: 0o700 });
  try {
    for (const entry of entries) {
      const path = `${staging}/${entry.path}`;
      await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true, mode: 0o700 });
      const runs = entry.path === manifest.entry && kindOfEntry(manifest.entry) === "native";
      using file = await Deno.open(path, { write: true, createNew: true, mode: runs ? 0o700 : 0o600 });
      await writeAll(file, entry.read());
      await file.sync();
    }
    return staging;
  } catch (error) {
    await Deno.remove(staging, { recursive: true });
    if (error instanceof HomedError) throw error;
    throw new HomedError("package", `The package cannot be unpacked: ${reasonOf(error)}`, { cause: error });
  }
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
}

const NAME_A_PACKAGE = "name a .hmap file that `homed plugin build` made";

async function readFile(file: string): Promise<Uint8Array> {
  let size: number;
  try {
    const stat = await Deno.stat(file);
    if (!stat.isFile) throw new HomedError("package", `Cannot read ${file}: it is no file`, { fix: NAME_A_PACKAGE });
    size = stat.size;
  } catch (error) {
    if (error instanceof HomedError) throw error;
    throw new HomedError("package", `Cannot read ${file}: ${reasonOf(error)}`, { fix: NAME_A_PACKAGE, cause: error });
  }
  if (size > PACKAGE_LIMITS.totalBytes) {
    throw new HomedError(
      "package",
      `The package is refused: it has ${size} bytes, at most ${PACKAGE_LIMITS.totalBytes}`,
    );
  }
  return await Deno.readFile(file);
}

async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What each capability lets a plugin do. */
export const CAPABILITY_WORDS: Record<string, string> = {
  io: "speak to the agent as a channel does, and interrupt it",
  memory: "read and change the memory graph",
  doc_memory: "read and change documents in memory",
  knowledge: "read and add to the knowledge base",
  text_memory: "write to the text log",
  llm: "use and choose the LLM sources",
  social: "read what is known of persons",
  events: "watch what the agent does",
  plugin_mgr: "reload other plugins",
  settings_cross: "read settings (no secrets) and change those that are not the owner's alone",
};

/** What a manifest asks for, in sentences. */
export function requests({ capabilities, permissions = {} }: PluginManifest, kind: string): string[] {
  const { net, read, write, env, run } = permissions;
  const asks = (capabilities ?? []).map((name) => `can ${CAPABILITY_WORDS[name] ?? name}`);
  if (net?.length) {
    asks.push(
      kind === "native"
        ? `can use the network: ${net.join(", ")}; only the ports are enforced, so it reaches any host on them`
        : `can use the network: ${net.join(", ")}`,
    );
  }
  if (read?.length) asks.push(`can read ${read.join(", ")}`);
  if (write?.length) asks.push(`can read and write ${write.join(", ")}`);
  if (env?.length) asks.push(`can see the environment variables ${env.join(", ")}`);
  if (run === true) asks.push("can start programs: any");
  else if (run && run.length > 0) asks.push(`can start programs: ${run.join(", ")}`);
  if (kind === "native") asks.push("is a program of its own");
  return asks;
}

import { zipSync } from "fflate";
import { transform } from "sucrase";
import { isThere } from "../../core/base/files.ts";
import { HomedError, messageOf, reasonOf } from "../../core/base/mod.ts";
import { kindOfEntry, type PluginManifest } from "../../core/wire/mod.ts";
import { parseManifest, strayFields } from "./manifest.ts";
import { checkScript } from "./script/js_check.ts";
import { readZip } from "./zip_reader.ts";

/** What is not packed: hidden files, tests, sources that were stripped, earlier packages. */
const LEFT_OUT = /(^|\/)(\.|node_modules\/)|\.hmap$|\.d\.ts$|_test\.[a-z]+$|(^|\/)tests?\/|(^|\/)__pycache__\/|\.pyc$/;
/** The earliest time a ZIP can say: every build has it, so that the same sources give the same bytes. */
const NO_TIME = new Date(1980, 0, 1);

export interface BuiltPackage {
  manifest: PluginManifest;
  path: string;
  bytes: number;
  /** Sentences for the author on what does no harm and may be a slip. */
  notices: string[];
}

/** Builds `<name>-<version>.hmap` in the plugin's own folder, or at `output`. TypeScript next to a missing JS entry has
 * its types stripped. The same sources give the same bytes anywhere.
 * @throws {HomedError} `build`, `manifest` or `refused_code`, with the reason */
export async function buildPackage(dir: string, output?: string): Promise<BuiltPackage> {
  let text: string;
  try {
    text = await Deno.readTextFile(`${dir}/plugin.json`);
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound && isThere(dir) ? "it has no plugin.json" : reasonOf(error);
    throw new HomedError("build", `Cannot build ${dir}: ${reason}`, {
      fix: "name a plugin's folder, or begin one with homed plugin new NAME --lang ts|python|lua",
      cause: error,
    });
  }
  const manifest = parseManifest(text);
  const files = new Map<string, Uint8Array>();
  for (const path of await listFiles(dir)) files.set(path, await Deno.readFile(`${dir}/${path}`));
  const kind = kindOfEntry(manifest.entry);
  if (kind === "js") {
    const source = manifest.entry.replace(/\.js$/, ".ts");
    const typed = files.get(source);
    if (typed) {
      files.set(manifest.entry, new TextEncoder().encode(stripTypes(new TextDecoder().decode(typed), source)));
      files.delete(source);
    }
  }
  const entry = files.get(manifest.entry);
  if (!entry) {
    throw new HomedError("build", `Cannot build ${dir}: its entry "${manifest.entry}" is not there`, {
      fix: 'add that file, or name another as "entry" in plugin.json',
    });
  }
  if (kind === "js") checkScript(new TextDecoder().decode(entry));
  const bytes = zipSync(
    Object.fromEntries(
      [...files].sort(([a], [b]) => a < b ? -1 : 1).map(([path, data]) => {
        const mode = path === manifest.entry && kind === "native" ? 0o100755 : 0o100644;
        return [path, [data, { level: 9, mtime: NO_TIME, os: 3, attrs: mode * 65536 }]];
      }),
    ),
  );
  // What was built must be what an install takes.
  for (const item of readZip(bytes)) item.read();
  const path = output ?? `${dir}/${manifest.name}-${manifest.version}.hmap`;
  await Deno.writeFile(path, bytes).catch((error) => {
    throw new HomedError("build", `Cannot write ${path}: ${reasonOf(error)}`, {
      fix: "make the folder one that you may write",
      cause: error,
    });
  });
  return { manifest, path, bytes: bytes.length, notices: strayFields(text) };
}

/** TypeScript as JavaScript, line by line; imports of types are gone.
 * @throws {HomedError} `build`, with the place */
export function stripTypes(source: string, name: string): string {
  try {
    return transform(source, {
      transforms: ["typescript"],
      disableESTransforms: true,
      keepUnusedImports: false,
      filePath: name,
    }).code;
  } catch (error) {
    throw new HomedError("build", `Cannot read ${name}: ${messageOf(error)}`, {
      fix: "correct the TypeScript there",
      cause: error,
    });
  }
}

async function listFiles(dir: string, below = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(`${dir}/${below}`)) {
    const path = below + entry.name;
    if (entry.isSymlink) {
      throw new HomedError("build", `Cannot build ${dir}: "${path}" is a link`, {
        fix: "put the file itself in its place: a package holds plain files alone",
      });
    }
    if (LEFT_OUT.test(entry.isDirectory ? `${path}/` : path)) continue;
    if (entry.isDirectory) found.push(...await listFiles(dir, `${path}/`));
    else found.push(path);
  }
  return found;
}

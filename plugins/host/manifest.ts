import { HomedError } from "../../core/base/mod.ts";
import { nearest } from "../../core/base/nearest.ts";
import { kindOfEntry, MANIFEST_FIELDS, type PluginKind, PluginManifest } from "../../core/wire/mod.ts";
import { issueText } from "./issue.ts";

/** Bytes a manifest may have. */
export const MAX_MANIFEST_BYTES = 256 << 10;

/** A plugin as it lies in its folder. */
export interface InstalledPlugin {
  manifest: PluginManifest;
  kind: Exclude<PluginKind, "builtin">;
  /** Absolute. */
  dir: string;
}

/** Reads a manifest's text.
 * @throws {HomedError} `manifest`, a sentence that names the field */
export function parseManifest(text: string): PluginManifest {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    throw new HomedError("manifest", `plugin.json is no JSON: ${error instanceof Error ? error.message : error}`);
  }
  const parsed = PluginManifest.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const field = issue.path.join(".") || "plugin.json";
  throw new HomedError("manifest", `plugin.json is wrong at "${field}": ${issueText(issue.message)}`);
}

/** Fields of a manifest that homed does not know, each as a sentence for its author: an earlier or later homed may, so
 * they are no fault, but a slip in a name would ask for nothing. */
export function strayFields(text: string): string[] {
  const manifest = JSON.parse(text.replace(/^\ufeff/, "")) as Record<string, unknown>;
  const stray = (value: unknown, known: readonly string[], before: string) =>
    Object.keys(value ?? {}).filter((name) => !known.includes(name)).map((name) => {
      const near = nearest(name, known);
      return `plugin.json: "${before}${name}" means nothing to homed${
        near === undefined ? "" : `: did you mean ${near}?`
      }`;
    });
  return [
    ...stray(manifest, MANIFEST_FIELDS.manifest, ""),
    ...stray(manifest.permissions, MANIFEST_FIELDS.permissions, "permissions."),
  ];
}

/** This machine as `platforms` names it: `linux-x64`. */
export function platformName(build: { os: string; arch: string } = Deno.build): string {
  return `${build.os}-${build.arch === "aarch64" ? "arm64" : "x64"}`;
}

/** Checks what depends on this machine and this homed.
 * @throws {HomedError} `platform`, `min_core` or `permissions` */
export function checkManifest(
  manifest: PluginManifest,
  about: { version: string; home: string; dataDir: string; platform?: string; userHome?: string },
): void {
  const { platform = platformName(), version, home, dataDir, userHome } = about;
  const { name, platforms, min_core, permissions } = manifest;
  if (platforms && !platforms.some((one) => one === platform || one === platform.split("-")[0])) {
    throw new HomedError("platform", `Plugin "${name}" is for ${platforms.join(", ")}: this machine is ${platform}`);
  }
  if (min_core && compareVersions(version, min_core) < 0) {
    throw new HomedError("min_core", `Plugin "${name}" needs homed ${min_core}: this is ${version}`, {
      fix: "upgrade homed",
    });
  }
  for (const kind of ["read", "write"] as const) {
    for (const declared of permissions?.[kind] ?? []) {
      const path = expandPath(declared, userHome);
      if (!path.startsWith("/") && !/^[A-Za-z]:[\\/]/.test(path)) {
        throw new HomedError("permissions", `"permissions.${kind}" of "${name}" has "${declared}": give a full path`);
      }
      if (isWithin(path, dataDir)) continue;
      if (isWithin(path, home) || isWithin(home, path)) {
        throw new HomedError(
          "permissions",
          `"permissions.${kind}" of "${name}" asks for "${declared}", which holds or lies in homed's home: refused`,
        );
      }
    }
  }
}

/** `~` as the user's folder. */
export function expandPath(path: string, userHome: string | undefined): string {
  return userHome && (path === "~" || path.startsWith("~/")) ? userHome + path.slice(1) : path;
}

/** True when `path` is `folder` or below it, by their real paths where they exist. */
export function isWithin(path: string, folder: string): boolean {
  const inside = realish(path), outside = realish(folder);
  return inside === outside || inside.startsWith(outside.endsWith("/") ? outside : `${outside}/`);
}

function realish(path: string): string {
  const normal = normalize(path);
  try {
    return normalize(Deno.realPathSync(normal));
  } catch {
    // It does not exist: its folder may.
    const cut = normal.lastIndexOf("/");
    return cut <= 0 ? normal : `${realish(normal.slice(0, cut)).replace(/\/$/, "")}${normal.slice(cut)}`;
  }
}

function normalize(path: string): string {
  const parts: string[] = [];
  const plain = path.replaceAll("\\", "/");
  for (const part of plain.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return /^[A-Za-z]:/.test(plain) ? parts.join("/") : `/${parts.join("/")}`;
}

/** Negative when `a` is older than `b`; what follows the three numbers is not compared. */
export function compareVersions(a: string, b: string): number {
  const numbers = (text: string) => text.split(/[-+]/)[0]!.split(".").map(Number);
  const left = numbers(a), right = numbers(b);
  for (let i = 0; i < 3; i++) {
    if ((left[i] ?? 0) !== (right[i] ?? 0)) return (left[i] ?? 0) - (right[i] ?? 0);
  }
  return 0;
}

/** Reads the plugin in a folder.
 * @throws {HomedError} a sentence, when there is none or its manifest is wrong */
export async function readPlugin(dir: string): Promise<InstalledPlugin> {
  const path = `${dir}/plugin.json`;
  let size: number;
  try {
    size = (await Deno.stat(path)).size;
  } catch (error) {
    throw new HomedError("manifest", `There is no plugin.json in ${dir}`, {
      fix: "a plugin's folder has one at its root: homed plugin new makes such a folder",
      cause: error,
    });
  }
  if (size > MAX_MANIFEST_BYTES) {
    throw new HomedError("manifest", `plugin.json has ${size} bytes: at most ${MAX_MANIFEST_BYTES} are read`);
  }
  const manifest = parseManifest(await Deno.readTextFile(path));
  try {
    const entry = await Deno.lstat(`${dir}/${manifest.entry}`);
    if (!entry.isFile) throw new HomedError("manifest", `The entry "${manifest.entry}" is not a plain file`);
  } catch (error) {
    if (error instanceof HomedError) throw error;
    throw new HomedError("manifest", `The entry "${manifest.entry}" is not in the package`, { cause: error });
  }
  return { manifest, kind: kindOfEntry(manifest.entry), dir };
}

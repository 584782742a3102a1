/** What a plugin is and asks for: `plugin.json`, its settings, the kinds and names of plugins. @module */
import * as z from "zod";
import { type PluginSetting, SettingSchema } from "./plugin_setting.ts";

/** Decides whether a value from outside is a `T`. */
export interface Checker<T> {
  /** Never throws. `data` has the known fields alone; an issue says where something is wrong and what. */
  safeParse(value: unknown):
    | { success: true; data: T; error?: undefined }
    | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } };
}

/** Groups of `core.*` methods that a manifest must name. `host` is for the built-in plugins alone. */
export const CAPABILITIES = [
  "io",
  "memory",
  "doc_memory",
  "knowledge",
  "text_memory",
  "llm",
  "social",
  "events",
  "plugin_mgr",
  "settings_cross",
  "host",
] as const;
/** A group of `core.*` methods. */
export type Capability = (typeof CAPABILITIES)[number];

/** The plugins that come with homed. */
export const BUILTIN_PLUGINS = [
  "webui",
  "cli",
  "timer",
  "cmd",
  "mcp",
  "files",
  "clawhub",
  "agentcli",
  "healthcheck",
  "pluginmgr",
  "cfgmgr",
] as const;
/** Names no plugin may have: the built-in plugins', the prefixes of built-in tools and homed's own. */
export const RESERVED_NAMES: readonly string[] = [
  ...BUILTIN_PLUGINS,
  "memory",
  "doc",
  "person",
  "knowledge",
  "media",
  "agent",
  "llm",
  "plugin",
  "output",
  "core",
  "homed",
];

const PlainPath = z.string().min(1).max(1024);

/** What a plugin may do besides reading its own folder and using its data folder. Absent: nothing of that kind. */
export interface PluginPermissions {
  /** `host`, `host:port`, `*` or `*:port`; without a port: 80 and 443. */
  net?: string[];
  /** Files and folders, with all that is below. */
  read?: string[];
  /** Files and folders, with all that is below. */
  write?: string[];
  /** Names of environment variables. */
  env?: string[];
  /** Programs by name or path, or `true` for any. */
  run?: boolean | string[];
}
/** The form alone: what they would reach is judged when the plugin is installed. */
const PermissionsSchema = z.object({
  net: z.array(z.string().regex(/^(\*|\[[0-9a-f:]+\]|[A-Za-z0-9.-]+)(:\d{1,5})?$/, "an entry is host or host:port"))
    .exactOptional(),
  read: z.array(PlainPath).exactOptional(),
  write: z.array(PlainPath).exactOptional(),
  env: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "a variable's name has letters, digits and _"))
    .exactOptional(),
  run: z.union([z.boolean(), z.array(PlainPath)]).exactOptional(),
});

const NameSchema = z.string()
  .regex(/^[a-z][a-z0-9-]{1,31}$/, "a name is 2 to 32 of a-z, 0-9 and -, beginning with a letter")
  .refine((name) => !RESERVED_NAMES.includes(name), "this name is reserved for homed itself");
/** A plugin's name: `[a-z][a-z0-9-]{1,31}`, not reserved. */
export const PluginName: Checker<string> = NameSchema;

/** `plugin.json`. */
export interface PluginManifest {
  /** As `PluginName` wants it; also the folder's name and the prefix of tools. */
  name: string;
  /** Semantic: `1.2.3`, with `-…` or `+…` after it if need be. */
  version: string;
  /** A sentence for whoever decides whether to install it. */
  description: string;
  /** A file inside the package, with `/` between folders; decides the kind (`kindOfEntry`). */
  entry: string;
  /** `linux-x64`, `darwin-arm64`, `windows-x64`, … or an operating system alone. Absent: all. */
  platforms?: string[];
  /** Groups of `core.*` methods it may call; never `host`. */
  capabilities?: Capability[];
  /** Absent: nothing besides its own folders. */
  permissions?: PluginPermissions;
  /** Its settings, at most 200. */
  config?: PluginSetting[];
  /** The oldest homed it works with. */
  min_core?: string;
}
const ManifestSchema = z.object({
  name: NameSchema,
  version: z.string().regex(/^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$/, "a version is like 1.2.3"),
  description: z.string().min(1).max(1000),
  entry: z.string().min(1).max(200).regex(
    // deno-lint-ignore no-control-regex
    /^(?!.*(^|\/)\.\.?(\/|$))[^/\\:\u0000-\u001f][^\\:\u0000-\u001f]*$/,
    "the entry is a file inside the package, with / between folders",
  ),
  platforms: z.array(
    z.string().regex(
      /^(linux|darwin|windows)(-(x64|arm64))?$/,
      "a platform is linux, darwin or windows, or one of them with -x64 or -arm64",
    ),
  ).exactOptional(),
  capabilities: z.array(z.enum(CAPABILITIES.filter((name) => name !== "host") as [Capability, ...Capability[]]))
    .exactOptional(),
  permissions: PermissionsSchema.exactOptional(),
  config: z.array(SettingSchema).max(200).exactOptional(),
  min_core: z.string().regex(/^\d+\.\d+\.\d+/, "a version is like 1.2.3").exactOptional(),
});
/** Checks a parsed `plugin.json`; unknown fields are dropped. */
export const PluginManifest: Checker<PluginManifest> = ManifestSchema;

/** The fields that a `plugin.json` may have, and those of its `permissions`. */
export const MANIFEST_FIELDS: { manifest: readonly string[]; permissions: readonly string[] } = {
  manifest: Object.keys(ManifestSchema.shape),
  permissions: Object.keys(PermissionsSchema.shape),
};

/** What runs a plugin: homed's JavaScript or Lua process, the model (a skill), its own program, or homed itself. */
export type PluginKind = "js" | "lua" | "skill" | "native" | "builtin";

/** The entry decides the kind. */
export function kindOfEntry(entry: string): Exclude<PluginKind, "builtin"> {
  if (entry.endsWith(".js")) return "js";
  if (entry === "main.lua" || entry.endsWith("/main.lua")) return "lua";
  if (entry === "SKILL.md") return "skill";
  return "native";
}

/** The plugin host: what runs plugins, watches them, and speaks for them. @module */
export type { BuiltinSpec } from "./builtin.ts";
export { runExec } from "./exec.ts";
export { PluginHost } from "./host.ts";
export { isOwnerKey } from "./owner_keys.ts";
export { runPluginHost } from "./plugin_host.ts";
export * from "./ports.ts";
export type { Skill } from "./skills.ts";
export { type PackageReport } from "./package.ts";
export { buildPackage, type BuiltPackage } from "./package_build.ts";
export { newPlugin, PLUGIN_LANGUAGES, type PluginLanguage } from "./new_plugin.ts";

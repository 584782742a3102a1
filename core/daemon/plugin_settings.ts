import type { Registry } from "../config/mod.ts";
import type { Home } from "./home.ts";

/** Makes the settings of plugins known, built-in and installed ones, without starting any. A plugin whose manifest cannot
 * be read has none; `homed plugin list` tells why. */
export async function definePluginSettings(home: Home, registry: Registry): Promise<void> {
  const [{ BUILTINS }, { readPlugin }] = await Promise.all([
    import("../../plugins/builtin/mod.ts"),
    import("../../plugins/host/manifest.ts"),
  ]);
  for (const { name, settings } of BUILTINS) if (settings.length > 0) registry.define(name, settings);
  const folder = home.path(registry.text("core.plugin.dir"));
  let names: string[];
  try {
    names = [...Deno.readDirSync(folder)].filter((entry) => entry.isDirectory).map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  for (const name of names.filter((name) => !name.startsWith(".")).sort()) {
    const plugin = await readPlugin(`${folder}/${name}`).catch(() => undefined);
    if (!plugin || plugin.manifest.name !== name) continue;
    registry.define(name, [{ key: "enabled", type: "bool", default: true, owner: true }]);
    registry.define(name, plugin.manifest.config ?? []);
  }
}

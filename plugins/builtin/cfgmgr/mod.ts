/** The built-in plugin `cfgmgr`: settings for the model. Secrets are never readable, *owner* keys never writable. @module */
import type { BuiltinPlugin } from "../../sdk/mod.ts";

export const cfgmgr: BuiltinPlugin = {
  name: "cfgmgr",
  description: "Reads and changes settings; secrets stay hidden and what only the owner may change stays as it is",
  capabilities: ["settings_cross"],
  settings: [],
  create: () => ({
    async start(sdk) {
      const key = { type: "string", description: "core.… or plugin.<name>.…" };
      await sdk.registerTool({
        name: "cfgmgr_list",
        description: "Lists settings and their values, those below a prefix.",
        parameters: { type: "object", properties: { prefix: { type: "string" } } },
      }, async (args) => {
        const { prefix = "" } = args as { prefix?: string };
        const { settings } = await sdk.call("core.settings.dump", {});
        const found = settings.filter((row) => row.key.startsWith(prefix));
        if (found.length === 0) throw new Error(`There is no setting that begins with "${prefix}"`);
        return { settings: found };
      });
      await sdk.registerTool({
        name: "cfgmgr_get",
        description: "Shows one setting.",
        parameters: { type: "object", properties: { key }, required: ["key"] },
      }, async (args) => {
        const { key } = args as { key: string };
        const target = split(key);
        return target.plugin === undefined
          ? await sdk.call("core.settings.getCore", { key })
          : await sdk.call("core.settings.getPlugin", { plugin: target.plugin, key: target.rest });
      });
      await sdk.registerTool({
        name: "cfgmgr_set",
        description: "Changes one setting. Keys that decide what may be done are the owner's alone.",
        parameters: {
          type: "object",
          properties: { key, value: { description: "The new value: text, number, true or false" } },
          required: ["key", "value"],
        },
        acts: true,
      }, async (args) => {
        const { key, value } = args as { key: string; value: unknown };
        const target = split(key);
        if (target.plugin === undefined) await sdk.call("core.settings.setCore", { key, value });
        else await sdk.call("core.settings.setPlugin", { plugin: target.plugin, key: target.rest, value });
        return { key, value };
      });
    },
  }),
};

/** `plugin.<name>.<rest>` taken apart; other keys have no plugin. */
function split(key: string): { plugin: string; rest: string } | { plugin?: undefined } {
  const match = /^plugin\.([a-z][a-z0-9-]*)\.(.+)$/.exec(key);
  return match ? { plugin: match[1]!, rest: match[2]! } : {};
}

import { builtin, data, text, type Tool } from "./tool.ts";

/** What the model may do with plugins. */
export const pluginTools: Tool[] = [
  builtin(
    "plugin_reload",
    "Stop a plugin and load it again from its folder. 重新加载插件。",
    { properties: { name: text }, required: ["name"] },
    async (args, { kernel, signal }) => {
      const result = await kernel.host.call("plugin.reload", { name: String(args.name) }, { signal });
      return data("plugin_reload", result, result.state);
    },
    { acts: true },
  ),
];

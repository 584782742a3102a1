/** The built-in plugin `pluginmgr`: what is installed, and changing it. Installing asks the owner, as every tool that acts
 * does; what a package asks for is in the question. @module */
import type { BuiltinPlugin, Sdk } from "../../sdk/mod.ts";

const name = { type: "string", description: "The plugin" };
const file = { type: "string", description: "Path of a .hmap file on this machine" };

interface Row {
  description: string;
  properties: Record<string, unknown>;
  required?: string[];
  acts?: boolean;
  run(sdk: Sdk, args: { name: string; file: string; sha256: string; lines?: number; data?: boolean }): Promise<unknown>;
}

const TOOLS: Record<string, Row> = {
  pluginmgr_list: {
    description: "Lists the plugins with their state.",
    properties: {},
    run: (sdk) => sdk.call("core.host.list", {}),
  },
  pluginmgr_inspect: {
    description: "Shows what a plugin package asks for, and its sha256, without installing it.",
    properties: { file },
    required: ["file"],
    run: (sdk, { file }) => sdk.call("core.host.inspect", { file }),
  },
  pluginmgr_install: {
    description: "Installs a plugin package. Inspect it first: the sha256 must be the one that was shown.",
    properties: { file, sha256: { type: "string" } },
    required: ["file", "sha256"],
    acts: true,
    run: (sdk, { file, sha256 }) => sdk.call("core.host.install", { file, sha256 }),
  },
  pluginmgr_remove: {
    description: "Removes a plugin; with data, also its settings and what it kept.",
    properties: { name, data: { type: "boolean" } },
    required: ["name"],
    acts: true,
    run: (sdk, { name, data }) => sdk.call("core.host.remove", { name, ...(data !== undefined && { data }) }),
  },
  pluginmgr_enable: {
    description: "Enables and starts a plugin.",
    properties: { name },
    required: ["name"],
    acts: true,
    run: (sdk, { name }) => sdk.call("core.host.enable", { name }),
  },
  pluginmgr_disable: {
    description: "Stops a plugin and keeps it from starting.",
    properties: { name },
    required: ["name"],
    acts: true,
    run: (sdk, { name }) => sdk.call("core.host.disable", { name }),
  },
  pluginmgr_reload: {
    description: "Starts a plugin anew; when that fails, the running one is kept.",
    properties: { name },
    required: ["name"],
    acts: true,
    run: (sdk, { name }) => sdk.plugins.reloadOne(name),
  },
  pluginmgr_logs: {
    description: "Shows the last lines of a plugin's log.",
    properties: { name, lines: { type: "integer" } },
    required: ["name"],
    run: (sdk, { name, lines = 50 }) => sdk.call("core.host.logs", { name, lines }),
  },
};

export const pluginmgr: BuiltinPlugin = {
  name: "pluginmgr",
  description: "Lists, installs, removes, enables, disables and reloads plugins",
  capabilities: ["plugin_mgr", "host"],
  settings: [],
  create: () => ({
    async start(sdk) {
      for (const [tool, { description, properties, required = [], acts, run }] of Object.entries(TOOLS)) {
        await sdk.registerTool(
          { name: tool, description, parameters: { type: "object", properties, required }, ...(acts && { acts }) },
          (args) => run(sdk, args as Parameters<Row["run"]>[1]),
        );
      }
    },
  }),
};

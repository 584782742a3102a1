import { join } from "node:path";

/** What makes and packs plugins for the command line. Both answer with a text for the person. */
export interface PluginAuthor {
  create(name: string, lang: string, folder: string): Promise<string>;
  build(folder: string): Promise<string>;
}

/** The plugin author's tools, loaded at need. */
export async function pluginAuthor(): Promise<PluginAuthor> {
  const [{ newPlugin }, { buildPackage }] = await Promise.all([
    import("../../plugins/host/new_plugin.ts"),
    import("../../plugins/host/package_build.ts"),
  ]);
  return {
    async create(name, lang, folder) {
      const files = await newPlugin(name, { lang: lang as "ts" | "python" | "lua", dir: join(folder, name) });
      return files.join("\n");
    },
    async build(folder) {
      const { path, bytes, notices } = await buildPackage(folder);
      return [...notices, `${path}: ${bytes} bytes`].join("\n");
    },
  };
}

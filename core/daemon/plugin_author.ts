/** What makes and packs plugins for the command line. */
export interface PluginAuthor {
  create(name: string, lang: string, folder: string): Promise<string>;
  build(folder: string): Promise<string>;
}

/** The plugin author's tools, loaded at need; undefined where they are not built in. */
export function pluginAuthor(): Promise<PluginAuthor | undefined> {
  return Promise.resolve(undefined);
}

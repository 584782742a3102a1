import { isThere } from "../../core/base/files.ts";
import { HomedError, reasonOf } from "../../core/base/mod.ts";
import { PluginName } from "../../core/wire/mod.ts";

/** Languages that a new plugin can be begun in. */
export const PLUGIN_LANGUAGES = ["ts", "python", "lua"] as const;
export type PluginLanguage = (typeof PLUGIN_LANGUAGES)[number];

/** Files of a new plugin, and where their text comes from. */
const FILES: Record<PluginLanguage, [path: string, source: URL][]> = {
  ts: [
    ["plugin.json", new URL("../sdk/templates/ts/plugin.json.txt", import.meta.url)],
    ["main.ts", new URL("../sdk/templates/ts/main.ts.txt", import.meta.url)],
    ["main_test.ts", new URL("../sdk/templates/ts/main_test.ts.txt", import.meta.url)],
    ["homed.d.ts", new URL("../sdk/templates/ts/homed.d.ts.txt", import.meta.url)],
  ],
  python: [
    ["plugin.json", new URL("../sdk/templates/python/plugin.json.txt", import.meta.url)],
    ["main.py", new URL("../sdk/templates/python/main.py.txt", import.meta.url)],
    ["main_test.py", new URL("../sdk/templates/python/main_test.py.txt", import.meta.url)],
    ["homed_plugin.py", new URL("../sdk/python/homed_plugin.py", import.meta.url)],
  ],
  lua: [
    ["plugin.json", new URL("../sdk/templates/lua/plugin.json.txt", import.meta.url)],
    ["main.lua", new URL("../sdk/templates/lua/main.lua.txt", import.meta.url)],
    ["tests/main_test.lua", new URL("../sdk/templates/lua/main_test.lua.txt", import.meta.url)],
    ["tests/homed_mock.lua", new URL("../sdk/lua/homed_mock.lua", import.meta.url)],
    ["tests/prelude.lua", new URL("../sdk/lua/prelude.lua", import.meta.url)],
  ],
};

/** Begins a plugin in a new folder: a tool that works, its test, and the SDK. Answers the files it made.
 * @throws {HomedError} `new`, for a name that cannot be or a folder that is there already */
export async function newPlugin(name: string, options: { lang: PluginLanguage; dir: string }): Promise<string[]> {
  const checked = PluginName.safeParse(name);
  if (!checked.success) {
    throw new HomedError("new", `Cannot call a plugin "${name}": ${checked.error.issues[0]!.message}`, {
      fix: "choose another name, such as my-plugin",
    });
  }
  const { lang, dir } = options;
  try {
    await Deno.mkdir(dir, { recursive: false });
  } catch (error) {
    const reason = isThere(dir) ? "something else of that name is there" : reasonOf(error);
    throw new HomedError("new", `Cannot make the folder ${dir}: ${reason}`, {
      fix: "choose another name, or do it in another folder",
      cause: error,
    });
  }
  for (const [path, source] of FILES[lang]) {
    const text = (await Deno.readTextFile(source)).replaceAll("{{name}}", name).replaceAll("{{prefix}}", name);
    if (path.includes("/")) await Deno.mkdir(`${dir}/${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true });
    await Deno.writeTextFile(`${dir}/${path}`, text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
  }
  return FILES[lang].map(([path]) => path);
}

const SCRIPTS = new URL("./scripts/", import.meta.url);

/** The eight built-in adapters' names, which are also the names of the sources that every home has. */
export const ADAPTER_NAMES = [
  "deepseek",
  "openai",
  "anthropic",
  "gemini",
  "mistral",
  "groq",
  "github",
  "ollama",
] as const;
export type AdapterName = (typeof ADAPTER_NAMES)[number];

export function isBuiltinAdapter(name: string): name is AdapterName {
  return (ADAPTER_NAMES as readonly string[]).includes(name);
}

/** The Lua text of a built-in adapter, complete with the part it shares with others. Reads files beside this one. */
export function adapterScript(name: AdapterName): string {
  const text = Deno.readTextFileSync(new URL(`${name}.lua`, SCRIPTS));
  const shared = /^-- needs (\w+)\n/.exec(text)?.[1];
  if (shared === undefined) return text;
  const library = Deno.readTextFileSync(new URL(`${shared}.lua`, SCRIPTS));
  return `local ${shared} = (function()\n${library}\nreturn ${shared}\nend)()\n\n${text}`;
}

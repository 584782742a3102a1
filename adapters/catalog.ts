const SCRIPTS = new URL("./scripts/", import.meta.url);

/** A source that a new home is seeded with. */
export interface SeededSource {
  name: string;
  adapter: string;
  base_url: string;
  model: string;
  /** The environment variable that is read while `api_key` is empty; none for a source that needs no key. */
  key_variable: string | null;
}

/** The eight built-in adapters' names, which are also the seeded sources' names. */
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

export const SEEDED_SOURCES: readonly SeededSource[] = [
  seeded("deepseek", "https://api.deepseek.com", "deepseek-chat"),
  seeded("openai", "https://api.openai.com/v1", "gpt-5-mini"),
  seeded("anthropic", "https://api.anthropic.com", "claude-sonnet-4-5"),
  seeded("gemini", "https://generativelanguage.googleapis.com/v1beta", "gemini-2.5-flash"),
  seeded("mistral", "https://api.mistral.ai/v1", "mistral-medium-latest"),
  seeded("groq", "https://api.groq.com/openai/v1", "openai/gpt-oss-120b"),
  seeded("github", "https://models.github.ai/inference", "openai/gpt-4.1-mini", "GITHUB_TOKEN"),
  seeded("ollama", "http://127.0.0.1:11434", "llama3.2", null),
];

function seeded(
  name: AdapterName,
  base_url: string,
  model: string,
  key_variable: string | null = `${name.toUpperCase()}_API_KEY`,
): SeededSource {
  return { name, adapter: name, base_url, model, key_variable };
}

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

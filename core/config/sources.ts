import type { SourceSecrets } from "../wire/llm.ts";
import { messageOf } from "../base/errors.ts";
import type { Registry } from "./registry.ts";
import { sourceNames } from "./source_names.ts";

/** Finds the text of an adapter: a file by path, else by name among the person's own and the built-in ones.
 * @throws when there is none */
export type ScriptFinder = (adapter: { name: string; path: string }) => Promise<string>;

/** The sources that can be asked, with everything their calls need, and what keeps others from being asked. */
export interface ConfiguredSources {
  sources: SourceSecrets[];
  /** A sentence for each enabled source that cannot be asked though somebody set it up. */
  problems: { source: string; message: string }[];
}

/** An Ollama that was found on this machine. */
export interface FoundOllama {
  base_url: string;
  model: string;
}

/** The sources that are enabled and have a key, or need none (Ollama, a loopback address). */
export async function configuredSources(
  registry: Registry,
  findScript: ScriptFinder,
  { ollama }: { ollama?: FoundOllama } = {},
): Promise<ConfiguredSources> {
  const result: ConfiguredSources = { sources: [], problems: [] };
  for (const name of sourceNames(registry)) {
    const key = (field: string) => `core.llm.sources.${name}.${field}`;
    const adapter = registry.text(key("adapter"));
    const found = name === "ollama" ? ollama : undefined;
    const base_url = found?.base_url ?? registry.text(key("base_url"));
    const api_key = registry.sourceKey(name);
    if ((!isEnabled(registry, name) && !found) || base_url === "") continue;
    if (api_key === "" && adapter !== "ollama" && !isLoopback(base_url)) continue;
    let script: string;
    try {
      script = await findScript({ name: adapter, path: registry.text(key("adapter_path")) });
    } catch (error) {
      result.problems.push({ source: name, message: messageOf(error) });
      continue;
    }
    const model = found?.model ?? registry.text(key("model"));
    if (model === "") {
      result.problems.push({
        source: name,
        message: `The source ${name} names no model: homed config set ${key("model")} MODEL`,
      });
      continue;
    }
    result.sources.push(
      await withRevision({
        name,
        adapter,
        model,
        priority: registry.number(key("priority")),
        context_window: registry.number(key("context_window")),
        vision: registry.flag(key("vision")),
        audio: registry.flag(key("audio")),
        thinking: registry.flag(key("thinking_enabled")),
        max_concurrent: registry.number(key("max_concurrent")),
        base_url,
        api_key,
        script,
        timeout: registry.duration("core.llm.timeout"),
        idle_timeout: registry.duration("core.llm.idle_timeout"),
      }),
    );
  }
  return result;
}

/** Ollama is set to "auto" until somebody sets one of its keys; then it counts as wanted. */
function isEnabled(registry: Registry, name: string): boolean {
  const enabled = registry.get(`core.llm.sources.${name}.enabled`);
  if (enabled !== "auto") return enabled === true || enabled === "true";
  return registry.keys(`core.llm.sources.${name}`).some((key) => registry.origin(key) !== "default");
}

/** Whether a local Ollama may be used without being asked for. */
export function mayFindOllama(registry: Registry): boolean {
  return registry.get("core.llm.sources.ollama.enabled") === "auto";
}

/** Adds what tells two configurations of one source apart. */
async function withRevision(source: Omit<SourceSecrets, "revision">): Promise<SourceSecrets> {
  const bytes = new TextEncoder().encode(JSON.stringify(source));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return { ...source, revision: digest.toHex().slice(0, 16) };
}

function isLoopback(address: string): boolean {
  const host = new URL(address).hostname;
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

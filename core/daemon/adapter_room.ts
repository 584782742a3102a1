import { adapterScript, isBuiltinAdapter } from "../../adapters/catalog.ts";
import type { AdapterRoom } from "./daemon.ts";

/** How long an Ollama on this machine may take to answer. */
const OLLAMA_WAIT = 500;

/** The adapters that come with homed. The Lua machine is loaded only when a source needs it. */
export function adapterRoom(find: typeof fetch = fetch): AdapterRoom {
  return {
    builtinScript: (name) => isBuiltinAdapter(name) ? adapterScript(name) : undefined,
    readLuaWasm: async () => (await import("../../adapters/wasm.ts")).readLuaWasm(),
    findOllama: (base_url) => findOllama(base_url, find),
  };
}

/** Asks for the models of an Ollama; undefined when none answers, or it has none. */
async function findOllama(
  base_url: string,
  ask: typeof fetch,
): Promise<{ base_url: string; model: string } | undefined> {
  try {
    const signal = AbortSignal.timeout(OLLAMA_WAIT);
    const response = await ask(new URL("/api/tags", base_url), { signal, redirect: "error" });
    const { models } = await response.json() as { models?: { name?: string }[] };
    const model = models?.find(({ name }) => name !== undefined && !/embed/i.test(name))?.name;
    return model === undefined ? undefined : { base_url, model };
  } catch {
    // Nobody listens there, or it is no Ollama.
    return undefined;
  }
}

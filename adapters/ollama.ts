/** Where Ollama listens on a machine that runs it. */
export const OLLAMA_URL = "http://127.0.0.1:11434";

/** The models of an Ollama on this machine, the most recently changed first; null when none answers within 300 ms. */
export async function findOllama(
  fetch: typeof globalThis.fetch = globalThis.fetch,
  url: string = OLLAMA_URL,
): Promise<string[] | null> {
  try {
    const response = await fetch(`${url}/api/tags`, { redirect: "error", signal: AbortSignal.timeout(300) });
    if (!response.ok) {
      await response.body?.cancel();
      return null;
    }
    const { models } = await response.json() as { models?: { name?: unknown }[] };
    if (!Array.isArray(models)) return null;
    return models.map(({ name }) => name).filter((name) => typeof name === "string");
  } catch {
    // Nobody listens there, or something else does: either way there is no Ollama.
    return null;
  }
}

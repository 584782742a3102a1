import assert from "node:assert/strict";
import { configuredSources, mayFindOllama, Registry } from "../../../core/config/mod.ts";
import { tempFolder } from "../../kit/temp_folder.ts";

const script = ({ name }: { name: string }) =>
  name === "missing" ? Promise.reject(new Error("There is no adapter missing")) : Promise.resolve(`-- ${name}`);

async function configured(settings: Record<string, string>, env: Record<string, string> = {}) {
  await using folder = await tempFolder();
  using registry = Registry.open(`${folder.path}/config.db`, { env });
  for (const [key, value] of Object.entries(settings)) registry.set(`core.llm.sources.${key}`, value, "owner");
  return { ...await configuredSources(registry, script), findsOllama: mayFindOllama(registry) };
}

const names = (result: { sources: { name: string }[] }) => result.sources.map(({ name }) => name);

Deno.test("without any setting no source is configured", async () => {
  const result = await configured({});
  assert.deepEqual([result.sources, result.problems, result.findsOllama], [[], [], true]);
});

Deno.test("a source is configured when it is enabled and has a key, or needs none", async () => {
  assert.deepEqual(names(await configured({ "openai.api_key": "sk-1" })), ["openai"]);
  assert.deepEqual(names(await configured({}, { GITHUB_TOKEN: "ghp" })), ["github"]);
  assert.deepEqual(names(await configured({ "openai.api_key": "sk-1", "openai.enabled": "false" })), []);
  assert.deepEqual(names(await configured({ "openai.model": "gpt-x" })), []);
  assert.deepEqual(names(await configured({ "ollama.model": "qwen" })), ["ollama"]);
  assert.deepEqual(names(await configured({ "ollama.enabled": "true" })), ["ollama"]);
  assert.deepEqual(names(await configured({ "ollama.enabled": "false", "ollama.model": "qwen" })), []);
  for (const host of ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "127.8.8.8"]) {
    assert.deepEqual(names(await configured({ "own.base_url": `http://${host}/v1`, "own.model": "m" })), ["own"], host);
  }
  for (const host of ["10.0.0.1", "127.0.0.1.example.com", "localhost.example"]) {
    assert.deepEqual(names(await configured({ "own.base_url": `http://${host}/v1`, "own.model": "m" })), [], host);
  }
});

Deno.test("a source that somebody set up and that cannot be asked is told of", async () => {
  const adapter = await configured({ "openai.api_key": "sk-1", "openai.adapter": "missing" });
  assert.deepEqual(adapter.problems, [{ source: "openai", message: "There is no adapter missing" }]);
  const model = await configured({ "own.base_url": "http://127.0.0.1:1/v1" });
  assert.match(model.problems[0]!.message, /own names no model.*core\.llm\.sources\.own\.model/);
});

Deno.test("the revision changes with whatever a call depends on, and with nothing else", async () => {
  const revision = async (settings: Record<string, string>, key = "sk-1") =>
    (await configured(settings, { OPENAI_API_KEY: key })).sources[0]!.revision;
  const first = await revision({});
  assert.equal(await revision({ "groq.model": "x" }), first);
  assert.notEqual(await revision({}, "sk-2"), first);
  assert.notEqual(await revision({ "openai.model": "x" }), first);
  assert.notEqual(await revision({ "openai.base_url": "https://h/v1" }), first);
});

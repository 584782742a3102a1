import assert from "node:assert/strict";
import { ADAPTER_NAMES, adapterScript, isBuiltinAdapter, SEEDED_SOURCES } from "../../adapters/catalog.ts";
import { LuaVm } from "../../adapters/vm.ts";
import { readLuaWasm } from "../../adapters/wasm.ts";

Deno.test("every built-in adapter loads by itself, under its own name, and streams", async () => {
  assert.equal(ADAPTER_NAMES.length, 8);
  const vm = await LuaVm.create(readLuaWasm(), { log: () => {}, http: () => Promise.resolve("{}") });
  for (const name of ADAPTER_NAMES) {
    const table = await vm.load(name, adapterScript(name));
    assert.equal(table.name, name);
    assert.equal(table.streams, true);
    assert.ok(table.endpoint?.startsWith("/"));
  }
  vm.close();
});

Deno.test("the seeded sources are the eight adapters, each with an address and a model", () => {
  assert.deepEqual(SEEDED_SOURCES.map(({ adapter }) => adapter), [...ADAPTER_NAMES]);
  for (const { base_url, model, key_variable, name } of SEEDED_SOURCES) {
    assert.ok(URL.canParse(base_url) && model !== "", name);
    assert.equal(key_variable === null, name === "ollama");
  }
  assert.equal(isBuiltinAdapter("openai"), true);
  assert.equal(isBuiltinAdapter("../openai"), false);
});

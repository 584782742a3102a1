import assert from "node:assert/strict";
import { ADAPTER_NAMES, adapterScript, isBuiltinAdapter } from "../../adapters/catalog.ts";
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

Deno.test("a built-in adapter is known by its name, and a path is none", () => {
  assert.equal(isBuiltinAdapter("openai"), true);
  assert.equal(isBuiltinAdapter("../openai"), false);
});

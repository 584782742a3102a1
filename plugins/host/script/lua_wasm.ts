/** Where the Lua machine's WASM lies, from source and inside the executable. */
export const LUA_WASM: URL = new URL("glue.wasm", import.meta.resolve("wasmoon"));

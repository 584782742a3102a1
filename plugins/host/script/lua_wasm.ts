// The import keeps the package in the module graph: only then does it resolve to a file, from source and compiled.
import "wasmoon";

/** Where the Lua machine's WASM lies, from source and inside the executable. */
export const LUA_WASM: URL = new URL("glue.wasm", import.meta.resolve("wasmoon"));

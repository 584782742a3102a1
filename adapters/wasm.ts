/** The Lua machine's WebAssembly bytes, for the `lua` worker, which may read no file. Main reads them once and hands
 * them over with `lua.wasm`. The import keeps the package in the module graph: only then does it resolve to a file, from
 * source and in the executable. */
import "wasmoon";

export function readLuaWasm(): Uint8Array {
  return Deno.readFileSync(new URL("glue.wasm", import.meta.resolve("wasmoon")));
}

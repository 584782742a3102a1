import type { Plugin } from "../../sdk/plugin.ts";

/** What a Lua plugin is made of. */
export interface LuaSource {
  name: string;
  text: string;
  wasm: Uint8Array;
}

export function luaPlugin(_source: LuaSource): Promise<Plugin> {
  return Promise.reject(new Error("not there yet"));
}

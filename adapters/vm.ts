import { type LuaEngine, LuaFactory, LuaLibraries, LuaReturn, type LuaThread, LuaType } from "wasmoon";
import { JSON_LUA } from "./json_lua.ts";
import { jsonSpan } from "./json_span.ts";
import { compilePattern, findPattern, type Pattern, PatternError } from "./patterns.ts";
import { PATTERNS_LUA } from "./patterns_lua.ts";
import { SANDBOX_LUA } from "./sandbox_lua.ts";

/** What a script may use. */
export interface LuaLimits {
  /** Milliseconds of computing in one call; waiting for `http_get` does not count. */
  time: number;
  /** Bytes of Lua memory. */
  memory: number;
}

export const DEFAULT_LIMITS: LuaLimits = { time: 2000, memory: 256 * 1024 * 1024 };

/** What a Lua machine needs of its host. None of the functions may throw. */
export interface LuaHost {
  log(level: string, text: string): void;
  /** Answers `http_get` and `http_post`: JSON text `{url, status, body}` or `{url, error}`. */
  http(method: "GET" | "POST", url: string, body: string): Promise<string>;
}

/** A script went over a limit and was cut off: the machine is dead and must be replaced. */
export class LuaLimitError extends Error {
  override name = "LuaLimitError";
}

/** A script failed: a syntax error, `error(…)`, a wrong type. The machine lives. */
export class LuaScriptError extends Error {
  override name = "LuaScriptError";
}

/** What an adapter's table says of itself. */
export interface AdapterTable {
  name?: string;
  version?: string;
  endpoint?: string;
  stream_endpoint?: string;
  headers: Record<string, string>;
  /** It has `transform_stream_chunk`. */
  streams: boolean;
  /** Fields beyond the contract that it knows what to do with: `thinking`, `context_window`, `signature`, `name`. Scripts
   * that hand on what they do not know are spared them. */
  accepts: string[];
}

export type TransformName = "transform_request" | "transform_response" | "transform_stream_chunk";

const HOOK_EVERY = 256;
const COUNT_MASK = 8;
const REGISTRY = -1001000;
/** Work inside wrapped C functions, in rough steps, until the clock is looked at. */
const SPEND_BATCH = 200_000;

let moduleUrl: { bytes: Uint8Array; url: string } | undefined;

/** wasmoon loads its WebAssembly by URL or by path. A worker may read no path, so the bytes become a blob URL; the
 * loader fetches URLs only where it believes to be in a web worker, which it tells by `importScripts`. */
function factoryFor(bytes: Uint8Array): LuaFactory {
  if (moduleUrl?.bytes !== bytes) {
    if (moduleUrl) URL.revokeObjectURL(moduleUrl.url);
    moduleUrl = { bytes, url: URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>])) };
  }
  if (!("importScripts" in globalThis)) Reflect.set(globalThis, "importScripts", () => {});
  return new LuaFactory(moduleUrl.url);
}

/** One Lua machine with its own memory, which holds adapter scripts and calls their functions. A script cannot reach
 * anything outside but `log` and `http_*`; one that computes too long is cut off by a JS error thrown from a count hook,
 * which no `pcall` catches, and leaves the machine dead. */
export class LuaVm {
  readonly #engine: LuaEngine;
  readonly #limits: LuaLimits;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #load = 0;
  #call = 0;
  /** Until when Lua may compute; 0 between calls. */
  #deadline = 0;
  #spent = 0;
  /** Four bytes for the lengths that the machine hands out. */
  #length = 0;
  readonly #patterns = new Map<string, Pattern>();
  #dead: string | undefined;

  private constructor(engine: LuaEngine, limits: LuaLimits) {
    this.#engine = engine;
    this.#limits = limits;
  }

  static async create(wasm: Uint8Array, host: LuaHost, limits: LuaLimits = DEFAULT_LIMITS): Promise<LuaVm> {
    const engine = await factoryFor(wasm).createEngine({
      openStandardLibs: false,
      injectObjects: false,
      enableProxy: false,
      traceAllocations: true,
    });
    const vm = new LuaVm(engine, limits);
    vm.#prepare(host);
    return vm;
  }

  /** Why the machine can no longer be used. */
  get dead(): string | undefined {
    return this.#dead;
  }

  /** Bytes of WebAssembly memory; it grows and never shrinks. */
  get size(): number {
    return this.#engine.global.lua.module.HEAPU8.length;
  }

  /** Runs a script and keeps the adapter it returns under `name`.
   * @throws {LuaScriptError} when it does not load or is no adapter
   * @throws {LuaLimitError} when it went over a limit */
  async load(name: string, script: string): Promise<AdapterTable> {
    return JSON.parse(await this.#run(this.#load, [name, script])) as AdapterTable;
  }

  /** Calls a function of a loaded adapter.
   * @throws {LuaScriptError} when the script fails
   * @throws {LuaLimitError} when it went over a limit */
  call(name: string, method: TransformName, text: string): Promise<string> {
    return this.#run(this.#call, [name, method, text]);
  }

  close(): void {
    this.#dead ??= "it is closed";
    this.#engine.global.close();
  }

  #prepare(host: LuaHost): void {
    const global = this.#engine.global;
    for (const library of ["Base", "Coroutine", "Table", "String", "Math", "OS"] as const) {
      global.loadLibrary(LuaLibraries[library]);
    }
    // wasmoon's loadLibrary opens the string library in the place of this one.
    global.lua.luaopen_utf8(global.address);
    global.lua.lua_setglobal(global.address, "utf8");
    global.setMemoryMax(this.#limits.memory);
    const { lua, address } = global;
    this.#length = lua.module._malloc(4);
    const hook = lua.module.addFunction(() => this.#check(), "vii");
    lua.lua_sethook(address, hook, COUNT_MASK, HOOK_EVERY);
    const spend = lua.module.addFunction((state: number) => {
      this.#spend(lua.lua_tonumberx(state, 1, null));
      return 0;
    }, "ii");
    this.#deadline = Infinity;
    global.loadString(SANDBOX_LUA, "=sandbox");
    global.pushValue((level: string, text: string) => host.log(level, text));
    global.pushValue((method: "GET" | "POST", url: string, body: string) => host.http(method, url, body));
    lua.lua_pushcclosure(address, spend, 0);
    lua.lua_pushcclosure(address, lua.module.addFunction((state: number) => this.#match(state), "ii"), 0);
    lua.lua_pushcclosure(address, lua.module.addFunction((state: number) => this.#span(state), "ii"), 0);
    global.loadString(JSON_LUA, "=json");
    global.loadString(PATTERNS_LUA, "=patterns");
    global.assertOk(lua.lua_pcallk(address, 7, 2, 0, 0, null));
    this.#call = lua.luaL_ref(address, REGISTRY);
    this.#load = lua.luaL_ref(address, REGISTRY);
    this.#deadline = 0;
  }

  #check(): void {
    if (performance.now() > this.#deadline) {
      throw new LuaLimitError(`The script was cut off after ${this.#limits.time} ms of computing`);
    }
  }

  #spend(steps: number): void {
    this.#spent += steps;
    if (this.#spent < SPEND_BATCH) return;
    this.#spent = 0;
    this.#check();
  }

  /** `(text, pattern, init, not_to, literal_caret)` → nothing, or start and end of the match and of its captures, from 1
   * and inclusive; a position capture is its place and −1. */
  #match(state: number): number {
    const { lua } = this.#engine.global;
    const optional = (index: number) => lua.lua_type(state, index) === LuaType.Number;
    const notTo = optional(4) ? lua.lua_tonumberx(state, 4, null) : -1;
    let found: number[] | undefined;
    try {
      const pattern = this.#pattern(this.#bytes(state, 2), lua.lua_toboolean(state, 5) !== 0);
      const from = lua.lua_tonumberx(state, 3, null) - 1;
      found = findPattern(pattern, this.#bytes(state, 1), from, notTo, (steps) => this.#spend(steps));
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      lua.lua_pushstring(state, error.message);
      return lua.lua_error(state);
    }
    if (!found) return 0;
    lua.lua_checkstack(state, found.length);
    for (let i = 0; i < found.length; i += 2) {
      const [start, end] = [found[i]!, found[i + 1]!];
      lua.lua_pushinteger(state, BigInt(start + 1));
      lua.lua_pushinteger(state, BigInt(end < 0 ? -1 : end));
    }
    return found.length;
  }

  /** `(text, from)` → the byte after the JSON array or object that begins there, or nothing: see `jsonSpan`. */
  #span(state: number): number {
    const { lua } = this.#engine.global;
    const from = lua.lua_tonumberx(state, 2, null) - 1;
    const end = jsonSpan(this.#bytes(state, 1), from);
    if (end === undefined) return 0;
    this.#spend((end - from) / 20);
    lua.lua_pushinteger(state, BigInt(end + 1));
    return 1;
  }

  #pattern(bytes: Uint8Array, literalCaret: boolean): Pattern {
    const key = `${literalCaret ? 1 : 0}${Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")}`;
    let pattern = this.#patterns.get(key);
    if (!pattern) {
      if (this.#patterns.size >= 100) this.#patterns.clear();
      pattern = compilePattern(bytes, literalCaret);
      this.#patterns.set(key, pattern);
    }
    return pattern;
  }

  async #run(entry: number, args: string[]): Promise<string> {
    if (this.#dead !== undefined) throw new LuaLimitError(`The Lua machine is gone: ${this.#dead}`);
    const global = this.#engine.global;
    const { lua } = global;
    const thread = global.newThread();
    const held = lua.luaL_ref(global.address, REGISTRY);
    let left = this.#limits.time;
    try {
      lua.lua_rawgeti(thread.address, REGISTRY, BigInt(entry));
      for (const arg of args) this.#push(thread, arg);
      for (let argCount = args.length;; argCount = 0) {
        const started = performance.now();
        this.#deadline = started + left;
        let status: LuaReturn, resultCount: number;
        try {
          ({ result: status, resultCount } = thread.resume(argCount));
        } finally {
          this.#deadline = 0;
          left -= performance.now() - started;
        }
        if (status === LuaReturn.Ok) return this.#text(thread, -1) ?? "";
        if (status !== LuaReturn.Yield) {
          const message = this.#text(thread, -1) ?? "it threw what is no text";
          if (status === LuaReturn.ErrorMem) this.#dead = "it ran out of memory";
          throw status === LuaReturn.ErrorMem
            ? new LuaLimitError(`The script needed more than ${this.#limits.memory / 1048576} MiB of memory`)
            : new LuaScriptError(message);
        }
        const waited: unknown = resultCount > 0 ? thread.getValue(-1) : undefined;
        if (!(waited instanceof Promise)) throw new LuaScriptError("A transform must not yield");
        thread.pop(resultCount);
        await waited;
        if (this.#dead !== undefined) throw new LuaLimitError(`The Lua machine is gone: ${this.#dead}`);
      }
    } catch (error) {
      if (!(error instanceof LuaScriptError)) this.#dead ??= "a script was cut off";
      throw error;
    } finally {
      if (this.#dead === undefined) {
        thread.close();
        lua.luaL_unref(global.address, REGISTRY, held);
      }
    }
  }

  /** Through the heap: wasmoon's own string arguments go over the stack, which a large request would overrun. */
  #push(thread: LuaThread, text: string): void {
    const { lua } = thread;
    const size = lua.module.lengthBytesUTF8(text);
    const at = lua.module._malloc(size + 1);
    if (at === 0) throw new LuaLimitError("The Lua machine has no memory left");
    try {
      lua.module.stringToUTF8(text, at, size + 1);
      lua.lua_pushlstring(thread.address, at, size);
    } finally {
      lua.module._free(at);
    }
  }

  #text(thread: LuaThread, index: number): string | undefined {
    if (thread.lua.lua_isstring(thread.address, index) === 0) return undefined;
    return this.#decoder.decode(this.#bytes(thread.address, index));
  }

  /** The string at the index where it lies: valid until Lua runs again. */
  #bytes(state: number, index: number): Uint8Array {
    const module = this.#engine.global.lua.module as LuaThread["lua"]["module"] & {
      _lua_tolstring(state: number, index: number, length: number): number;
    };
    const at = module._lua_tolstring(state, index, this.#length);
    return module.HEAPU8.subarray(at, at + module.HEAPU32[this.#length >> 2]!);
  }
}

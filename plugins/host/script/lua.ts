import { type LuaEngine, LuaFactory, LuaLibraries } from "wasmoon";
import type { CoreMethods, EventType, StageContext } from "../../../core/wire/mod.ts";
import type { Plugin, Sdk } from "../../sdk/plugin.ts";

/** What a Lua plugin is made of. */
export interface LuaSource {
  name: string;
  text: string;
  /** `plugins/sdk/lua/prelude.lua`. */
  prelude: string;
  wasm: Uint8Array;
}

/** Bytes of Lua memory. */
const MAX_MEMORY = 128 << 20;
/** Milliseconds of computing between two requests, after which the plugin is ended. */
const MAX_COMPUTE_MS = 10_000;
/** Bytes of an HTTP answer. */
const MAX_BODY = 4 << 20;
/** What a timer of the runtime waits at most. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const COUNT_MASK = 8, HOOK_EVERY = 10_000;
/** What is left of `os`: nothing that reaches outside. */
const SAFE_OS = ["time", "clock", "date", "difftime"];

/** What the prelude returns. */
interface Driver {
  begin(entry: string, json: string): string;
  resume(id: number, json: string): string;
}

/** How a step of the prelude ended. */
type Step = { done: Record<string, unknown> } | { error: string } | {
  id: number;
  method: string;
  params: Record<string, unknown>;
};

/** A Lua plugin as a `Plugin`: its `main.lua` runs on a machine of its own; everything that passes between the machine
 * and this side is JSON text, and each handler is a coroutine that waits by yielding.
 * @throws {Error} when the script does not load */
export async function luaPlugin(source: LuaSource): Promise<Plugin> {
  const machine = await Machine.create(source);
  await machine.run("load", { text: source.text });
  return {
    async start(sdk) {
      machine.attach(sdk);
      await machine.run("start", {});
    },
    async stop() {
      await machine.run("stop", {});
    },
  };
}

class Machine {
  readonly #begin: Driver["begin"];
  readonly #resume: Driver["resume"];
  #sdk: Sdk | undefined;
  #deadline = Infinity;

  private constructor(engine: LuaEngine, prelude: string) {
    const { lua, address } = engine.global;
    const hook = lua.module.addFunction(() => {
      if (performance.now() > this.#deadline) {
        throw new Error(`The Lua code has computed for more than ${MAX_COMPUTE_MS} ms without a pause`);
      }
    }, "vii");
    lua.lua_sethook(address, hook, COUNT_MASK, HOOK_EVERY);
    engine.global.set("homed_log", (level: string, text: string) => this.#log(level, text));
    engine.global.set("homed_after", (id: number, seconds: number) => this.#later(id, seconds));
    const driver = engine.doStringSync(prelude) as Driver;
    this.#begin = driver.begin;
    this.#resume = driver.resume;
  }

  static async create({ wasm, prelude }: LuaSource): Promise<Machine> {
    // The machine is loaded by URL, and its loader takes a scope without `importScripts` for something else than a worker.
    const url = URL.createObjectURL(new Blob([wasm as Uint8Array<ArrayBuffer>]));
    if (!("importScripts" in globalThis)) Reflect.set(globalThis, "importScripts", () => {});
    const engine = await new LuaFactory(url).createEngine({
      openStandardLibs: false,
      injectObjects: false,
      enableProxy: false,
      traceAllocations: true,
    });
    URL.revokeObjectURL(url);
    for (const library of ["Base", "Coroutine", "Table", "String", "UTF8", "Math", "OS"] as const) {
      engine.global.loadLibrary(LuaLibraries[library]);
    }
    engine.global.setMemoryMax(MAX_MEMORY);
    engine.doStringSync(`
      local safe = {}
      for _, name in ipairs({${SAFE_OS.map((name) => `"${name}"`).join(", ")}}) do safe[name] = os[name] end
      os, dofile, loadfile = safe, nil, nil
      local load_text = load
      function load(chunk, name, mode, env)
        if env == nil then return load_text(chunk, name, "t") end
        return load_text(chunk, name, "t", env)
      end`);
    return new Machine(engine, prelude);
  }

  /** From now on the plugin can ask homed. */
  attach(sdk: Sdk): void {
    this.#sdk = sdk;
  }

  /** Runs one entry of the prelude to its end, answering what it asks. */
  async run(entry: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    let step = this.#step(() => this.#begin(entry, JSON.stringify(params)));
    while ("method" in step) {
      const { id, method, params } = step;
      let answer: string;
      try {
        answer = JSON.stringify({ result: await this.#ask(method, params) ?? {} });
      } catch (error) {
        answer = JSON.stringify({ error: error instanceof Error ? error.message : String(error) });
      }
      step = this.#step(() => this.#resume(id, answer));
    }
    if ("error" in step) throw new Error(step.error);
    return step.done;
  }

  #step(work: () => string): Step {
    this.#deadline = performance.now() + MAX_COMPUTE_MS;
    try {
      return JSON.parse(work()) as Step;
    } catch (error) {
      // A machine that was cut off or has run out of memory in its own loop cannot be trusted any more.
      queueMicrotask(() => {
        throw error;
      });
      throw error;
    } finally {
      this.#deadline = Infinity;
    }
  }

  async #ask(method: string, params: Record<string, unknown>): Promise<unknown> {
    if (method === "http") return await request(params as unknown as HttpRequest);
    const sdk = this.#sdk!;
    switch (method) {
      case "core.tool.register":
        return await sdk.registerTool(params as never, async (args, { turn }) => {
          const { result } = await this.run("tool", { name: params.name, args, turn });
          return result ?? null;
        });
      case "core.stage.register": {
        const { stage, scope } = params as unknown as {
          stage: CoreMethods["core.stage.register"]["params"]["stage"];
          scope?: "global";
        };
        return await sdk.registerStage(stage, async (ctx) => {
          const answered = await this.run("stage", { stage, ctx });
          return changedFields(ctx, (answered.ctx ?? {}) as Partial<StageContext>);
        }, scope ? { scope } : {});
      }
      case "core.output.register":
        return await sdk.registerOutput(params as never, async ({ channel, payload, meta, type }) => {
          const answer = await this.run("output", { channel, payload, meta, type });
          return answer as { status: string };
        });
      case "core.events.subscribe":
        await sdk.events.subscribe(params.types as EventType[], (event) => {
          void this.run("event", { event }).catch((error) =>
            sdk.log.error(`An event handler failed: ${error.message}`)
          );
        });
        return {};
      default:
        return await sdk.call(method as keyof CoreMethods, params as never);
    }
  }

  /** Longer than a timer can wait: it waits in pieces. */
  #later(id: number, seconds: number): undefined {
    const left = Math.max(0, Number(seconds) * 1000 || 0);
    setTimeout(() => {
      if (left > MAX_TIMER_MS) return this.#later(id, (left - MAX_TIMER_MS) / 1000);
      void this.run("after", { id }).catch((error) => this.#log("error", `What was put off failed: ${error.message}`));
    }, Math.min(left, MAX_TIMER_MS));
    return undefined;
  }

  #log(level: string, text: string): undefined {
    const known = level === "debug" || level === "warn" || level === "error" ? level : "info";
    if (this.#sdk) this.#sdk.log[known](text);
    else console.error(`[${level}] ${text}`);
    // `null` from a callback would be an error in Lua.
    return undefined;
  }
}

/** Lua drops what is null: such a field counts as unchanged when it was null before. */
function changedFields(before: StageContext, after: Partial<StageContext>): Partial<StageContext> {
  const fields: Record<string, unknown> = {};
  for (const field of Object.keys(before) as (keyof StageContext)[]) {
    if (field in after) fields[field] = after[field];
    else if (field === "response" || field === "token_usage") fields[field] = null;
  }
  return fields as Partial<StageContext>;
}

interface HttpRequest {
  method: string;
  url: string;
  body?: string;
  headers?: Record<string, string>;
}

async function request({ method, url, body, headers }: HttpRequest): Promise<{ status: number; body: string }> {
  const response = await fetch(url, {
    method,
    signal: AbortSignal.timeout(60_000),
    ...(body !== undefined && { body }),
    ...(headers && { headers }),
  });
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_BODY) throw new Error(`The answer of ${new URL(url).host} has more than ${MAX_BODY} bytes`);
    parts.push(chunk);
  }
  return { status: response.status, body: await new Blob(parts as Uint8Array<ArrayBuffer>[]).text() };
}

import { newId } from "../core/base/ids.ts";
import { messageOf } from "../core/base/errors.ts";
import type { Log } from "../core/base/log.ts";
import type { CompletionDelta, CompletionOutcome, CompletionRequest, SourceSecrets } from "../core/wire/llm.ts";
import { Adapter } from "./adapter.ts";
import { attempt } from "./attempt.ts";
import { scriptHttp } from "./script_http.ts";
import { scrub } from "./failure.ts";
import { DEFAULT_LIMITS, type LuaLimits } from "./vm.ts";

export interface SourceRoomOptions {
  log: Log;
  fetch: typeof fetch;
  limits?: LuaLimits;
}

interface Place {
  source: SourceSecrets;
  adapter: Adapter;
  running: number;
  waiting: (() => void)[];
}

/** All configured sources with their scripts. */
export class SourceRoom {
  readonly #options: SourceRoomOptions;
  #wasm: Uint8Array | undefined;
  #places = new Map<string, Place>();

  constructor(options: SourceRoomOptions) {
    this.#options = options;
  }

  setWasm(bytes: Uint8Array): void {
    this.#wasm = bytes;
  }

  /** Replaces all sources; a script that is still the same keeps its machine, and calls that run are not disturbed.
   * Answers what is wrong with each script that does not load. */
  async configure(sources: SourceSecrets[]): Promise<{ source: string; message: string }[]> {
    const wasm = this.#wasm;
    if (!wasm) throw new Error("Cannot configure the sources before `lua.wasm` was called");
    const before = this.#places;
    const places = new Map<string, Place>();
    for (const source of sources) {
      const old = before.get(source.name);
      if (old && old.adapter.script === source.script) {
        old.source = source;
        places.set(source.name, old);
      } else {
        places.set(source.name, { source, adapter: this.#adapter(source, wasm), running: 0, waiting: [] });
      }
    }
    this.#places = places;
    const kept = new Set([...places.values()].map(({ adapter }) => adapter));
    for (const { adapter } of before.values()) if (!kept.has(adapter)) await adapter.close();
    const problems: { source: string; message: string }[] = [];
    for (const { source, adapter } of places.values()) {
      try {
        await adapter.table();
      } catch (error) {
        problems.push({ source: source.name, message: scrub(messageOf(error), this.#secrets()) });
      }
    }
    return problems;
  }

  async complete(
    name: string,
    request: CompletionRequest,
    options: { signal: AbortSignal; onDelta?: (delta: CompletionDelta) => void },
  ): Promise<CompletionOutcome> {
    const place = this.#places.get(name);
    if (!place) {
      return { kind: "failed", failure: { kind: "adapter", message: `There is no source "${name}"` } };
    }
    if (!(await this.#enter(place, options.signal))) {
      return { kind: "failed", failure: { kind: "cancelled", message: `The call of ${name} was cancelled` } };
    }
    try {
      return await attempt(place.source, place.adapter, request, {
        ...options,
        fetch: this.#options.fetch,
        newId,
        now: Date.now,
        secrets: this.#secrets(),
      });
    } finally {
      place.running--;
      place.waiting.shift()?.();
    }
  }

  async close(): Promise<void> {
    for (const { adapter } of this.#places.values()) await adapter.close();
    this.#places.clear();
  }

  #secrets(): string[] {
    return [...this.#places.values()].map(({ source }) => source.api_key);
  }

  #adapter({ name, script, api_key }: SourceSecrets, wasm: Uint8Array): Adapter {
    const log = this.#options.log.named(`lua.${name}`);
    return new Adapter(name, script, {
      wasm,
      limits: this.#options.limits ?? DEFAULT_LIMITS,
      host: {
        log: (level, text) => {
          const known = level === "debug" || level === "warn" || level === "error" ? level : "info";
          log[known](scrub(text.slice(0, 4000), [api_key, ...this.#secrets()]));
        },
        http: scriptHttp(this.#options.fetch),
      },
    });
  }

  /** Waits for a place among `max_concurrent`; false when the wait was cancelled. */
  async #enter(place: Place, signal: AbortSignal): Promise<boolean> {
    const most = place.source.max_concurrent;
    while (most > 0 && place.running >= most) {
      if (signal.aborted) return false;
      const { promise, resolve } = Promise.withResolvers<void>();
      place.waiting.push(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      const at = place.waiting.indexOf(resolve);
      if (at !== -1) place.waiting.splice(at, 1);
    }
    if (signal.aborted) {
      place.waiting.shift()?.();
      return false;
    }
    place.running++;
    return true;
  }
}

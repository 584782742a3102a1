import { silentLog } from "../../core/base/log.ts";
import type { ContextEvent, MemoryAsks, MemorySettings } from "../../core/wire/memory.ts";
import type { CallContext } from "../../core/wire/peer.ts";
import type { FileStore } from "../../memory/files.ts";
import type { Tiers } from "../../memory/flow.ts";
import { Memory, type MemoryPorts } from "../../memory/memory.ts";
import { memoryService } from "../../memory/service.ts";
import { ManualClock } from "../kit/manual_clock.ts";

export const HOUR = 3_600_000;

/** Settings for a home, with intervals that no test waits for. */
export function settingsOf(home: string, changes: Partial<MemorySettings> = {}): MemorySettings {
  return {
    home,
    graph: `${home}/memory/graph.db`,
    documents: `${home}/memory/documents`,
    text: `${home}/memory/text`,
    media_dir: `${home}/memory/media`,
    context: `${home}/memory/context.json`,
    knowledge: `${home}/knowledge`,
    media_enabled: true,
    media_max_bytes: 1 << 30,
    media_min_age: HOUR,
    max_context_size: 30,
    distill_interval: 0.5 * HOUR,
    archive_interval: HOUR,
    merge_interval: 2 * HOUR,
    review_interval: 2 * HOUR,
    pipeline_interval: HOUR / 6,
    pipeline_retention: 7 * 24 * HOUR,
    cold_after: 72 * HOUR,
    cold_max_accesses: 2,
    recall_top: 8,
    recall_threshold: 0,
    embedding_model_path: "",
    log_rotate_bytes: 1 << 20,
    ...changes,
  };
}

/** What a test decides of the memory's surroundings. */
export interface Surroundings {
  clock?: ManualClock;
  store?: (roots: string[]) => FileStore;
  decide?: (params: MemoryAsks["self.decide"]["params"]) => string | null;
  settings?: Partial<MemorySettings>;
}

export function portsOf({ clock = new ManualClock(), store, decide }: Surroundings, left: string[] = []): MemoryPorts {
  return {
    clock,
    log: silentLog,
    decide: (params) => Promise.resolve(decide?.(params) ?? null),
    left: (ids) => left.push(...ids),
    ...(store && { store }),
  };
}

/** A memory over a home, closed at the end: `await using memory = openMemory(home)`. */
export function openMemory(home: string, around: Surroundings = {}): Memory & AsyncDisposable {
  const memory = Memory.open(settingsOf(home, around.settings), portsOf(around));
  return Object.assign(memory, { [Symbol.asyncDispose]: () => memory.close() });
}

const CALL: CallContext = { id: 1, signal: new AbortController().signal, notify() {} };

/** The service over a home, called like the worker's methods. */
export async function openService(home: string, around: Surroundings = {}) {
  const left: string[] = [];
  const clock = around.clock ?? new ManualClock();
  const handlers = memoryService(portsOf({ ...around, clock }, left));
  const { notices } = await handlers["memory.open"](settingsOf(home, around.settings), CALL);
  type Methods = typeof handlers;
  return {
    notices,
    left,
    clock,
    call<M extends keyof Methods>(
      method: M,
      params: Parameters<Methods[M]>[0],
    ): Promise<Awaited<ReturnType<Methods[M]>>> {
      return Promise.resolve(handlers[method](params as never, CALL)) as Promise<Awaited<ReturnType<Methods[M]>>>;
    },
    [Symbol.asyncDispose]: async () => void await handlers["memory.close"]({}, CALL),
  };
}

/** An event that a user said. */
export function said(id: string, input: string, more: Partial<ContextEvent> = {}): ContextEvent {
  return { id, kind: "user", at: Date.UTC(2026, 11, 1), turn: "t", source: "cli", channel: "cli", input, ...more };
}

/** What a kill looks like from inside. */
export class Killed extends Error {}

/** Counts write steps and kills at one of them: before it, or right after. From then on nothing can be written any more,
 * as in a process that is gone. */
export class Kill {
  steps = 0;
  dead = false;
  #at: number;

  /** `at` counts from 1, in half steps: 1 is before the first write, 2 after it, 3 before the second. */
  constructor(at: number) {
    this.#at = at;
  }

  /** The same, counted from now on. */
  killIn(steps: number): void {
    this.#at = this.steps + steps;
  }

  #half(): void {
    if (this.dead || ++this.steps === this.#at) {
      this.dead = true;
      throw new Killed();
    }
  }

  /** The port with every method of `writes` as a write step. */
  over<T extends object>(port: T, writes: (keyof T & string)[]): T {
    return new Proxy(port, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        if (!(writes as string[]).includes(name as string)) return value.bind(target);
        return (...args: unknown[]) => {
          this.#half();
          const result = value.apply(target, args);
          if (!(result instanceof Promise)) {
            this.#half();
            return result;
          }
          return result.then((inner: unknown) => {
            this.#half();
            return inner;
          });
        };
      },
    });
  }

  /** A disk on which every change is a write step. */
  store(inner: FileStore): FileStore {
    return this.over(inner, ["write", "append", "rename", "remove", "draft"]);
  }

  /** Tiers on which every change is a write step. */
  tiers(tiers: Tiers): Tiers {
    return {
      context: this.over(tiers.context, ["put", "remove"]),
      documents: this.over(tiers.documents, ["put", "putMany", "remove", "removeMany"]),
      graph: this.over(tiers.graph, ["commit", "undo"]),
      index: this.over(tiers.index, ["put", "putMany", "remove"]),
      media: tiers.media && this.over(tiers.media, ["setReferences"]),
      journal: this.over(tiers.journal, ["begin", "end"]),
      undo: this.over(tiers.undo, ["add", "remove"]),
    };
  }
}

/** Lets go of a memory as a kill does: nothing is saved, only handles are closed. */
export function abandon(memory: Memory): void {
  memory.graph.db.close();
  memory.index.db.close();
  memory.media?.close();
}

import {
  RPC_CODES,
  RpcError,
  type Stage,
  type StageChanges,
  type StageContext,
  type StagePatch,
} from "../../core/wire/mod.ts";
import { mergePatch } from "../sdk/stage_merge.ts";

/** Where the context lies for plugins that map the segment: two buffers, of which one is valid, so that a writer that
 * dies leaves the valid one whole. */
export interface SharedContext {
  /** Largest context, in bytes of JSON. */
  readonly capacity: number;
  /** Writes the context and makes it the valid one; false when it does not fit. */
  publish(text: string, about: { seq: number; version: number }): boolean;
  /** What the holder of the lock wrote beside the valid one. @throws when it makes no sense */
  readDraft(): string;
  /** Makes the draft the valid one. */
  acceptDraft(version: number): void;
  setHolder(slot: number): void;
}

/** Who takes part: `slot` is a small number for the lock word, `shared` says that it maps the segment. */
export interface Participant {
  readonly owner: string;
  readonly slot: number;
  readonly shared: boolean;
}

interface Waiter {
  who: Participant | undefined;
  grant: () => void;
}

/** Versions that a patch may have been made from. */
const HISTORY = 512;

const LISTS = new Set(["context_msgs", "tool_calls", "tool_results", "errors"]);
const TEXTS = new Set([
  "raw_message",
  "user_id",
  "group_id",
  "channel",
  "source",
  "llm_text",
  "reasoning_content",
  "final_text",
  "memory",
]);
/** Fields that say where the turn is: the kernel's. */
const FIXED = new Set(["phase", "channel", "source"]);

/** Why a handler's fields cannot be taken, or undefined. */
export function problemOfFields(fields: Record<string, unknown>): string | undefined {
  for (const [name, value] of Object.entries(fields)) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (FIXED.has(name)) return `the field "${name}" is not for handlers to change`;
    if (TEXTS.has(name)) {
      if (typeof value !== "string") return `"${name}" must be a string`;
    } else if (LISTS.has(name)) {
      if (!Array.isArray(value)) return `"${name}" must be a list`;
    } else if (name === "response") {
      if (value !== null && typeof value !== "string") return '"response" must be a string or null';
    } else if (name === "no_memory") {
      if (typeof value !== "boolean") return '"no_memory" must be true or false';
    } else if (name === "extra") {
      if (!isObject) return '"extra" must be an object';
    } else if (name === "token_usage") {
      if (value !== null && !isObject) return '"token_usage" must be an object or null';
    } else return `a stage context has no field "${name}"`;
  }
}

/** One stage while its handlers run: the one context they share, its version, and its lock, which homed arbitrates. A
 * holder that dies loses the lock and what it had not given back. */
export class StageRoom {
  readonly seq: number;
  readonly stage: Stage;
  readonly #shared: SharedContext | undefined;
  readonly #waiting: Waiter[] = [];
  /** The context at each of the last versions: what patches were made from. They share what did not change. */
  readonly #history = new Map<number, StageContext>();
  readonly #dirty = new Set<keyof StageContext>();
  #ctx: StageContext;
  #version = 1;
  #held: { who: Participant | undefined } | undefined;
  #published = 0;
  #closed = false;

  /** `shared` undefined: everyone takes the context inline. */
  constructor(options: { seq: number; stage: Stage; ctx: StageContext; shared: SharedContext | undefined }) {
    this.seq = options.seq;
    this.stage = options.stage;
    this.#ctx = options.ctx;
    this.#history.set(1, options.ctx);
    this.#shared = options.shared && this.#publishTo(options.shared) ? options.shared : undefined;
  }

  get version(): number {
    return this.#version;
  }

  /** The context as it is now. Never edited in place. */
  get ctx(): StageContext {
    return this.#ctx;
  }

  /** Everything that handlers changed so far. */
  get patch(): StagePatch {
    return Object.fromEntries([...this.#dirty].map((field) => [field, this.#ctx[field]])) as StagePatch;
  }

  /** Whether this participant reads the context from the segment. */
  isShared(who: Participant): boolean {
    return who.shared && this.#shared !== undefined;
  }

  /** What `stage.invoke` tells a participant. */
  enter(who: Participant): { seq: number; version: number; ctx?: StageContext } {
    const { seq } = this, version = this.#version;
    // A holder of the lock may be writing to the buffer that would be needed: then it goes inline this time.
    const current = this.#published === version || (!this.#held && this.#shared && this.#publishTo(this.#shared));
    return this.isShared(who) && current ? { seq, version } : { seq, version, ctx: this.#ctx };
  }

  /** Waits for the lock, in order of asking. Whoever says which version it has gets what changed since, if that is known:
   * then nobody writes or reads the whole context. */
  async lock(
    who: Participant,
    { have, signal }: { have?: number; signal?: AbortSignal } = {},
  ): Promise<{ version: number; ctx?: StageContext; changes?: StageChanges }> {
    if (this.#held?.who === who || this.#waiting.some((one) => one.who === who)) {
      throw new RpcError(RPC_CODES.conflict, `Plugin "${who.owner}" holds this stage's lock already or waits for it`);
    }
    await this.#acquire(who, signal);
    const changes = have === undefined ? undefined : this.#changesSince(have);
    if (changes) {
      if (this.isShared(who)) this.#shared!.setHolder(who.slot);
      return { version: this.#version, changes };
    }
    if (!this.isShared(who)) return { version: this.#version, ctx: this.#ctx };
    if (this.#published !== this.#version && !this.#publishTo(this.#shared!)) {
      this.#release();
      throw new RpcError(RPC_CODES.tooLarge, "The stage context has grown too large for the segment");
    }
    this.#shared!.setHolder(who.slot);
    return { version: this.#version };
  }

  /** Takes the holder's changes and lets the next one in.
   * @throws {RpcError} −32003 when it does not hold the lock, −32602 when its fields make no sense */
  unlock(
    who: Participant,
    given: { dirty: string[]; patch?: Record<string, unknown>; append?: Record<string, unknown[]> },
  ): { version: number } {
    if (this.#held?.who !== who) {
      throw new RpcError(RPC_CODES.conflict, `Plugin "${who.owner}" does not hold this stage's lock`);
    }
    try {
      const { dirty, patch, append } = given;
      if (dirty.length > 0 || append) {
        const fromSegment = this.isShared(who) && patch === undefined && append === undefined;
        const source = fromSegment ? parseObject(this.#shared!.readDraft()) : patch ?? {};
        const fields = Object.fromEntries(dirty.map((field) => [field, source[field]]));
        for (const [field, items] of Object.entries(append ?? {})) {
          if (!LISTS.has(field)) throw invalid(`"${field}" is no list that can be appended to`);
          fields[field] = [...this.#ctx[field as "errors"], ...items];
        }
        this.#take(fields);
        if (fromSegment) {
          this.#shared!.acceptDraft(this.#version);
          this.#published = this.#version;
        }
      }
      return { version: this.#version };
    } finally {
      this.#release();
    }
  }

  /** Lays the patch that a handler made from `version` over the context.
   * @throws {RpcError} −32003 when another changed the same field since `version`, −32602 when a field makes no sense */
  async apply(patch: StagePatch, version: number): Promise<void> {
    if (Object.keys(patch).length === 0) return;
    const problem = problemOfFields(patch);
    if (problem) throw invalid(problem);
    await this.#acquire(undefined);
    try {
      const base = this.#history.get(version);
      if (!base) {
        throw new RpcError(RPC_CODES.conflict, `The patch was made from version ${version}, which is not known here`);
      }
      const merged = mergePatch(base, this.#ctx, patch);
      if (merged.kind === "conflict") {
        throw new RpcError(
          RPC_CODES.conflict,
          `The field "${merged.field}" was changed since version ${version}: now it is ${this.#version}`,
        );
      }
      this.#take(merged.fields);
    } finally {
      this.#release();
    }
  }

  /** The participant is gone: the lock passes on if it was held, and its place in the queue is given up. */
  drop(who: Participant): void {
    const at = this.#waiting.findIndex((one) => one.who === who);
    if (at !== -1) this.#waiting.splice(at, 1);
    if (this.#held?.who === who) this.#release();
  }

  /** The stage is over: whoever still waits is refused. */
  close(): void {
    this.#closed = true;
    for (const { grant } of this.#waiting.splice(0)) grant();
    this.#shared?.setHolder(0);
  }

  async #acquire(who: Participant | undefined, signal?: AbortSignal): Promise<void> {
    if (this.#closed) throw over();
    if (!this.#held) {
      this.#held = { who };
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        who,
        grant: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      const onAbort = () => {
        const at = this.#waiting.indexOf(waiter);
        if (at !== -1) this.#waiting.splice(at, 1);
        reject(signal!.reason);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(waiter);
    });
    if (this.#closed) throw over();
  }

  #release(): void {
    this.#shared?.setHolder(0);
    const next = this.#waiting.shift();
    this.#held = next && { who: next.who };
    next?.grant();
  }

  /** What is different from an earlier version; undefined when that is not known any more. */
  #changesSince(version: number): StageChanges | undefined {
    const base = this.#history.get(version);
    if (!base) return undefined;
    const set: Record<string, unknown> = {}, append: Record<string, unknown[]> = {};
    for (const field of Object.keys(this.#ctx) as (keyof StageContext)[]) {
      const was = base[field], now = this.#ctx[field];
      if (was === now) continue;
      if (Array.isArray(was) && Array.isArray(now) && was.every((item, index) => item === now[index])) {
        append[field] = now.slice(was.length);
      } else set[field] = now;
    }
    return {
      ...(Object.keys(set).length > 0 && { set: set as StagePatch }),
      ...(Object.keys(append).length > 0 && { append }),
    };
  }

  #take(fields: Record<string, unknown>): void {
    const problem = problemOfFields(fields);
    if (problem) throw invalid(problem);
    if (Object.keys(fields).length === 0) return;
    this.#ctx = { ...this.#ctx, ...fields };
    this.#history.set(++this.#version, this.#ctx);
    this.#history.delete(this.#version - HISTORY);
    for (const field of Object.keys(fields)) this.#dirty.add(field as keyof StageContext);
  }

  #publishTo(shared: SharedContext): boolean {
    const text = JSON.stringify(this.#ctx);
    if (!shared.publish(text, { seq: this.seq, version: this.#version })) return false;
    this.#published = this.#version;
    return true;
  }
}

const over = () => new RpcError(RPC_CODES.notFound, "This stage is over");
const invalid = (problem: string) => new RpcError(RPC_CODES.invalidParams, `Cannot take the change: ${problem}`);

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RpcError(RPC_CODES.invalidParams, "The context in the segment is no JSON", { cause: error });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new RpcError(RPC_CODES.invalidParams, "The context in the segment is no JSON object");
  }
  return value as Record<string, unknown>;
}

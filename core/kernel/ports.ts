/** What the kernel needs from outside, as small interfaces: with these it runs in its worker, and in a test without
 * one. @module */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Completer } from "../llm/provider.ts";
import type { NewEvent } from "../wire/event.ts";
import type { KernelStatus, MainMethods } from "../wire/kernel.ts";
import type { SourceInfo } from "../wire/llm.ts";
import type { MemoryMethods } from "../wire/memory.ts";
import type { MethodTable } from "../wire/peer.ts";

/** Calls methods of another part. A `Peer` is one.
 * @throws {RpcError} what the other side answered, or why it could not be asked */
export interface Caller<T extends MethodTable<T>> {
  call<M extends keyof T & string>(
    method: M,
    params: T[M]["params"],
    options?: { signal?: AbortSignal; timeout?: number; patient?: boolean },
  ): Promise<T[M]["result"]>;
}

export type MemoryPort = Caller<MemoryMethods>;
export type HostPort = Caller<MainMethods>;

/** The configured LLM sources: asks them, tells of them, changes their order. */
export interface SourcePort extends Completer {
  configure(sources: SourceInfo[], provider: string, broken?: { source: string; message: string }[]): void;
  list(): KernelStatus["sources"];
  /** Asks this source alone from now on; "auto": all in their order. */
  switch(name: string): void;
}

export interface KernelPorts {
  memory: MemoryPort;
  host: HostPort;
  llm: SourcePort;
  clock: Clock;
  log: Log;
  /** Puts an event on the bus. Must neither throw nor block. */
  emit(event: NewEvent): void;
}

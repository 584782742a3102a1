import { messageOf } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { type MethodTable, Peer, portTransport, RPC_CODES, RpcError } from "../wire/mod.ts";
import type { Handler } from "../wire/peer.ts";
import type { ProbePlan, ProbeResult } from "../wire/memory.ts";
import { denoPermissions, type PartName, type PartRights } from "./permissions.ts";

export interface PartOptions {
  name: PartName;
  /** The worker's module. */
  entry: URL;
  log: Log;
  /** What it serves to the worker. */
  handlers: Record<string, Handler>;
  /** Milliseconds a fresh worker may take to answer its first call. */
  startTimeout?: number;
  /** The worker broke: an error nobody caught, or no sign of life. Must not throw. */
  onLost(reason: string, how: "died" | "hung"): void;
}

/** One of the workers: its thread, the line to it, and whether it is alive. A part outlives its worker: `start` after a
 * loss makes a new one. */
export class Part<T extends MethodTable<T>> {
  readonly name: PartName;
  readonly #options: PartOptions;
  #worker: Worker | undefined;
  #peer: Peer<T> | undefined;
  #misses = 0;
  rights: PartRights = { read: [], write: [], net: [] };
  starts = 0;

  constructor(options: PartOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get isUp(): boolean {
    return this.#peer !== undefined && !this.#peer.isClosed;
  }

  /** The line to the worker.
   * @throws {RpcError} −32009 while there is none */
  get peer(): Peer<T> {
    if (this.#peer && !this.#peer.isClosed) return this.#peer;
    throw new RpcError(RPC_CODES.disconnected, `Cannot reach the ${this.name} worker: it is being replaced`);
  }

  /** Starts a worker with these rights, in place of the one before, and waits for its first sign of life.
   * @throws when it does not come up */
  async start(rights: PartRights): Promise<void> {
    this.end("it is replaced");
    const { name, entry, log, handlers, startTimeout = 30_000 } = this.#options;
    this.rights = rights;
    this.starts++;
    const worker = new Worker(entry, { type: "module", name, deno: { permissions: denoPermissions(rights) } });
    const peer = new Peer<T>(portTransport(worker), {
      name: `the ${name} worker`,
      onProblem: (text) => log.warn(text),
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      if (this.#worker === worker) this.#lose(event.message || "it ended", "died");
      else peer.close(event.message);
    });
    this.#worker = worker;
    this.#peer = peer.serve(handlers).open();
    this.#misses = 0;
    await callPart(peer, "ping", {}, { timeout: startTimeout });
  }

  /** One heartbeat. Too many without an answer, and the worker counts as lost. */
  async beat(timeout: number, misses: number): Promise<void> {
    const peer = this.#peer;
    if (!peer || peer.isClosed) return;
    try {
      await callPart(peer, "ping", {}, { timeout });
      this.#misses = 0;
    } catch (error) {
      if (peer !== this.#peer || peer.isClosed) return;
      this.#misses++;
      this.#options.log.warn(`The ${this.name} worker missed a heartbeat (${this.#misses}): ${messageOf(error)}`);
      if (this.#misses >= misses) this.#lose(`it gave no sign of life ${this.#misses} times`, "hung");
    }
  }

  probe(plan: ProbePlan): Promise<ProbeResult> {
    return callPart(this.peer, "probe", plan as unknown as Record<string, unknown>, { timeout: 30_000 }) as Promise<
      ProbeResult
    >;
  }

  /** Ends the worker. Calls that wait for it fail with the reason. */
  end(reason: string): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#peer?.close(reason);
    this.#peer = undefined;
    worker?.terminate();
  }

  #lose(reason: string, how: "died" | "hung"): void {
    this.end(reason);
    this.#options.onLost(reason, how);
  }
}

/** Gives two parts a direct line to each other. Both must have served `attach`. */
export async function join<A extends MethodTable<A>, B extends MethodTable<B>>(
  a: Part<A>,
  b: Part<B>,
): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  await Promise.all([
    callPart(a.peer, "attach", { part: b.name, port: port1 }, { transfer: [port1], timeout: 10_000 }),
    callPart(b.peer, "attach", { part: a.name, port: port2 }, { transfer: [port2], timeout: 10_000 }),
  ]);
}

/** Calls one of the methods that every part serves. */
function callPart<T extends MethodTable<T>>(
  peer: Peer<T>,
  method: "ping" | "attach" | "probe",
  params: Record<string, unknown>,
  options: { timeout: number; transfer?: Transferable[] },
): Promise<unknown> {
  return peer.call(method as keyof T & string, params as T[keyof T]["params"], options);
}

import type { Clock } from "../base/clock.ts";
import type { MethodTable, Peer } from "../wire/peer.ts";
import { RPC_CODES, RpcError } from "../wire/rpc.ts";
import type { Caller } from "./ports.ts";

/** How long a call waits for a part that is being restarted. */
const WAIT = 15_000;

/** A line to another part that may be replaced while it runs. A call that fails because its line went is made once more
 * on the next one; what it does must bear being done twice. */
export class Line<T extends MethodTable<T>> implements Caller<T> {
  readonly #name: string;
  readonly #clock: Clock;
  #peer: Peer<T> | undefined;
  #attached = Promise.withResolvers<Peer<T>>();

  constructor(name: string, clock: Clock) {
    this.#name = name;
    this.#clock = clock;
  }

  get peer(): Peer<T> | undefined {
    return this.#peer;
  }

  /** Uses this peer from now on; calls that wait or whose line went are made on it. */
  attach(peer: Peer<T>): void {
    const before = this.#peer;
    this.#peer = peer;
    this.#attached.resolve(peer);
    this.#attached = Promise.withResolvers<Peer<T>>();
    before?.close("it was replaced");
  }

  async call<M extends keyof T & string>(
    method: M,
    params: T[M]["params"],
    options: { signal?: AbortSignal; timeout?: number; patient?: boolean } = {},
  ): Promise<T[M]["result"]> {
    const peer = this.#peer && !this.#peer.isClosed ? this.#peer : await this.#next(options.signal);
    try {
      return await peer.call(method, params, options);
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== RPC_CODES.disconnected || !peer.isClosed) throw error;
      const other = this.#peer && this.#peer !== peer ? this.#peer : await this.#next(options.signal);
      return await other.call(method, params, options);
    }
  }

  /** The next peer that is attached.
   * @throws {RpcError} −32009 when none is in time */
  async #next(signal: AbortSignal | undefined): Promise<Peer<T>> {
    signal?.throwIfAborted();
    const timer = new AbortController();
    const late = this.#clock.sleep(WAIT, { signal: timer.signal }).then(
      () => {
        throw new RpcError(RPC_CODES.disconnected, `Cannot reach ${this.#name}: it is not there`);
      },
      () => new Promise<never>(() => {}), // it came, or the caller gave up
    );
    const { promise: gaveUp, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(signal!.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([this.#attached.promise, late, gaveUp]);
    } finally {
      timer.abort();
      signal?.removeEventListener("abort", onAbort);
    }
  }
}

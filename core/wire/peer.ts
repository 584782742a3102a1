import { decodeFrame, type Params, RPC_CODES, RpcError, type RpcErrorBody, type RpcFrame, type RpcId } from "./rpc.ts";
import type { Transport } from "./transport.ts";

/** Methods of one side: name → parameters and result. Interfaces of this shape are the method tables in this room. */
export type MethodTable<T> = { [M in keyof T]: { params: unknown; result: unknown } };

/** What a handler is told besides its parameters. */
export interface CallContext {
  /** The request's id; undefined for a notification. */
  id: RpcId | undefined;
  /** Aborted when the caller cancels or goes away. */
  signal: AbortSignal;
  /** Sends a notification about this call: the params carry `request`, so the caller's `onEvent` gets it. */
  notify(method: string, params: Params): void;
}

/** Handles one method. Throw `RpcError` to choose the code; anything else thrown becomes an internal error. */
// deno-lint-ignore no-explicit-any
export type Handler = (params: any, context: CallContext) => unknown;

/** Handlers for a whole method table, each checked against its row. */
export type Handlers<T extends MethodTable<T>> = {
  [M in keyof T]: (params: T[M]["params"], context: CallContext) => T[M]["result"] | Promise<T[M]["result"]>;
};

/** How one call is made, beyond method and parameters. */
export interface CallOptions {
  /** Cancels the call: the other side is told, and the promise rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Milliseconds until the call is cancelled and fails with −32004. */
  timeout?: number;
  /** When the call is cancelled the other side is told, but the promise settles only with its answer (or the end of the
   * connection): for work that must not be said to be over while it runs. */
  patient?: boolean;
  /** Gets, as soon as the call is on its way, a function that cancels it: cheaper than a signal made for one call. */
  onOpen?: (cancel: (reason: unknown) => void) => void;
  /** Gets notifications that carry this call's id in `params.request`, in order, before the result. Must not throw. */
  onEvent?: (method: string, params: Params) => void;
  /** Ports and buffers in the parameters that move instead of being copied, where the transport can. */
  transfer?: Transferable[];
}

/** Who is at the other end, and what to do about its faults. */
export interface PeerOptions {
  /** Named in errors: "Cannot reach the memory worker: …". */
  name: string;
  /** A notification with no handler, garbage on the line, an answer to nothing: for the log. Must not throw. */
  onProblem?: (text: string) => void;
  /** Answer a frame that is no request with an error, as a server does on a socket. */
  answerGarbage?: boolean;
  /** When the other side closes its half, close only after what it asked is answered, as a server does on a socket. */
  answerLast?: boolean;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
  onEvent: CallOptions["onEvent"];
  done(): void;
}

/** Sent as a notification by a caller that no longer wants the answer. */
export const CANCEL_METHOD = "rpc.cancel";

/** One end of a JSON-RPC connection: calls the other side's methods `R` and serves its own. When the connection goes,
 * every pending call is rejected with the reason, and so is every later one. */
export class Peer<R extends MethodTable<R>> {
  readonly #transport: Transport;
  readonly #options: PeerOptions;
  readonly #pending = new Map<RpcId, Pending>();
  readonly #running = new Map<RpcId, AbortController>();
  /** Calls given up on: their answers, which come late or never, are nothing to wonder at. */
  readonly #abandoned = new Set<RpcId>();
  readonly #handlers = new Map<string, Handler>();
  readonly #closed = Promise.withResolvers<string>();
  #gone: string | undefined;
  /** The other side closed its half: this one closes when the last answer is on its way. */
  #last = false;
  #lastId = 0;

  /** Nothing is sent or delivered before `open`. */
  constructor(transport: Transport, options: PeerOptions) {
    this.#transport = transport;
    this.#options = options;
  }

  /** Resolves with the reason when the connection is gone. */
  get closed(): Promise<string> {
    return this.#closed.promise;
  }

  /** True from the moment the connection went: calls now reject at once. */
  get isClosed(): boolean {
    return this.#gone !== undefined;
  }

  /** Serves these methods, in addition to earlier ones. */
  serve(handlers: Record<string, Handler>): this {
    for (const [method, handler] of Object.entries(handlers)) this.#handlers.set(method, handler);
    return this;
  }

  /** Starts delivery. Call once, after `serve`. */
  open(): this {
    this.#transport.open({
      message: (value) => this.#receive(value),
      garbage: (code, message) => {
        this.#options.onProblem?.(`${this.#options.name} sent what is no frame: ${message}`);
        if (this.#options.answerGarbage) this.#answer({ jsonrpc: "2.0", id: null, error: { code, message } });
      },
      ended: () => this.#ended(),
      closed: (reason) => this.#fail(reason),
    });
    return this;
  }

  /** Calls a method of the other side.
   * @throws {RpcError} what the other side answered; −32004 after `timeout`; −32009 when the connection is gone */
  call<M extends keyof R & string>(
    method: M,
    params: R[M]["params"],
    options: CallOptions = {},
  ): Promise<R[M]["result"]> {
    const { signal, timeout, onEvent, transfer, patient = false, onOpen } = options;
    return new Promise((resolve, reject) => {
      if (this.#gone !== undefined) return reject(this.#disconnected());
      if (signal?.aborted) return reject(signal.reason);
      const id = ++this.#lastId;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const abandon = (reason: unknown) => {
        const pending = this.#pending.get(id);
        if (!pending) return;
        this.notify(CANCEL_METHOD, { id });
        if (patient) return;
        pending.done();
        this.#abandoned.add(id);
        if (this.#abandoned.size > 1000) this.#abandoned.delete(this.#abandoned.values().next().value!);
        reject(reason);
      };
      const onAbort = signal && (() => abandon(signal.reason));
      this.#pending.set(id, {
        resolve: resolve as (result: unknown) => void,
        reject,
        onEvent,
        done: () => {
          this.#pending.delete(id);
          clearTimeout(timer);
          if (onAbort) signal.removeEventListener("abort", onAbort);
        },
      });
      if (onAbort) signal.addEventListener("abort", onAbort, { once: true });
      if (timeout !== undefined) {
        timer = setTimeout(
          () =>
            abandon(
              new RpcError(RPC_CODES.timedOut, `${this.#options.name} did not answer "${method}" in ${timeout} ms`),
            ),
          timeout,
        );
      }
      onOpen?.(abandon);
      this.#send({ jsonrpc: "2.0", id, method, params: params as Params }, transfer, (error) => {
        const pending = this.#pending.get(id);
        pending?.done();
        pending?.reject(error);
      });
    });
  }

  /** Tells the other side something that is not answered. Silently lost when the connection is gone. */
  notify(method: string, params: Params, transfer?: Transferable[]): void {
    if (this.#gone !== undefined) return;
    this.#send({ jsonrpc: "2.0", method, params }, transfer);
  }

  /** Ends the connection from this side; calls in both directions fail with `reason`. Again it does nothing. */
  close(reason = "closed by this side"): void {
    this.#transport.close(reason);
    this.#fail(reason);
  }

  /** As `close`, for `using`. */
  [Symbol.dispose](): void {
    this.close();
  }

  #disconnected(): RpcError {
    return new RpcError(RPC_CODES.disconnected, `Cannot reach ${this.#options.name}: ${this.#gone}`);
  }

  #send(frame: RpcFrame, transfer?: Transferable[], failed?: (error: unknown) => void): void {
    try {
      const sent = this.#transport.send(frame, transfer);
      if (sent) sent.catch((error) => failed?.(error));
    } catch (error) {
      failed ? failed(error) : this.#options.onProblem?.(`Cannot send to ${this.#options.name}: ${error}`);
    }
  }

  #answer(frame: RpcFrame): void {
    if (this.#gone === undefined) {
      this.#send(frame, undefined, (error) => {
        // A result that cannot be sent (a function in it, say) must still be answered.
        if ("result" in frame) this.#answer({ jsonrpc: "2.0", id: frame.id, error: RpcError.from(error).toBody() });
      });
    }
  }

  /** The other side will say nothing more: what it asked is still answered, what was asked of it never will be. */
  #ended(): boolean {
    if (this.#options.answerLast !== true || this.#running.size === 0) return false;
    this.#last = true;
    return true;
  }

  #done(id: RpcId): void {
    this.#running.delete(id);
    if (this.#last && this.#running.size === 0) queueMicrotask(() => this.close("the other side closed the stream"));
  }

  #receive(value: unknown): void {
    const decoded = decodeFrame(value);
    if (decoded.kind === "bad") {
      this.#options.onProblem?.(`${this.#options.name} sent a bad frame: ${decoded.error.message}`);
      if (this.#options.answerGarbage) this.#answer({ jsonrpc: "2.0", id: decoded.id, error: decoded.error });
      return;
    }
    const frame = decoded.frame;
    if (!("method" in frame)) return this.#settle(frame);
    const params = frame.params ?? {};
    if ("id" in frame) {
      void this.#run(frame.id, frame.method, params);
      return;
    }
    if (frame.method === CANCEL_METHOD) {
      this.#running.get(params.id as RpcId)?.abort(new RpcError(RPC_CODES.cancelled, "The caller cancelled the call"));
      return;
    }
    const about = params.request as RpcId | undefined;
    const listener = about === undefined ? undefined : this.#pending.get(about)?.onEvent;
    if (listener) return listener(frame.method, params);
    const handler = this.#handlers.get(frame.method);
    if (!handler) {
      if (about === undefined) {
        this.#options.onProblem?.(`${this.#options.name} sent an unknown notification "${frame.method}"`);
      }
      return;
    }
    const context: CallContext = {
      id: undefined,
      signal: new AbortController().signal,
      notify: (m, p) => this.notify(m, p),
    };
    void (async () => await handler(params, context))().catch((error) =>
      this.#options.onProblem?.(`Cannot handle "${frame.method}" from ${this.#options.name}: ${error}`)
    );
  }

  async #run(id: RpcId, method: string, params: Params): Promise<void> {
    const handler = this.#handlers.get(method);
    if (!handler) {
      const error: RpcErrorBody = { code: RPC_CODES.methodNotFound, message: `There is no method "${method}"` };
      return this.#answer({ jsonrpc: "2.0", id, error });
    }
    if (this.#running.has(id)) {
      const error: RpcErrorBody = { code: RPC_CODES.invalidRequest, message: `Request ${id} is still running` };
      return this.#answer({ jsonrpc: "2.0", id, error });
    }
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const result = await handler(params, {
        id,
        signal: controller.signal,
        notify: (event, about) => this.notify(event, { request: id, ...about }),
      });
      this.#done(id);
      this.#answer({ jsonrpc: "2.0", id, result: result ?? {} });
    } catch (error) {
      this.#done(id);
      this.#answer({ jsonrpc: "2.0", id, error: RpcError.from(error).toBody() });
    }
  }

  #settle(frame: Extract<RpcFrame, { result: unknown } | { error: unknown }>): void {
    const pending = frame.id === null ? undefined : this.#pending.get(frame.id);
    if (!pending) {
      if (frame.id !== null && this.#abandoned.delete(frame.id)) return;
      const what = "error" in frame ? `: ${frame.error.message}` : "";
      this.#options.onProblem?.(`${this.#options.name} answered a request that is not open (${frame.id})${what}`);
      return;
    }
    pending.done();
    if ("error" in frame) pending.reject(RpcError.fromBody(frame.error));
    else pending.resolve(frame.result);
  }

  #fail(reason: string): void {
    if (this.#gone !== undefined) return;
    this.#gone = reason;
    const error = this.#disconnected();
    for (const pending of [...this.#pending.values()]) {
      pending.done();
      pending.reject(error);
    }
    for (const controller of this.#running.values()) controller.abort(error);
    this.#running.clear();
    this.#closed.resolve(reason);
  }
}

/** Why an exchange ended before its end. */
export type Interruption = "cancelled" | "timeout" | "idle";

export interface ExchangeOptions {
  fetch: typeof fetch;
  /** The caller's: aborting closes the connection. */
  signal: AbortSignal;
  /** Milliseconds for the whole exchange, and without a byte of the body. */
  timeout: number;
  idle: number;
}

/** Thrown when an exchange was ended from this side. */
export class InterruptedError extends Error {
  override name = "InterruptedError";
  readonly why: Interruption;

  constructor(why: Interruption) {
    super(`The exchange was ended: ${why}`);
    this.why = why;
  }
}

/** One HTTP request whose body is read in pieces, with its time limits. Closing it, at whatever point, closes the
 * connection at the server too, unless the body was read to its end. */
export class Exchange implements Disposable {
  readonly #options: ExchangeOptions;
  readonly #controller = new AbortController();
  /** In a turn of its own: a fetch whose answer has arrived in the same turn as the abort, but was not taken up yet, would
   * drop that answer without closing its connection. */
  readonly #onAbort = () => {
    this.#aborting = setTimeout(() => this.#stop("cancelled"), 0);
  };
  #total: ReturnType<typeof setTimeout> | undefined;
  #aborting: ReturnType<typeof setTimeout> | undefined;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #why: Interruption | undefined;
  #ended = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  /** Sends the request.
   * @throws {InterruptedError} when it was cancelled or took too long
   * @throws {TypeError} when there is no connection */
  async send(url: string, init: { headers: Headers; body: string }): Promise<Response> {
    const { signal, timeout } = this.#options;
    if (signal.aborted) throw new InterruptedError("cancelled");
    signal.addEventListener("abort", this.#onAbort, { once: true });
    if (timeout > 0) this.#total = setTimeout(() => this.#stop("timeout"), timeout);
    // A redirect to another allowed host would carry the key along.
    const response = await this.#guard(() =>
      this.#options.fetch(url, { method: "POST", ...init, redirect: "error", signal: this.#controller.signal })
    );
    this.#reader = response.body?.getReader();
    this.#ended = this.#reader === undefined;
    return response;
  }

  /** The body's next piece; undefined at its end. `idle` replaces the time without a byte for this piece.
   * @throws {InterruptedError} @throws {TypeError} when the connection broke */
  async read(idle: number = this.#options.idle): Promise<Uint8Array | undefined> {
    if (this.#ended) return undefined;
    const timer = idle > 0 ? setTimeout(() => this.#stop("idle"), idle) : undefined;
    try {
      const { value, done } = await this.#guard(() => this.#reader!.read());
      this.#ended = done;
      return value;
    } finally {
      clearTimeout(timer);
    }
  }

  /** What is left of the body as text, up to `most` bytes.
   * @throws {InterruptedError} @throws {TypeError} when the connection broke */
  async text(most: number): Promise<string> {
    const decoder = new TextDecoder();
    let text = "", size = 0;
    for (let piece = await this.read(); piece !== undefined && size <= most; piece = await this.read()) {
      size += piece.length;
      text += decoder.decode(piece, { stream: true });
    }
    return text + decoder.decode();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#total);
    clearTimeout(this.#aborting);
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    if (this.#ended) return;
    this.#ended = true;
    // Whatever the stream says to being cancelled, the abort closes the connection.
    void this.#reader?.cancel().catch(() => {});
    this.#controller.abort();
  }

  #stop(why: Interruption): void {
    this.#why ??= why;
    this.#controller.abort(new InterruptedError(why));
  }

  async #guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#ended = this.#reader !== undefined;
      if (this.#why !== undefined) throw new InterruptedError(this.#why);
      throw error;
    }
  }
}

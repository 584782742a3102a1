/** How long the last answers may take to be read by a client that is let go, in milliseconds. */
const LAST_WORDS = 1000;

/** The two halves of a client's connection. The end of what the client says does not close the other half, as that of
 * `Deno.Conn.readable` does: a client that has said all it has to say still waits for its answer. */
export class ClientStreams {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
  readonly #connection: Deno.Conn;
  #closed = false;
  #unsent: WritableStreamDefaultController | undefined;
  #late: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
    this.readable = new ReadableStream({
      async pull(controller) {
        const bytes = new Uint8Array(64 * 1024);
        const length = await connection.read(bytes);
        if (length === null) controller.close();
        else controller.enqueue(bytes.subarray(0, length));
      },
    }, { highWaterMark: 0 });
    this.writable = new WritableStream({
      start: (controller) => void (this.#unsent = controller),
      write: async (bytes) => {
        try {
          for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
        } catch (error) {
          this.#close(); // It has gone.
          throw error;
        }
      },
      close: () => this.#close(),
      abort: () => this.#close(),
    });
  }

  /** Nothing more will be written: closes the connection when the rest has gone out, or soon, if nobody reads it. */
  finish(): void {
    if (this.#closed || this.#late !== undefined) return;
    this.#late = setTimeout(() => this.#drop(), LAST_WORDS);
    Deno.unrefTimer(this.#late as unknown as number);
  }

  /** What waits to be sent is forgotten: the client may never read it, nor go. */
  #drop(): void {
    this.#unsent?.error(new Error("The client does not read"));
    this.#close();
  }

  #close(): void {
    clearTimeout(this.#late);
    if (this.#closed) return;
    this.#closed = true;
    this.#connection.close();
  }
}

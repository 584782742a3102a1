/** Scripted LLM servers for the four wire formats: OpenAI's chat completions, Anthropic's messages, Gemini's
 * generateContent and Ollama's chat. Each answers its requests from a script, faults included, and records them.
 *
 * @example
 * ```ts
 * await using server = startLlmServer("openai");
 * server.say({ text: ["Hel", "lo"] }, { status: 429, headers: { "retry-after": "3" } });
 * // … ask server.url …
 * assert.equal(server.requests[0]!.body.model, "m");
 * ```
 * @module */
import { streamText, wholeBody } from "./frames.ts";
import type { ScriptedReply, WireFormat } from "./reply.ts";

export * from "./reply.ts";
export { streamText, wholeBody } from "./frames.ts";

/** A request as the server got it. */
export interface RecordedRequest {
  path: string;
  headers: Headers;
  // The body's shape is the format's own; tests look into it.
  // deno-lint-ignore no-explicit-any
  body: any;
  /** When it came, by `performance.now()`. */
  at: number;
  /** Resolves when its answer is over, with how: sent to its end, or the client went away. */
  ended: Promise<"sent" | "client gone">;
}

/** Gives the reply for a request when the script has run out. */
export type ReplyFor = (request: RecordedRequest) => ScriptedReply;

export class LlmServer implements AsyncDisposable {
  readonly format: WireFormat;
  readonly requests: RecordedRequest[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #open = new Set<() => void>();
  #script: ScriptedReply[] = [];
  #otherwise: ReplyFor | undefined;
  #arrival = Promise.withResolvers<void>();

  constructor(format: WireFormat, options: { port?: number } = {}) {
    this.format = format;
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: options.port ?? 0, onListen: () => {} },
      (request) => this.#answer(request),
    );
  }

  get port(): number {
    return this.#server.addr.port;
  }

  /** Host and port, as a net permission names them. */
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** The base address to configure, as the format's adapter wants it. */
  get url(): string {
    const path = { openai: "/v1", anthropic: "", gemini: "/v1beta", ollama: "" }[this.format];
    return `http://${this.host}${path}`;
  }

  /** Replies for the next requests, in order. */
  say(...replies: ScriptedReply[]): this {
    this.#script.push(...replies);
    return this;
  }

  /** Forgets what is left of the script. */
  drop(): this {
    this.#script = [];
    return this;
  }

  /** What is answered when the script has run out; by default the text "ok". */
  otherwise(reply: ReplyFor): this {
    this.#otherwise = reply;
    return this;
  }

  /** Resolves when there are `count` requests. */
  async arrived(count: number): Promise<RecordedRequest> {
    while (this.requests.length < count) await this.#arrival.promise;
    return this.requests[count - 1]!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const release of this.#open) release();
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (this.format === "ollama" && url.pathname === "/api/tags") {
      return Response.json({ models: [{ name: "scripted:latest" }] });
    }
    const ended = Promise.withResolvers<"sent" | "client gone">();
    const text = await request.text();
    const recorded: RecordedRequest = {
      path: url.pathname + url.search,
      headers: request.headers,
      body: text === "" ? undefined : JSON.parse(text),
      at: performance.now(),
      ended: ended.promise,
    };
    // The client may go before the body's stream is looked at; what was sent by then has said so.
    request.signal.addEventListener("abort", () => ended.resolve("client gone"), { once: true });
    this.requests.push(recorded);
    this.#arrival.resolve();
    this.#arrival = Promise.withResolvers();
    const reply = this.#script.shift() ?? this.#otherwise?.(recorded) ?? { text: "ok" };
    const wait = reply.faults?.wait ?? 0;
    if (wait > 0) await this.#pause(wait, request.signal);
    if (reply.status !== undefined && reply.status !== 200) {
      ended.resolve("sent");
      const body = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body ?? {});
      return new Response(body, {
        status: reply.status,
        headers: { "content-type": "application/json", ...reply.headers },
      });
    }
    if (!wantsStream(this.format, recorded) && reply.raw === undefined) {
      ended.resolve("sent");
      return Response.json(reply.body ?? wholeBody(this.format, reply), { headers: reply.headers ?? {} });
    }
    const type = this.format === "ollama" ? "application/x-ndjson" : "text/event-stream";
    const body = this.#stream(new TextEncoder().encode(streamText(this.format, reply)), reply, ended.resolve);
    return new Response(body, { headers: { "content-type": type, ...reply.headers } });
  }

  #stream(bytes: Uint8Array, reply: ScriptedReply, ended: (how: "sent" | "client gone") => void): ReadableStream {
    const { cutAt, cut, stallAt, pieces, pace, stayOpen } = reply.faults ?? {};
    const end = Math.min(cutAt ?? bytes.length, stallAt ?? bytes.length, bytes.length);
    const step = pieces ?? Math.max(1, end);
    const gone = new AbortController();
    let at = 0;
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        if (at > 0 && pace !== undefined && !(await this.#pause(pace, gone.signal))) return;
        if (at < end) {
          const next = Math.min(end, at + step);
          controller.enqueue(bytes.subarray(at, next));
          at = next;
          return;
        }
        if (stayOpen || stallAt !== undefined) {
          await this.#pause(undefined, gone.signal);
          if (gone.signal.aborted) return;
        }
        // What was enqueued must be on its way, or the client takes the connection for stale and asks again by itself.
        if (cut === "broken") await this.#pause(20, gone.signal);
        ended("sent");
        if (cutAt !== undefined && cut === "broken") controller.error(new Error("cut off"));
        else controller.close();
      },
      cancel: () => {
        gone.abort();
        ended("client gone");
      },
    }, { highWaterMark: 0 });
  }

  /** Waits, for ever without `ms`; false when the signal came first. The server's end releases it. */
  #pause(ms: number | undefined, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (whole: boolean) => {
        clearTimeout(timer);
        this.#open.delete(release);
        signal.removeEventListener("abort", onAbort);
        resolve(whole);
      };
      const release = () => done(true);
      const onAbort = () => done(false);
      const timer = ms === undefined ? undefined : setTimeout(release, ms);
      this.#open.add(release);
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
  }
}

/** Starts a scripted server on a free port of this machine. */
export function startLlmServer(format: WireFormat, options: { port?: number } = {}): LlmServer {
  return new LlmServer(format, options);
}

function wantsStream(format: WireFormat, request: RecordedRequest): boolean {
  if (format === "gemini") return request.path.includes(":streamGenerateContent");
  return format === "ollama" ? request.body?.stream !== false : request.body?.stream === true;
}

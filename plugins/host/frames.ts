import {
  LineDecoder,
  MAX_FRAME_BYTES,
  MAX_PARTS_BYTES,
  RPC_CODES,
  RpcError,
  type RpcFrame,
  type Transport,
  type TransportEvents,
} from "../../core/wire/mod.ts";

export interface FrameOptions {
  /** A line on the stream that is no frame: what the program printed. Already limited in rate. Must not throw. */
  onText?: (text: string) => void;
  /** The other side has stopped reading: more than `maxQueued` bytes wait for it. Called once. */
  onStall?: () => void;
  /** The stream has ended: answers why, as soon as that is known. */
  onEnd?: () => Promise<string>;
  /** Requests of the other side that may be open at a time; above that, reading pauses. */
  maxOpen?: number;
  /** Bytes that may wait to be written. */
  maxQueued?: number;
}

/** Printed lines that are logged in one second; the rest is counted. */
const TEXT_LINES_PER_SECOND = 50;
/** After this much that was no frame, reading rests, so that a program that prints for ever costs little. */
const REST_AFTER_BYTES = 256 << 10;
const REST_MS = 5;
/** Milliseconds that the frames of one plugin may take in a row before others have their turn. */
const SLICE_MS = 8;
const FRAME_START = '{"jsonrpc"';

/** JSON-RPC frames as a plugin process speaks them on its stdio: NDJSON with at most 1 MiB a line. A longer frame goes in
 * parts (`{part, of, data}`, from 1, in a row; `data` is a piece of the frame's JSON text); a longer line is answered with
 * −32006 and dropped. Whatever else is printed goes to `onText`. Memory is bounded both ways. */
export function frameTransport(
  streams: { readable: ReadableStream<Uint8Array>; writable: WritableStream<Uint8Array> },
  options: FrameOptions = {},
): Transport {
  const { onText, onStall, onEnd, maxOpen = 512, maxQueued = 16 << 20 } = options;
  const encoder = new TextEncoder();
  const writer = streams.writable.getWriter();
  const reader = streams.readable.getReader();
  const printed = new PrintedLines(onText ?? (() => {}));
  const parts = new Parts();
  let events: TransportEvents | undefined;
  let open = 0, queued = 0, stalled = false;
  let answered: (() => void) | undefined;

  const end = (reason: string) => {
    const was = events;
    events = undefined;
    if (!was) return;
    printed.flush();
    answered?.();
    // Both may already have failed with the stream: that is what is being told.
    void reader.cancel().catch(() => {});
    void writer.close().catch(() => {});
    was.closed(reason);
  };

  function take(text: string): boolean {
    let value = parse(text);
    if (value === undefined) {
      // A print without a line feed may stand before a frame.
      const at = text.lastIndexOf(FRAME_START);
      value = at > 0 ? parse(text.slice(at)) : undefined;
      printed.add(value === undefined ? text : text.slice(0, at));
      if (value === undefined) return false;
    }
    if ("part" in value && !("jsonrpc" in value)) {
      const whole = parts.add(value);
      if (whole.kind === "more") return true;
      if (whole.kind === "bad") {
        events?.garbage(RPC_CODES.tooLarge, whole.reason);
        return true;
      }
      value = parse(whole.text);
      if (value === undefined) {
        events?.garbage(RPC_CODES.parseError, "The parts of a frame together are no JSON object");
        return true;
      }
    }
    if ("method" in value && "id" in value) open++;
    events?.message(value);
    return true;
  }

  async function read() {
    const lines = new LineDecoder(MAX_FRAME_BYTES);
    let idle = 0;
    try {
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
        let framed = false, taken = 0;
        let began = performance.now();
        for (const line of lines.push(chunk.value)) {
          if (!events) return;
          if (line.kind === "too_large") {
            const message = `A line has more than ${MAX_FRAME_BYTES} bytes: send larger payloads in parts`;
            if (!stalled && queued < maxQueued / 2) events.garbage(RPC_CODES.tooLarge, message);
          } else if (line.text.trim() !== "") {
            framed = take(line.text) || framed;
            // Answers are worked out before it is looked at how long that took.
            if (++taken % 8 === 0) await null;
            if (performance.now() - began > SLICE_MS) {
              await new Promise((resolve) => setTimeout(resolve, 0));
              began = performance.now();
            }
          }
          while (open >= maxOpen && events) await new Promise<void>((resolve) => answered = resolve);
        }
        idle = framed ? 0 : idle + chunk.value.length;
        if (idle >= REST_AFTER_BYTES) {
          idle = 0;
          await new Promise((resolve) => setTimeout(resolve, REST_MS));
        }
      }
      end(await onEnd?.() ?? "the other side closed the stream");
    } catch (error) {
      end(error instanceof Error ? error.message : String(error));
    }
  }

  async function write(bytes: Uint8Array): Promise<void> {
    queued += bytes.length;
    try {
      await writer.write(bytes);
    } catch (error) {
      end(error instanceof Error ? error.message : String(error));
      throw error;
    } finally {
      queued -= bytes.length;
    }
  }

  return {
    open(to) {
      events = to;
      void read();
    },
    send(frame: RpcFrame) {
      if (!events) throw new TypeError("The stream is closed");
      const isAnswer = !("method" in frame);
      if (isAnswer && open > 0) {
        open--;
        answered?.();
        answered = undefined;
      }
      if (queued > maxQueued) {
        if (!stalled) {
          stalled = true;
          onStall?.();
        }
        throw new RpcError(RPC_CODES.disconnected, "The other side does not read what it is sent");
      }
      const text = JSON.stringify(frame) + "\n";
      // A UTF-16 unit has at most three bytes of UTF-8.
      if (text.length * 3 <= MAX_FRAME_BYTES) return write(encoder.encode(text));
      const bytes = encoder.encode(text);
      if (bytes.length <= MAX_FRAME_BYTES + 1) return write(bytes);
      return write(encoder.encode(splitFrame(text)));
    },
    close: (reason = "closed") => end(reason),
  };
}

/** A frame's text as lines of parts, each at most 1 MiB. */
function splitFrame(text: string): string {
  // The worst that escaping does to one UTF-16 unit is six bytes (\\u0000).
  const size = Math.floor((MAX_FRAME_BYTES - 100) / 6);
  const of = Math.ceil(text.length / size);
  let lines = "";
  for (let part = 1; part <= of; part++) {
    lines += JSON.stringify({ part, of, data: text.slice((part - 1) * size, part * size) }) + "\n";
  }
  return lines;
}

/** Joins the parts of one frame after the other. */
class Parts {
  #data: string[] = [];
  #length = 0;
  #of = 0;

  add(value: Record<string, unknown>): { kind: "more" } | { kind: "whole"; text: string } | {
    kind: "bad";
    reason: string;
  } {
    const { part, of, data } = value;
    if (!Number.isInteger(part) || !Number.isInteger(of) || typeof data !== "string") {
      return this.#bad("A part must have whole numbers `part` and `of` and a string `data`");
    }
    if (part === 1) this.#reset(of as number);
    if (of !== this.#of || part !== this.#data.length + 1 || (part as number) > (of as number)) {
      return this.#bad("Parts of a frame must come in a row, from 1 to `of`");
    }
    this.#length += data.length;
    if (this.#length > MAX_PARTS_BYTES) return this.#bad(`A frame in parts may have ${MAX_PARTS_BYTES} bytes`);
    this.#data.push(data);
    if (part !== of) return { kind: "more" };
    const text = this.#data.join("");
    this.#reset(0);
    return { kind: "whole", text };
  }

  #bad(reason: string): { kind: "bad"; reason: string } {
    this.#reset(0);
    return { kind: "bad", reason };
  }

  #reset(of: number): void {
    this.#data = [];
    this.#length = 0;
    this.#of = of;
  }
}

/** Limits how many printed lines are passed on. */
class PrintedLines {
  readonly #sink: (text: string) => void;
  #second = 0;
  #count = 0;
  #dropped = 0;

  constructor(sink: (text: string) => void) {
    this.#sink = sink;
  }

  add(text: string): void {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) {
      this.flush();
      this.#second = second;
      this.#count = 0;
    }
    if (++this.#count > TEXT_LINES_PER_SECOND) this.#dropped++;
    else this.#sink(text.length > 500 ? `${text.slice(0, 500).toWellFormed()}…` : text);
  }

  flush(): void {
    if (this.#dropped > 0) this.#sink(`(${this.#dropped} more lines were printed and are not kept)`);
    this.#dropped = 0;
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as Record<string, unknown>
      : undefined;
  } catch {
    // Text that is no JSON is what the program printed.
    return undefined;
  }
}

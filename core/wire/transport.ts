/** What carries JSON-RPC frames one way and back. A transport keeps frames whole and in order and tells once when it is
 * closed; it knows nothing of requests. @module */
import { RPC_CODES, type RpcFrame } from "./rpc.ts";
import { type DecodedLine, LineDecoder } from "./ndjson.ts";

/** What a transport tells the one who opened it. */
export interface TransportEvents {
  /** A value that arrived: not yet checked to be a frame. */
  message(value: unknown): void;
  /** Bytes that were no JSON or too many; the transport goes on unless it also closes. */
  garbage(code: number, message: string): void;
  /** Nothing more will come, but answers can still be sent: a client that closed its half. True when this end closes by
   * itself once it has answered. */
  ended?(): boolean;
  /** Nothing more will come or can be sent. Called once. */
  closed(reason: string): void;
}

/** One end of a line that carries frames. */
export interface Transport {
  /** Starts delivery. Called once, before any `send`. */
  open(events: TransportEvents): void;
  /** Hands over one frame. `transfer` moves ports and buffers where the transport can (between threads). Resolves when
   * the frame is handed on, so that a flood can wait; rejects when closed. */
  send(frame: RpcFrame, transfer?: Transferable[]): Promise<void> | void;
  /** Ends the line in both directions; `closed` is told `reason`. Again it does nothing. */
  close(reason?: string): void;
}

/** Frames over a `MessagePort`, a `Worker` seen from outside or a worker's own `self`. */
export function portTransport(port: MessagePort | Worker | WorkerPort): Transport {
  let events: TransportEvents | undefined;
  const receive = (event: MessageEvent) => events?.message(event.data);
  return {
    open(to) {
      events = to;
      (port as MessagePort).addEventListener("message", receive as EventListener);
      if ("start" in port) port.start();
    },
    send(frame, transfer) {
      (port as WorkerPort).postMessage(frame, transfer ?? []);
    },
    close(reason = "closed") {
      if (!events) return;
      (port as MessagePort).removeEventListener("message", receive as EventListener);
      if ("close" in port && port instanceof MessagePort) port.close();
      const was = events;
      events = undefined;
      was.closed(reason);
    },
  };
}

/** The part of a worker's global scope that a transport needs. */
export interface WorkerPort {
  /** To whoever started the worker. */
  postMessage(message: unknown, transfer?: Transferable[]): void;
  /** A message is the one event that a transport hears. */
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
  /** Ends what the same function began with `addEventListener`. */
  removeEventListener(type: "message", listener: (event: MessageEvent) => void): void;
}

/** Frames as NDJSON over byte streams: one JSON text a line, UTF-8. A line over `maxBytes` is reported as garbage with
 * code −32006; `closeOnTooLarge` also closes. */
export function ndjsonTransport(
  streams: { readable: ReadableStream<Uint8Array>; writable: WritableStream<Uint8Array> },
  options: { maxBytes: number; closeOnTooLarge?: boolean },
): Transport {
  const encoder = new TextEncoder();
  const writer = streams.writable.getWriter();
  let events: TransportEvents | undefined;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const end = (reason: string) => {
    const was = events;
    events = undefined;
    if (!was) return;
    void reader?.cancel().catch(() => {});
    void writer.close().catch(() => {});
    was.closed(reason);
  };
  async function read() {
    const lines = new LineDecoder(options.maxBytes);
    reader = streams.readable.getReader();
    try {
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
        for (const line of lines.push(chunk.value)) take(line);
        if (!events) return;
      }
      // A last line without its end is taken when it is whole; else it was cut off.
      for (const line of lines.end()) if (line.kind === "line" && isJson(line.text)) take(line);
      if (!events?.ended?.()) end("the other side closed the stream");
    } catch (error) {
      end(error instanceof Error ? error.message : String(error));
    }
  }
  function take(line: DecodedLine): void {
    if (!events) return;
    if (line.kind === "too_large") {
      events.garbage(RPC_CODES.tooLarge, `A line has more than ${options.maxBytes} bytes`);
      if (options.closeOnTooLarge) end("a line was too large");
    } else if (line.text.trim() !== "") {
      let value: unknown;
      try {
        value = JSON.parse(line.text);
      } catch {
        events.garbage(RPC_CODES.parseError, `The line is not JSON (it has ${line.text.length} characters)`);
        return;
      }
      events.message(value);
    }
  }
  return {
    open(to) {
      events = to;
      void read();
    },
    async send(frame) {
      if (!events) throw new TypeError("The stream is closed");
      try {
        await writer.write(encoder.encode(JSON.stringify(frame) + "\n"));
      } catch (error) {
        end(error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
    close: (reason = "closed") => end(reason),
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Two transports joined back to back in this thread; values are copied as between threads. */
export function memoryPair(): [Transport, Transport] {
  const ends: { events?: TransportEvents }[] = [{}, {}];
  const make = (mine: number): Transport => ({
    open(to) {
      ends[mine]!.events = to;
    },
    send(frame) {
      const copy = structuredClone(frame);
      queueMicrotask(() => ends[1 - mine]!.events?.message(copy));
    },
    close(reason = "closed") {
      for (const end of ends) {
        const was = end.events;
        delete end.events;
        was?.closed(reason);
      }
    },
  });
  return [make(0), make(1)];
}

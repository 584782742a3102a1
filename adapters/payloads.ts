import { createParser } from "eventsource-parser";
import { LineDecoder } from "../core/wire/ndjson.ts";

/** One payload of a streamed answer: the data of a server-sent event, or a line of NDJSON. */
export interface Payload {
  data: string;
  /** The event's name, where the format has names. */
  event?: string;
  /** The stream ended without closing this payload: it may be cut. */
  unfinished?: true;
}

const MOST = 32 * 1024 * 1024;

/** Cuts a body into its payloads, wherever its bytes were cut. */
export interface PayloadDecoder {
  push(bytes: Uint8Array): Payload[];
  end(): Payload[];
}

/** Server-sent events. Comments, CRLF and fields that nobody knows are normal. */
export function sseDecoder(): PayloadDecoder {
  const text = new TextDecoder();
  let found: Payload[] = [];
  const parser = createParser({
    maxBufferSize: MOST,
    onEvent: ({ data, event }) => found.push({ data, ...(event !== undefined && { event }) }),
  });
  const take = () => {
    const taken = found;
    found = [];
    return taken;
  };
  return {
    push(bytes) {
      parser.feed(text.decode(bytes, { stream: true }));
      return take();
    },
    end() {
      parser.feed(text.decode() + "\n\n");
      return take().map((payload) => ({ ...payload, unfinished: true }));
    },
  };
}

/** One JSON text a line. */
export function ndjsonDecoder(): PayloadDecoder {
  const lines = new LineDecoder(MOST);
  const payloads = (decoded: Iterable<{ kind: string; text?: string }>): Payload[] => {
    const found: Payload[] = [];
    for (const line of decoded) {
      if (line.text !== undefined && line.text.trim() !== "") found.push({ data: line.text });
    }
    return found;
  };
  return {
    push: (bytes) => payloads(lines.push(bytes)),
    end: () => payloads(lines.end()).map((payload) => ({ ...payload, unfinished: true })),
  };
}

/** By the content type; where that says nothing certain, by the first byte: JSON texts start with a brace, events do not.
 * `undefined` until there is such a byte. */
export function decoderFor(contentType: string, first: Uint8Array): PayloadDecoder | undefined {
  if (contentType.includes("event-stream")) return sseDecoder();
  if (/ndjson|jsonl|json-seq/.test(contentType)) return ndjsonDecoder();
  const byte = first.find((byte) => byte > 32 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf);
  if (byte === undefined) return undefined;
  return byte === 0x7b || byte === 0x5b ? ndjsonDecoder() : sseDecoder();
}

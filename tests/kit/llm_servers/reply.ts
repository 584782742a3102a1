/** What a scripted LLM server is told to answer, whatever its wire format. */
export interface ScriptedCall {
  /** None: the format's own way of having no id. */
  id?: string;
  name: string;
  /** JSON text; streamed in pieces where the format streams arguments. */
  arguments: string;
  /** The index to claim in place of the true one; null: none at all. */
  index?: number | null;
  signature?: string;
}

export interface ScriptedReply {
  /** The answer's text, as the deltas it is streamed in. */
  text?: string | string[];
  reasoning?: string | string[];
  /** What Anthropic signs its thinking with. */
  reasoning_signature?: string;
  calls?: ScriptedCall[];
  /** Send argument pieces of parallel calls in turn, not one call after the other. */
  interleave?: boolean;
  /** In the format's own words; null: none is sent. */
  finish?: string | null;
  usage?: { prompt: number; completion: number; cached?: number } | null;
  /** The whole stream's text, in place of everything above. */
  raw?: string;
  /** Another status than 200, with this body. */
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  faults?: StreamFaults;
}

export interface StreamFaults {
  /** Bytes after which the body ends. */
  cutAt?: number;
  /** How it ends there: cleanly, or with a broken connection. Cleanly by default. */
  cut?: "clean" | "broken";
  /** Bytes after which nothing more comes while the connection stays open. */
  stallAt?: number;
  /** Bytes in one piece. */
  pieces?: number;
  /** Milliseconds between pieces. */
  pace?: number;
  /** Milliseconds before the status line. */
  wait?: number;
  crlf?: boolean;
  /** Comment lines (SSE) or empty lines (NDJSON) between everything. */
  comments?: boolean;
  /** No `[DONE]`, `message_stop`: the end mark is missing. */
  noEnd?: boolean;
  /** An error object after this many frames, in place of the rest. */
  errorAfter?: number;
  error?: unknown;
  /** The connection stays open after the last frame. */
  stayOpen?: boolean;
}

export type WireFormat = "openai" | "anthropic" | "gemini" | "ollama";
export const WIRE_FORMATS: readonly WireFormat[] = ["openai", "anthropic", "gemini", "ollama"];

export const piecesOf = (text: string | string[] | undefined): string[] =>
  text === undefined ? [] : typeof text === "string" ? [text] : text;

/** Cuts argument text in two, to be joined again by the reader. */
export function argumentPieces(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return text === "" ? [""] : [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== "");
}

export const DEFAULT_USAGE: { prompt: number; completion: number; cached?: number } = { prompt: 11, completion: 7 };

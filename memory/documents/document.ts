import { createHash } from "node:crypto";
import type { ContextEvent } from "../../core/wire/memory.ts";
import { type Echo, echoOf } from "../index/echo.ts";

/** A document as it stands in its file. Unknown fields of an import are kept beside these. Times in milliseconds. */
export interface MemoryDocument {
  id: string;
  title?: string;
  content: string;
  at: number;
  source?: string;
  thread?: string;
  n?: number;
  media_digests?: string[];
  /** Made from other memory (a snapshot of the graph): found like any other, never distilled back. */
  derived?: boolean;
  /** The text is not the owner's own: never distilled as facts. */
  untrusted?: boolean;
  [field: string]: unknown;
}

/** A document's place below the documents folder: two hex digits of its id's hash, and the id encoded so that every file
 * system keeps it apart from all others (no upper case, no reserved name). */
export function documentPath(id: string): string {
  const hash = createHash("sha256").update(id).digest("hex");
  const encoded = encodeId(id);
  const name = encoded.length <= 100 ? encoded : `=h${hash}`;
  return `${hash.slice(0, 2)}/${name}.json`;
}

function encodeId(id: string): string {
  let out = "";
  for (const byte of new TextEncoder().encode(id)) {
    const plain = (byte >= 97 && byte <= 122) || (byte >= 48 && byte <= 57) || byte === 95 || byte === 45;
    out += plain ? String.fromCharCode(byte) : `=${byte.toString(16).padStart(2, "0")}`;
  }
  return /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/.test(out) ? `=r${out}` : out;
}

/** What a document says, so that the same content imported twice is one. */
export function contentHash(document: Omit<MemoryDocument, "id">): string {
  const { title = "", content, source = "", thread = "", n = "" } = document;
  return createHash("sha256").update(JSON.stringify([title, content, document.at, source, thread, n])).digest("hex");
}

/** A document out of parsed JSON, or undefined when it is none. */
export function documentOf(value: unknown): MemoryDocument | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { id, content, at } = value as Record<string, unknown>;
  const isSound = typeof id === "string" && id !== "" && typeof content === "string" && typeof at === "number" &&
    Number.isFinite(at);
  return isSound ? value as MemoryDocument : undefined;
}

/** Whether a document that was a turn of a conversation is no source: the agent's own words, or a question. Notes and
 * imported texts always are one. */
export function documentEcho({ event, content }: MemoryDocument): Echo | undefined {
  if (typeof event !== "object" || event === null) return undefined;
  const { kind, input, response } = event as Partial<ContextEvent>;
  const isAgents = kind === "agent" || (input === undefined && response !== undefined);
  return echoOf({ role: isAgents ? "agent" : "user", text: content });
}

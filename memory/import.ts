import { createHash } from "node:crypto";
import { messageOf } from "../core/base/errors.ts";
import type { ContextEvent, ImportReport } from "../core/wire/memory.ts";
import type { NewDocument } from "./documents/documents.ts";
import { diskError, isDiskFull } from "./files.ts";
import { storable } from "./sqlite.ts";
import type { Fact } from "./graph/graph.ts";

/** A message of an import. `id` is made of what it says, so that the same one again is known. */
export interface ImportedMessage {
  id: string;
  role: "user" | "assistant" | "system" | "tool";
  text: string;
  channel: string;
  /** Milliseconds. */
  at: number;
  extra?: Record<string, unknown>;
}

/** What is known of a node besides its relations. */
export interface ImportedEntity {
  name: string;
  type?: string;
  description?: string;
  aliases?: string[];
}

/** Whether values of an attribute stand side by side. */
export interface ImportedAttribute {
  attribute: string;
  subject?: string;
  many: boolean;
  told: boolean;
}

export interface ImportedMedia {
  digest: string;
  mime: string;
  description?: string;
  data?: Uint8Array;
}

/** Where the lines of an import go. Each call is a batch with one durable point, and taking the same again changes
 * nothing. When a sink throws it is given the batch's lines again one by one, and those it throws at are rejected; a full
 * disk ends the import. */
export interface ImportSinks {
  attributes(attributes: ImportedAttribute[]): void | Promise<void>;
  entities(entities: ImportedEntity[]): void | Promise<void>;
  relations(facts: Fact[]): void | Promise<void>;
  documents(documents: NewDocument[]): void | Promise<void>;
  messages(messages: ImportedMessage[]): void | Promise<void>;
  knowledge(entry: { name: string; content: string }): void | Promise<void>;
  media(media: ImportedMedia): void | Promise<void>;
}

export interface ImportOptions {
  /** Lines taken together. Default 1000. */
  batch?: number;
  /** The time of lines that tell none, milliseconds. Default now. */
  now?: number;
  signal?: AbortSignal;
}

/** In the order in which a batch is taken. */
const KINDS = ["attribute", "relation", "entity", "document", "message", "knowledge", "media"] as const;

/** A longer line is rejected without being kept. */
const LINE_LIMIT = 64 * 1024 * 1024;
/** A batch is also full at this many characters. */
const BATCH_CHARACTERS = 4 * 1024 * 1024;
/** Reasons that are told one by one; the rest is counted in `counts.rejected`. */
const REASONS = 1000;

type Taken =
  | { kind: "attribute"; value: ImportedAttribute }
  | { kind: "entity"; value: ImportedEntity }
  | { kind: "relation"; value: Fact }
  | { kind: "document"; value: NewDocument }
  | { kind: "message"; value: ImportedMessage }
  | { kind: "knowledge"; value: { name: string; content: string } }
  | { kind: "media"; value: ImportedMedia };

/** Reads JSONL in the format of an export, with bounded memory, and hands it to the sinks in batches. A bad line is
 * reported and the rest is taken. */
export async function importLines(
  bytes: ReadableStream<Uint8Array>,
  sinks: ImportSinks,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const { batch: size = 1000, now = Date.now(), signal } = options;
  const report: ImportReport = { counts: {}, rejected: [] };
  const count = (name: string, n = 1) => report.counts[name] = (report.counts[name] ?? 0) + n;
  const reject = (line: number, reason: string) => {
    count("rejected");
    if (report.rejected.length < REASONS) report.rejected.push({ line, reason });
  };
  let batch: { line: number; taken: Taken }[] = [];
  let characters = 0;
  /** A line that its sink refuses is told, and takes none with it: after a failure each goes alone. */
  const take = async (kind: Taken["kind"], lines: { line: number; taken: Taken }[]) => {
    try {
      await give(kind, lines.map((entry) => entry.taken), sinks);
      count(kind, lines.length);
    } catch (error) {
      if (isDiskFull(diskError(error, "import"))) throw error;
      if (lines.length === 1) return reject(lines[0]!.line, messageOf(error));
      for (const line of lines) await take(kind, [line]);
    }
  };
  const flush = async () => {
    signal?.throwIfAborted();
    for (const kind of KINDS) {
      const lines = batch.filter((entry) => entry.taken.kind === kind);
      if (lines.length > 0) await take(kind, lines);
    }
    batch = [];
    characters = 0;
  };
  for await (const { number, text, isTooLong } of readLines(bytes, LINE_LIMIT)) {
    signal?.throwIfAborted();
    if (isTooLong) {
      reject(number, `the line is longer than ${LINE_LIMIT} bytes`);
      continue;
    }
    if (text.trim() === "") continue;
    const result = takeLine(text, { line: number, now });
    if (typeof result === "string") {
      reject(number, result);
      continue;
    }
    batch.push({ line: number, taken: result });
    characters += text.length;
    if (batch.length >= size || characters >= BATCH_CHARACTERS) await flush();
  }
  await flush();
  report.rejected.sort((a, b) => a.line - b.line);
  return report;
}

async function give(kind: Taken["kind"], taken: Taken[], sinks: ImportSinks): Promise<void> {
  switch (kind) {
    case "relation":
      return await sinks.relations(taken.flatMap((entry) => entry.kind === "relation" ? entry.value : []));
    case "document":
      return await sinks.documents(taken.flatMap((entry) => entry.kind === "document" ? entry.value : []));
    case "message":
      return await sinks.messages(taken.flatMap((entry) => entry.kind === "message" ? entry.value : []));
    case "attribute":
      return await sinks.attributes(taken.flatMap((entry) => entry.kind === "attribute" ? entry.value : []));
    case "entity":
      return await sinks.entities(taken.flatMap((entry) => entry.kind === "entity" ? entry.value : []));
    case "knowledge":
      for (const entry of taken) if (entry.kind === "knowledge") await sinks.knowledge(entry.value);
      return;
    case "media":
      for (const entry of taken) if (entry.kind === "media") await sinks.media(entry.value);
      return;
    default:
      kind satisfies never;
  }
}

/** The content of one line, or why it is refused. */
export function takeLine(text: string, options: { line: number; now: number }): Taken | string {
  let value: unknown;
  try {
    value = JSON.parse(
      text,
      isUnclean(text) ? (_, inner) => typeof inner === "string" ? storable(inner) : inner : undefined,
    );
  } catch (error) {
    return `it is not JSON: ${messageOf(error)}`;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "it is not a JSON object";
  const row = value as Record<string, unknown>;
  for (const name of ["at", "valid_from", "valid_to"]) {
    const time = row[name];
    if (time === undefined || time === null) continue;
    if (typeof time !== "string" || Number.isNaN(Date.parse(time))) return `"${name}" is not a time in ISO 8601`;
  }
  const at = typeof row.at === "string" ? Date.parse(row.at) : undefined;
  switch (row.kind) {
    case "relation":
      return takeRelation(row, at ?? options.now);
    case "document":
      return takeDocument(row, at, options);
    case "message":
      return takeMessage(row, at ?? options.now);
    case "knowledge": {
      const { name, content } = row;
      if (!isText(name) || typeof content !== "string") return `a knowledge line needs "name" and "content"`;
      return { kind: "knowledge", value: { name, content } };
    }
    case "media":
      return takeMedia(row);
    case "entity":
      return takeEntity(row);
    case "attribute": {
      const { attribute, subject, many_valued, told } = row;
      if (!isText(attribute) || typeof many_valued !== "boolean") {
        return `an attribute line needs "attribute" and "many_valued"`;
      }
      const value = { attribute, many: many_valued, told: told === true, ...(isText(subject) && { subject }) };
      return { kind: "attribute", value };
    }
    default:
      return `"kind" is ${
        JSON.stringify(row.kind) ?? "missing"
      }: it must be relation, document, message, knowledge, media, entity or attribute`;
  }
}

function takeEntity({ name, type, description, aliases }: Record<string, unknown>): Taken | string {
  if (!isText(name)) return `an entity needs "name"`;
  const value: ImportedEntity = {
    name,
    ...(isText(type) && { type }),
    ...(isText(description) && { description }),
    ...(Array.isArray(aliases) && { aliases: aliases.filter(isText) }),
  };
  return { kind: "entity", value };
}

function takeRelation(row: Record<string, unknown>, at: number): Taken | string {
  const { kind: _, id, subject, predicate, object, confidence, subject_type, object_type, sentence } = row;
  if (!isText(subject) || !isText(predicate) || !isText(object)) {
    return `a relation needs "subject", "predicate" and "object"`;
  }
  if (confidence !== undefined && !(typeof confidence === "number" && confidence >= 0 && confidence <= 1)) {
    return `"confidence" is not a number from 0 to 1`;
  }
  if (isText(row.valid_from) && isText(row.valid_to) && Date.parse(row.valid_to) < Date.parse(row.valid_from)) {
    return `"valid_to" is before "valid_from"`;
  }
  const extra = unknownFields(row, RELATION_FIELDS);
  const fact: Fact = {
    id: isText(id) ? id : hashOf([subject, predicate, object, sentence, row.at, row.valid_from, row.valid_to]),
    subject,
    predicate,
    object,
    at,
    ...(typeof confidence === "number" && { confidence }),
    ...(isText(subject_type) && { subject_type }),
    ...(isText(object_type) && { object_type }),
    ...(isText(sentence) && { sentence }),
    ...(isText(row.valid_from) && { valid_from: row.valid_from }),
    ...(isText(row.valid_to) && { valid_to: row.valid_to }),
    ...(extra && { extra }),
  };
  return { kind: "relation", value: fact };
}

function takeDocument(
  row: Record<string, unknown>,
  at: number | undefined,
  options: { line: number; now: number },
): Taken | string {
  // What is derived is made from the graph that it describes, not taken from elsewhere.
  const { kind: _, id, title, content, source, thread, n, media_digests, event, derived: __, ...rest } = row;
  if (typeof content !== "string") return `a document needs "content"`;
  const isPlaced = isText(thread) && Number.isFinite(n);
  const implied = !isPlaced && at !== undefined ? `${isText(source) ? source : ""}@${row.at}` : undefined;
  return {
    kind: "document",
    value: {
      ...rest,
      id: isText(id) ? id : hashOf(["document", title, content, row.at, source, thread, n]),
      content,
      at: at ?? options.now,
      ...(isText(title) && { title }),
      ...(isText(source) && { source }),
      ...(isEvent(event) && { event }),
      ...(isPlaced ? { thread, n: n as number } : implied !== undefined && { thread: implied, n: options.line }),
      ...(Array.isArray(media_digests) && { media_digests: media_digests.filter(isText) }),
    },
  };
}

/** A turn of a conversation that a document was, as an export has it. */
function isEvent(value: unknown): value is ContextEvent {
  if (typeof value !== "object" || value === null) return false;
  const { kind, input = "", response = "", channel = "", turn = "" } = value as Record<string, unknown>;
  return [kind, input, response, channel, turn].every((part) => typeof part === "string");
}

/** Whether a line's texts may have in them what no store keeps as it is. */
function isUnclean(line: string): boolean {
  return /\\u(?:d[89a-f]|0000)|\0/i.test(line) || !line.isWellFormed();
}

function takeMessage(row: Record<string, unknown>, at: number): Taken | string {
  const { text, channel } = row;
  const role = row.role === "agent" ? "assistant" : row.role;
  if (typeof text !== "string") return `a message needs "text"`;
  if (role !== "user" && role !== "assistant" && role !== "system" && role !== "tool") {
    return `"role" is ${JSON.stringify(row.role) ?? "missing"}: it must be user, assistant, system or tool`;
  }
  const extra = unknownFields(row, MESSAGE_FIELDS);
  const id = isText(row.id) ? row.id : messageId({ role, text, channel, at: row.at });
  return {
    kind: "message",
    value: { id, role, text, channel: isText(channel) ? channel : "import", at, ...(extra && { extra }) },
  };
}

function takeMedia(row: Record<string, unknown>): Taken | string {
  const { digest, mime, description, data } = row;
  if (!isText(digest) || !/^[0-9a-f]{64}$/.test(digest) || !isText(mime)) {
    return `a media line needs "digest" and "mime"`;
  }
  let bytes: Uint8Array | undefined;
  if (isText(data)) {
    try {
      bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    } catch (error) {
      return `"data" is not base64: ${messageOf(error)}`;
    }
    if (createHash("sha256").update(bytes).digest("hex") !== digest) return `"digest" is not that of "data"`;
  }
  return {
    kind: "media",
    value: { digest, mime, ...(isText(description) && { description }), ...(bytes && { data: bytes }) },
  };
}

const RELATION_FIELDS = new Set(
  ("kind id subject predicate object confidence subject_type object_type sentence at valid_from valid_to").split(" "),
);
const MESSAGE_FIELDS = new Set("kind id role text channel at".split(" "));

function unknownFields(row: Record<string, unknown>, known: Set<string>): Record<string, unknown> | undefined {
  const rest = Object.entries(row).filter(([name]) => !known.has(name));
  return rest.length > 0 ? Object.fromEntries(rest) : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** The id of a message that brings none: the same message has it whenever it comes. */
export function messageId({ role, text, channel, at }: { role: string; text: string; channel: unknown; at: unknown }) {
  return hashOf(["message", role === "agent" ? "assistant" : role, text, channel, at]);
}

function hashOf(parts: unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

interface Line {
  number: number;
  text: string;
  isTooLong: boolean;
}

/** Lines of a byte stream, counted from 1. A line over `limit` bytes comes without its text. */
async function* readLines(bytes: ReadableStream<Uint8Array>, limit: number): AsyncGenerator<Line> {
  let number = 1;
  let held: Uint8Array[] = [];
  let size = 0;
  const decoder = new TextDecoder();
  const line = (end: Uint8Array): Line => {
    const isTooLong = size + end.length > limit;
    let text = "";
    if (!isTooLong) {
      for (const part of held) text += decoder.decode(part, { stream: true });
      text += decoder.decode(end);
    }
    held = [];
    size = 0;
    return { number: number++, text, isTooLong };
  };
  for await (const chunk of bytes) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      yield line(chunk.subarray(from, at));
      from = at + 1;
    }
    const rest = chunk.subarray(from);
    size += rest.length;
    if (size <= limit) held.push(rest);
    else held = [];
  }
  if (size > 0) yield line(new Uint8Array(0));
}

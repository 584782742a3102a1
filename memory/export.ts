import { Buffer } from "node:buffer";
import { messageId } from "./import.ts";
import type { Memory } from "./memory.ts";

/** Gathers lines into pieces that are worth a write. */
const PIECE = 1 << 18;

/** Everything the memory holds as JSONL, in the format that `memory.import` reads (CONTRACT 3): what is known of
 * attributes and entities, relations, documents, messages, knowledge, media. Bounded memory. Answers with how many lines of each kind were written. */
export async function exportLines(
  memory: Memory,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const encoder = new TextEncoder();
  let piece = "";
  for (const line of linesOf(memory)) {
    counts[line.kind] = (counts[line.kind] ?? 0) + 1;
    piece += JSON.stringify(line) + "\n";
    if (piece.length < PIECE) continue;
    await write(encoder.encode(piece));
    piece = "";
  }
  await write(encoder.encode(piece));
  return counts;
}

type Line = { kind: string } & Record<string, unknown>;

function* linesOf(memory: Memory): Generator<Line> {
  const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString());
  for (const { attribute, subject, many, told } of memory.graph.attributes()) {
    yield without({ kind: "attribute", attribute, subject, many_valued: many, told: told || undefined });
  }
  for (const { name, type, description, aliases } of memory.graph.entities()) {
    // Types are told with relations.
    if (description === "" && aliases.length === 0) continue;
    const own = { type: type || undefined, description: description || undefined };
    yield without({ kind: "entity", name, ...own, aliases: aliases.length > 0 ? aliases : undefined });
  }
  for (const relation of memory.graph.iterate()) {
    const { id, subject, predicate, object, confidence, sentence, learned, from, until, extra } = relation;
    const types = { subject_type: memory.graph.typeOf(subject), object_type: memory.graph.typeOf(object) };
    yield without({
      ...extra,
      kind: "relation",
      id,
      subject,
      predicate,
      object,
      confidence,
      subject_type: types.subject_type || undefined,
      object_type: types.object_type || undefined,
      sentence,
      at: iso(learned),
      valid_from: iso(from),
      valid_to: iso(until),
    });
  }
  // What moves between the tiers while this is written is in one of them at the start or at the end.
  const given = new Set<string>();
  for (const line of coldLines(memory)) {
    given.add(line.id as string);
    yield line;
  }
  for (const document of memory.documents.iterate()) {
    if (document.derived || given.has(document.id)) continue;
    given.add(document.id);
    yield without({ ...document, kind: "document", at: iso(document.at) });
  }
  for (const line of coldLines(memory)) if (!given.has(line.id as string)) yield line;
  for (const { record } of memory.text.read(null)) {
    const { role, text, channel, source, untrusted, no_memory } = record;
    const at = iso(record.at);
    const id = record.id ?? messageId({ role, text, channel, at });
    yield without({ kind: "message", id, role, text, channel, at, source, untrusted, no_memory });
  }
  for (const { name } of memory.knowledge.list()) {
    yield { kind: "knowledge", name, content: memory.knowledge.content(name) ?? "" };
  }
  for (const { digest, mime, description } of memory.media?.all() ?? []) {
    const data = bytesOf(memory, digest);
    yield without({ kind: "media", digest, mime, description: description || undefined, data });
  }
}

/** Documents that are in the context at present: they go out as what they are. */
function* coldLines(memory: Memory): Generator<Line> {
  for (const event of memory.context.events()) {
    if (event.kind !== "cold_storage") continue;
    const document = (event as { document?: Record<string, unknown> }).document;
    const at = new Date(event.at).toISOString();
    yield without({ content: event.input, ...document, kind: "document", id: event.id, at });
  }
}

/** A damaged blob goes out as its description alone; the media store has told of it. */
function bytesOf({ media, ports }: Memory, digest: string): string | undefined {
  try {
    const data = media?.get(digest)?.data;
    return data && Buffer.from(data).toString("base64");
  } catch (error) {
    ports.log.warn(`Exporting media ${digest.slice(0, 12)} without its bytes: ${error}`);
    return undefined;
  }
}

/** The same without fields that have no value. */
function without(line: Line): Line {
  return Object.fromEntries(Object.entries(line).filter(([, value]) => value !== undefined)) as Line;
}

import { createHash } from "node:crypto";
import type { TextRecord } from "../core/wire/memory.ts";
import type { NewDocument } from "./documents/documents.ts";
import type { Graph } from "./graph/graph.ts";
import type { ImportedEntity, ImportedMessage, ImportSinks } from "./import.ts";
import { messageUnit, type Unit } from "./index/search_index.ts";
import type { Memory } from "./memory.ts";
import { transaction } from "./sqlite.ts";

/** The source of messages that were imported: they are in the text log and the index, never in the context. */
export const IMPORTED = "import";

/** Where an import's lines go in a memory. Taking the same again changes nothing. Movements between the tiers pass
 * between two batches: whoever talks meanwhile does not wait for the end of the file. */
export function importSinks(memory: Memory): ImportSinks {
  const sinks = sinksOf(memory);
  const passing = <T>(sink: (taken: T) => void | Promise<void>) => (taken: T) =>
    memory.gate.shared(() => sink(taken)).finally(() => memory.tidy());
  return {
    attributes: passing(sinks.attributes),
    entities: passing(sinks.entities),
    relations: passing(sinks.relations),
    documents: passing(sinks.documents),
    messages: passing(sinks.messages),
    knowledge: passing(sinks.knowledge),
    media: passing(sinks.media),
  };
}

function sinksOf(memory: Memory): ImportSinks {
  const { graph, documents, context, text, index, media, knowledge, recall } = memory;
  let known: Set<string> | undefined;
  const isKnown = ({ id, content, at, title }: NewDocument) => {
    const here = documents.has(id!) ? documents.get(id!) : undefined;
    return here !== undefined && here.content === content && here.at === at && here.title === title;
  };
  return {
    attributes(batch) {
      transaction(graph.db, () => batch.forEach((attribute) => graph.setAttribute(attribute)));
    },
    entities(batch) {
      transaction(graph.db, () => batch.forEach((entity) => learn(graph, entity)));
    },
    relations(facts) {
      graph.commit(facts, { source: IMPORTED });
      recall.sync();
    },
    documents(batch) {
      // Of one id the last counts. One that is in the context would exist twice; one that is here is not touched.
      const last = [...new Map(batch.map((document) => [document.id ?? document, document])).values()];
      const fresh = last.filter((document) =>
        document.id === undefined || (!context.get(document.id) && !isKnown(document))
      );
      for (const { id, media_digests } of fresh as { id?: string; media_digests?: string[] }[]) {
        if (id !== undefined && media_digests) media?.setReferences("document", id, media_digests);
      }
      documents.putMany(fresh);
    },
    async messages(batch) {
      known ??= new Set([...text.read(null)].map(({ record }) => identity(record)));
      const fresh = batch.filter((message) => {
        const mark = identity(recordOf(message));
        return !known!.has(mark) && known!.add(mark);
      });
      if (fresh.length === 0) return;
      await text.appendAll(fresh.map(recordOf));
      index.putMany(fresh.map((message) => unitOf(recordOf(message))));
    },
    knowledge({ name, content }) {
      if (knowledge.content(name) !== content) knowledge.add(name, content, { replace: true });
    },
    media({ digest, mime, description, data }) {
      if (data) media?.put(mime, data, description);
      else media?.know(digest, mime, description ?? "");
    },
  };
}

/** What is known of a node already is not written over. */
function learn(graph: Graph, { name, type, description, aliases = [] }: ImportedEntity): void {
  const known = graph.entity(name);
  const set = {
    ...(type !== undefined && !known?.type && { type }),
    ...(description !== undefined && !known?.description && { description }),
  };
  const added = aliases.filter((alias) => !known?.aliases.includes(alias));
  if (known && added.length === 0 && Object.keys(set).length === 0) return;
  graph.setEntity(name, { ...set, aliases: added });
}

/** Brings an index that was emptied, or that a kill found at work, to have the imported messages that the text log has,
 * where alone they are. */
export function reindexMessages({ text, index }: Memory): void {
  const rows = index.db.prepare("SELECT id FROM units WHERE kind = 'message' AND source = ?").all(IMPORTED);
  const left = new Set(rows.map((row) => row.id as string));
  const batch: TextRecord[] = [];
  const flush = () => index.putMany(batch.splice(0).map(unitOf));
  for (const { record } of text.read(null)) {
    if (record.id !== undefined && !left.delete(record.id)) batch.push(record);
    if (batch.length >= 500) flush();
  }
  flush();
  index.removeMany("message", [...left]);
}

function recordOf({ id, role, text, channel, at, extra }: ImportedMessage): TextRecord & Record<string, unknown> {
  const source = typeof extra?.source === "string" ? extra.source : IMPORTED;
  return { ...extra, id, role: role === "assistant" ? "agent" : role, text, channel, source, at };
}

function unitOf({ id, text, at, channel, role }: TextRecord): Unit {
  return messageUnit({ id: id!, text, at, channel, role, source: IMPORTED });
}

/** Two records that say the same at the same time in the same channel are one. */
function identity({ role, text, channel, at }: TextRecord): string {
  return createHash("sha256").update(JSON.stringify([role, text, channel, at])).digest("base64").slice(0, 12);
}

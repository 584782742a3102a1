import { createHash } from "node:crypto";
import type { ContextEvent, Triple } from "../core/wire/memory.ts";
import type { ContextStore, StoredEvent } from "./context_store.ts";
import type { MemoryDocument } from "./documents/document.ts";
import type { Documents } from "./documents/documents.ts";
import type { Fact, Graph } from "./graph/graph.ts";
import { messageUnit, type SearchIndex, type Unit } from "./index/search_index.ts";
import type { Journal } from "./journal.ts";
import type { MediaStore } from "./media_store.ts";
import { textsIn } from "./mention.ts";
import type { UndoItem, UndoStore } from "./undo.ts";

/** A cold document on its way into the graph. */
export interface Distillation {
  kind: "distill";
  document: MemoryDocument;
  facts: Fact[];
}

/** A change on its way back: the undo item's id, and so many accesses for its documents, which keep them warm: what a
 * person took back is not to be distilled again at the next beat. */
export interface TakingBack {
  kind: "take_back";
  item: string;
  accesses: number;
}

/** What the journal has. */
export type Movement = Distillation | TakingBack;

/** What the movements are made of. */
export interface Tiers {
  context: ContextStore;
  documents: Documents;
  graph: Graph;
  index: SearchIndex;
  /** null: media are off. */
  media: MediaStore | null;
  journal: Journal<Movement>;
  undo: UndoStore;
}

/** The source of events that are documents come back. */
export const COLD_STORAGE = "cold_storage";

/** Every movement between the tiers. A thing has one id wherever it is, and each movement first puts it where it goes
 * and then takes it from where it was; so after a kill in between it is in both under one id, and `recover` finishes: of
 * an event and a document with one id the event stays. A document that becomes facts, or comes back from them, changes
 * its form, so those movements are written into the journal first and done again to their end. A movement that fails
 * half way (a full disk) takes back what it did. */
export class Flow {
  readonly #tiers: Tiers;

  constructor(tiers: Tiers) {
    this.#tiers = tiers;
  }

  /** Finishes what a kill left half done, and brings references and message units in line with the context. */
  recover(notices: string[]): void {
    const { context, documents, index, journal } = this.#tiers;
    for (const { id, movement } of journal.open(notices)) {
      if (movement.kind === "take_back") this.#putBack(id, movement);
      else this.#finish(id, movement);
    }
    const events = context.events();
    documents.removeMany(events.filter((event) => documents.has(event.id)).map((event) => event.id));
    const ids = new Set(events.map((event) => event.id));
    const rows = index.db.prepare("SELECT id FROM units WHERE kind = 'message' AND source IS NOT 'import'").all();
    const indexed = new Set(rows.map((row) => row.id as string));
    for (const id of indexed) if (!ids.has(id)) index.remove("message", id);
    index.putMany(events.filter((event) => !indexed.has(event.id)).flatMap(unitsOf));
    this.#adopt();
    this.reconcileReferences();
  }

  /** Blobs that the media store knows no more get back what the tiers say of them: who refers to them, and what a mark in
   * some text says they show. */
  #adopt(): void {
    const { context, documents, media } = this.#tiers;
    if (!media?.isDoubtful) return;
    const adopted = new Map(media.adopted.map((digest) => [digest.slice(0, 12), digest]));
    const look = (text: string) => {
      for (const [, prefix, description] of text.matchAll(MARK)) {
        const digest = adopted.get(prefix!);
        if (digest !== undefined && description!.trim() !== "") media.describe(digest, description!.trim());
      }
    };
    for (const event of context.events()) look(textsIn(event));
    for (const document of documents.iterate()) {
      if (document.media_digests) media.setReferences("document", document.id, document.media_digests);
      look(textsIn(document));
    }
  }

  /** Makes the references of media those that the tiers have: after a kill, and after the graph lost sentences. */
  reconcileReferences(): void {
    const { context, documents, media, graph } = this.#tiers;
    if (!media) return;
    for (const event of context.events()) media.setReferences("context", event.id, event.media ?? []);
    for (const id of media.owners("context")) if (!context.get(id)) media.setReferences("context", id, []);
    for (const id of media.owners("document")) if (!documents.has(id)) media.setReferences("document", id, []);
    const sentences = new Map(sentenceMedia(graph));
    for (const [hash, digests] of sentences) media.setReferences("graph_sentence", hash, digests);
    for (const hash of media.owners("graph_sentence")) {
      if (!sentences.has(hash)) media.setReferences("graph_sentence", hash, []);
    }
  }

  /** A movement that failed leaves no reference behind. Where that fails too, the media loop does it at its next beat. */
  #afterFailure(): void {
    try {
      this.reconcileReferences();
    } catch {
      // The same disk: what it says is said already.
    }
  }

  /** Into the context, from outside. */
  async append(event: ContextEvent): Promise<void> {
    const { context, index, media } = this.#tiers;
    if (event.media?.length) media?.setReferences("context", event.id, event.media);
    try {
      await context.put(event);
    } catch (error) {
      this.#afterFailure();
      throw error;
    }
    index.putMany(unitsOf(context.get(event.id) ?? event));
  }

  /** Takes back what `append` did for an event that was refused after all. */
  async retract(event: ContextEvent): Promise<void> {
    const { context, index, media } = this.#tiers;
    await context.retract(event.id);
    index.removeMany("message", [event.id]);
    if (event.media?.length) media?.setReferences("context", event.id, []);
  }

  /** Context → documents, each event at its own time; `drop` only leaves the context. Answers with the documents' ids.
   * Ids that are not in the context are fine: they have moved already. */
  async archive(ids: string[], drop: string[] = []): Promise<string[]> {
    const { context, documents, index, media } = this.#tiers;
    const events = ids.flatMap((id) => context.get(id) ?? []);
    const made = events.flatMap(documentOfEvent);
    for (const document of made) {
      if (document.media_digests) media?.setReferences("document", document.id, document.media_digests);
    }
    const leaving = [...events.map((event) => event.id), ...drop];
    const withMedia = leaving.filter((id) => context.get(id)?.media?.length);
    try {
      documents.putMany(made);
      await context.remove(leaving);
    } catch (error) {
      documents.removeMany(made.map((document) => document.id));
      this.#afterFailure();
      throw error;
    }
    index.removeMany("message", leaving);
    for (const id of withMedia) media?.setReferences("context", id, []);
    return made.map((document) => document.id);
  }

  /** Documents → context, each as a `cold_storage` event at its own time. Derived documents are not moved: they are made
   * from the graph and would be made again. */
  async consume(ids: string[]): Promise<ContextEvent[]> {
    const { documents, media } = this.#tiers;
    const moving = ids.flatMap((id) => documents.get(id) ?? []).filter((document) => !document.derived);
    const events = moving.map(eventOfDocument);
    try {
      for (const event of events) await this.append(event);
      documents.removeMany(moving.map((document) => document.id));
    } catch (error) {
      for (const event of events) if (documents.has(event.id)) await this.retract(event);
      throw error;
    }
    for (const { id } of moving) media?.setReferences("document", id, []);
    return events;
  }

  /** Document → graph: its facts, each with the document's text as the sentence it came from. The whole movement can be
   * taken back. With no facts nothing moves. */
  distill(document: MemoryDocument, triples: Triple[]): { ids: string[] } {
    if (triples.length === 0 || document.derived || document.untrusted) return { ids: [] };
    const sentence = [document.title, document.content].filter((text) => text).join("\n");
    const facts = triples.map((triple, i): Fact => ({
      ...triple,
      id: `${document.id}/${i}`,
      at: document.at,
      sentence,
    }));
    const movement: Distillation = { kind: "distill", document, facts };
    const id = this.#tiers.journal.begin(movement);
    try {
      return { ids: this.#finish(id, movement) };
    } catch (error) {
      // Nothing is committed when the commit itself failed, or was taken back; else the next start finishes it.
      if (this.#tiers.graph.relation(facts[0]!.id!) === undefined) this.#tiers.journal.end(id);
      this.#afterFailure();
      throw error;
    }
  }

  /** What a change took away comes back: its documents, and the graph as it was but for what was learned since. */
  takeBack(item: UndoItem, options: { accesses: number }): void {
    const movement: TakingBack = { kind: "take_back", item: item.id, accesses: options.accesses };
    const { graph, documents, journal } = this.#tiers;
    const id = journal.begin(movement);
    const change = graph.change;
    try {
      this.#putBack(id, movement);
    } catch (error) {
      // Once the graph is back, the next start finishes it.
      if (graph.change === change) {
        documents.removeMany(item.documents.map((document) => document.id));
        journal.end(id);
      }
      this.#afterFailure();
      throw error;
    }
  }

  #putBack(id: string, { item: itemId, accesses }: TakingBack): void {
    const { graph, documents, context, media, undo, journal } = this.#tiers;
    const item = undo.find(itemId);
    if (item) {
      for (const document of item.documents) {
        media?.setReferences("document", document.id, document.media_digests ?? []);
      }
      const ids = documents.putMany(item.documents.filter((document) => !context.get(document.id)));
      for (let i = 0; i < accesses; i++) documents.touch(ids);
      for (const change of item.graph) graph.undo(change);
      this.reconcileReferences();
      undo.remove(itemId);
    }
    journal.end(id);
  }

  /** Each step may have been done before a kill; done again it changes nothing. */
  #finish(id: string, { document, facts }: Distillation): string[] {
    const { graph, documents, media, undo, journal } = this.#tiers;
    const digests = document.media_digests ?? [];
    for (const hash of new Set(facts.map((fact) => sentenceHash(fact.sentence!)))) {
      if (digests.length > 0) media?.setReferences("graph_sentence", hash, digests);
    }
    const result = graph.commit(facts, {
      source: document.source ?? "document",
      at: document.at,
      undoable: true,
      ...(digests.length > 0 && { mediaDigests: digests }),
    });
    if (result.undo && result.committed > 0) {
      const summary = document.title ?? document.content.slice(0, 80);
      try {
        undo.add({ kind: "consolidation", summary, graph: [result.undo], documents: [document] });
      } catch (error) {
        graph.undo(result.undo);
        throw error;
      }
    }
    documents.remove(document.id);
    media?.setReferences("document", document.id, []);
    journal.end(id);
    return result.ids;
  }
}

/** How media stands in a text: the kernel makes these marks. */
const MARK = /\[[a-z]+\/[\w.+-]+ ([0-9a-f]{12})\] ([^\n]*)/g;

/** The words of an event, as its document holds them. */
export function textOfEvent(event: ContextEvent): string {
  return [event.input, event.response].filter((text) => text).join("\n");
}

/** The identity of a sentence in media references: as the graph hashes it. */
export function sentenceHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Sentences of the graph with their media. */
function* sentenceMedia(graph: Graph): Generator<[string, string[]]> {
  for (const row of graph.db.prepare("SELECT hash, media FROM sentences WHERE media IS NOT NULL").iterate()) {
    yield [row.hash as string, JSON.parse(row.media as string) as string[]];
  }
}

/** The whole event travels with its document, so that it comes back as it was. An event without words (a tool exchange
 * that ended in nothing) has nothing to keep. */
function documentOfEvent(event: StoredEvent): MemoryDocument[] {
  const content = textOfEvent(event);
  if (content === "" && !event.media?.length) return [];
  const { n, vector: _, ...stored } = event;
  const document: MemoryDocument = {
    id: event.id,
    content,
    at: event.at,
    source: event.source,
    thread: event.channel,
    ...(n !== undefined && { n }),
    ...(event.media?.length && { media_digests: event.media }),
    ...((event.untrusted || event.no_memory || event.kind === "agent") && { untrusted: true }),
  };
  // A document that had come back from cold storage goes again as it was.
  const original = (event as ColdEvent).document;
  return [original ? { ...original, id: event.id } : { ...document, event: stored }];
}

/** A `cold_storage` event with the document it was. */
type ColdEvent = ContextEvent & { document?: MemoryDocument };

function eventOfDocument(document: MemoryDocument): ColdEvent {
  const event = document.event as ContextEvent | undefined;
  const { id, at, title, content } = document;
  return {
    id,
    kind: "cold_storage",
    at,
    turn: event?.turn ?? "",
    source: COLD_STORAGE,
    channel: event?.channel ?? document.thread ?? "",
    ...(event?.input === undefined && event?.response === undefined
      ? { input: title ? `${title}\n${content}` : content }
      : { ...(event.input !== undefined && { input: event.input }) }),
    ...(event?.response !== undefined && { response: event.response }),
    ...(document.media_digests && { media: document.media_digests }),
    // What comes back was said before: it is never learned anew as if the owner had said it now.
    untrusted: true,
    document,
  };
}

/** An event as recall finds it while it is in the context: what was told. A question is no answer to itself, and what
 * the agent said is no source. */
function unitsOf(event: StoredEvent): Unit[] {
  const text = textOfEvent(event);
  if (text === "" || event.no_memory || event.kind === "self" || isAgents(event)) return [];
  const unit = messageUnit({ ...event, text, role: "user" });
  return unit.echo ? [] : [unit];
}

/** What the agent said, also when it came back from cold storage. */
function isAgents(event: ContextEvent): boolean {
  return event.kind === "agent" || (event.input === undefined && event.response !== undefined);
}

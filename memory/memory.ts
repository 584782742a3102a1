import { dirname, join } from "node:path";
import type { Clock } from "../core/base/clock.ts";
import { HomedError, messageOf } from "../core/base/errors.ts";
import { newId } from "../core/base/ids.ts";
import type { Log } from "../core/base/log.ts";
import { progressLog } from "../core/base/progress.ts";
import type { ContextEvent, MemoryAsks, MemorySettings, MemoryStats, TextRecord, Vector } from "../core/wire/memory.ts";
import { ContextStore } from "./context_store.ts";
import { Documents } from "./documents/documents.ts";
import { checked, type Embedder } from "./embedders/embedder.ts";
import { chooseEmbedder, type NeuralLine } from "./embedders/choose.ts";
import { tfidf } from "./embedders/tfidf.ts";
import { VectorIndex } from "./embedders/vector_index.ts";
import { diskStore, type FileStore } from "./files.ts";
import { Flow, type Movement, type Tiers } from "./flow.ts";
import { Gate } from "./gate.ts";
import type { Graph } from "./graph/graph.ts";
import { openGraph } from "./graph/open.ts";
import { reindexMessages } from "./importing.ts";
import { SearchIndex } from "./index/search_index.ts";
import { Journal } from "./journal.ts";
import { Knowledge } from "./knowledge.ts";
import { removeLeftOvers } from "./left_overs.ts";
import { type GraphUndo, isChange } from "./graph/snapshot.ts";
import { digestOf, MediaStore } from "./media_store.ts";
import { Recall } from "./recall/recall.ts";
import { SemanticRecall } from "./semantic_recall.ts";
import { Social } from "./social.ts";
import { checkpoint, condemn, isDamage } from "./sqlite.ts";
import { TextLog } from "./text_log.ts";
import { UndoStore } from "./undo.ts";

/** What the memory needs from outside. */
export interface MemoryPorts {
  clock: Clock;
  log: Log;
  /** Asks the kernel for a decision; null: there is no model, keep it waiting. */
  decide(params: MemoryAsks["self.decide"]["params"]): Promise<string | null>;
  /** Context events left without the kernel's doing (pruned while idle, forgotten): its window should drop them too. */
  left(ids: string[]): void;
  /** The line to the embed worker, where there is one. */
  neural?: NeuralLine;
  /** The disk below these folders. Default: the real one. */
  store?: (roots: string[]) => FileStore;
}

/** Documents that are synced in one go, and the milliseconds between two: an answer never waits long for them. */
const SETTLED_AT_ONCE = 4;
const SETTLE_PAUSE = 5;
/** The same while memory is in use: when it was asked for something in the last while. */
const SETTLE_PAUSE_IN_USE = 100;
const IN_USE = 300;

/** The three tiers, media, text log, social and knowledge, opened from one home. */
export class Memory {
  readonly settings: MemorySettings;
  readonly ports: MemoryPorts;
  readonly gate = new Gate();
  readonly store: FileStore;
  readonly index: SearchIndex;
  readonly graph: Graph;
  readonly documents: Documents;
  readonly context: ContextStore;
  readonly text: TextLog;
  readonly media: MediaStore | null;
  readonly knowledge: Knowledge;
  readonly social: Social;
  readonly vectors: VectorIndex;
  readonly recall: SemanticRecall;
  readonly undo: UndoStore;
  readonly tiers: Tiers;
  readonly flow: Flow;
  /** Sentences for the person about what was found on opening. */
  readonly notices: string[] = [];
  /** When it was last asked for something, by the monotonic clock. */
  askedAt = -Infinity;
  #embedder: Embedder;
  #owned: (Embedder & Partial<Disposable>) | undefined;
  #choosing = new AbortController();
  readonly #closing = new AbortController();
  #tidying: Promise<void> | undefined;

  private constructor(settings: MemorySettings, ports: MemoryPorts) {
    this.settings = settings;
    this.ports = ports;
    const now = () => ports.clock.now();
    const state = dirname(settings.context);
    const roots = [state, settings.documents, settings.text, settings.media_dir];
    for (const folder of roots) Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.store = (ports.store ?? diskStore)([...new Set([...roots, settings.knowledge])]);
    this.index = new SearchIndex(this.indexPath);
    this.graph = openGraph(settings.graph, { index: this.index, backup: this.backupPath, now });
    const onProblem = (text: string) => ports.log.warn(text, { notice: true });
    const { store: files, index } = this;
    this.documents = new Documents({ files, folder: settings.documents, index, now, onProblem, boot: settings.boot });
    this.context = new ContextStore({
      store: this.store,
      path: settings.context,
      clock: ports.clock,
      onProblem,
    });
    const { text: folder, log_rotate_bytes: rotateBytes } = settings;
    this.text = new TextLog({ store: files, folder, rotateBytes, now, onProblem });
    this.media = settings.media_enabled ? new MediaStore({ store: this.store, folder: settings.media_dir, now }) : null;
    this.undo = new UndoStore({ store: files, folder: join(state, "undo"), now, onProblem });
    this.knowledge = new Knowledge({ store: this.store, folder: settings.knowledge, index: this.index, now });
    this.social = new Social(this.graph, now);
    this.#embedder = checked(tfidf, (text) => ports.log.warn(text));
    this.vectors = new VectorIndex(this.index, () => progressLog(ports.log, "Making vectors"));
    const words = new Recall({ index: this.index, graph: this.graph, now });
    this.recall = new SemanticRecall({ words, vectors: this.vectors });
    const journal = new Journal<Movement>({ store: this.store, folder: join(state, "journal"), now });
    const { context, documents, graph, media, undo } = this;
    this.tiers = { context, documents, graph, index, media, undo, journal };
    this.flow = new Flow(this.tiers);
  }

  /** Opens a home, finishes what a kill cut off, and tells what was damaged. */
  static open(settings: MemorySettings, ports: MemoryPorts): Memory {
    const memory = Memory.#sound(settings, ports);
    const { notices, index, graph, documents, media } = memory;
    notices.push(...index.notices, ...graph.notices, ...documents.notices, ...media?.notices ?? []);
    notices.push(...memory.context.open());
    memory.flow.recover(notices);
    if (!documents.wasClean) removeLeftOvers(memory.store, settings);
    memory.knowledge.refresh({ force: true });
    if (index.stale || !documents.wasClean) reindexMessages(memory);
    for (const notice of notices) ports.log.warn(notice);
    memory.chooseEmbedder(settings.embedding_model_path);
    memory.tidy();
    if (ports.neural) ports.neural.attached = () => memory.chooseEmbedder(settings.embedding_model_path);
    return memory;
  }

  /** A graph too large to be checked at every start shows its broken pages when it is read: it is checked then. */
  static #sound(settings: MemorySettings, ports: MemoryPorts): Memory {
    try {
      return new Memory(settings, ports);
    } catch (error) {
      if (!isDamage(error)) throw error;
      condemn(settings.graph);
      return new Memory(settings, ports);
    }
  }

  /** Beside the context, wherever the graph is: the graph's own folder may be one that only its file is ours in. */
  get indexPath(): string {
    return join(dirname(this.settings.context), "index.db");
  }

  get backupPath(): string {
    return join(dirname(this.settings.context), "graph.db.bak");
  }

  /** Aborted when it closes: long work ends then. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  get embedder(): Embedder {
    return this.#embedder;
  }

  /** Prepares the configured model in the background; until it is ready, and without one, TF-IDF serves. */
  chooseEmbedder(setting: string): void {
    this.#choosing.abort();
    const choosing = this.#choosing = new AbortController();
    const { log } = this.ports;
    const folder = join(dirname(this.settings.context), "vectors");
    chooseEmbedder(setting, { folder, log, signal: choosing.signal, neural: this.ports.neural }).then((embedder) => {
      if (choosing.signal.aborted) return embedder?.[Symbol.dispose]?.();
      this.#use(embedder);
    }).catch((error) => {
      // Another choice has taken its place, with a line of its own.
      if (choosing.signal.aborted) return;
      this.#use(undefined);
      log.warn(`Cannot use the embedding model ${setting}: ${messageOf(error)}: memory finds by words`, {
        notice: true,
      });
    });
  }

  #use(embedder: (Embedder & Partial<Disposable>) | undefined): void {
    this.#owned?.[Symbol.dispose]?.();
    this.#owned = embedder;
    this.#embedder = checked(embedder ?? tfidf, (text) => this.ports.log.warn(text));
    this.vectors.use(embedder && this.#embedder);
  }

  /** Syncs, bit by bit and beside other work, what bulk writes left in the documents' journal. */
  tidy(): void {
    if (this.documents.unsettled === 0) return;
    const { clock, log } = this.ports;
    const { signal } = this.#closing;
    this.#tidying ??= (async () => {
      do {
        const isInUse = clock.monotonic() - this.askedAt < IN_USE;
        await clock.sleep(isInUse ? SETTLE_PAUSE_IN_USE : SETTLE_PAUSE, { signal });
      } while (await this.gate.shared(() => this.documents.settle(SETTLED_AT_ONCE)));
    })().catch((error) => {
      if (!signal.aborted) log.warn(`Cannot settle the documents' journal: ${messageOf(error)}: it is tried again`);
    }).finally(() => this.#tidying = undefined);
  }

  /** Vectors of texts in the present space. */
  embed(texts: string[]): Promise<Vector[]> {
    return this.#embedder.embed(texts);
  }

  /** Takes a context event in: on disk in the context and, for what was said, in the text log, before it resolves. */
  async append(event: ContextEvent): Promise<Vector | undefined> {
    const said = recordsOf(event);
    const text = textForVector(event);
    const embedding = text === "" ? [] : this.embed([text]);
    const [kept, vectors] = await Promise.allSettled([this.#keep(event, said), embedding]);
    if (kept.status === "rejected") throw kept.reason;
    if (vectors.status === "rejected") throw vectors.reason;
    return vectors.value[0];
  }

  /** The text log comes last, for it only grows: what is refused must not stay in a part of it. */
  async #keep(event: ContextEvent, said: TextRecord[]): Promise<void> {
    try {
      await this.flow.append(event);
      if (said.length > 0) await this.text.appendAll(said);
    } catch (error) {
      await this.flow.retract(event).catch((cause) =>
        this.ports.log.warn(`A refused event could not be taken back whole: ${messageOf(cause)}`)
      );
      throw error;
    }
  }

  /** The window with vectors of the present space. */
  async load(): Promise<ContextEvent[]> {
    const events = this.context.events();
    const texts = events.map(textForVector);
    const vectors = await this.embed(texts);
    return events.map((event, i) => (texts[i] === "" ? event : { ...event, vector: vectors[i]! }));
  }

  /** Changes settings while open. Folders stay those of `memory.open`. */
  configure(changes: Partial<MemorySettings>): void {
    const before = this.settings.embedding_model_path;
    Object.assign(this.settings, changes);
    const { embedding_model_path } = this.settings;
    if (embedding_model_path !== before) this.chooseEmbedder(embedding_model_path);
  }

  /** Keeps what takes a change of the graph back, if there was one, and brings the index up to it. */
  keepUndo(kind: string, graph: GraphUndo): void {
    if (isChange(graph)) this.undo.add({ kind, summary: graph.summary, graph: [graph], documents: [] });
    this.recall.sync();
  }

  /** Makes the databases' files whole by themselves. */
  checkpoint(): void {
    checkpoint(this.graph.db);
    checkpoint(this.index.db);
    this.media?.checkpoint();
  }

  /** Takes a change back, the newest by default.
   * @throws RpcError when there is none */
  takeBack(id?: string): { undone: string; kind: string } {
    const item = this.undo.get(id);
    this.flow.takeBack(item, { accesses: this.settings.cold_max_accesses + 1 });
    this.recall.sync();
    return { undone: item.summary, kind: item.kind };
  }

  /** Adds a document. References come first, so that none of its media is ever without one. */
  commitDocument(document: {
    title?: string | undefined;
    content: string;
    source?: string | undefined;
    at?: number | undefined;
    media_digests: string[];
  }): string {
    const { title, content, source = "tool", at = this.ports.clock.now() } = document;
    const media = document.media_digests.flatMap((digest) => this.media?.resolve(digest) ?? []);
    const id = newId(this.ports.clock.now());
    this.media?.setReferences("document", id, media);
    return this.documents.put({
      id,
      content,
      source,
      at,
      ...(title !== undefined && { title }),
      ...(media.length > 0 && { media_digests: media }),
    });
  }

  /** Stores media; when they are off only the digest is made. */
  putMedia(mime: string, data: Uint8Array, description?: string): string {
    return this.media?.put(mime, data, description) ?? digestOf(data);
  }

  stats(): MemoryStats {
    const { embedder, settings } = this;
    const documents = this.documents.stats();
    return {
      ...this.graph.stats(),
      documents: documents.documents,
      context_events: this.context.size,
      messages: this.text.count(),
      knowledge: this.knowledge.count,
      media: this.media?.stats() ?? { items: 0, bytes: 0 },
      embedder: {
        name: embedder.name,
        dimension: embedder.dimension,
        fingerprint: embedder.fingerprint,
        pending: this.vectors.pending,
      },
      bytes: {
        graph: bytesOf(settings.graph),
        index: bytesOf(this.indexPath),
        documents: documents.bytes,
        text: this.text.bytes(),
        media: this.media?.stats().bytes ?? 0,
        context: bytesOf(settings.context),
      },
    };
  }

  /** Everything down, durable and released. */
  async close(): Promise<void> {
    this.#choosing.abort();
    this.#closing.abort(
      new HomedError("closing", "Memory is being closed", {
        fix: "start again what was broken off: nothing is taken twice",
      }),
    );
    await this.#tidying;
    delete this.ports.neural?.attached;
    await this.vectors.close();
    // Everything is durable already: what a full disk keeps from being tidied is tidied at the next start.
    const tell = (error: unknown) => this.ports.log.warn(`Memory was not closed tidily: ${messageOf(error)}`);
    const tidily = (work: () => unknown) => {
      try {
        work();
      } catch (error) {
        tell(error);
      }
    };
    await this.gate.exclusive(() => this.context.save()).catch(tell);
    this.#owned?.[Symbol.dispose]?.();
    tidily(() => this.documents[Symbol.dispose]());
    tidily(() => this.media?.close());
    tidily(() => this.index[Symbol.dispose]());
    tidily(() => this.graph[Symbol.dispose]());
  }
}

/** A file with what SQLite keeps beside it. */
function bytesOf(path: string): number {
  return [path, `${path}-wal`].reduce((sum, one) => {
    try {
      return sum + Deno.statSync(one).size;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return sum;
      throw error;
    }
  }, 0);
}

/** The text an event's vector is made of: an agent's response, a user's input, a returned document's both. */
export function textForVector(event: ContextEvent): string {
  if (event.no_memory) return "";
  if (event.vector_text !== undefined) return event.vector_text;
  if (event.kind === "agent") return event.response ?? "";
  if (event.kind === "cold_storage") return [event.input, event.response].filter((text) => text).join("\n");
  return event.input ?? "";
}

/** What an event adds to the text log; what came back from cold storage was logged when it was said. */
function recordsOf(event: ContextEvent): TextRecord[] {
  if (event.kind === "cold_storage") return [];
  const { channel, source, at, turn, untrusted, no_memory } = event;
  const record = (role: TextRecord["role"], text: string): TextRecord => ({
    role,
    text,
    channel,
    source,
    at,
    turn,
    ...(untrusted && { untrusted }),
    ...(no_memory && { no_memory }),
  });
  return [
    ...(event.input ? [record(event.kind === "self" ? "system" : "user", event.input)] : []),
    ...(event.response ? [record("agent", event.response)] : []),
  ];
}

/** What the kernel and `main` ask of the memory worker. Every write is durable when its call returns. Times are
 * milliseconds since the epoch; the outside (socket, files) uses ISO 8601. @module */
import type { Ok, PartMethods } from "./kernel.ts";
import type { ChatMessage } from "./llm.ts";

/** A vector and the space it lives in; vectors of different spaces are never compared. Sparse ones have `at`: the index
 * of each value, ascending. Always of length 1 (or 0 for an empty text). */
export interface Vector {
  /** The embedder's fingerprint: another model, another space. */
  space: string;
  /** All dimensions, or those named in `at`. */
  values: Float32Array;
  /** Only in sparse vectors; as long as `values`. */
  at?: Uint32Array;
}

/** One event of the context window. A user event has `input`, an agent event `response` (and the turn's tool exchange in
 * `messages`, sendable as it stands), a `cold_storage` event is a document that came back. */
export interface ContextEvent {
  /** Sorts by time of making. */
  id: string;
  /** `interrupt`: text that came into a running turn; `self`: what the agent noted for itself. */
  kind: "user" | "agent" | "cold_storage" | "interrupt" | "self";
  /** Milliseconds since the epoch; a document that came back keeps its own time. */
  at: number;
  /** Id of the turn it belongs to; events of one turn stay together. */
  turn: string;
  /** Who: "cli", a plugin's name, "cold_storage", "agentcli", … */
  source: string;
  /** Where it was said. */
  channel: string;
  /** The text that came in; absent on agent events. */
  input?: string;
  /** The text that went out; only on agent events. */
  response?: string;
  /** Assistant messages with tool calls and their results, in order; every call has exactly one result. */
  messages?: ChatMessage[];
  /** Full sha256 digests of media that came with it. */
  media?: string[];
  /** Not vectorized, not distilled; the text itself is kept. */
  no_memory?: boolean;
  /** The text is not the owner's own (channel of a stranger, recalled text, tool output): never distilled as facts. */
  untrusted?: boolean;
  /** What the vector is made of, when cleaners changed it; else input or response as the kind says. */
  vector_text?: string;
  /** Given by memory; absent before that and where `no_memory` forbids one. */
  vector?: Vector;
}

/** A fact to learn. Names are matched with their aliases, whatever their case. */
export interface Triple {
  /** A name; the entity is made when it is new. */
  subject: string;
  /** A short phrase, such as `lives in`; single-valued ones close the fact that was true before. */
  predicate: string;
  /** A name or a value. */
  object: string;
  /** 0 to 1; 1 by default. */
  confidence?: number;
  /** Such as `person` or `place`; absent: as it is known. */
  subject_type?: string;
  /** As `subject_type`. */
  object_type?: string;
  /** ISO 8601; since when it is true. By default when it was learned. */
  valid_from?: string;
  /** ISO 8601; until when it was true. Absent: still true. */
  valid_to?: string;
}

/** A relation as tools see it. Times are ISO 8601; `current`: true now. */
export interface RelationFact {
  /** For `graph.edit` and `graph.commit`'s `ids`. */
  id: string;
  /** The entity's main name, never an alias. */
  subject: string;
  /** As it was learned. */
  predicate: string;
  /** The entity's main name, never an alias. */
  object: string;
  /** 0 to 1. */
  confidence: number;
  /** What it was learned from; absent when there is none. */
  sentence?: string;
  /** When it was learned. */
  at: string;
  /** Since when it is true. */
  valid_from: string;
  /** Until when it was true; absent: still true. */
  valid_to?: string;
  /** False: it was true once. */
  current: boolean;
}

/** Where in memory a hit comes from. */
export type HitKind = "relation" | "document" | "sentence" | "message" | "knowledge";
/** What led to a hit: a name in the query, its words, its meaning, or a relation of something found. */
export type HitReason = "exact" | "text" | "vector" | "graph";

/** One thing that memory knows about a query. */
export interface Hit {
  /** Unique within its kind. */
  id: string;
  /** Also decides how `text` is made. */
  kind: HitKind;
  /** A relation: `subject predicate object. sentence`; a document: title and content. */
  text: string;
  /** Calibrated, 0 to 1: comparable between queries. */
  score: number;
  /** Never empty. */
  why: HitReason[];
  /** ISO 8601. */
  at: string;
  /** For relations: still true. */
  current?: boolean;
}

/** What a query finds; an empty list is an honest answer. */
export interface RecallResult {
  /** False: nothing found answers the query, and hits, if any, are only what is near. */
  answerable: boolean;
  /** Best first. */
  hits: Hit[];
}

/** What the prompt gets of memory, in one call. Texts are plain; the kernel fences them. */
export interface Brief {
  /** `[Memory Index]`: facts, best first. */
  index: Hit[];
  /** `[Related Memory Docs]`: at most three. */
  documents: Hit[];
  /** Matching knowledge entries. */
  knowledge: Hit[];
}

/** How much memory holds. */
export interface MemoryStats {
  /** Nodes of the graph. */
  entities: number;
  /** Facts, those no longer true too. */
  relations: number;
  /** Facts that are true now. */
  current_relations: number;
  /** Sentences that facts were learned from. */
  sentences: number;
  /** In cold storage, outside the context. */
  documents: number;
  /** In the context window. */
  context_events: number;
  /** Rows of the text log. */
  messages: number;
  /** Entries of the knowledge base. */
  knowledge: number;
  /** Blobs that are there, and their bytes. */
  media: { items: number; bytes: number };
  /** What makes vectors now; `pending` texts still wait for theirs. */
  embedder: { name: string; dimension: number; fingerprint: string; pending: number };
  /** On disk, by store: graph, index, documents, text, media, context. */
  bytes: Record<string, number>;
}

/** What an import did; a line that is rejected stops nothing. */
export interface ImportReport {
  /** Lines by what became of them: each kind that was taken, and `rejected`. */
  counts: Record<string, number>;
  /** `line` counts from 1. */
  rejected: { line: number; reason: string }[];
}

/** An image or a sound, and what is known of it. */
export interface MediaBlob {
  /** Full sha256, in hex. */
  digest: string;
  /** As it was when it was stored. */
  mime: string;
  /** Its size, also after it was evicted. */
  bytes: number;
  /** Empty until someone described it. */
  description: string;
  /** Absent when the blob was evicted: the description is what remains. */
  data?: Uint8Array;
}

/** Media that stay as long as what they are bound to does. */
export interface MediaBinding {
  /** Full digests or their first 12 digits or more; unknown ones are left out. */
  media_digests?: string[];
}

/** One row of the text log. */
export interface TextRecord {
  /** Of a message that was imported: the same one again is known by it. */
  id?: string;
  /** Who said it. */
  role: "user" | "agent" | "system" | "tool";
  /** As it was said, uncut. */
  text: string;
  /** Where it was said. */
  channel: string;
  /** Who said it there: "cli", a plugin's name. */
  source: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Absent on what was said outside a turn. */
  turn?: string;
  /** Not the owner's own words: never distilled as facts. */
  untrusted?: boolean;
  /** Kept, but never distilled. */
  no_memory?: boolean;
}

/** Methods the memory worker serves. `notices` are sentences for the person, in both languages where they matter. */
export interface MemoryMethods extends PartMethods {
  // Life
  /** The first call; again it closes what is open and opens anew. Answered when all stores are usable. */
  "memory.open": { params: MemorySettings; result: { notices: string[] } };
  /** Changes what is given and leaves the rest; places of stores count from the next `memory.open`. */
  "memory.configure": { params: Partial<MemorySettings>; result: Ok };
  /** Answered when everything is on disk and released. */
  "memory.close": { params: Ok; result: Ok };

  // Context tier
  /** The context window as the last run left it, oldest first. */
  "context.load": { params: Ok; result: { events: ContextEvent[]; notices: string[] } };
  /** Appends to the context log and, for what was said, to the text log; answers with the event's vector. */
  "context.append": { params: { event: ContextEvent }; result: { vector?: Vector } };
  /** Moves events out of the context into documents, with their own times (or only out, when `drop` says so). */
  "context.archive": { params: { ids: string[]; drop?: string[] }; result: { documents: string[] } };
  /** Vectors of texts, for scoring. */
  "memory.embed": { params: { texts: string[] }; result: { vectors: Vector[] } };

  // Recall
  /** Looks only: nothing is consumed. `exclude`: ids of hits that the model has already seen. */
  "memory.brief": { params: { text: string; exclude?: string[]; top?: number }; result: Brief };
  /** Somebody is about to talk: what the first question would wait for is made ready, beside other work. */
  "memory.prepare": { params: Ok; result: Ok };
  /** Looks only: nothing is consumed. `top` and `threshold` as in the settings when absent. */
  "memory.recall": { params: { query: string; top?: number; threshold?: number }; result: RecallResult };

  // Graph tools
  /** Hits, the entities they name, and relations up to `depth` (2) steps around these, found ones first. */
  "graph.recall": {
    params: { query?: string; keywords?: string[]; depth?: number; top?: number };
    result: { hits: Hit[]; entities: Record<string, unknown>[]; relations: RelationFact[] };
  };
  /** Learns facts. Media in `media_digests` stay as long as the sentence they are bound to. */
  "graph.commit": {
    params: { triples: Triple[]; sentence_text?: string; source?: string } & MediaBinding;
    /** `closed`: what is no longer true, each as "subject predicate object". */
    result: { committed: number; closed: string[]; ids: string[] };
  };
  /** `from` becomes an alias of `into`. Can be undone; again it moves nothing. */
  "graph.merge": { params: { from: string; into: string }; result: { moved: number } };
  /** As `graph.delete_entity`, and entities that had relations with it alone go too. Can be undone. */
  "graph.purge": { params: { name: string }; result: { entities: number; relations: number } };
  /** Changes a relation (`id`) or an entity (`name`); `edited` is 0 when there is none. Can be undone. */
  "graph.edit": {
    params: {
      id?: string;
      name?: string;
      set: {
        subject?: string;
        predicate?: string;
        object?: string;
        confidence?: number;
        type?: string;
        description?: string;
        valid_to?: string;
        many_valued?: boolean;
      };
    };
    result: { edited: number };
  };
  /** Removes the entity, its relations, and what only they named. Can be undone. */
  "graph.delete_entity": { params: { name: string }; result: { entities: number; relations: number } };
  /** As `memory.stats`, for the tool of that name. */
  "memory.introspect": { params: Ok; result: MemoryStats };
  /** Counts as of now. */
  "memory.stats": { params: Ok; result: MemoryStats };

  // Documents
  /** Consumes: the documents move into the context as `cold_storage` events, in one crash-safe step. */
  "doc.consume": { params: { query: string; top?: number }; result: { hits: Hit[]; events: ContextEvent[] } };
  /** Looks, best first, 3 by default; each hit counts as a use, which keeps it from going cold. */
  "doc.query": { params: { query: string; top?: number }; result: { hits: Hit[] } };
  /** `at` is when it came to be, now by default. */
  "doc.commit": {
    params: { title?: string; content: string; source?: string; at?: number } & MediaBinding;
    result: { id: string };
  };
  /** For good; its media go when nothing else refers to them. */
  "doc.remove": { params: { id: string }; result: { removed: boolean } };
  /** Documents in cold storage, and their bytes on disk. */
  "doc.stats": { params: Ok; result: { documents: number; bytes: number } };

  // Social: wraps the graph's persons
  /** By name or alias; null when the graph knows none. */
  "social.get_person": { params: { name: string }; result: { person: Person | null } };
  /** Learned as a fact about the person, who is made when new. */
  "social.set_trait": { params: { name: string; trait: string; value: string }; result: Ok };
  /** Learns "`from` `relation` `to`" of two persons; both are made when new. */
  "social.relate": { params: { from: string; relation: string; to: string }; result: Ok };
  /** Ties between people, up to `depth` (2) steps away. */
  "social.network": {
    params: { name: string; depth?: number };
    result: { relations: { from: string; relation: string; to: string }[] };
  };
  /** Names of all persons. */
  "social.list": { params: Ok; result: { persons: string[] } };

  // Knowledge base
  /** Best first, 5 by default; files changed by hand are read again before. */
  "knowledge.search": { params: { query: string; top?: number }; result: { hits: Hit[] } };
  /** Fails when the name is taken, unless `replace`. Answers with the name it is kept under. */
  "knowledge.add": { params: { name: string; content: string; replace?: boolean }; result: { name: string } };
  /** `title`: the first line of the text that is not empty, without marks. */
  "knowledge.list": { params: Ok; result: { items: { name: string; bytes: number; title: string }[] } };

  // Text memory
  /** Adds to the text log alone, not to the context. */
  "text.append": { params: { record: TextRecord }; result: Ok };

  // Media
  /** The same bytes are kept once. With media off nothing is kept and only the digest is made. */
  "media.put": { params: { mime: string; data: Uint8Array; description?: string }; result: { digest: string } };
  /** By full digest or its first 12 digits or more; null when unknown. */
  "media.get": { params: { digest: string }; result: { blob: MediaBlob | null } };
  /** Replaces the description. */
  "media.describe": { params: { digest: string; description: string }; result: Ok };

  // Out, in, away
  /** Writes NDJSON to a file that only the owner may read; `counts` by kind. */
  "memory.export": { params: { path: string }; result: { counts: Record<string, number> } };
  /** Takes NDJSON as `memory.export` writes it. The same file again changes nothing. */
  "memory.import": { params: { path: string }; result: ImportReport };
  /** Removes everything that names it, in every store; it cannot be undone. `dry_run` only counts. `names`: what else it
   * goes by, for those who keep more than the memory. */
  "memory.forget": {
    params: { name: string; dry_run?: boolean };
    result: { counts: Record<string, number>; names: string[] };
  };
  /** Takes a change back, the newest by default. Fails with −32002 when there is none. */
  "memory.undo": { params: { id?: string }; result: { undone: string; kind: string } };
  /** Changes that can be taken back, newest first; `at` is ISO 8601. */
  "memory.undo_list": { params: Ok; result: { items: { id: string; kind: string; at: string; summary: string }[] } };
  /** Runs one heartbeat loop now (tests, and the shortened clock). */
  "memory.tick": {
    params: { loop: "distill" | "archive" | "merge" | "review" | "pipeline" | "media" };
    result: { did: number };
  };
}

/** What the memory worker asks of the kernel or `main`. It also notifies the kernel of events that left the context by
 * memory's own doing (the distill loop, `memory.forget`): `context.left {ids}`. */
export interface MemoryAsks {
  /** Self-input: a decision that needs the LLM. Answered when the turn is over, with the model's text. `null`: there is
   * no model, keep it waiting. */
  "self.decide": { params: { kind: "merge" | "review" | "distill"; prompt: string }; result: { text: string | null } };
}

/** Methods the `embed` worker serves to the memory worker: a neural model. */
export interface EmbedMethods extends PartMethods {
  /** Loads the model of a folder (`config.json`, `tokenizer.json`, `onnx/model.onnx` or `onnx/model_quantized.onnx`). */
  "embed.open": { params: { folder: string }; result: { name: string; dimension: number; fingerprint: string } };
  /** One vector of length 1 a text, in order. */
  "embed.texts": { params: { texts: string[] }; result: { vectors: Float32Array[] } };
}

/** Notifications the memory worker sends to the kernel. */
export interface MemoryNotes {
  /** Events that left the context without the kernel's doing: pruned while idle, or forgotten. */
  "context.left": { ids: string[] };
}

/** Paths are absolute, times milliseconds, sizes bytes. */
export interface MemorySettings {
  /** The home folder. */
  home: string;
  /** The graph's database file. */
  graph: string;
  /** Folder of the documents. */
  documents: string;
  /** Folder of the text log. */
  text: string;
  /** Folder of the media. */
  media_dir: string;
  /** File of the context window; its log lies beside it. */
  context: string;
  /** Folder of the knowledge base. */
  knowledge: string;
  /** False: no media are kept, only text. */
  media_enabled: boolean;
  /** Beyond it the oldest blobs go; their descriptions stay. */
  media_max_bytes: number;
  /** Media that nothing refers to are kept at least so long. */
  media_min_age: number;
  /** Events that stay in the context. */
  max_context_size: number;
  /** Between two looks for cold documents to distill. */
  distill_interval: number;
  /** Between two archivings of old context. */
  archive_interval: number;
  /** Between two looks for names that may mean the same. */
  merge_interval: number;
  /** Between two checks of facts against their sentences. */
  review_interval: number;
  /** Between two runs of the rules over the text log. */
  pipeline_interval: number;
  /** How long what the rules found is kept when nothing confirms it. */
  pipeline_retention: number;
  /** A document unused for so long may be distilled. */
  cold_after: number;
  /** A document used more often than this stays one. */
  cold_max_accesses: number;
  /** Hits of one recall, where the call says nothing. */
  recall_top: number;
  /** 0: the calibrated default. */
  recall_threshold: number;
  /** Files of word vectors, a model folder or a known model's name; empty: none of these. */
  embedding_model_path: string;
  /** A text log file that reached it is followed by a new one. */
  log_rotate_bytes: number;
  /** Names the present run of the machine, where that is known: what was written in it needs no recovery. */
  boot?: string;
}

/** A node of the graph of type person, as tools see it. */
export interface Person {
  /** The main name. */
  name: string;
  /** Other names that mean the same. */
  aliases: string[];
  /** Current values, by trait. */
  traits: Record<string, string>;
  /** Ties to other people that are true now, from this person's side. */
  relations: { relation: string; to: string }[];
  /** The same, from the other people's side: `from` is `relation` of this person, or has them as it. */
  related_by?: { from: string; relation: string }[];
}

/** One operation of each kind to try, with targets that harm nothing. */
export interface ProbePlan {
  /** Paths to read from. */
  read: string[];
  /** Folders to try to write in, without making anything there. */
  write: string[];
  /** `host:port` to connect to. */
  net: string[];
}

/** Per kind: "denied", "granted", or the targets that were allowed. */
export type Permission = "denied" | "granted" | string[];
/** What a worker may do, by kind, as found by trying. */
export type ProbeResult = Record<"read" | "write" | "net" | "run" | "ffi" | "env" | "sys" | "import", Permission>;

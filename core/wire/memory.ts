/** What the kernel and `main` ask of the memory worker. Every write is durable when its call returns. Times are
 * milliseconds since the epoch; the outside (socket, files) uses ISO 8601. @module */
import type { Ok, PartMethods } from "./kernel.ts";
import type { ChatMessage } from "./llm.ts";

/** A vector and the space it lives in; vectors of different spaces are never compared. Sparse ones have `at`: the index
 * of each value, ascending. Always of length 1 (or 0 for an empty text). */
export interface Vector {
  space: string;
  values: Float32Array;
  at?: Uint32Array;
}

/** One event of the context window. A user event has `input`, an agent event `response` (and the turn's tool exchange in
 * `messages`, sendable as it stands), a `cold_storage` event is a document that came back. */
export interface ContextEvent {
  id: string;
  kind: "user" | "agent" | "cold_storage" | "interrupt" | "self";
  at: number;
  turn: string;
  /** Who: "cli", a plugin's name, "cold_storage", "agentcli", … */
  source: string;
  channel: string;
  input?: string;
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
  vector?: Vector;
}

export interface Triple {
  subject: string;
  predicate: string;
  object: string;
  /** 0 to 1; 1 by default. */
  confidence?: number;
  subject_type?: string;
  object_type?: string;
  /** ISO 8601; since when it is true. By default when it was learned. */
  valid_from?: string;
  valid_to?: string;
}

/** A relation as tools see it. Times are ISO 8601; `current`: true now. */
export interface RelationFact {
  id: string;
  subject: string;
  predicate: string;
  object: string;
  confidence: number;
  sentence?: string;
  /** When it was learned. */
  at: string;
  valid_from: string;
  valid_to?: string;
  current: boolean;
}

export type HitKind = "relation" | "document" | "sentence" | "message" | "knowledge";
export type HitReason = "exact" | "text" | "vector" | "graph";

export interface Hit {
  id: string;
  kind: HitKind;
  /** A relation: `subject predicate object. sentence`; a document: title and content. */
  text: string;
  /** Calibrated, 0 to 1: comparable between queries. */
  score: number;
  why: HitReason[];
  /** ISO 8601. */
  at: string;
  /** For relations: still true. */
  current?: boolean;
}

export interface RecallResult {
  answerable: boolean;
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

export interface MemoryStats {
  entities: number;
  relations: number;
  current_relations: number;
  sentences: number;
  documents: number;
  context_events: number;
  messages: number;
  knowledge: number;
  media: { items: number; bytes: number };
  embedder: { name: string; dimension: number; fingerprint: string; pending: number };
  bytes: Record<string, number>;
}

export interface ImportReport {
  counts: Record<string, number>;
  rejected: { line: number; reason: string }[];
}

export interface MediaBlob {
  digest: string;
  mime: string;
  bytes: number;
  description: string;
  /** Absent when the blob was evicted: the description is what remains. */
  data?: Uint8Array;
}

export interface MediaBinding {
  media_digests?: string[];
}

/** One row of the text log. */
export interface TextRecord {
  /** Of a message that was imported: the same one again is known by it. */
  id?: string;
  role: "user" | "agent" | "system" | "tool";
  text: string;
  channel: string;
  source: string;
  at: number;
  turn?: string;
  untrusted?: boolean;
  no_memory?: boolean;
}

/** Methods the memory worker serves. `notices` are sentences for the person, in both languages where they matter. */
export interface MemoryMethods extends PartMethods {
  // Life
  "memory.open": { params: MemorySettings; result: { notices: string[] } };
  "memory.configure": { params: Partial<MemorySettings>; result: Ok };
  "memory.close": { params: Ok; result: Ok };

  // Context tier
  "context.load": { params: Ok; result: { events: ContextEvent[]; notices: string[] } };
  /** Appends to the context log and, for what was said, to the text log; answers with the event's vector. */
  "context.append": { params: { event: ContextEvent }; result: { vector?: Vector } };
  /** Moves events out of the context into documents, with their own times (or only out, when `drop` says so). */
  "context.archive": { params: { ids: string[]; drop?: string[] }; result: { documents: string[] } };
  /** Vectors of texts, for scoring. */
  "memory.embed": { params: { texts: string[] }; result: { vectors: Vector[] } };

  // Recall
  "memory.brief": { params: { text: string; exclude?: string[]; top?: number }; result: Brief };
  "memory.recall": { params: { query: string; top?: number; threshold?: number }; result: RecallResult };

  // Graph tools
  "graph.recall": {
    params: { query?: string; keywords?: string[]; depth?: number; top?: number };
    result: { hits: Hit[]; entities: Record<string, unknown>[]; relations: RelationFact[] };
  };
  "graph.commit": {
    params: { triples: Triple[]; sentence_text?: string; source?: string } & MediaBinding;
    /** `closed`: what is no longer true, each as "subject predicate object". */
    result: { committed: number; closed: string[]; ids: string[] };
  };
  "graph.merge": { params: { from: string; into: string }; result: { moved: number } };
  "graph.purge": { params: { name: string }; result: { entities: number; relations: number } };
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
  "graph.delete_entity": { params: { name: string }; result: { entities: number; relations: number } };
  "memory.introspect": { params: Ok; result: MemoryStats };
  "memory.stats": { params: Ok; result: MemoryStats };

  // Documents
  /** Consumes: the documents move into the context as `cold_storage` events, in one crash-safe step. */
  "doc.consume": { params: { query: string; top?: number }; result: { hits: Hit[]; events: ContextEvent[] } };
  "doc.query": { params: { query: string; top?: number }; result: { hits: Hit[] } };
  "doc.commit": {
    params: { title?: string; content: string; source?: string; at?: number } & MediaBinding;
    result: { id: string };
  };
  "doc.remove": { params: { id: string }; result: { removed: boolean } };
  "doc.stats": { params: Ok; result: { documents: number; bytes: number } };

  // Social: wraps the graph's persons
  "social.get_person": { params: { name: string }; result: { person: Person | null } };
  "social.set_trait": { params: { name: string; trait: string; value: string }; result: Ok };
  "social.relate": { params: { from: string; relation: string; to: string }; result: Ok };
  "social.network": {
    params: { name: string; depth?: number };
    result: { relations: { from: string; relation: string; to: string }[] };
  };
  "social.list": { params: Ok; result: { persons: string[] } };

  // Knowledge base
  "knowledge.search": { params: { query: string; top?: number }; result: { hits: Hit[] } };
  "knowledge.add": { params: { name: string; content: string; replace?: boolean }; result: { name: string } };
  "knowledge.list": { params: Ok; result: { items: { name: string; bytes: number; title: string }[] } };

  // Text memory
  "text.append": { params: { record: TextRecord }; result: Ok };

  // Media
  "media.put": { params: { mime: string; data: Uint8Array; description?: string }; result: { digest: string } };
  "media.get": { params: { digest: string }; result: { blob: MediaBlob | null } };
  "media.describe": { params: { digest: string; description: string }; result: Ok };

  // Out, in, away
  "memory.export": { params: { path: string }; result: { counts: Record<string, number> } };
  "memory.import": { params: { path: string }; result: ImportReport };
  "memory.forget": { params: { name: string; dry_run?: boolean }; result: { counts: Record<string, number> } };
  "memory.undo": { params: { id?: string }; result: { undone: string; kind: string } };
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

export interface MemorySettings {
  home: string;
  graph: string;
  documents: string;
  text: string;
  media_dir: string;
  context: string;
  knowledge: string;
  media_enabled: boolean;
  media_max_bytes: number;
  media_min_age: number;
  max_context_size: number;
  distill_interval: number;
  archive_interval: number;
  merge_interval: number;
  review_interval: number;
  pipeline_interval: number;
  pipeline_retention: number;
  cold_after: number;
  cold_max_accesses: number;
  recall_top: number;
  /** 0: the calibrated default. */
  recall_threshold: number;
  embedding_model_path: string;
  log_rotate_bytes: number;
}

export interface Person {
  name: string;
  aliases: string[];
  traits: Record<string, string>;
  relations: { relation: string; to: string }[];
}

/** One operation of each kind to try, with targets that harm nothing. */
export interface ProbePlan {
  read: string[];
  write: string[];
  net: string[];
}

/** Per kind: "denied", "granted", or the targets that were allowed. */
export type Permission = "denied" | "granted" | string[];
export type ProbeResult = Record<"read" | "write" | "net" | "run" | "ffi" | "env" | "sys" | "import", Permission>;

import type { MemoryPort } from "../../core/kernel/ports.ts";
import type { Brief, ContextEvent, Hit, MemoryMethods, Triple, Vector } from "../../core/wire/memory.ts";
import { RPC_CODES, RpcError } from "../../core/wire/rpc.ts";

type Table = {
  [M in keyof MemoryMethods]?: (
    params: MemoryMethods[M]["params"],
  ) => MemoryMethods[M]["result"] | Promise<MemoryMethods[M]["result"]>;
};

/** A bag-of-letters vector: enough for nearness. */
export function fakeVector(text: string): Vector {
  const values = new Float32Array(64);
  for (const char of text.toLowerCase()) values[char.codePointAt(0)! % 64]! += 1;
  const length = Math.hypot(...values) || 1;
  return { space: "fake", values: values.map((value) => value / length) };
}

/** Memory in a few arrays: what was appended, archived, committed. Methods can be replaced one by one. */
export class FakeMemory implements MemoryPort {
  readonly events: ContextEvent[] = [];
  readonly archived: string[] = [];
  readonly dropped: string[] = [];
  readonly triples: Triple[] = [];
  readonly media = new Map<string, { mime: string; data: Uint8Array; description: string }>();
  readonly calls: { method: string; params: unknown }[] = [];
  brief: Brief = { index: [], documents: [], knowledge: [] };
  hits: Hit[] = [];
  documents: ContextEvent[] = [];
  /** Set to make every write fail, as on a full disk. */
  writesFail: string | undefined;
  readonly on: Table = {};

  async call<M extends keyof MemoryMethods & string>(
    method: M,
    params: MemoryMethods[M]["params"],
    options: { signal?: AbortSignal } = {},
  ): Promise<MemoryMethods[M]["result"]> {
    options.signal?.throwIfAborted();
    this.calls.push({ method, params: structuredClone(params) });
    const handler = (this.on[method] ?? this.#table[method]) as
      | ((params: MemoryMethods[M]["params"]) => MemoryMethods[M]["result"])
      | undefined;
    if (!handler) throw new RpcError(RPC_CODES.methodNotFound, `The fake memory has no "${method}"`);
    return structuredClone(await handler(params));
  }

  #write(): void {
    if (this.writesFail !== undefined) throw new RpcError(RPC_CODES.internalError, this.writesFail);
  }

  readonly #table: Table = {
    "context.load": () => ({ events: this.events, notices: [] }),
    "context.append": ({ event }) => {
      this.#write();
      this.events.push(structuredClone(event));
      return { vector: fakeVector(event.vector_text ?? event.response ?? event.input ?? "") };
    },
    "context.archive": ({ ids, drop = [] }) => {
      this.#write();
      this.archived.push(...ids);
      this.dropped.push(...drop);
      return { documents: ids.map((id) => `doc-${id}`) };
    },
    "memory.embed": ({ texts }) => ({ vectors: texts.map(fakeVector) }),
    "memory.brief": ({ exclude = [] }) => ({
      ...this.brief,
      index: this.brief.index.filter(({ id }) => !exclude.includes(id)),
    }),
    "graph.recall": () => ({ hits: this.hits, entities: [], relations: [] }),
    "graph.commit": ({ triples }) => {
      this.#write();
      this.triples.push(...triples);
      return { committed: triples.length, closed: [], ids: triples.map((_, index) => `r${index}`) };
    },
    "doc.consume": () => {
      const events = this.documents.splice(0);
      this.events.push(...events);
      return { hits: this.hits, events };
    },
    "doc.commit": () => ({ id: "doc1" }),
    "knowledge.search": () => ({ hits: this.hits }),
    "knowledge.add": ({ name }) => ({ name }),
    "knowledge.list": () => ({ items: [] }),
    "social.list": () => ({ persons: [] }),
    "media.put": async ({ mime, data, description = "" }) => {
      const hash = await crypto.subtle.digest("SHA-256", data as Uint8Array<ArrayBuffer>);
      const digest = new Uint8Array(hash).toHex();
      if (!this.media.has(digest)) this.media.set(digest, { mime, data, description });
      return { digest };
    },
    "media.get": ({ digest }) => {
      const found = this.media.get(digest);
      return { blob: found ? { digest, bytes: found.data.length, ...found } : null };
    },
    "media.describe": ({ digest, description }) => {
      const found = this.media.get(digest);
      if (found) found.description = description;
      return {};
    },
  };
}

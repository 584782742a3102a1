import { HomedError, messageOf } from "../core/base/errors.ts";
import type { MemoryMethods, RelationFact } from "../core/wire/memory.ts";
import type { Handler, Handlers } from "../core/wire/peer.ts";
import { RPC_CODES, RpcError } from "../core/wire/rpc.ts";
import type { PartMethods } from "../core/wire/kernel.ts";
import { measured, progressLog } from "../core/base/progress.ts";
import { diskError } from "./files.ts";
import { exportLines } from "./export.ts";
import { forget } from "./forget.ts";
import { Heartbeat } from "./heartbeat.ts";
import { importLines } from "./import.ts";
import { GRAPH_DAMAGED, GRAPH_FIX } from "./graph/damage.ts";
import type { Relation } from "./graph/rows.ts";
import { importSinks } from "./importing.ts";
import { sentenceHash } from "./flow.ts";
import { Memory, type MemoryPorts, textForVector } from "./memory.ts";
import { prepareRecall } from "./prepare.ts";
import { isDamage } from "./sqlite.ts";

/** Bytes of a file from which on an import is long work, and told. */
const LONG_IMPORT = 2_000_000;

/** The memory's own methods, without those that every part has. */
export type ServiceMethods = Omit<MemoryMethods, keyof PartMethods>;

/** Serves `MemoryMethods` from one home at a time: `memory.open` first, and every other method needs it. A write is
 * durable when its call returns; movements between the tiers run alone, other writes beside each other. */
export function memoryService(ports: MemoryPorts): Handlers<ServiceMethods> {
  let opened: Memory | undefined;
  let heartbeat: Heartbeat | undefined;
  const close = async () => {
    await heartbeat?.stop();
    await opened?.close();
    heartbeat = opened = undefined;
  };
  const memory = () => {
    if (!opened) throw new RpcError(RPC_CODES.internalError, "The memory is not open");
    opened.askedAt = ports.clock.monotonic();
    return opened;
  };
  const write = <T>(work: (memory: Memory) => Promise<T> | T) => {
    const m = memory();
    return m.gate.shared(() => work(m)).finally(() => m.tidy());
  };
  const move = <T>(work: (memory: Memory) => Promise<T> | T) => {
    const m = memory();
    return m.gate.exclusive(() => work(m)).finally(() => m.tidy());
  };

  /** A write that takes out or corrects what was learned: what was said up to now is learned before. */
  const correct = async <T>(work: (memory: Memory) => Promise<T> | T) => {
    memory();
    await heartbeat?.readText();
    return await write(work);
  };

  const handlers: Handlers<ServiceMethods> = {
    "memory.open": async (settings) => {
      await close();
      opened = Memory.open(settings, ports);
      heartbeat = new Heartbeat(opened);
      heartbeat.start();
      return { notices: opened.notices };
    },
    "memory.configure": (changes) => {
      memory().configure(changes);
      return {};
    },
    "memory.close": async () => {
      await close();
      return {};
    },

    "context.load": async () => ({ events: await memory().load(), notices: memory().notices }),
    "context.append": ({ event }) =>
      write(async (m) => {
        const vector = await m.append(event);
        return vector ? { vector } : {};
      }),
    "context.archive": ({ ids, drop }) => move(async (m) => ({ documents: await m.flow.archive(ids, drop) })),
    "memory.embed": async ({ texts }) => ({ vectors: await memory().embed(texts) }),

    "memory.brief": async ({ text, exclude = [], top }) => {
      const m = memory();
      m.knowledge.refresh();
      return await m.recall.brief(text, { exclude, ...(top !== undefined && { top }) });
    },
    "memory.prepare": () => {
      memory();
      // The memory may have been closed when the question comes.
      void prepareRecall(
        async () => void await opened?.recall.recall("Where do I live? 我住在哪里？", { top: 1 }),
        ports.clock,
      )
        .catch((error) => ports.log.warn(`Cannot prepare the recall: ${messageOf(error)}`));
      return {};
    },
    "memory.recall": (
      { query, top = memory().settings.recall_top, threshold = memory().settings.recall_threshold },
    ) => {
      memory().knowledge.refresh();
      return memory().recall.recall(query, { top, threshold });
    },

    "graph.recall": async ({ query, keywords = [], depth = 2, top = memory().settings.recall_top }) => {
      const m = memory();
      const text = query ?? keywords.join(" ");
      const { hits } = await m.recall.recall(text, { top, kinds: ["relation", "sentence"] });
      const found = hits.flatMap(({ id }) => m.graph.relation(id) ?? []);
      const named = m.graph.resolve([...keywords, text]);
      const seeds = [...new Set([...named, ...found.flatMap(({ subject, object }) => [subject, object])])];
      // What was found comes first: the walk around someone who has many relations may not reach it.
      const around = m.graph.walk(seeds, { depth, limit: Math.max(top * 4, 20) });
      const relations = [...new Map([...found, ...around].map((relation) => [relation.id, relation])).values()];
      const entities = seeds.flatMap((name) => m.graph.entity(name) ?? []);
      return {
        hits,
        entities: entities.map((e) => ({ ...e })),
        relations: relations.map((relation) => tellRelation(relation, ports.clock.now())),
      };
    },
    "graph.commit": ({ triples, sentence_text, source, media_digests = [] }) =>
      write((m) => {
        const digests = media_digests.flatMap((digest) => m.media?.resolve(digest) ?? []);
        const first = triples[0];
        // References hang on a sentence: without one it is made from the triple.
        const sentence = sentence_text ??
          (digests.length > 0 && first ? `${first.subject} ${first.predicate} ${first.object}` : undefined);
        if (sentence && digests.length > 0) m.media?.setReferences("graph_sentence", sentenceHash(sentence), digests);
        const { committed, closed, ids } = m.graph.commit(triples, {
          source: source ?? "tool",
          ...(sentence && { sentence }),
          ...(digests.length > 0 && { mediaDigests: digests }),
        });
        m.recall.sync();
        return { committed, closed: closed.flatMap((id) => sentenceOf(m.graph.relation(id))), ids };
      }),
    "graph.merge": ({ from, into }) =>
      write((m) => {
        const { moved, undo } = m.graph.merge(from, into);
        m.keepUndo("merge", undo);
        return { moved };
      }),
    "graph.purge": ({ name }) =>
      correct((m) => {
        const { entities, relations, undo } = m.graph.purge(name);
        m.keepUndo("purge", undo);
        return { entities, relations };
      }),
    "graph.delete_entity": ({ name }) =>
      correct((m) => {
        const { entities, relations, undo } = m.graph.deleteEntity(name);
        m.keepUndo("delete", undo);
        return { entities, relations };
      }),
    "graph.edit": ({ id, name, set }) =>
      correct((m) => {
        const target = { ...(id !== undefined && { id }), ...(name !== undefined && { name }) };
        const { edited, undo } = m.graph.edit(target, set);
        m.keepUndo("edit", undo);
        return { edited };
      }),
    "memory.introspect": () => memory().stats(),
    "memory.stats": () => memory().stats(),

    "doc.consume": ({ query, top = 3 }) =>
      move(async (m) => {
        const { hits } = await m.recall.recall(query, { top, kinds: ["document"] });
        const events = await m.flow.consume(hits.map((hit) => hit.id));
        const vectors = await m.embed(events.map(textForVector));
        return { hits, events: events.map((event, i) => ({ ...event, vector: vectors[i]! })) };
      }),
    "doc.query": async ({ query, top = 3 }) => {
      const { hits } = await memory().recall.recall(query, { top, kinds: ["document"] });
      memory().documents.touch(hits.map((hit) => hit.id));
      return { hits };
    },
    "doc.commit": ({ title, content, source, at, media_digests = [] }) =>
      write((m) => ({ id: m.commitDocument({ title, content, source, at, media_digests }) })),
    "doc.remove": ({ id }) =>
      write((m) => {
        const removed = m.documents.remove(id);
        m.media?.setReferences("document", id, []);
        return { removed };
      }),
    "doc.stats": () => memory().documents.stats(),

    "social.get_person": ({ name }) => ({ person: memory().social.person(name) }),
    "social.set_trait": ({ name, trait, value }) =>
      write((m) => {
        m.social.setTrait(name, trait, value);
        m.recall.sync();
        return {};
      }),
    "social.relate": ({ from, relation, to }) =>
      write((m) => {
        m.social.relate(from, relation, to);
        m.recall.sync();
        return {};
      }),
    "social.network": ({ name, depth }) => ({ relations: memory().social.network(name, depth) }),
    "social.list": () => ({ persons: memory().social.list() }),

    "knowledge.search": ({ query, top = 5 }) => {
      memory().knowledge.refresh({ force: true });
      return memory().recall.recall(query, { top, kinds: ["knowledge"] });
    },
    "knowledge.add": ({ name, content, replace = false }) =>
      write((m) => ({ name: m.knowledge.add(name, content, { replace }) })),
    "knowledge.list": () => ({ items: memory().knowledge.list() }),

    "text.append": ({ record }) => write((m) => m.text.append(record).then(() => ({}))),

    "media.put": ({ mime, data, description }) => write((m) => ({ digest: m.putMedia(mime, data, description) })),
    "media.get": ({ digest }) => ({ blob: memory().media?.get(digest) ?? null }),
    "media.describe": ({ digest, description }) =>
      write((m) => {
        m.media?.describe(m.media.resolve(digest) ?? digest, description);
        return {};
      }),

    "memory.export": async ({ path }) => {
      using file = await Deno.open(path, { write: true, create: true, truncate: true, mode: 0o600 });
      const counts = await exportLines(memory(), async (bytes) => {
        for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
      });
      await file.sync();
      return { counts };
    },
    "memory.import": async ({ path }, { signal }) => {
      const file = await Deno.open(path, { read: true });
      const { size } = await file.stat();
      const tell = progressLog(ports.log, "Importing");
      const lines = size < LONG_IMPORT ? file.readable : measured(file.readable, size, (share) => {
        tell(share, `${Math.round(share * size / 1_000_000)} of ${Math.round(size / 1_000_000)} MB`);
      });
      try {
        const m = memory();
        const ended = AbortSignal.any([signal, m.closing]);
        return await importLines(lines, importSinks(m), { now: ports.clock.now(), signal: ended });
      } catch (error) {
        tell(null, "broken off");
        throw error;
      }
    },
    "memory.forget": ({ name, dry_run = false }) =>
      move(async (m) => {
        if (name.trim() === "") throw new RpcError(RPC_CODES.invalidParams, "Cannot forget: no name was given");
        const { counts, names, events, cursor } = await forget(m, name, {
          dryRun: dry_run,
          cursor: heartbeat?.cursor ?? null,
        });
        if (!dry_run) {
          heartbeat?.moveCursor(cursor);
          ports.left(events);
        }
        return { counts, names };
      }),
    "memory.undo": ({ id }) => move((m) => m.takeBack(id)),
    "memory.undo_list": () => ({
      items: memory().undo.list().map(({ id, kind, at, summary }) => ({
        id,
        kind,
        at: new Date(at).toISOString(),
        summary,
      })),
    }),
    "memory.tick": async ({ loop }) => {
      memory();
      return { did: await heartbeat!.tick(loop) };
    },
  };
  return withErrors(handlers, () => opened);
}

/** Errors cross as `RpcError`; a full disk says what to do. */
function withErrors(
  handlers: Record<string, Handler>,
  opened: () => Memory | undefined,
): Handlers<ServiceMethods> {
  const wrapped = Object.entries(handlers).map(([method, handler]): [string, Handler] => [
    method,
    async (params, context) => {
      try {
        return await handler(params, context);
      } catch (error) {
        throw crossing(diskError(graphError(error, opened()), `do "${method}"`));
      }
    },
  ]);
  return Object.fromEntries(wrapped) as unknown as Handlers<ServiceMethods>;
}

/** What to tell when the graph's own file is what is broken; any other error is what it is. */
function graphError(error: unknown, memory: Memory | undefined): unknown {
  if (!memory || error instanceof HomedError || !isDamage(error) || !memory.graph.isDamaged()) return error;
  return new HomedError("graph_damaged", GRAPH_DAMAGED, { fix: GRAPH_FIX, cause: error });
}

function crossing(error: unknown): RpcError {
  if (error instanceof HomedError) {
    const code = error.code === "not_found"
      ? RPC_CODES.notFound
      : error.code === "bad_name"
      ? RPC_CODES.invalidParams
      : RPC_CODES.internalError;
    const data = { code: error.code, ...(error.fix !== undefined && { fix: error.fix }) };
    return new RpcError(code, error.message, { data, cause: error });
  }
  return RpcError.from(error);
}

/** A relation as tools see it: times in ISO 8601, and whether it is true now. */
function tellRelation(
  { id, subject, predicate, object, confidence, sentence, learned, from, until }: Relation,
  now: number,
): RelationFact {
  return {
    id,
    subject,
    predicate,
    object,
    confidence,
    ...(sentence !== undefined && { sentence }),
    at: new Date(learned).toISOString(),
    valid_from: new Date(from).toISOString(),
    ...(until !== undefined && { valid_to: new Date(until).toISOString() }),
    current: until === undefined || until > now,
  };
}

const sentenceOf = (relation: Relation | undefined): string[] =>
  relation ? [`${relation.subject} ${relation.predicate} ${relation.object}`] : [];

import type { Hit, Triple } from "../../wire/memory.ts";
import { sentenceWithMedia } from "../media.ts";
import { builtin, count, data, number, text, texts, type Tool, type ToolRun } from "./tool.ts";

/** Remembers which hits the model has been given, so that the automatic recall does not give them again. */
export function markRecalled(run: ToolRun, hits: Hit[]): void {
  for (const { id } of hits) run.turn.recalled.add(id);
}

const triple = {
  type: "object",
  properties: {
    subject: text,
    predicate: text,
    object: text,
    confidence: { type: "number", description: "0 to 1" },
    subject_type: text,
    object_type: text,
    valid_from: { type: "string", description: "ISO 8601: since when it is true" },
  },
  required: ["subject", "predicate", "object"],
};

/** The graph tier's tools. */
export const memoryTools: Tool[] = [
  builtin(
    "memory_recall",
    "Search long-term memory (people, places, facts and how they relate). Give a question as query, or keywords. " +
      "在长期记忆中查找人物、地点和事实。",
    { properties: { query: text, keywords: texts, depth: count, top: count } },
    async (args, run) => {
      const params = args as { query?: string; keywords?: string[]; depth?: number; top?: number };
      if (!params.query?.trim() && !params.keywords?.length) throw new Error("Give a query or keywords");
      const result = await run.kernel.memory.call("graph.recall", params, { signal: run.signal });
      markRecalled(run, result.hits);
      return data("memory_recall", result, `${result.hits.length} found`);
    },
  ),
  builtin(
    "memory_commit",
    "Write lasting facts to memory as triples, with the sentence they came from in sentence_text. A new value of " +
      "something that has one value at a time closes the old one; the result tells which. 把事实写入长期记忆。",
    {
      properties: { triples: { type: "array", items: triple }, sentence_text: text, media_digests: texts },
      required: ["triples"],
    },
    async (args, run) => {
      const { triples, sentence_text, media_digests } = args as {
        triples: Triple[];
        sentence_text?: string;
        media_digests?: string[];
      };
      const stated = sentence_text ?? triples.map((t) => `${t.subject} ${t.predicate} ${t.object}`).join("; ");
      const { sentence, digests } = await sentenceWithMedia(run.kernel, run.turn, stated, media_digests ?? []);
      const result = await run.kernel.memory.call("graph.commit", {
        triples,
        source: run.turn.ctx.source,
        ...(digests.length > 0
          ? { sentence_text: sentence, media_digests: digests }
          : sentence_text && { sentence_text }),
      }, { signal: run.signal });
      run.kernel.emit("memory_commit", {
        turn: run.turn.id,
        committed: result.committed,
        closed: result.closed,
        ids: result.ids,
      });
      const closed = result.closed.length > 0 ? `, ${result.closed.length} no longer true` : "";
      return data("memory_commit", result, `${result.committed} written${closed}`);
    },
  ),
  builtin(
    "memory_merge",
    "Merge one entity into another: everything known of `from` is then known of `into`. 合并两个实体。",
    { properties: { from: text, into: text }, required: ["from", "into"] },
    async (args, { kernel, signal }) => {
      const result = await kernel.memory.call("graph.merge", args as { from: string; into: string }, { signal });
      return data("memory_merge", result, `${result.moved} moved`);
    },
  ),
  builtin(
    "memory_purge",
    "Remove an entity and what is known of it, after the person asked for it. 按要求清除一个实体。",
    { properties: { name: text }, required: ["name"] },
    async (args, { kernel, signal }) => {
      const result = await kernel.memory.call("graph.purge", { name: String(args.name) }, { signal });
      return data("memory_purge", result, `${result.entities} entities, ${result.relations} relations removed`);
    },
  ),
  builtin(
    "memory_edit",
    "Correct a relation (by the id from memory_recall) or an entity (by name): put the new values in set. 修改记忆。",
    {
      properties: {
        id: text,
        name: text,
        set: {
          type: "object",
          properties: {
            subject: text,
            predicate: text,
            object: text,
            confidence: number,
            type: text,
            description: text,
            valid_to: text,
            many_valued: { type: "boolean" },
          },
        },
      },
      required: ["set"],
    },
    async (args, { kernel, signal }) => {
      const params = args as { id?: string; name?: string; set: Record<string, never> };
      const result = await kernel.memory.call("graph.edit", params, { signal });
      return data("memory_edit", result, `${result.edited} changed`);
    },
  ),
  builtin(
    "memory_delete_entity",
    "Delete an entity and all its relations, after the person asked for it. 删除实体及其全部关系。",
    { properties: { name: text }, required: ["name"] },
    async (args, { kernel, signal }) => {
      const result = await kernel.memory.call("graph.delete_entity", { name: String(args.name) }, { signal });
      return data("memory_delete_entity", result, `${result.entities} entities, ${result.relations} relations removed`);
    },
  ),
  builtin(
    "memory_introspect",
    "How much is in memory: entities, relations, documents, messages, media. 查看记忆统计。",
    { properties: {} },
    async (_args, { kernel, signal }) => {
      const result = await kernel.memory.call("memory.introspect", {}, { signal });
      return data("memory_introspect", result, `${result.relations} relations, ${result.documents} documents`);
    },
  ),
];

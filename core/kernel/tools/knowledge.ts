import { markRecalled } from "./memory.ts";
import { builtin, count, data, text, type Tool } from "./tool.ts";

/** The knowledge base's tools. */
export const knowledgeTools: Tool[] = [
  builtin(
    "knowledge_search",
    "Search the knowledge base (files the person keeps). 搜索知识库。",
    { properties: { query: text, top: count }, required: ["query"] },
    async (args, run) => {
      const params = args as { query: string; top?: number };
      const result = await run.kernel.memory.call("knowledge.search", params, { signal: run.signal });
      markRecalled(run, result.hits);
      return data("knowledge_search", result, `${result.hits.length} found`);
    },
  ),
  builtin(
    "knowledge_create",
    "Add an entry to the knowledge base under a short name. 新建知识条目。",
    {
      properties: {
        name: text,
        content: text,
        replace: { type: "boolean", description: "Take the place of an entry of that name" },
      },
      required: ["name", "content"],
    },
    async (args, { kernel, signal }) => {
      const replace = args.replace === true;
      const params = { name: String(args.name), content: String(args.content), ...(replace && { replace }) };
      const result = await kernel.memory.call("knowledge.add", params, { signal });
      return data("knowledge_create", result, result.name);
    },
  ),
  builtin(
    "knowledge_list",
    "List the entries of the knowledge base. 列出知识条目。",
    { properties: {} },
    async (_args, { kernel, signal }) => {
      const result = await kernel.memory.call("knowledge.list", {}, { signal });
      return data("knowledge_list", result, `${result.items.length} entries`);
    },
  ),
];

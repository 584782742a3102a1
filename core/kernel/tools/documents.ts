import { sentenceWithMedia } from "../media.ts";
import { markRecalled } from "./memory.ts";
import { builtin, count, data, text, texts, type Tool } from "./tool.ts";

/** The document tier's tools. */
export const documentTools: Tool[] = [
  builtin(
    "doc_query",
    "Bring back documents (earlier conversations and notes) that fit the query. They move into the conversation at " +
      "their own time. 取回相关文档，取回后进入当前上下文。",
    { properties: { query: text, top: count }, required: ["query"] },
    async (args, run) => {
      const params = args as { query: string; top?: number };
      await run.kernel.archive.send(); // what just left the window is looked at too
      const { hits, events } = await run.kernel.memory.call("doc.consume", params, { signal: run.signal });
      run.kernel.context.append(...events);
      markRecalled(run, hits);
      return data("doc_query", { hits }, `${hits.length} found`);
    },
  ),
  builtin(
    "doc_commit",
    "Keep a longer note as a document. 把较长的内容存为文档。",
    { properties: { title: text, content: text, media_digests: texts }, required: ["content"] },
    async (args, run) => {
      const { title, content, media_digests } = args as { title?: string; content: string; media_digests?: string[] };
      const { sentence, digests } = await sentenceWithMedia(run.kernel, run.turn, content, media_digests ?? []);
      const result = await run.kernel.memory.call("doc.commit", {
        content: sentence,
        source: run.turn.ctx.source,
        ...(title !== undefined && { title }),
        ...(digests.length > 0 && { media_digests: digests }),
      }, { signal: run.signal });
      return data("doc_commit", result, "written");
    },
  ),
];

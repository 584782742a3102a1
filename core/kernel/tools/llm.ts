import { builtin, data, text, type Tool } from "./tool.ts";

/** The LLM sources as the model may see and choose them. */
export const llmTools: Tool[] = [
  builtin(
    "llm_list_sources",
    "List the configured LLM sources, their models and states. 列出模型来源。",
    { properties: {} },
    (_args, { kernel }) => {
      const sources = kernel.llm.list();
      return Promise.resolve(data("llm_list_sources", { sources }, `${sources.length} sources`));
    },
  ),
  builtin(
    "llm_switch_source",
    'Ask one LLM source alone from now on, by name; "auto" asks all in their order. 切换模型来源。',
    { properties: { source: text }, required: ["source"] },
    (args, { kernel }) => {
      const source = String(args.source);
      kernel.switchSource(source);
      return Promise.resolve(data("llm_switch_source", { source }, source));
    },
  ),
];

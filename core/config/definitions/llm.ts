import type { Definition } from "../definition.ts";
import { OWN_SOURCE_DEFAULTS, SOURCE_DEFAULTS } from "../source_defaults.ts";

/** `core.llm.*`: how sources are asked. */
export const LLM_DEFINITIONS: Definition[] = [
  {
    key: "core.llm.provider",
    type: "string",
    default: "auto",
    format: { pattern: "[a-z][a-z0-9_-]{0,31}", say: "auto or the name of a source" },
    names: "source",
    title: { en: "Source", zh: "使用的来源" },
    help: {
      en: "auto asks the configured sources by priority; a source's name asks that one alone.",
      zh: "auto 按优先级依次询问已配置的来源；填来源名则只询问它。",
    },
  },
  {
    key: "core.llm.temperature",
    type: "float",
    default: 0.7,
    min: 0,
    max: 2,
    title: { en: "Temperature", zh: "温度" },
    help: { en: "How freely the model chooses its words.", zh: "模型用词的随机程度。" },
  },
  {
    key: "core.llm.max_tokens",
    type: "int",
    default: 4096,
    min: 1,
    max: 1_000_000,
    title: { en: "Longest answer", zh: "回答长度上限" },
    help: { en: "The most tokens in one answer.", zh: "一次回答最多的 token 数。" },
  },
  {
    key: "core.llm.thinking_enabled",
    type: "bool",
    default: false,
    title: { en: "Thinking", zh: "思考模式" },
    help: { en: "Ask models that can to think before they answer.", zh: "让支持的模型先思考再回答。" },
  },
  {
    key: "core.llm.timeout",
    type: "duration",
    default: "120s",
    min: "1s",
    max: "1h",
    title: { en: "Time for one call", zh: "单次调用时限" },
    help: {
      en: "A call to a source that takes longer is given up.",
      zh: "调用一个来源超过这段时间就放弃。",
    },
  },
  {
    key: "core.llm.idle_timeout",
    type: "duration",
    default: "60s",
    min: "1s",
    max: "1h",
    title: { en: "Silence in a stream", zh: "流式静默时限" },
    help: {
      en: "A stream in which no byte arrives for this long is given up.",
      zh: "流式回答这么久没有任何数据就放弃。",
    },
  },
];

const FIELDS: Record<string, Omit<Definition, "key" | "default">> = {
  enabled: {
    type: "bool",
    title: { en: "In use", zh: "启用" },
    help: { en: "Whether this source is asked at all.", zh: "是否使用这个来源。" },
  },
  adapter: {
    type: "string",
    format: { pattern: "[a-z][a-z0-9_-]{0,63}", say: "the name of an adapter, such as openai" },
    owner: true,
    title: { en: "Adapter", zh: "适配器" },
    help: {
      en: "The Lua script that speaks its format: a built-in one or a file in adapters/ of the home folder.",
      zh: "负责其格式的 Lua 脚本：内置的，或主目录 adapters/ 下的文件。",
    },
  },
  adapter_path: {
    type: "string",
    max: 1000,
    owner: true,
    title: { en: "Adapter file", zh: "适配器文件" },
    help: { en: "Another Lua file to use instead. Empty: by name.", zh: "改用的 Lua 文件；留空则按名字查找。" },
  },
  base_url: {
    type: "string",
    format: "url",
    owner: true,
    title: { en: "Address", zh: "地址" },
    help: {
      en: "Where its interface is. Changing the host forgets the stored key.",
      zh: "接口地址；更换主机会清除已保存的密钥。",
    },
  },
  api_key: {
    type: "secret",
    max: 4096,
    owner: true,
    title: { en: "Key", zh: "密钥" },
    help: {
      en: "Empty: read from <NAME>_API_KEY in the environment (GitHub: GITHUB_TOKEN).",
      zh: "留空则读取环境变量 <NAME>_API_KEY（GitHub 为 GITHUB_TOKEN）。",
    },
  },
  model: {
    type: "string",
    max: 200,
    title: { en: "Model", zh: "模型" },
    help: { en: "The model to ask, as the source names it.", zh: "要使用的模型，按该来源的叫法。" },
  },
  priority: {
    type: "int",
    min: -1_000_000,
    max: 1_000_000,
    title: { en: "Priority", zh: "优先级" },
    help: { en: "Higher is asked first; equal ones by name.", zh: "数值大的先问；相同时按名字排序。" },
  },
  context_window: {
    type: "int",
    min: 256,
    max: 100_000_000,
    title: { en: "Context window", zh: "上下文窗口" },
    help: { en: "Tokens that the model can take in.", zh: "模型能接受的 token 数。" },
  },
  vision: {
    type: "bool",
    title: { en: "Sees images", zh: "支持图像" },
    help: { en: "Whether images are sent to it.", zh: "是否把图像发给它。" },
  },
  audio: {
    type: "bool",
    title: { en: "Hears audio", zh: "支持音频" },
    help: { en: "Whether audio is sent to it.", zh: "是否把音频发给它。" },
  },
  thinking_enabled: {
    type: "bool",
    title: { en: "Thinking", zh: "思考模式" },
    help: {
      en: "Ask this source to think before it answers, also when core.llm.thinking_enabled is false.",
      zh: "让这个来源先思考再回答，即使 core.llm.thinking_enabled 为 false。",
    },
  },
  max_concurrent: {
    type: "int",
    min: 0,
    max: 1000,
    title: { en: "Calls at once", zh: "并发上限" },
    help: { en: "Calls at the same time; 0: no limit.", zh: "同时进行的调用数；0 表示不限。" },
  },
};

/** Names of the settings that every source has. */
export const SOURCE_FIELDS = Object.keys(FIELDS);

/** The settings of one source, with its own defaults. */
export function sourceDefinitions(name: string): Definition[] {
  const known = SOURCE_DEFAULTS[name] ?? OWN_SOURCE_DEFAULTS;
  const defaults: Record<string, Definition["default"]> = {
    enabled: true,
    adapter: known.adapter,
    adapter_path: "",
    base_url: known.base_url,
    api_key: "",
    model: known.model,
    priority: known.priority,
    context_window: known.context_window,
    vision: known.vision,
    audio: known.audio,
    thinking_enabled: false,
    max_concurrent: 0,
  };
  return SOURCE_FIELDS.map((field) => {
    const row: Definition = { key: `core.llm.sources.${name}.${field}`, default: defaults[field]!, ...FIELDS[field]! };
    if (name === "ollama" && field === "enabled") {
      return {
        ...row,
        type: "select",
        default: "auto",
        options: ["auto", "true", "false"],
        help: {
          en: "auto: when nothing else is configured and an Ollama is found on this machine.",
          zh: "auto：没有配置其他来源且本机找到 Ollama 时使用。",
        },
      };
    }
    return row;
  });
}

import type { Definition } from "../definition.ts";

const path = (key: string, en: string, zh: string, place: string): Definition => ({
  key,
  type: "string",
  default: place,
  max: 1000,
  owner: true,
  title: { en, zh },
  help: {
    en: `Where it is kept; a path that does not begin at the root is below the home folder.`,
    zh: `存放位置；相对路径以主目录为起点。`,
  },
});

/** `core.memory.*` and `core.knowledge.*`. */
export const MEMORY_DEFINITIONS: Definition[] = [
  path("core.memory.graph", "Graph database", "图数据库", "memory/graph.db"),
  path("core.memory.documents", "Documents folder", "文档目录", "memory/documents"),
  path("core.memory.text", "Text log folder", "文本日志目录", "memory/text"),
  path("core.memory.media.dir", "Media folder", "媒体目录", "memory/media"),
  path("core.knowledge.path", "Knowledge folder", "知识库目录", "knowledge"),
  {
    key: "core.memory.media.enabled",
    type: "bool",
    default: true,
    title: { en: "Keep media", zh: "保存媒体" },
    help: { en: "Off: images and audio are not kept, only text.", zh: "关闭后不保存图像和音频，只保留文字。" },
  },
  {
    key: "core.memory.media.max_bytes",
    type: "int",
    default: 2_000_000_000,
    min: 0,
    max: 1_000_000_000_000_000,
    title: { en: "Room for media", zh: "媒体空间" },
    help: {
      en: "Beyond this many bytes the oldest files go; their descriptions stay.",
      zh: "超过这个字节数时删除最旧的文件，描述保留。",
    },
  },
  {
    key: "core.memory.media.min_age",
    type: "duration",
    default: "24h",
    min: "0s",
    max: "3650d",
    title: { en: "Age before cleaning", zh: "清理前的最短时间" },
    help: {
      en: "Media that nothing refers to is kept at least this long.",
      zh: "没有被引用的媒体至少保留这么久。",
    },
  },
  {
    key: "core.memory.text_max_bytes",
    type: "int",
    default: 50_000_000,
    min: 10_000,
    max: 10_000_000_000,
    title: { en: "Text log size", zh: "文本日志大小" },
    help: { en: "Bytes after which a new text log file is begun.", zh: "文本日志超过这个字节数后另起新文件。" },
  },
  {
    key: "core.memory.pipeline_interval",
    type: "duration",
    default: "10m",
    min: "1s",
    max: "365d",
    title: { en: "Rule distiller", zh: "规则提炼间隔" },
    help: { en: "How often the rules look for facts in the text log.", zh: "规则多久从文本日志中提取一次事实。" },
  },
  {
    key: "core.memory.pipeline_retention",
    type: "duration",
    default: "7d",
    min: "1m",
    max: "3650d",
    title: { en: "What the rules keep", zh: "规则结果保留期" },
    help: {
      en: "How long what the rules found is kept when nothing confirms it.",
      zh: "规则提取的内容在没有确认时保留多久。",
    },
  },
  {
    key: "core.memory.cold_after",
    type: "duration",
    default: "72h",
    min: "1s",
    max: "3650d",
    title: { en: "Cold after", zh: "变冷时间" },
    help: {
      en: "A document that was not used for this long may be distilled into facts.",
      zh: "文档这么久没有被用到就可以提炼为事实。",
    },
  },
  {
    key: "core.memory.cold_max_accesses",
    type: "int",
    default: 2,
    min: 0,
    max: 1_000_000,
    title: { en: "Cold up to", zh: "冷文档使用次数" },
    help: {
      en: "A document that was used more often than this stays a document.",
      zh: "使用次数超过这个值的文档不会被提炼。",
    },
  },
  {
    key: "core.memory.recall.top",
    type: "int",
    default: 8,
    min: 1,
    max: 100,
    title: { en: "Hits of a recall", zh: "回忆条数" },
    help: { en: "The most that one recall returns.", zh: "一次回忆最多返回多少条。" },
  },
  {
    key: "core.memory.recall.threshold",
    type: "float",
    default: 0,
    min: 0,
    max: 1,
    title: { en: "Recall threshold", zh: "回忆阈值" },
    help: {
      en: "Hits below this score are left out. 0: the calibrated one.",
      zh: "低于这个分数的结果不返回；0 表示使用校准值。",
    },
  },
];

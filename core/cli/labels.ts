import type { Language } from "./language.ts";

/** What people call what is counted: one, several, and in Chinese. */
const COUNTED: Record<string, readonly [one: string, many: string, zh: string]> = {
  entities: ["entity", "entities", "个实体"],
  entity: ["entity", "entities", "个实体"],
  attribute: ["attribute", "attributes", "个属性"],
  relations: ["fact", "facts", "条事实"],
  relation: ["fact", "facts", "条事实"],
  current_relations: ["current fact", "current facts", "条当前事实"],
  sentences: ["sentence", "sentences", "个原句"],
  documents: ["document", "documents", "份文档"],
  document: ["document", "documents", "份文档"],
  context_events: ["event of the conversation", "events of the conversation", "条对话事件"],
  messages: ["message", "messages", "条消息"],
  message: ["message", "messages", "条消息"],
  knowledge: ["knowledge entry", "knowledge entries", "条知识"],
  media: ["media file", "media files", "个媒体文件"],
  undo: ["change that could be undone", "changes that could be undone", "项可撤销的改动"],
  files: ["other file", "other files", "个其他文件"],
  log_lines: ["log line", "log lines", "行日志"],
  timers: ["timer", "timers", "个定时器"],
  rejected: ["line rejected", "lines rejected", "行被拒绝"],
};

/** Counts in words, without those that are nothing: "1 fact, 2 documents". */
export function countsText(counts: Readonly<Record<string, number>>, language: Language): string {
  const zh = language === "zh";
  const said = Object.entries(counts).filter(([, count]) => count > 0).map(([name, count]) => {
    const row = COUNTED[name];
    if (!row) return `${count} ${name}`;
    const [one, many, chinese] = row;
    return zh ? `${count} ${chinese}` : `${count} ${count === 1 ? one : many}`;
  });
  if (said.length === 0) return zh ? "没有内容" : "nothing";
  return said.join(zh ? "，" : ", ");
}

/** A size as people read it. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;
}

const KINDS: Record<string, string> = {
  relation: "事实",
  document: "文档",
  sentence: "原句",
  message: "消息",
  knowledge: "知识",
};
const WHYS: Record<string, string> = { exact: "原文", text: "词语", vector: "语义", graph: "关联" };

/** What a hit of a recall is, and why it was found. */
export function hitText({ kind, why }: { kind: string; why: readonly string[] }, language: Language): {
  kind: string;
  why: string;
} {
  if (language !== "zh") return { kind, why: why.join("+") };
  return { kind: KINDS[kind] ?? kind, why: why.map((one) => WHYS[one] ?? one).join("+") };
}

import type { Language } from "../../base/facts/mod.ts";

/** Families of tools: by the beginnings of their names, in the order in which they are listed. */
const FAMILIES: readonly { starts: RegExp; en: string; zh: string }[] = [
  {
    starts: /^(?:memory|doc)_/,
    en: "Memory: keep facts and documents and find them again",
    zh: "记忆：记住事实和文档，并再次找到",
  },
  { starts: /^person_/, en: "People: who is who, traits and relations", zh: "人物：谁是谁、特点和关系" },
  { starts: /^knowledge_/, en: "Knowledge base: search, list and add entries", zh: "知识库：搜索、列出和添加条目" },
  { starts: /^media_/, en: "Pictures and sound: view and describe", zh: "图片和声音：查看和描述" },
  { starts: /^timer_/, en: "Timers and reminders", zh: "定时和提醒" },
  {
    starts: /^(?:files|cmd|agentcli|mcp)_/,
    en: "This machine: files, commands, other agents",
    zh: "本机：文件、命令、其他智能体",
  },
  { starts: /^output_send__/, en: "Sending messages through channels", zh: "通过频道发送消息" },
  { starts: /^(?:llm|agent|skill)_/, en: "Models, child agents and skills", zh: "模型、子智能体和技能" },
  {
    starts: /^(?:plugin|pluginmgr|cfgmgr|healthcheck|clawhub)_?/,
    en: "Plugins, settings and health",
    zh: "插件、设置和健康检查",
  },
];

/** The tools at hand, by family. */
export function listSkills(tools: readonly string[], language: Language): string {
  const left = new Set(tools);
  const lines: string[] = [];
  for (const family of FAMILIES) {
    const names = [...left].filter((name) => family.starts.test(name));
    if (names.length === 0) continue;
    for (const name of names) left.delete(name);
    lines.push(`- ${family[language]} (${names.join(", ")})`);
  }
  if (left.size > 0) lines.push(`- ${language === "zh" ? "其他" : "Other"} (${[...left].join(", ")})`);
  const intro = language === "zh"
    ? "不用模型，我也能记住你告诉我的事（姓名、住处、喜好、家人、号码……）、回答相关问题、搜索知识库。我有这些工具："
    : "Even without a model I remember what you tell me (names, places, likes, family, numbers …), answer questions about it, " +
      "and search the knowledge base. These tools are at hand:";
  return [lines.length > 0 ? intro : intro.replace(/[^。.]*[：:]$/, ""), ...lines].join("\n").trim();
}

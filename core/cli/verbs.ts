import type { OptionSpec, Verb } from "./verb.ts";

const JSON_OPTION: Record<string, OptionSpec> = {
  "--json": { help: { en: "machine-readable output", zh: "输出机器可读的 JSON" } },
};
const YES: Record<string, OptionSpec> = {
  "--yes": { help: { en: "do not ask", zh: "不再询问" } },
};

/** Every verb of the command line. */
export const VERBS: Verb[] = [
  {
    name: "chat",
    help: {
      en: "talk: without a text as a conversation, with one (or text on stdin) a single message",
      zh: "对话：不带文本进入交互，带文本（或从标准输入）发送一条消息",
    },
    forms: { "": { usage: "chat [--json] [--interrupt] [--attach FILE]… [TEXT]", least: 0, most: -1 } },
    options: {
      "--json": { help: { en: "events, one JSON object a line", zh: "逐行输出 JSON 事件" } },
      "--interrupt": { help: { en: "deliver it as an interrupt", zh: "作为打断消息发送" } },
      "--attach": { value: "FILE", many: true, help: { en: "add an image or audio file", zh: "附上图像或音频文件" } },
      "--no-memory": { help: { en: "keep it out of what is learned", zh: "不让它进入记忆" } },
    },
    load: () => import("./chat.ts"),
  },
  {
    name: "serve",
    help: { en: "run the daemon in the foreground", zh: "在前台运行守护进程" },
    forms: { "": { usage: "serve [--verbose]", least: 0, most: 0 } },
    options: { "--verbose": { help: { en: "log to the terminal too", zh: "同时把日志打印到终端" } } },
    load: () => import("./serve.ts"),
  },
  {
    name: "status",
    help: { en: "what the daemon of this home does", zh: "查看本主目录的守护进程状态" },
    forms: { "": { usage: "status [--json]", least: 0, most: 0 } },
    options: JSON_OPTION,
    load: () => import("./status.ts"),
  },
  {
    name: "stop",
    help: { en: "end the daemon of this home", zh: "停止本主目录的守护进程" },
    forms: { "": { usage: "stop", least: 0, most: 0 } },
    options: JSON_OPTION,
    load: () => import("./stop.ts"),
  },
  {
    name: "config",
    help: { en: "settings", zh: "设置" },
    forms: {
      list: { usage: "config list [PREFIX] [--json]", least: 0, most: 1 },
      get: { usage: "config get KEY [--json]", least: 1, most: 1 },
      set: { usage: "config set KEY VALUE", least: 2, most: 2 },
      unset: { usage: "config unset KEY", least: 1, most: 1 },
    },
    options: JSON_OPTION,
    load: () => import("./config.ts"),
  },
  {
    name: "memory",
    help: { en: "what it remembers", zh: "记忆" },
    forms: {
      stats: { usage: "memory stats [--json]", least: 0, most: 0 },
      recall: { usage: "memory recall QUERY [--top N] [--json]", least: 1, most: 1 },
      export: { usage: "memory export FILE", least: 1, most: 1 },
      import: { usage: "memory import FILE [--json]", least: 1, most: 1 },
      forget: { usage: "memory forget NAME [--yes]", least: 1, most: 1 },
      undo: { usage: "memory undo [ID] [--list]", least: 0, most: 1 },
    },
    options: {
      ...JSON_OPTION,
      ...YES,
      "--top": { value: "N", help: { en: "the most hits", zh: "最多返回的条数" } },
      "--list": { help: { en: "show what can be undone", zh: "列出可撤销的操作" } },
    },
    load: () => import("./memory.ts"),
  },
  {
    name: "knowledge",
    help: { en: "the knowledge base", zh: "知识库" },
    forms: {
      list: { usage: "knowledge list [--json]", least: 0, most: 0 },
      add: { usage: "knowledge add NAME FILE [--replace]", least: 2, most: 2 },
      search: { usage: "knowledge search QUERY [--top N] [--json]", least: 1, most: 1 },
    },
    options: {
      ...JSON_OPTION,
      "--top": { value: "N", help: { en: "the most hits", zh: "最多返回的条数" } },
      "--replace": { help: { en: "take the place of an entry of that name", zh: "替换同名条目" } },
    },
    load: () => import("./knowledge.ts"),
  },
  {
    name: "plugin",
    help: { en: "plugins", zh: "插件" },
    forms: {
      list: { usage: "plugin list [--json]", least: 0, most: 0 },
      install: { usage: "plugin install FILE.hmap [--yes]", least: 1, most: 1 },
      remove: { usage: "plugin remove NAME [--yes] [--data]", least: 1, most: 1 },
      enable: { usage: "plugin enable NAME", least: 1, most: 1 },
      disable: { usage: "plugin disable NAME", least: 1, most: 1 },
      reload: { usage: "plugin reload NAME", least: 1, most: 1 },
      logs: { usage: "plugin logs NAME", least: 1, most: 1 },
      new: { usage: "plugin new NAME --lang ts|python|lua", least: 1, most: 1 },
      build: { usage: "plugin build [DIR]", least: 0, most: 1 },
    },
    options: {
      ...JSON_OPTION,
      ...YES,
      "--lang": { value: "ts|python|lua", help: { en: "the language of a new plugin", zh: "新插件的语言" } },
      "--data": { help: { en: "remove its settings and data, too", zh: "同时删除其设置和数据" } },
    },
    load: () => import("./plugin.ts"),
  },
  {
    name: "doctor",
    help: { en: "check everything and say what to do", zh: "检查一切并给出建议" },
    forms: { "": { usage: "doctor [--online] [--json]", least: 0, most: 0 } },
    options: {
      ...JSON_OPTION,
      "--online": { help: { en: "make one tiny call to each source", zh: "对每个来源做一次很小的调用" } },
    },
    load: () => import("./doctor.ts"),
  },
  {
    name: "service",
    help: { en: "start homed with the system", zh: "随系统启动 homed" },
    forms: {
      install: { usage: "service install [--system] [--print]", least: 0, most: 0 },
      uninstall: { usage: "service uninstall [--system]", least: 0, most: 0 },
      status: { usage: "service status [--system] [--json]", least: 0, most: 0 },
    },
    options: {
      ...JSON_OPTION,
      "--system": { help: { en: "for the whole machine, not for this user", zh: "安装为系统服务而非用户服务" } },
      "--print": { help: { en: "only show what would be written", zh: "只显示将写入的内容" } },
    },
    load: () => import("./service.ts"),
  },
  {
    name: "backup",
    help: { en: "the whole home into one file", zh: "把整个主目录备份成一个文件" },
    forms: { "": { usage: "backup FILE", least: 1, most: 1 } },
    options: JSON_OPTION,
    load: () => import("./backup.ts"),
  },
  {
    name: "restore",
    help: { en: "bring a backup back", zh: "从备份恢复" },
    forms: { "": { usage: "restore FILE [--yes]", least: 1, most: 1 } },
    options: { ...YES, ...JSON_OPTION },
    load: () => import("./restore.ts"),
  },
  {
    name: "version",
    help: { en: "versions of all that matters", zh: "版本信息" },
    forms: { "": { usage: "version [--json]", least: 0, most: 0 } },
    options: JSON_OPTION,
    load: () => import("./version.ts"),
  },
  {
    name: "help",
    help: { en: "this text, or a verb's", zh: "显示帮助" },
    forms: { "": { usage: "help [VERB]", least: 0, most: 1 } },
    load: () => import("./help.ts"),
  },
];

/** Options that every verb takes. */
export const GLOBAL_OPTIONS: Record<string, OptionSpec> = {
  "--home": {
    value: "DIR",
    help: { en: "the home folder (or HOMED_HOME)", zh: "主目录（或用环境变量 HOMED_HOME）" },
  },
  "--help": { help: { en: "help", zh: "帮助" } },
};

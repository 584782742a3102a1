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
      en: "talk to it; with a text (or one on stdin), a single message",
      zh: "与它对话；带文本（或从标准输入给出文本）只发送一条消息",
    },
    forms: { "": { usage: "chat [--json] [--interrupt] [--no-memory] [--attach FILE]… [TEXT]", least: 0, most: -1 } },
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
      list: {
        usage: "config list [PREFIX] [--json]",
        least: 0,
        most: 1,
        help: {
          en: "every setting, or those below PREFIX; * is stored, e from the environment",
          zh: "所有设置，或 PREFIX 之下的设置；* 为已保存，e 来自环境变量",
        },
      },
      get: {
        usage: "config get KEY [--json]",
        least: 1,
        most: 1,
        help: { en: "the value of one setting", zh: "一个设置的值" },
      },
      set: {
        usage: "config set KEY VALUE",
        least: 2,
        most: 2,
        help: { en: "change a setting; it is in force at once", zh: "修改设置，立即生效" },
      },
      unset: { usage: "config unset KEY", least: 1, most: 1, help: { en: "go back to the default", zh: "恢复默认值" } },
    },
    options: JSON_OPTION,
    load: () => import("./config.ts"),
  },
  {
    name: "memory",
    help: { en: "what it remembers", zh: "记忆" },
    forms: {
      stats: {
        usage: "memory stats [--json]",
        least: 0,
        most: 0,
        help: { en: "how much it holds", zh: "记忆里有多少内容" },
      },
      recall: {
        usage: "memory recall QUERY [--top N] [--json]",
        least: 1,
        most: 1,
        help: { en: "what it knows of something; only looks, changes nothing", zh: "它对某事知道什么；只查看，不改变" },
      },
      export: {
        usage: "memory export FILE",
        least: 1,
        most: 1,
        help: { en: "write everything as JSON lines", zh: "把全部内容导出为 JSON 行" },
      },
      import: {
        usage: "memory import FILE [--json]",
        least: 1,
        most: 1,
        help: { en: "read such a file; the same twice changes nothing", zh: "导入这样的文件；重复导入不会改变什么" },
      },
      forget: {
        usage: "memory forget NAME [--yes]",
        least: 1,
        most: 1,
        help: { en: "remove a person or thing from everywhere, for good", zh: "彻底忘记一个人或事物，无法撤销" },
      },
      undo: {
        usage: "memory undo [ID] [--list]",
        least: 0,
        most: 1,
        help: { en: "take back the last change, or the one of that ID", zh: "撤销最近一次改动，或指定 ID 的改动" },
      },
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
      list: { usage: "knowledge list [--json]", least: 0, most: 0, help: { en: "what is in it", zh: "列出条目" } },
      add: {
        usage: "knowledge add NAME FILE [--replace]",
        least: 2,
        most: 2,
        help: { en: "add a text file under a name", zh: "以某个名称加入一个文本文件" },
      },
      search: {
        usage: "knowledge search QUERY [--top N] [--json]",
        least: 1,
        most: 1,
        help: { en: "look something up", zh: "检索" },
      },
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
      list: {
        usage: "plugin list [--json]",
        least: 0,
        most: 0,
        help: { en: "every plugin and how it is", zh: "所有插件及其状态" },
      },
      install: {
        usage: "plugin install FILE.hmap [--yes]",
        least: 1,
        most: 1,
        help: { en: "show what a package asks for, and install it", zh: "显示插件包要求的权限并安装" },
      },
      remove: {
        usage: "plugin remove NAME [--yes] [--data]",
        least: 1,
        most: 1,
        help: { en: "take a plugin away", zh: "移除插件" },
      },
      enable: {
        usage: "plugin enable NAME",
        least: 1,
        most: 1,
        help: { en: "start it, now and with homed", zh: "启用并随 homed 启动" },
      },
      disable: {
        usage: "plugin disable NAME",
        least: 1,
        most: 1,
        help: { en: "stop it and keep it from starting", zh: "停用，不再启动" },
      },
      reload: {
        usage: "plugin reload NAME",
        least: 1,
        most: 1,
        help: { en: "start it anew; when that fails the running one stays", zh: "重新启动；失败时保留正在运行的" },
      },
      logs: {
        usage: "plugin logs NAME",
        least: 1,
        most: 1,
        help: { en: "the last lines it wrote", zh: "它最近写的日志" },
      },
      new: {
        usage: "plugin new NAME --lang ts|python|lua",
        least: 1,
        most: 1,
        help: { en: "begin a plugin in a new folder", zh: "在新文件夹里新建插件" },
      },
      build: {
        usage: "plugin build [DIR]",
        least: 0,
        most: 1,
        help: { en: "make the package of the plugin in DIR", zh: "把 DIR 中的插件打包" },
      },
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
      install: {
        usage: "service install [--system] [--print]",
        least: 0,
        most: 0,
        help: { en: "write the service, start it now and with the system", zh: "写入服务，立即启动并随系统启动" },
      },
      uninstall: {
        usage: "service uninstall [--system]",
        least: 0,
        most: 0,
        help: { en: "stop it and take the service away", zh: "停止并移除服务" },
      },
      status: {
        usage: "service status [--system] [--json]",
        least: 0,
        most: 0,
        help: { en: "whether it is installed and runs", zh: "是否已安装并运行" },
      },
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
  "--help": { help: { en: "this help", zh: "显示帮助" } },
};

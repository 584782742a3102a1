import type { Definition } from "../definition.ts";

/** `core.plugin.*` and `core.approval.timeout`. */
export const PLUGIN_DEFINITIONS: Definition[] = [
  {
    key: "core.plugin.dir",
    type: "string",
    default: "plugins",
    max: 1000,
    owner: true,
    title: { en: "Plugin folder", zh: "插件目录" },
    help: {
      en: "Where plugins are installed; a path that does not begin at the root is below the home folder.",
      zh: "插件的安装位置；相对路径以主目录为起点。",
    },
  },
  {
    key: "core.plugin.restart_max",
    type: "int",
    default: 5,
    min: 0,
    max: 1000,
    title: { en: "Restarts", zh: "重启次数" },
    help: {
      en: "A plugin that crashed this often within the window is left stopped. 0: never restarted.",
      zh: "窗口时间内崩溃这么多次的插件不再重启；0 表示从不重启。",
    },
  },
  {
    key: "core.plugin.restart_window",
    type: "duration",
    default: "5m",
    min: "1s",
    max: "7d",
    title: { en: "Restart window", zh: "重启窗口" },
    help: { en: "The time in which restarts are counted.", zh: "统计重启次数的时间范围。" },
  },
  {
    key: "core.plugin.restart_backoff",
    type: "duration",
    default: "1s",
    min: "0s",
    max: "10m",
    title: { en: "Pause before a restart", zh: "重启间隔" },
    help: {
      en: "The first pause; it doubles with every crash.",
      zh: "第一次重启前的等待；每次崩溃后加倍。",
    },
  },
  {
    key: "core.plugin.start_timeout",
    type: "duration",
    default: "10s",
    min: "100ms",
    max: "10m",
    title: { en: "Time to start", zh: "启动时限" },
    help: { en: "A plugin that needs longer to start is ended.", zh: "插件启动超过这段时间会被终止。" },
  },
  {
    key: "core.plugin.stop_grace",
    type: "duration",
    default: "5s",
    min: "0s",
    max: "5m",
    title: { en: "Time to stop", zh: "停止时限" },
    help: { en: "How long a plugin may take to stop before it is killed.", zh: "插件停止超过这段时间会被强制结束。" },
  },
  {
    key: "core.approval.timeout",
    type: "duration",
    default: "5m",
    min: "1s",
    max: "24h",
    owner: true,
    title: { en: "Time to answer", zh: "审批时限" },
    help: {
      en: "How long an approval waits for an answer. None is a no.",
      zh: "审批等待多久；没有回答视为拒绝。",
    },
  },
];

/** The approval of one tool, or of all whose names match a pattern with `*`. */
export function approvalDefinition(tool: string): Definition {
  return {
    key: `core.approval.${tool}`,
    type: "select",
    default: "ask",
    options: ["allow", "ask", "deny"],
    owner: true,
    title: { en: `Approval of ${tool}`, zh: `${tool} 的审批` },
    help: {
      en: "allow: runs at once; ask: you are asked each time; deny: never. The longest matching name counts.",
      zh: "allow：直接执行；ask：每次询问；deny：一律拒绝。以最长匹配的名字为准。",
    },
  };
}

/** A tool's name or a pattern over names. */
export const APPROVAL_TOOL = /^[A-Za-z0-9_*-]{1,64}$/;

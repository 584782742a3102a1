/** Every sentence the REPL says, in English and 中文. `{name}` is filled in. @module */

import { inLanguage, questionIn } from "../chinese.ts";
import type { Language } from "../language.ts";

/** The sentences by name. */
export const TEXTS = {
  welcome: {
    en: "homed {version} · /help for the commands",
    zh: "homed {version} · 输入 /help 查看命令",
  },
  welcomeSources: { en: "Models: {names}", zh: "模型：{names}" },
  welcomeOffline: {
    en: "No model is configured: the offline rules answer. Type /setup to add one.",
    zh: "还没有配置模型：现在由离线规则回答。输入 /setup 添加一个。",
  },
  thinking: { en: "thinking", zh: "思考中" },
  hintLeave: { en: "Press Ctrl-C again to leave.", zh: "再按一次 Ctrl-C 退出。" },
  cancelling: { en: "Interrupted. Press Ctrl-C again to leave.", zh: "已中断。再按一次 Ctrl-C 退出。" },
  withdrawn: { en: "withdrawn: {notice}", zh: "已撤回：{notice}" },
  withdrawnLines: {
    en: "The last {count} lines above were withdrawn and do not count: {notice}",
    zh: "上面最后 {count} 行已撤回，不算数：{notice}",
  },
  replyChanged: { en: "the reply was changed on its way out", zh: "回复在发出前被修改" },
  toolNoResult: { en: "no result", zh: "没有结果" },
  goneAway: {
    en: "The agent is gone: {reason}. Start homed chat again.",
    zh: "智能体已断开：{reason}。请重新运行 homed chat。",
  },
  failed: { en: "That did not work: {reason}", zh: "没有成功：{reason}" },
  noSource: { en: "No model answered: {reason}", zh: "没有模型应答：{reason}" },
  fix: { en: "What to do: {fix}", zh: "怎么办：{fix}" },
  notDelivered: { en: "Not delivered: {reason}", zh: "未送达：{reason}" },
  search: { en: "(search) {query}: ", zh: "（搜索）{query}：" },
  searchFailed: { en: "(nothing found) {query}: ", zh: "（没有找到）{query}：" },
  approvalTitle: { en: "{tool} asks to act:", zh: "{tool} 请求执行：" },
  approvalAsk: {
    en: "Allow? y = yes, n = no, a = always for this tool: ",
    zh: "允许吗？y = 是，n = 否，a = 对此工具总是允许：",
  },
  approvalAgain: { en: "Please answer y, n or a.", zh: "请回答 y、n 或 a。" },
  approvalAllowed: { en: "allowed", zh: "已允许" },
  approvalAlways: { en: "allowed, from now on always", zh: "已允许，以后总是允许" },
  approvalDenied: { en: "denied", zh: "已拒绝" },
  approvalTimedOut: { en: "denied: nobody answered in time", zh: "已拒绝：没有人及时回答" },
  approvalLate: { en: "the answer came too late", zh: "回答来得太晚" },
  approvalNobody: { en: "denied: there is no one to ask in a pipe", zh: "已拒绝：管道里没有人可问" },
  unknownCommand: {
    en: "There is no command {name}. /help lists them; to send a message that begins with a slash, write //.",
    zh: "没有命令 {name}。/help 列出所有命令；要发送以斜杠开头的消息，请写 //。",
  },
  didYouMean: { en: "Did you mean {name}?", zh: "是不是 {name}？" },
  usage: { en: "Usage: {usage}", zh: "用法：{usage}" },
  helpKeys: {
    en:
      "Alt-Enter or \\ and Enter: new line · Ctrl-C: interrupt, twice: leave · Ctrl-D: leave · Ctrl-R: search · Tab: complete",
    zh: "Alt-Enter 或 \\ 加回车：换行 · Ctrl-C：中断，两次：退出 · Ctrl-D：退出 · Ctrl-R：搜索 · Tab：补全",
  },
  helpBusy: {
    en: "What you type while the agent works is delivered to it as an interrupt.",
    zh: "智能体工作时输入的内容会作为打断消息送达。",
  },
  cmdHelp: { en: "the commands, or one of them", zh: "列出命令，或说明其中一个" },
  cmdSetup: {
    en: "add or change a model: choose, paste key, try, save",
    zh: "添加或修改模型：选择、粘贴密钥、试用、保存",
  },
  cmdSources: {
    en: "the models and their state; with a name: ask that one (auto: all)",
    zh: "模型及其状态；带名称：只问那一个（auto：全部）",
  },
  cmdTools: { en: "what the agent can do; with a name: its parameters", zh: "智能体能做什么；带名称：显示参数" },
  cmdMemory: { en: "what is stored; with words: what is remembered of them", zh: "存储的内容；带关键词：回忆相关内容" },
  cmdConfig: { en: "show settings, or set one", zh: "查看设置，或修改一项" },
  cmdUndo: { en: "take back the last merge or deletion in memory", zh: "撤销记忆中最近一次合并或删除" },
  cmdAttach: { en: "add an image or audio file to the next message", zh: "给下一条消息附上图片或音频" },
  cmdClear: { en: "empty the screen", zh: "清屏" },
  cmdQuit: { en: "leave", zh: "退出" },
  sourcesNone: { en: "No model is configured. /setup adds one.", zh: "没有配置模型。用 /setup 添加。" },
  sourceReady: { en: "ready", zh: "可用" },
  sourceLast: { en: "last time: {reason}", zh: "上次：{reason}" },
  sourcePaused: { en: "paused", zh: "暂停" },
  sourceOut: { en: "out until its settings change", zh: "停用，直到修改其设置" },
  sourceAsked: { en: "From now on {name} is asked.", zh: "从现在起询问 {name}。" },
  sourceAll: { en: "From now on all models are asked, in order.", zh: "从现在起按顺序询问所有模型。" },
  sourceUnknown: {
    en: "No source {name} is configured. /sources lists them, /setup adds one.",
    zh: "没有配置来源 {name}。/sources 列出来源，/setup 添加。",
  },
  toolsCount: { en: "{count} tools", zh: "{count} 个工具" },
  toolUnknown: { en: "There is no tool {name}. /tools lists them.", zh: "没有工具 {name}。/tools 列出所有工具。" },
  memoryStats: {
    en:
      "{relations} facts ({current} current) about {entities} things · {documents} documents · {messages} messages · {knowledge} knowledge entries · {media} media · {context} events in view",
    zh:
      "{entities} 个实体的 {relations} 条事实（{current} 条当前有效）· {documents} 个文档 · {messages} 条消息 · {knowledge} 条知识 · {media} 个媒体 · 上下文 {context} 条",
  },
  memoryEmbedder: { en: "Meaning by {name}, {dimension} dimensions", zh: "向量模型 {name}，{dimension} 维" },
  memoryPending: { en: ", {pending} texts still to do", zh: "，还有 {pending} 条待处理" },
  memoryNothing: { en: "Nothing is remembered about that.", zh: "没有相关的记忆。" },
  memoryOld: { en: "no longer", zh: "已过时" },
  undone: { en: "Undone: {kind} {id}", zh: "已撤销：{kind} {id}" },
  configSet: { en: "{key} is set.", zh: "{key} 已设置。" },
  configNone: { en: "No setting begins with {key}.", zh: "没有以 {key} 开头的设置。" },
  configMore: { en: "… and {count} more: name more of the key.", zh: "…… 还有 {count} 项：请写出更多键名。" },
  attached: { en: "{name} ({size}) goes with the next message.", zh: "{name}（{size}）将随下一条消息发送。" },
  attachType: {
    en: "{name} is neither an image nor audio that homed knows: png jpg gif webp · mp3 wav ogg m4a flac.",
    zh: "{name} 不是 homed 认识的图片或音频：png jpg gif webp · mp3 wav ogg m4a flac。",
  },
  attachLarge: { en: "{name} has {size}; at most {limit} can be sent.", zh: "{name} 有 {size}；最多可发送 {limit}。" },
  setupChoose: {
    en: "Which one? Number, name, or a new name for your own: ",
    zh: "选择哪一个？编号、名称，或为自己的来源起个新名称：",
  },
  setupConfigured: { en: "configured", zh: "已配置" },
  setupBadName: {
    en: "A name has small letters, digits, - and _, and begins with a letter.",
    zh: "名称由小写字母、数字、- 和 _ 组成，以字母开头。",
  },
  setupAdapter: { en: "Which API does it speak? [{current}]: ", zh: "它使用哪种接口？[{current}]：" },
  setupAddress: { en: "Its address (base URL) [{current}]: ", zh: "它的地址（base URL）[{current}]：" },
  setupNeedAddress: {
    en: "An address is needed, like http://127.0.0.1:8000/v1",
    zh: "需要一个地址，例如 http://127.0.0.1:8000/v1",
  },
  setupKey: { en: "API key (hidden; empty: {empty}): ", zh: "API 密钥（不显示；留空：{empty}）：" },
  setupKeyKeep: { en: "keep the present one", zh: "保留现有的" },
  setupKeyEnv: { en: "from the environment", zh: "从环境变量读取" },
  setupModel: { en: "Model [{current}]: ", zh: "模型 [{current}]：" },
  setupNeedModel: { en: "The name of a model is needed.", zh: "需要一个模型名称。" },
  setupTesting: { en: "asking {name}", zh: "正在询问 {name}" },
  setupWorks: { en: "{name} answers: {reply}", zh: "{name} 应答：{reply}" },
  setupSaved: { en: "Saved. From the next message on it is used.", zh: "已保存。从下一条消息开始使用。" },
  setupFailed: { en: "{name} did not answer: {reason}", zh: "{name} 没有应答：{reason}" },
  setupAgain: {
    en: "r = try again, k = other key, m = other model, s = save as it is, d = discard: ",
    zh: "r = 重试，k = 换密钥，m = 换模型，s = 照样保存，d = 放弃：",
  },
  setupDiscarded: { en: "Discarded: the settings are as before.", zh: "已放弃：设置恢复原状。" },
  setupKeyLost: {
    en: "Discarded, but the earlier key of {name} cannot be brought back: it was replaced.",
    zh: "已放弃，但 {name} 原来的密钥无法恢复：它已被替换。",
  },
  setupStopped: { en: "Nothing was changed.", zh: "没有修改任何设置。" },
  setupNotSaved: { en: "Could not save {key}: {reason}", zh: "无法保存 {key}：{reason}" },
} as const satisfies Record<string, Record<Language, string>>;

export type TextKey = keyof typeof TEXTS;

/** How each state of a source is called. */
const SOURCE_STATES = { ready: "sourceReady", paused: "sourcePaused", out: "sourceOut" } as const;

/** How a source is: why it is not asked, or, where it is asked again, how the last call went. */
export function sourceState(state: keyof typeof SOURCE_STATES, reason: string | undefined, texts: Texts): string {
  const told = texts(SOURCE_STATES[state]);
  if (!reason) return told;
  const said = texts.told(reason);
  return state === "ready" ? `${told} · ${texts("sourceLast", { reason: said })}` : `${told}: ${said}`;
}

/** Sentences in the person's language. */
export interface Texts {
  (key: TextKey, values?: Record<string, string | number>): string;
  /** A sentence that came from elsewhere, in that language where it is known. */
  told(text: string): string;
  /** The lines of a question that came from elsewhere, in that language. */
  asked(text: string): string;
}

export function textsFor(lang: Language): Texts {
  const texts = (key: TextKey, values: Record<string, string | number> = {}) =>
    TEXTS[key][lang].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
  return Object.assign(texts, {
    told: (text: string) => inLanguage(text, lang),
    asked: (text: string) => questionIn(text, lang),
  });
}

import type { SourceFailure } from "../wire/llm.ts";
import { type Language, pick } from "./language.ts";

/** What the kernel itself says to people, in the language of their message. */
export const texts = {
  toolLimit: (l: Language, turns: number) =>
    pick(l, {
      en: `I stopped here: this turn reached its limit of ${turns} rounds of tool calls (core.agent.max_tool_turns). ` +
        `Ask me to continue, or raise the limit.`,
      zh: `我停在这里：本轮已达到 ${turns} 次工具调用的上限（core.agent.max_tool_turns）。可以让我继续，或调高上限。`,
    }),
  runaway: (l: Language, tool: string) =>
    pick(l, {
      en:
        `I stopped here: I kept calling "${tool}" in the same way without getting further. Please put it differently.`,
      zh: `我停在这里：我一直在用同样的方式调用“${tool}”，没有进展。请换一种说法。`,
    }),
  emptyReply: (l: Language) =>
    pick(l, {
      en: "The model gave no answer, twice. Please ask again, or try another source.",
      zh: "模型两次都没有给出回答。请再问一次，或换一个模型来源。",
    }),
  allRejected: (l: Language, reasons: string) =>
    pick(l, {
      en: `I could not do that: every tool call was refused (${reasons}).`,
      zh: `我没能完成：所有工具调用都被拒绝（${reasons}）。`,
    }),
  stopped: (l: Language) => pick(l, { en: "(stopped)", zh: "（已停止）" }),
  stoppedNotice: (l: Language) => pick(l, { en: "Stopped, as you asked.", zh: "已按你的要求停止。" }),
  notRemembered: (l: Language, reason: string) =>
    pick(l, {
      en: `This could not be written to memory: ${reason}. I go on answering, but it will not be remembered.`,
      zh: `这条内容没能写入记忆：${reason}。我会继续回答，但不会记住它。`,
    }),
  noRecall: (l: Language, reason: string) =>
    pick(l, {
      en: `Memory could not be searched for this message: ${reason}.`,
      zh: `这条消息没能检索记忆：${reason}。`,
    }),
  undelivered: (l: Language, channel: string, reason: string) =>
    pick(l, {
      en: `The reply could not be delivered to the channel "${channel}": ${reason}`,
      zh: `回复没能送到通道“${channel}”：${reason}`,
    }),
  cutAtLimit: (l: Language) =>
    pick(l, {
      en: "The answer was cut at the token limit (core.llm.max_tokens).",
      zh: "回答因达到长度上限而被截断（core.llm.max_tokens）。",
    }),
  withdrawn: (l: Language) =>
    pick(l, { en: "The text so far is withdrawn; answering again.", zh: "以上文字作废，重新回答。" }),
  tooLarge: (l: Language, source: string, window: number) =>
    pick(l, {
      en: `This conversation does not fit into ${source}${window > 0 ? ` (${window} tokens)` : ""}, even trimmed. ` +
        `Send a shorter message, or configure a source with a larger window.`,
      zh: `即使精简后，这段对话仍超出 ${source} 的上下文${window > 0 ? `（${window} 个 token）` : ""}。` +
        `请发送更短的消息，或配置上下文更大的模型来源。`,
    }),
  noSource: (l: Language, failures: { source: string; failure: SourceFailure }[]) => {
    // Most failures name their source themselves.
    const each = failures.map(({ source, failure: { message } }) =>
      message.includes(source) ? message : `${source}: ${message}`
    ).join("; ");
    return pick(l, {
      en: `No LLM source answered. ${each || "None is configured"}`,
      zh: `没有任何模型来源给出回答。${each || "尚未配置来源"}`,
    });
  },
  noSourceFix: (l: Language) =>
    pick(l, {
      en: 'see "homed doctor", or add a source with /setup in "homed chat"',
      zh: "请运行 “homed doctor” 查看，或在 “homed chat” 中用 /setup 添加来源",
    }),
  shuttingDown: (l: Language) => pick(l, { en: "homed is shutting down", zh: "homed 正在关闭" }),
};

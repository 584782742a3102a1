import type { Language } from "../../base/facts/mod.ts";

/** What the offline provider says in its own voice. */
type Text = Record<Language, string>;

/** The sentence by which a conversation shows that it has been said already. */
export const NO_MODEL: Text = {
  en: "No language model is configured, so I answer by simple rules: I remember what you tell me and find it again. " +
    "To add one, type /setup in the chat, or run `homed config set core.llm.sources.openai.api_key YOUR_KEY`.",
  zh: "现在没有配置语言模型，我只按简单规则回答：记住你告诉我的事，需要时再找出来。" +
    "要添加模型，请在聊天中输入 /setup，或运行 `homed config set core.llm.sources.openai.api_key 你的密钥`。",
};

export const SETUP: Text = {
  en:
    "To add a language model, type /setup in the chat: choose a source, paste the key, it makes a test call and saves. " +
    "Or on the command line: `homed config set core.llm.sources.openai.api_key YOUR_KEY` (also deepseek, anthropic, " +
    "gemini, mistral, groq, github). A local Ollama is found by itself when it runs.",
  zh: "要添加语言模型，请在聊天中输入 /setup：选择来源、粘贴密钥、测试调用、保存。" +
    "也可以在命令行运行：`homed config set core.llm.sources.openai.api_key 你的密钥`（deepseek、anthropic、gemini、mistral、" +
    "groq、github 同理）。本机运行的 Ollama 会被自动找到。",
};

/** How an earlier answer shows that the person knows. */
export const SAID_SO = /No language model is configured|To add a language model|没有配置语言模型|要添加语言模型/;

export const CANNOT: Text = {
  en: "I cannot do that without a language model.",
  zh: "没有语言模型，这件事我做不了。",
};

export const UNKNOWN: Text = {
  en: "I don't know: I found nothing about that in what you told me or in the knowledge base.",
  zh: "我不知道：在你告诉我的事情和知识库里都没有找到相关内容。",
};

/** The answer to a question for yes or no of which nothing is known. */
export const UNSAID: Text = {
  en: "I don't know: you have not told me so.",
  zh: "我不知道：你没有告诉过我。",
};

export const NOT_KEPT: Text = {
  en: "I found no single fact in that to note; I can quote your words when you ask about them. " +
    'Say "remember that …" to have something kept word for word.',
  zh: "这句话里我没有找到可以单独记下的事实，以后问到时我可以引用你的原话。说“记住……”我就会原样记下来。",
};

/** What comes before the facts that answer a question for yes or no. */
export const VERDICT: Record<"yes" | "no" | "unsaid" | "perhaps" | "former" | "before", Text> = {
  yes: { en: "Yes. ", zh: "是的，" },
  no: { en: "No. ", zh: "不，" },
  unsaid: { en: "Not that you told me. ", zh: "你没有这样告诉过我。" },
  perhaps: { en: "Perhaps you mean one of these: ", zh: "你问的可能是：" },
  former: { en: "Not any more: ", zh: "现在不是了：" },
  before: { en: "", zh: "" },
};

export const FORGET: Text = {
  en:
    "To forget someone or something completely, run `homed memory forget NAME`; it shows what would go before it goes. " +
    "`homed memory undo` takes back the last change.",
  zh:
    "要彻底忘记某人或某事，请运行 `homed memory forget 名字`；删除之前会先列出内容。`homed memory undo` 可以撤销最近一次修改。",
};

export const HELLO: Text = { en: "Hello! I'm homed.", zh: "你好！我是 homed。" };
export const THANKS: Text = { en: "You're welcome.", zh: "不客气。" };
export const BYE: Text = { en: "Goodbye! I'll remember.", zh: "再见！我会记得的。" };
export const FINE: Text = { en: "Running fine, thank you.", zh: "一切正常，谢谢。" };
export const WHO: Text = {
  en: "I'm homed, an agent that runs on your own machine and remembers across conversations.",
  zh: "我是 homed，运行在你自己机器上的智能体，能跨对话记住事情。",
};
export const NO_CLOCK: Text = { en: "I don't know what time it is here.", zh: "我不知道现在几点。" };
export const UNDERSTOOD: Text = { en: "All right.", zh: "好的。" };

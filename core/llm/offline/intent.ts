import {
  type Ending,
  type ExtractedFact,
  languageOf,
  moodOf,
  splitSentences,
  understand,
} from "../../base/facts/mod.ts";
import { simplify } from "../../base/simplify.ts";
import { aboutText, type Asked, pronounOf, topicOf, understandQuestion } from "./ask.ts";
import { readTimer, type TimerRequest } from "./timers.ts";
import type { Turn } from "./turn.ts";

/** What a message wants, all of it. */
export interface Intent {
  facts: ExtractedFact[];
  /** What holds no longer. */
  endings: Ending[];
  remember: string[];
  questions: Asked[];
  knowledge?: { kind: "list" } | { kind: "search"; query: string };
  timer?: TimerRequest;
  timers?: "list";
  smallTalk?: "hello" | "thanks" | "bye" | "fine" | "who" | "time" | "date" | "yes";
  asksSkills: boolean;
  asksSetup: boolean;
  asksForget: boolean;
  /** A request that no rule can do. */
  unable: boolean;
  /** A reminder that is due: its text. */
  due?: string;
}

const SKILLS =
  /\b(?:what (?:can|could) you do|what are you able to|list (?:your |the |all )?(?:tools|skills|commands)|which tools|what tools|your (?:abilities|capabilities|skills)|how can you help|what do you do)\b|^\/?help[.!?]*$|(?:你|您)(?:能|会|可以)(?:做|干)?(?:些)?(?:什么|啥|哪些)|(?:有|列出)(?:什么|哪些|所有|你的)*(?:工具|功能|技能)|你的(?:功能|能力)|怎么用你|^帮助$/i;
const SETUP =
  /\b(?:how (?:do|can|to) (?:i )?(?:configure|set ?up|add|connect|use) (?:an? |the |you |homed |my )?(?:model|llm|language model|api|key|openai|ollama|source|up)?|(?:add|configure|set ?up|connect) (?:an? |the )?(?:llm|model|language model|api key)|api key|which model|what model are you|are you (?:an ai|chatgpt|gpt|claude))\b|(?:怎么|如何|怎样)(?:配置|设置|添加|接入|连接|使用|加)(?:一个|大)?(?:语言)?(?:模型|密钥|API|LLM|接口)|(?:配置|设置|添加|接入)(?:一个|大)?(?:语言)?(?:模型|密钥|API|LLM)|你是什么模型|什么大模型/i;
const FORGET =
  /^(?:please |can you |could you )*(?:forget|delete|erase|remove) (?!me not)(?:everything |what |all |that |about |my |the )?.+|^(?:请|帮我|麻烦)*(?:忘掉|忘记|删除|删掉|清除)(?!了吗).+/i;
const KNOWLEDGE_LIST =
  /\b(?:list|show|what(?:'s| is) in|what)\b.*\bknowledge(?: base)?\b(?!.*\babout\b)|知识库(?:里|中)?(?:有|都有)(?:什么|哪些)|列出.*知识/i;
const KNOWLEDGE_SEARCH =
  /\b(?:search|look ?up|look in|check|find)\b.*?\bknowledge(?: base)?\b(?: for| about|:)?\s*(.+)|\bknowledge base\b.*?\b(?:about|on|for)\s+(.+)|(?:在|从|查|搜索?|查询|查一下)?知识库(?:里|中)?(?:搜索?|查一?下?|找一?下?|有没有|关于|说)?[：:，, ]*(.+)/i;

const HELLO =
  /^(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|howdy|greetings|yo)(?: there| homed)?|你好|您好|嗨|哈喽|早|早上好|晚上好|下午好|早安|晚安|在吗|hello)[\s,，.!！?？。~]*$/i;
const THANKS =
  /^(?:(?:ok(?:ay)?|great|perfect|cool|nice)[,.! ]*)?(?:thanks?(?: you)?(?: (?:so|very) much| a lot)?|thx|cheers|much appreciated|谢谢(?:你|您|啦|了)?|多谢|感谢|谢了|辛苦了)[\s,，.!！。~]*$/i;
const BYE = /^(?:bye(?:[- ]bye)?|goodbye|see you(?: later| soon)?|good night|再见|拜拜|回头见|晚安)[\s,，.!！。~]*$/i;
const FINE =
  /^(?:how are you(?: doing)?(?: today)?|how's it going|what's up|你好吗|最近怎么样|你怎么样)[\s,，.!！?？。~]*$/i;
const WHO =
  /^(?:who are you|what are you|what(?:'s| is) your name|introduce yourself|你是谁|你叫什么(?:名字)?|介绍一下(?:你)?自己)[\s,，.!！?？。~]*$/i;
const TIME =
  /\b(?:what time is it|what's the time|the time now|current time)\b|(?:现在)?几点(?:了|钟了?)[？?。]*$|现在(?:是)?(?:什么)?时间/i;
const DATE =
  /\b(?:what(?:'s| is) (?:the date|today's date|today)|what day is (?:it|today)|which day is (?:it|today)|today's date)\b|今天(?:是)?(?:几月)?(?:几号|星期几|周几|什么日子|多少号)|今天是哪天/i;
const YES =
  /^(?:ok(?:ay)?|yes|no|yep|nope|sure|right|good|great|fine|cool|alright|got it|i see|好的?|嗯+|行|可以|知道了|明白了?|对|是的?|不用了?|没事)[\s,，.!！。~]*$/i;
const TIMERS =
  /\b(?:list|show|what|which|any)\b.*\b(?:timers|reminders|alarms)\b|(?:有|列出|查看|看看).*(?:定时|提醒|闹钟)(?!我)/i;
const DUE = /^⏰ Timer \S+ \([^)]*\): (.+)$/s;

/** Reads what a message wants. */
export function readIntent(turn: Turn): Intent {
  const text = simplify(turn.text).replace(/[’‘]/g, "'");
  const intent: Intent = {
    facts: [],
    endings: [],
    remember: [],
    questions: [],
    asksSkills: false,
    asksSetup: false,
    asksForget: false,
    unable: false,
  };
  const due = DUE.exec(text);
  if (due) return { ...intent, due: due[1]!.trim() };
  const talk = smallTalkOf(text);
  if (talk) return { ...intent, smallTalk: talk };
  if (SETUP.test(text)) return { ...intent, asksSetup: true };
  if (SKILLS.test(text)) return { ...intent, asksSkills: true };
  if (KNOWLEDGE_LIST.test(text)) return { ...intent, knowledge: { kind: "list" } };
  const search = KNOWLEDGE_SEARCH.exec(text);
  if (search) {
    const query = (search[1] ?? search[2] ?? search[3] ?? "").replace(/[?？。.!！]+$/, "").trim();
    if (query !== "") return { ...intent, knowledge: { kind: "search", query } };
  }
  if (FORGET.test(text)) return { ...intent, asksForget: true };
  if (TIMERS.test(text)) return { ...intent, timers: "list" };
  const timer = readTimer(text, turn.now);
  if (timer) return { ...intent, timer };

  const topic = topicOf(turn.history, pronounOf(text));
  const known = topic && (topic.kind === "named" || topic.kind === "relation")
    ? aboutText(topic, turn.language)
    : undefined;
  const understood = understand(turn.text, { ...(known ? { topic: known } : {}), previous: lastTold(turn.history) });
  if (turn.trusted) {
    intent.facts = understood.facts;
    intent.endings = understood.endings;
    intent.remember = understood.remember;
  }
  for (const sentence of splitSentences(turn.text)) {
    const mood = moodOf(sentence, languageOf(sentence));
    if (turn.trusted && understood.told.has(sentence)) continue;
    const asksToTell =
      /^(?:please |can you |could you |will you )*(?:tell|remind) (?:me )?(?!to\b)(?:about |of |what|where|who|when|how|my|the)|^(?:请)?(?:告诉我|说说|查一下|帮我查|提醒我一下|介绍一下|讲讲|说一下)/i
        .test(sentence);
    if (mood === "question" && WISH.test(sentence)) intent.unable = true;
    else if (mood === "question" || mood === "request" && asksToTell) {
      intent.questions.push(understandQuestion(sentence, topic));
    } else if (mood === "request") intent.unable = true;
  }
  return intent;
}

/** A question that asks for a deed rather than an answer: "can you write a poem?". */
const WISH =
  /^(?:please )?(?:can|could|would|will) you (?!(?:please )?(?:tell me (?!an? )|remind me|remember|know|find|look|recall|say))/i;

/** The facts that the owner told last in these messages: what "no, it is 5002" would correct. */
function lastTold(history: Turn["history"]): ExtractedFact[] {
  let last: ExtractedFact[] = [];
  for (const { text } of history.filter(({ own }) => own).slice(-6)) {
    const { facts } = understand(text, { previous: last });
    if (facts.length > 0) last = facts;
  }
  return last;
}

function smallTalkOf(text: string): Intent["smallTalk"] {
  const table: [RegExp, NonNullable<Intent["smallTalk"]>][] = [
    [HELLO, "hello"],
    [THANKS, "thanks"],
    [BYE, "bye"],
    [FINE, "fine"],
    [WHO, "who"],
    [TIME, "time"],
    [DATE, "date"],
    [YES, "yes"],
  ];
  return table.find(([shape]) => shape.test(text.trim()))?.[1];
}

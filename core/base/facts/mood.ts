import { simplify } from "../simplify.ts";
import type { Language } from "./language.ts";

/** What a sentence does. Only tellings teach facts. */
export type Mood = "telling" | "question" | "request" | "unreal" | "reported";

const EN_QUESTION =
  /\?["”)]*\s*$|^(?:so |and |but |ok(?:ay)?,? |hey,? |please,? )*(?:who|whom|whose|what|what's|whats|where|where's|when|when's|why|how|how's|which)\b(?!ever)|^(?:so |and |but )*(?:do|does|did|is|are|am|was|were|can|could|will|would|shall|should|have|has|may)(?:n't)? (?:i|you|he|she|it|they|we|my|your|his|her|our|there|any|the|this|that|[A-Z]\p{L}+)\b(?! (?:was|were)\b)/iu;
const EN_REQUEST =
  /^(?:please |kindly |could you |can you |would you |will you )*(?:tell|show|list|set|remind|wake|open|play|search|find|look|forget|delete|remove|send|write|translate|explain|give|help|cancel|stop|turn|make|create|calculate|schedule|start|read|say|let's|add|count|check|run)\b/i;
const EN_UNREAL = /\b(?:if|unless|suppose|supposing|imagine|pretend|wish|whether|in my dream|dreamt|dreamed)\b/i;
const EN_UNREAL_CLAUSE =
  /\b(?:maybe|perhaps|might|would|i'd|could|should|probably|someday|one day i|hopefully|hope|hoping|thinking (?:of|about)|consider(?:ing)?|plan(?:ning)? to|want(?:s)? to|wanna|going to|gonna|almost|nearly|used to|as though|wondering|wonder|not sure)\b|\b(?:i|we) (?:may|will)\b|\bi'll\b|\bwe'll\b/i;
const EN_REPORTED =
  /\b(?:said|says|saying|told|tells|asked|wrote|writes|claims|claimed|according to|quote|sings|shouted|replied|thinks|believes|heard that|the lyrics|the character|in the (?:film|movie|book|novel|song|story))\b/i;

const ZH_QUESTION =
  /[?？]["”』」）)]*\s*$|(?:吗|嘛|么|呢|没有|没|不)[?？。!！]*$|(?:谁|哪里|哪儿|哪个|哪家|哪天|哪位|哪些|哪|什么|啥|怎么|怎样|为什么|为何|多少|(?<![好十前这那后茶])几(?!乎|十|百|千|万|天前|年前)|多大|多高|多久|何时|是不是|有没有|能不能|会不会|可不可以|对不对|知不知道|喜不喜欢|爱不爱|记不记得|住不住)/;
const ZH_PRONOUN_STATEMENT = /(?:没什么|什么都|谁都|不怎么|哪都|怎么说呢)/;
const ZH_REQUEST =
  /^(?:请|麻烦|帮我|给我|替我|能|可以|你能|你可以)*(?:告诉我|说说|列出|列一下|列举|查一下|查查|搜索|搜一下|找一下|设置|设个|设一个|定个|提醒我|叫醒我|打开|播放|忘掉|忘记|删除|删掉|取消|发送|翻译|解释|写一|算一下|介绍|讲一?个|讲个|唱|停止|关掉|帮忙|展示|看看|讲讲)|(?:分钟|小时|点|天|秒|晚上|早上|下午|明天|上午)(?:后|以后|之后|半|整)?(?:的时候)?提醒我|提醒我/;
const ZH_UNREAL = /如果|要是|假如|假设|假使|倘若|万一|的话|就好了|但愿|恨不得|梦见|梦到/;
const ZH_UNREAL_CLAUSE =
  /希望|也许|可能|大概|或许|说不定|想去|想要|想买|想养|想学|想搬|打算|准备去|准备搬|计划|以后会|将来|考虑|差点|曾经|以前|过去住|要不|不知道|应该是/;
const ZH_REPORTED =
  /^(?:我们?家?的?)?[^，。我]{1,6}(?<![会能以在想爱要])(?:说|告诉我|跟我说|提到|觉得|认为)(?:过|了)?[，：:]?(?=[他她它我你咱自])|(?:他|她|它|他们|她们|别人|有人|书里|电影里|歌里|小说里|歌词|老话|俗话|据|听)[^，。]{0,8}(?:说|讲|写|唱|问|告诉)|(?:说|写道|唱道|问|喊)(?:道|过|着)?\s*[：:，,]?\s*["“「『]/;

/** What an English or Chinese sentence does: a telling, or one of the things that teach nothing. */
export function moodOf(sentence: string, language: Language): Mood {
  const text = simplify(sentence).replace(/[’‘]/g, "'").trim();
  if (language === "zh") {
    if (ZH_REPORTED.test(text)) return "reported";
    if (ZH_REQUEST.test(text)) return "request";
    if (ZH_QUESTION.test(text) && !ZH_PRONOUN_STATEMENT.test(text)) return "question";
    return ZH_UNREAL.test(text) ? "unreal" : "telling";
  }
  if (EN_QUESTION.test(text) && !/^what an? [^?]*$/i.test(text)) return "question";
  if (EN_REPORTED.test(text)) return "reported";
  if (EN_REQUEST.test(text)) return "request";
  return EN_UNREAL.test(text) ? "unreal" : "telling";
}

/** Whether one clause speaks of what might be or once was, while its neighbours may still tell facts. */
export function isUnrealClause(clause: string, language: Language): boolean {
  return (language === "zh" ? ZH_UNREAL_CLAUSE : EN_UNREAL_CLAUSE).test(clause);
}

import { chineseNumber } from "../../base/facts/chinese_words.ts";
import { NUMBER, numberText } from "../../base/facts/english_words.ts";

/** What a request for a reminder becomes: arguments of `timer_set`. */
export interface TimerRequest {
  text: string;
  in?: string;
  at?: string;
  cron?: string;
}

const UNIT: [RegExp, string][] = [[/^(?:s|秒)/i, "s"], [/^(?:h|小时|个小时|个钟|钟头)/i, "h"], [/^(?:d|天)/i, "d"], [
  /^(?:m|分)/i,
  "m",
]];

function unitOf(word: string): string {
  return UNIT.find(([shape]) => shape.test(word))?.[1] ?? "m";
}

const EN_IN = new RegExp(
  `\\b(?:in|after|for) (${NUMBER}|an?|half an) ?(seconds?|minutes?|mins?|hours?|hrs?|days?|[smhd])\\b`,
  "i",
);
const EN_AT = /\bat (\d{1,2})(?::(\d\d))? ?(a\.?m\.?|p\.?m\.?)?\b|\bat (noon|midnight)\b/i;
const EN_EVERY =
  /\b(?:every (day|morning|evening|weekday|night|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|(daily))\b/i;
const ZH_IN = /(\d+|[零一二两三四五六七八九十百]+|半)\s*个?(秒钟?|分钟?|小时|钟头|天)(?:钟)?(?:半)?(?:之后|以后|后)?/;
const ZH_AT =
  /(早上|早晨|上午|中午|下午|傍晚|晚上|夜里|凌晨)?\s*(\d{1,2}|[零一二两三四五六七八九十]+)\s*(?:点钟?|:|：)\s*(半|\d{1,2}|[零一二三四五六七八九十]+)?分?/;
const ZH_EVERY = /每(天|日|个?工作日|周[一二三四五六日天]|星期[一二三四五六日天]|晚|早)/;

const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** Reads "remind me in 10 minutes to …" and 每天早上8点提醒我…; `now` decides what "at eight" means. */
export function readTimer(message: string, now: Date | undefined): TimerRequest | undefined {
  return /\p{Script=Han}/u.test(message) ? chineseTimer(message, now) : englishTimer(message, now);
}

function englishTimer(message: string, now: Date | undefined): TimerRequest | undefined {
  if (!/\b(?:remind|timer|alarm|wake)\b/i.test(message)) return undefined;
  const what = message.replace(EN_IN, " ").replace(EN_AT, " ").replace(EN_EVERY, " ").replace(/\btomorrow\b/i, " ")
    .replace(/^.*?\b(?:remind me|timer|alarm|wake me(?: up)?)\b\s*/i, "").replace(
      /^(?:\s*(?:to|that|about|of|for|:|,))+ /i,
      "",
    )
    .replace(/[.!?]+$/, "").replace(/\s+/g, " ").replace(/^(?:to|that|about|for)\s+/i, "").trim() ||
    (/wake/i.test(message) ? "Wake up" : "Time is up");
  const every = EN_EVERY.exec(message);
  const at = EN_AT.exec(message);
  const hour = at
    ? clockHour(Number(at[1] ?? (at[4]?.toLowerCase() === "noon" ? 12 : 0)), at[3])
    : every && /evening|night/i.test(every[0])
    ? 20
    : 8;
  const minute = Number(at?.[2] ?? 0);
  if (every) {
    const day = DAYS.indexOf((every[1] ?? "").toLowerCase());
    const weekdays = /weekday/i.test(every[0]) ? "1-5" : day >= 0 ? String(day) : "*";
    return { text: what, cron: `${minute} ${hour} * * ${weekdays}` };
  }
  const after = EN_IN.exec(message);
  if (after) {
    const half = /^half/i.test(after[1]!);
    const count = half ? 30 : /^an?$/i.test(after[1]!) ? 1 : Number(numberText(after[1]!));
    return { text: what, in: `${count}${half ? "m" : unitOf(after[2]!)}` };
  }
  const when = at && atTime(hour, minute, now, /tomorrow/i.test(message) ? 1 : 0);
  return when ? { text: what, at: when } : undefined;
}

function clockHour(hour: number, half: string | undefined): number {
  if (half?.toLowerCase().startsWith("p") && hour < 12) return hour + 12;
  return half?.toLowerCase().startsWith("a") && hour === 12 ? 0 : hour;
}

function chineseTimer(message: string, now: Date | undefined): TimerRequest | undefined {
  if (!/提醒|叫我|叫醒|闹钟|定时|计时/.test(message)) return undefined;
  const what = message.replace(ZH_EVERY, "").replace(ZH_AT, "").replace(ZH_IN, "").replace(
    /明天|后天|今天|今晚|明早|设(?:置|定)?(?:一?个)?|定(?:一?个)?|闹钟|定时器?|倒计时|计时器?/g,
    "",
  )
    .replace(/^.*?(?:提醒我?|叫醒我|叫我)/, "").replace(/^(?:一下|要|去|记得|的|后|[，,：: ])+/, "").replace(
      /[。！!？?]+$/,
      "",
    ).trim() || "时间到了";
  const at = ZH_AT.exec(message);
  const every = ZH_EVERY.exec(message);
  const part = at?.[1] ?? (/晚|夜/.test(message) ? "晚上" : "");
  let hour = at ? Number(chineseNumber(at[2]!)) : /晚/.test(every?.[0] ?? "") ? 20 : 8;
  if (/下午|傍晚|晚上/.test(part) && hour < 12 || part === "中午" && hour < 11) hour += 12;
  const minute = !at?.[3] ? 0 : at[3] === "半" ? 30 : Number(chineseNumber(at[3]));
  if (every) {
    const day = "日一二三四五六".indexOf(every[1]!.at(-1)!.replace("天", every[1]!.length > 1 ? "日" : "天"));
    const days = every[1]!.includes("工作日") ? "1-5" : day >= 0 && /周|星期/.test(every[1]!) ? String(day) : "*";
    return { text: what, cron: `${minute} ${hour} * * ${days}` };
  }
  const after = ZH_IN.exec(message);
  if (after && !at) {
    if (after[1] === "半") return { text: what, in: /天/.test(after[2]!) ? "12h" : "30m" };
    const count = Number(chineseNumber(after[1]!));
    const half = /(?:小时|钟头)半|个半(?:小时|钟头)/.test(message) ? "30m" : "";
    return { text: what, in: `${count}${unitOf(after[2]!)}${half}` };
  }
  const when = at && atTime(hour, minute, now, /明天|明早/.test(message) ? 1 : /后天/.test(message) ? 2 : 0);
  return when ? { text: what, at: when } : undefined;
}

/** The next such time as local ISO text, `days` later than today. */
function atTime(hour: number, minute: number, now: Date | undefined, days: number): string | undefined {
  if (!now || hour > 24 || minute > 59) return undefined;
  const when = new Date(now);
  when.setHours(hour, minute, 0, 0);
  when.setDate(when.getDate() + days);
  if (days === 0 && when <= now) when.setDate(when.getDate() + 1);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${when.getFullYear()}-${two(when.getMonth() + 1)}-${two(when.getDate())}T${two(when.getHours())}:${
    two(when.getMinutes())
  }`;
}

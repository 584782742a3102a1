/** A stretch of time a question asks about. Milliseconds; `to` is not part of it. */
export interface TimeRange {
  from: number;
  to: number;
  /** It asks for what held before `from`. */
  isBefore: boolean;
}

/** What a question says about time. */
export interface AskedTime {
  range?: TimeRange;
  /** It asks for what used to be, or for what is now; else nothing is said. */
  tense?: "past" | "present";
  /** The question without the words that were understood. */
  rest: string;
}

const MONTHS = "january february march april may june july august september october november december".split(" ");
/** A month with or without its day: "in May", "on 4 December,", "December 4th". */
const ENGLISH_DATE = new RegExp(
  `\\b(?:(?:in|on) )?(?:(?<!\\d)([12]?[0-9]|3[01])(?:st|nd|rd|th)?(?: of)? )?(${MONTHS.join("|")})\\b` +
    `(?: ([12]?[0-9]|3[01])(?:st|nd|rd|th)?\\b(?!\\d))?,?`,
);
const HAN_DIGITS = "〇一二三四五六七八九";
const SEASONS: Record<string, [number, number]> = {
  春: [2, 5],
  夏: [5, 8],
  秋: [8, 11],
  冬: [11, 14],
  spring: [2, 5],
  summer: [5, 8],
  autumn: [8, 11],
  fall: [8, 11],
  winter: [11, 14],
};
const DAY = 86_400_000;

/** The time a folded question speaks of, read with `now` for words like 去年 and "last year". */
export function askedTime(question: string, now: number): AskedTime {
  let rest = question;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const match = pattern.exec(rest);
    if (match) rest = rest.slice(0, match.index) + " " + rest.slice(match.index + match[0].length);
    return match;
  };
  const year = takeYear(take, now);
  const range = year === undefined ? undefined : rangeIn(year, take);
  if (range && take(/^\s*(?:之前|以前)|(?:之前|以前)|\bbefore\b/)) range.isBefore = true;
  const isPast =
    /以前|之前|原来|过去|曾经|从前|当时|最早|\bused to\b|\bformerly\b|\bprevious(?:ly)?\b|\bback then\b|\boriginally\b/;
  const isNow = /现在|目前|如今|当前|最新|\bnow\b|\bcurrent(?:ly)?\b|\blatest\b|\bthese days\b/;
  const tense = isNow.test(question)
    ? "present" as const
    : isPast.test(question) && !range
    ? "past" as const
    : undefined;
  return { rest, ...(range && { range }), ...(tense && { tense }) };
}

function takeYear(take: (pattern: RegExp) => RegExpExecArray | null, now: number): number | undefined {
  const digits = take(/(?:\bback )?(?:\bin )?(?<!\d)(20\d\d|19\d\d)(?:\s*年|\b)(?:的)?/);
  if (digits) return Number(digits[1]);
  const han = take(/[二一][〇零九][〇一二三四五六七八九零]{2}年/);
  if (han) {
    return Number([...han[0].slice(0, 4)].map((c) => (c === "零" ? 0 : HAN_DIGITS.indexOf(c))).join(""));
  }
  const current = new Date(now).getUTCFullYear();
  if (take(/去年|\blast year\b/)) return current - 1;
  if (take(/前年/)) return current - 2;
  if (take(/今年|\bthis year\b/)) return current;
  return undefined;
}

function rangeIn(year: number, take: (pattern: RegExp) => RegExpExecArray | null): TimeRange {
  const span = (from: number, to: number): TimeRange => ({
    from: Date.UTC(year, from) - DAY,
    to: Date.UTC(year, to) + DAY,
    isBefore: false,
  });
  const on = (month: number, day: string | undefined): TimeRange => {
    if (day === undefined) return span(month, month + 1);
    const from = Date.UTC(year, month, Number(day));
    return { from: from - DAY, to: from + 2 * DAY, isBefore: false };
  };
  const month = take(
    /(?:(?<![\d.])(1[0-2]|[1-9])\s*月|(十[一二]?|[一二三四五六七八九])月)(?:份|\s*([12][0-9]|3[01]|[1-9])\s*[日号])?/,
  );
  if (month) return on((month[1] ? Number(month[1]) : monthOf(month[2]!)) - 1, month[3]);
  const named = take(ENGLISH_DATE);
  if (named) return on(MONTHS.indexOf(named[2]!), named[1] ?? named[3]);
  const season = take(/([春夏秋冬])(?:天|季)|\b(?:in )?(?:the )?(spring|summer|autumn|fall|winter)\b/);
  if (season) return span(...SEASONS[season[1] ?? season[2]!]!);
  if (take(/年?初|\bearly\b/)) return span(0, 2);
  if (take(/年?底|年末|\bend of\b/)) return span(10, 12);
  if (take(/上半年/)) return span(0, 6);
  if (take(/下半年/)) return span(6, 12);
  return span(0, 12);
}

function monthOf(han: string): number {
  if (han === "十") return 10;
  return han.startsWith("十") ? 10 + HAN_DIGITS.indexOf(han[1]!) : HAN_DIGITS.indexOf(han);
}

/** How well a text written at `at` fits the range, from 0 to 1: written then, or speaking of that year in words; else,
 * for what holds until it changes, the nearer before it the better. */
export function fitsTime(unit: { text: string; at: number; since?: number }, range: TimeRange): number {
  const at = unit.since ?? unit.at;
  if (range.isBefore) return at < range.from + DAY ? 0.9 : 0.5 / (1 + (at - range.from) / (60 * DAY));
  const year = new Date((range.from + range.to) / 2).getUTCFullYear();
  const own = new Date(at).getUTCFullYear();
  const isRelative = own - 1 === year && /(?<!比)去年|(?<!than )last year/i.test(unit.text);
  if (new RegExp(`(?<!\\d)${year}(?!\\d)`).test(unit.text) && range.to - range.from > 300 * DAY) return 1;
  if (isRelative) return 0.95;
  if (at >= range.from && at < range.to) return /(?<!比)去年|(?<!than )last year/i.test(unit.text) ? 0.4 : 1;
  if (at < range.from) return 0.6 / (1 + (range.from - at) / (365 * DAY));
  return 0;
}

/** How well a turn of a conversation fits the range, from 0 to 1: said in it, or in the month after, when people tell of
 * it. */
export function saidIn(at: number, { from, to, isBefore }: TimeRange): number {
  if (isBefore || at < from) return isBefore && at < from ? 1 : 0;
  return at < to ? 1 : at < to + 30 * DAY ? 0.6 : 0;
}

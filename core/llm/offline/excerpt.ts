import { coverage } from "./words.ts";

/** Characters of a passage that an answer quotes. */
const LONGEST = 600;

/** A passage as an answer quotes it: whole when it is short, else the paragraphs that have the question's words. */
export function excerpt(text: string, words: readonly string[]): string {
  const paragraphs = text.split(/\n\s*\n/).map((paragraph) => paragraph.trim()).filter((paragraph) => paragraph !== "");
  const whole = paragraphs.join("\n");
  if (whole.length <= LONGEST) return whole;
  const ranked = paragraphs.map((paragraph, at) => ({ at, paragraph, share: coverage(words, paragraph) }))
    .sort((a, b) => b.share - a.share || a.at - b.at);
  const chosen = ranked.slice(0, 2).filter(({ share }) => share > 0).sort((a, b) => a.at - b.at);
  const quoted = (chosen.length > 0 ? chosen : ranked.slice(0, 1)).map(({ paragraph }) => paragraph).join("\n");
  return quoted.length > LONGEST ? `${quoted.slice(0, LONGEST).toWellFormed()}…` : quoted;
}

/** The two languages that the rules know. */
export type Language = "en" | "zh";

const HAN = /\p{Script=Han}/gu;
const LATIN_WORD = /[\p{Script=Latin}][\p{Script=Latin}'’-]*/gu;

/** The language of a text: a Chinese character weighs as much as half an English word, so that a Chinese sentence with an
 * English name in it stays Chinese. */
export function languageOf(text: string): Language {
  const han = text.match(HAN)?.length ?? 0;
  if (han === 0) return "en";
  return han >= (text.match(LATIN_WORD)?.length ?? 0) / 2 ? "zh" : "en";
}

export function hasHan(text: string): boolean {
  return /\p{Script=Han}/u.test(text);
}

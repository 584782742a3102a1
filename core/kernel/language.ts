/** The languages the kernel speaks to people, and how it finds out which one to use. */
export type Language = "en" | "zh";

/** The language of a text: 中文 when it has CJK characters, else English. */
export function languageOf(text: string): Language {
  return /[\u3400-\u9fff\uf900-\ufaff]|[\u{20000}-\u{2ebef}]/u.test(text) ? "zh" : "en";
}

/** One of two wordings. */
export function pick(language: Language, texts: { en: string; zh: string }): string {
  return texts[language];
}

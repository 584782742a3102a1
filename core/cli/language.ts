/** Languages that people are spoken to in. */
export type Language = "en" | "zh";

/** A text in both. */
export interface Texts {
  en: string;
  zh: string;
}

/** The language of a person: `HOMED_LANG`, else as POSIX reads the locale (`LC_ALL`, `LC_MESSAGES`, `LANG`). */
export function languageOf(env: Readonly<Record<string, string>>): Language {
  const locale = env.HOMED_LANG || env.LC_ALL || env.LC_MESSAGES || env.LANG || "";
  return /^zh/i.test(locale) ? "zh" : "en";
}

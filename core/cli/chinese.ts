/** Sentences that come from every room, in Chinese. Errors cross threads, processes and the socket in English; here, where
 * they reach the person, those that people meet are told in their language. `{…}` stands for any text; a `{reason}`,
 * `{expected}`, `{instead}`, `{what}`, `{kind}` or `{fix}` that is itself a row of the table is put into Chinese too. @module */
import { COMMANDS } from "./chinese/commands.ts";
import { DOCTOR } from "./chinese/doctor.ts";
import { FILES } from "./chinese/files.ts";
import { MEMORY } from "./chinese/memory.ts";
import { PLUGINS } from "./chinese/plugins.ts";
import type { Row } from "./chinese/row.ts";
import { SETTINGS } from "./chinese/settings.ts";
import { SOURCES } from "./chinese/sources.ts";
import type { Language } from "./language.ts";

/** Every sentence that is known. */
export const CHINESE: readonly Row[] = [
  ...COMMANDS,
  ...SETTINGS,
  ...FILES,
  ...MEMORY,
  ...PLUGINS,
  ...SOURCES,
  ...DOCTOR,
];

/** Values that are sentences themselves. */
const NESTED = new Set(["reason", "expected", "fix", "instead", "what", "kind", "other", "state"]);

/** Variables that stand for one word of a kind; any other stands for any text. */
const WORDS: Record<string, string> = {
  plugin: "[a-z][a-z0-9-]*",
  source: "[a-z][a-z0-9_-]*",
  state: "[a-z]+",
  status: "\\d+",
  count: "[\\d.]+",
  quoted: '".*?"',
};

/** Characters; a longer text is no sentence of homed's. */
const LONGEST = 2000;

interface Compiled {
  form: RegExp;
  names: string[];
  zh: string;
}

/** The rows in which a sentence is looked for before it is cut in two (they begin with words of their own, or are two
 * sentences themselves), and those after; those that say most come first. */
let rows: { whole: Compiled[]; any: Compiled[] } | undefined;

function compiled(): NonNullable<typeof rows> {
  const said = ([en]: Row) => en.replace(/\{\w+\}/g, "").length;
  const all = CHINESE.toSorted((a, b) => said(b) - said(a)).map(([en, zh]) => {
    const names = [...en.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    const parts = en.split(/\{\w+\}/).map((part) => RegExp.escape(part));
    const form = parts.map((part, i) => i === 0 ? part : `(${WORDS[names[i - 1]!] ?? ".+?"})${part}`).join("");
    return { form: new RegExp(`^${form}$`, "s"), names, zh, isWhole: !en.startsWith("{") || en.includes(": ") };
  });
  return { whole: all.filter(({ isWhole }) => isWhole), any: all.filter(({ isWhole }) => !isWhole) };
}

/** A sentence that came from elsewhere, for a person of this language. */
export const inLanguage = (text: string, language: Language) => language === "zh" ? inChinese(text) : text;

/** The lines of what the owner is asked, for a person of this language: each one's mark stays, what follows is a sentence,
 * some with a detail in brackets. */
export function questionIn(text: string, language: Language): string {
  return text.split("\n").map((one) => {
    const [, mark, what, detail] = /^(\s*(?:- |✓ |✗ )?)(.*?)(?: \((.*)\))?$/s.exec(one)!;
    return mark + inLanguage(what!, language) + (detail === undefined ? "" : ` (${inLanguage(detail, language)})`);
  }).join("\n");
}

/** A sentence in Chinese where the table knows it, else as it is. */
export function inChinese(text: string): string {
  if (text.length > LONGEST) return text;
  rows ??= compiled();
  return said(text, rows.whole) ?? inTwo(text) ?? said(text, rows.any) ?? text;
}

function said(text: string, among: Compiled[]): string | undefined {
  for (const { form, names, zh } of among) {
    const found = form.exec(text);
    if (!found) continue;
    const values = new Map(names.map((name, at) => {
      const value = found[at + 1]!;
      if (name === "failures") return [name, value.split("; ").map(inChinese).join("；")];
      return [name, NESTED.has(name) ? inChinese(value) : value];
    }));
    return zh.replace(/\{(\w+)\}/g, (whole, name: string) => values.get(name) ?? whole);
  }
}

/** What happened and what to do, told as one sentence; or a sentence behind the name of what it is about. */
function inTwo(text: string): string | undefined {
  for (const { index } of text.matchAll(/: /g)) {
    const head = text.slice(0, index);
    // Not cut any further: a text of many colons would be looked at in every way that it can be cut.
    const told = head.includes(" ") ? said(head, rows!.whole) ?? said(head, rows!.any) : undefined;
    if (told !== undefined) return `${told}：${inChinese(text.slice(index + 2))}`;
  }
  // What a name stands before: "gpt-5: openai refused the key (401)".
  const [, name, rest] = /^(\S+): (.+)$/s.exec(text) ?? [];
  const told = rest === undefined ? undefined : said(rest, rows!.whole) ?? said(rest, rows!.any);
  return told === undefined ? undefined : `${name}：${told}`;
}

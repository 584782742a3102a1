import { nearestVerb } from "./arguments.ts";
import { EXIT, UsageError } from "./failure.ts";
import type { Language } from "./language.ts";
import type { OptionSpec, Verb, VerbCall } from "./verb.ts";
import { GLOBAL_OPTIONS, VERBS } from "./verbs.ts";

export function run({ words, io, language }: VerbCall): Promise<number> {
  const name = words[0];
  const verb = VERBS.find((one) => one.name === name);
  if (name !== undefined && !verb) throw new UsageError(`There is no verb "${name}"`, nearestVerb(name, VERBS));
  io.write(verb ? verbHelp(verb, language) : generalHelp(VERBS, language));
  return Promise.resolve(EXIT.done);
}

/** The help of one verb. */
export function verbHelp(verb: Verb, language: Language): string {
  const lines = [verb.help[language], ""];
  for (const { usage, help } of Object.values(verb.forms)) {
    lines.push(`  homed ${usage}`);
    if (help) lines.push(`      ${help[language]}`);
  }
  lines.push("", ...optionLines({ ...verb.options, ...GLOBAL_OPTIONS }, language));
  return lines.join("\n") + "\n";
}

/** The help of the whole command line. */
export function generalHelp(verbs: readonly Verb[], language: Language): string {
  const zh = language === "zh";
  const shown = verbs.filter((verb) => !verb.hidden);
  const width = Math.max(...shown.map(({ name }) => name.length));
  return [
    zh ? "homed：在家里运行多年的个人智能体" : "homed: a personal agent that runs at home, for years",
    "",
    "  homed [--home DIR] VERB …",
    "",
    ...shown.map(({ name, help }) => `  ${name.padEnd(width)}  ${help[language]}`),
    "",
    ...optionLines(GLOBAL_OPTIONS, language),
    "",
    ...(zh
      ? [
        "homed VERB --help 显示该命令的用法。语言取自 LANG，或用 HOMED_LANG=en、zh 指定。",
        "退出状态：0 完成，1 失败，2 用法错误，3 没有模型来源回答，75 主目录被占用。",
      ]
      : [
        "homed VERB --help tells more about a verb. LANG, or HOMED_LANG=en or zh, says",
        "the language. Exit status: 0 done, 1 failed, 2 wrong usage, 3 no LLM source",
        "answered, 75 the home is in use.",
      ]),
    "",
  ].join("\n");
}

function optionLines(options: Record<string, OptionSpec>, language: Language): string[] {
  const rows = Object.entries(options).map(([name, spec]) => ({
    left: spec.value === undefined ? name : `${name} ${spec.value}`,
    help: spec.help[language],
  }));
  const width = Math.max(...rows.map(({ left }) => left.length));
  return rows.map(({ left, help }) => `  ${left.padEnd(width)}  ${help}`);
}

import { resolve } from "node:path";
import { HomedError, messageOf } from "../base/errors.ts";
import { EXIT, fixOf, UsageError } from "./failure.ts";
import { requireFile } from "./paths.ts";
import { inLanguage, questionIn } from "./chinese.ts";
import type { Language } from "./language.ts";
import { withHomed } from "./session.ts";
import { printTable } from "./table.ts";
import type { VerbCall } from "./verb.ts";
import { isYes } from "./yes.ts";
import type { OwnerClient, PluginRow } from "../wire/owner.ts";

export async function run(call: VerbCall): Promise<number> {
  const { sub, words, io } = call;
  if (sub === "new" || sub === "build") return await make(call);
  if (sub === "list") {
    return await withHomed(call, async (client) => {
      const { plugins } = await client.call("plugin.list", {});
      if (call.json) io.write(JSON.stringify(plugins) + "\n");
      else printTable(io, plugins.map((plugin) => row(plugin, call.language)), [0, 0, 0, 0, 80]);
      return EXIT.done;
    });
  }
  if (sub === "install") requireFile(resolve(io.cwd(), words[0]!));
  return await withHomed(call, (client) => carryOut(call, client).catch((error) => advise(error, call)));
}

async function carryOut(call: VerbCall, client: OwnerClient): Promise<number> {
  const { sub, words, io } = call;
  const params: Record<string, unknown> = sub === "install"
    ? { path: resolve(io.cwd(), words[0]!) }
    : { name: words[0]! };
  if (sub === "install" || sub === "remove") {
    const question = await client.ask(`plugin.${sub}`, { ...params, dry_run: true }) as {
      asks?: string;
      sha256?: string;
    };
    if (question.sha256) params.sha256 = question.sha256;
    confirm(call, question.asks ?? `${sub} ${words[0]}`);
    if (sub === "remove") params.data = call.flag("--data") || wantsDataGone(call);
  }
  const result = await client.ask(`plugin.${sub}`, params) as { text?: string; lines?: string[] };
  io.write(call.json ? JSON.stringify(result) + "\n" : textOf(result, call.language));
  if (sub === "logs" && !call.json && result.lines?.length === 0) {
    io.writeError(call.language === "zh" ? `${words[0]} 还没有写过日志\n` : `${words[0]} has written nothing yet\n`);
  }
  return EXIT.done;
}

/** What to do about a failure that does not say so itself. */
function advise(error: unknown, { sub, words }: VerbCall): never {
  const fix = sub === "install"
    ? "build it again with `homed plugin build`, or ask its author for a package that fits"
    : sub === "reload" || sub === "enable"
    ? `homed plugin logs ${words[0]} tells more`
    : sub === "build"
    ? "correct that, and build it again"
    : undefined;
  if (fix === undefined || fixOf(error) !== undefined || error instanceof UsageError) throw error;
  throw new HomedError("plugin", messageOf(error), { fix, cause: error });
}

/** `new` and `build` work on files alone: no homed is needed for them. */
async function make(call: VerbCall): Promise<number> {
  const { sub, words, io } = call;
  const lang = call.value("--lang");
  if (sub === "new" && !["ts", "python", "lua"].includes(lang ?? "")) {
    throw new UsageError(
      lang === undefined ? "The language is missing" : `There is no language "${lang}"`,
      "homed plugin new NAME --lang ts|python|lua",
    );
  }
  const author = await (await call.room()).pluginAuthor();
  const text =
    await (sub === "new" ? author.create(words[0]!, lang!, io.cwd()) : author.build(resolve(io.cwd(), words[0] ?? ".")))
      .catch((error) => advise(error, call));
  io.write(text.trimEnd().split("\n").map((one) => inLanguage(one, call.language)).join("\n") + "\n");
  if (sub === "new" && io.outputIsTerminal) {
    const next = `cd ${words[0]}; homed plugin build`;
    io.writeError(call.language === "zh" ? `下一步：${next}\n` : `Next: ${next}\n`);
  }
  return EXIT.done;
}

function textOf({ text = "" }: { text?: string }, language: Language): string {
  return text === "" ? "" : `${inLanguage(text.trimEnd(), language)}\n`;
}

/** What a removed plugin has kept is removed only when that is said. */
function wantsDataGone(call: VerbCall): boolean {
  const { io, language } = call;
  if (call.flag("--yes")) return false;
  return isYes(io.ask(`${language === "zh" ? "其设置和数据也删除吗？" : "Its settings and data, too?"} [y/N] `));
}

function confirm(call: VerbCall, asks: string): void {
  const { io, language } = call;
  if (call.flag("--yes")) return;
  const asked = questionIn(asks, language);
  if (!io.inputIsTerminal) {
    throw new UsageError(`This has to be confirmed (${asked.replace(/\s+/g, " ")})`, "say --yes");
  }
  const answer = io.ask(`${asked}\n${language === "zh" ? "继续吗？" : "Go on?"} [y/N] `);
  if (!isYes(answer)) {
    throw new HomedError(
      "declined",
      "Nothing was changed, as you did not say yes",
      { fix: "say it again when you want it" },
    );
  }
}

const row = ({ name, version, kind, state, description, detail }: PluginRow, language: Language) => [
  name,
  version,
  kind,
  inLanguage(state, language),
  inLanguage(detail ?? description, language),
];

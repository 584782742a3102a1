import { resolve } from "node:path";
import { HomedError } from "../base/errors.ts";
import { EXIT, UsageError } from "./failure.ts";
import { requireFile } from "./paths.ts";
import { withHomed } from "./session.ts";
import { printTable } from "./table.ts";
import type { VerbCall } from "./verb.ts";
import type { PluginRow } from "../wire/owner.ts";

export async function run(call: VerbCall): Promise<number> {
  const { sub, words, io } = call;
  if (sub === "new" || sub === "build") return await make(call);
  if (sub === "list") {
    return await withHomed(call, async (client) => {
      const { plugins } = await client.call("plugin.list", {});
      if (call.json) io.write(JSON.stringify(plugins) + "\n");
      else printTable(io, plugins.map(row), [24, 10, 10, 14, 80]);
      return EXIT.done;
    });
  }
  if (sub === "install") requireFile(resolve(io.cwd(), words[0]!));
  return await withHomed(call, async (client) => {
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
    const result = await client.ask(`plugin.${sub}`, params) as { text?: string };
    io.write(call.json ? JSON.stringify(result) + "\n" : textOf(result));
    return EXIT.done;
  });
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
  const text = sub === "new"
    ? await author.create(words[0]!, lang!, io.cwd())
    : await author.build(resolve(io.cwd(), words[0] ?? "."));
  io.write(text.trimEnd() + "\n");
  return EXIT.done;
}

function textOf({ text = "" }: { text?: string }): string {
  return text === "" ? "" : `${text.trimEnd()}\n`;
}

/** What a removed plugin has kept is removed only when that is said. */
function wantsDataGone(call: VerbCall): boolean {
  const { io, language } = call;
  if (call.flag("--yes")) return false;
  return isYes(io.ask(`${language === "zh" ? "其设置和数据也删除吗？" : "Its settings and data, too?"} [y/N] `));
}

const isYes = (answer: string | null) => /^\s*(y|yes|是|好)\s*$/i.test(answer ?? "");

function confirm(call: VerbCall, asks: string): void {
  const { io, language } = call;
  if (call.flag("--yes")) return;
  if (!io.inputIsTerminal) throw new UsageError(`This has to be confirmed (${asks.replace(/\s+/g, " ")})`, "say --yes");
  const answer = io.ask(`${asks}\n${language === "zh" ? "继续吗？" : "Go on?"} [y/N] `);
  if (!isYes(answer)) {
    throw new HomedError(
      "declined",
      language === "zh" ? "已取消，没有任何改动" : "Nothing was changed, as you did not say yes",
    );
  }
}

const row = (
  { name, version, kind, state, description, detail }: PluginRow,
) => [name, version, kind, state, detail ?? description];

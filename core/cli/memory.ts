import { resolve } from "node:path";
import type { Hit, ImportReport, MemoryStats } from "../wire/memory.ts";
import type { OwnerClient } from "../wire/owner.ts";
import { HomedError } from "../base/errors.ts";
import { EXIT, UsageError } from "./failure.ts";
import { countOf } from "./numbers.ts";
import { inLanguage } from "./chinese.ts";
import { countsText, hitText, sizeText } from "./labels.ts";
import type { Language } from "./language.ts";
import { withHomed } from "./session.ts";
import { requireFile } from "./paths.ts";
import type { VerbCall } from "./verb.ts";
import { isYes } from "./yes.ts";

export async function run(call: VerbCall): Promise<number> {
  if (call.sub === "import") requireFile(resolve(call.io.cwd(), call.words[0]!));
  if (call.value("--top") !== undefined) countOf(call, "--top");
  return await withHomed(call, (client) => carryOut(call, client));
}

async function carryOut(call: VerbCall, client: OwnerClient): Promise<number> {
  const { sub, words, io, json } = call;
  const zh = call.language === "zh";
  const [word = ""] = words;
  const print = (data: unknown, text: () => string) => io.write(json ? JSON.stringify(data) + "\n" : text());
  switch (sub) {
    case "stats": {
      const stats = await client.call("memory.stats", {});
      print(stats, () => statsText(stats, call.language));
      return EXIT.done;
    }
    case "recall": {
      const top = countOf(call, "--top");
      const found = await client.call("memory.recall", { query: word, ...(top !== undefined && { top }) });
      print(
        found,
        () =>
          found.hits.length === 0
            ? (zh ? "没有相关的记忆\n" : "Nothing relevant is known\n")
            : found.hits.map((hit) => hitLine(hit, call.language)).join(""),
      );
      return EXIT.done;
    }
    case "export": {
      const result = await client.call("memory.export", { path: resolve(io.cwd(), word) });
      print(result, () => `${word}${zh ? "：" : ": "}${countsText(result.counts, call.language)}\n`);
      return EXIT.done;
    }
    case "import": {
      const result = await client.call("memory.import", { path: resolve(io.cwd(), word) });
      const [first] = result.rejected;
      if (first && Object.entries(result.counts).every(([name, count]) => name === "rejected" || count === 0)) {
        if (json) io.write(JSON.stringify(result) + "\n");
        const rejected = result.counts.rejected ?? result.rejected.length;
        const { line, reason } = first;
        throw new HomedError(
          "import",
          rejected === 1
            ? `Nothing was imported from ${word}: 1 line was rejected, line ${line} as ${reason}`
            : `Nothing was imported from ${word}: ${rejected} lines were rejected, line ${line} as ${reason}`,
          { fix: "name a file that `homed memory export` made, or one in its format" },
        );
      }
      print(
        result,
        () => `${zh ? "已导入：" : "Imported: "}${countsText(result.counts, call.language)}\n`,
      );
      if (!json) tellRejected(call, result);
      return EXIT.done;
    }
    case "forget":
      return await forget(call, client, word);
    default: {
      if (call.flag("--list")) {
        const { items } = await client.call("memory.undo_list", {});
        print(items, () => items.map(({ id, kind, at, summary }) => `${id}  ${at}  ${kind}  ${summary}\n`).join(""));
        if (items.length === 0 && !json) io.writeError(zh ? "没有可以撤销的操作\n" : "There is nothing to undo\n");
        return EXIT.done;
      }
      const result = await client.call("memory.undo", word === "" ? {} : { id: word });
      print(
        result,
        () => zh ? `已撤销 ${result.kind} ${result.undone}\n` : `Undone: ${result.kind} ${result.undone}\n`,
      );
      return EXIT.done;
    }
  }
}

/** Forgetting cannot be undone: the person sees what goes first, and says yes. */
async function forget(call: VerbCall, client: OwnerClient, name: string): Promise<number> {
  const { io, json } = call;
  const zh = call.language === "zh";
  if (!call.flag("--yes")) {
    const { counts: found } = await client.call("memory.forget", { name, dry_run: true });
    if (Object.values(found).every((count) => count === 0)) {
      io.write(json ? JSON.stringify({ counts: found }) + "\n" : nothingOf(name, zh));
      return EXIT.done;
    }
    if (!io.inputIsTerminal) {
      throw new UsageError(
        `Forgetting "${name}" (${countsText(found, call.language)}) cannot be undone`,
        "say --yes",
      );
    }
    const question = zh
      ? `将彻底忘记“${name}”：${countsText(found, "zh")}。无法撤销。继续吗？[y/N] `
      : `This forgets "${name}" for good: ${countsText(found, "en")}. It cannot be undone. Go on? [y/N] `;
    if (!isYes(io.ask(question))) return EXIT.failed;
  }
  const result = await client.call("memory.forget", { name });
  const none = Object.values(result.counts).every((count) => count === 0);
  if (!json && none) io.write(nothingOf(name, zh));
  else {
    io.write(
      json
        ? JSON.stringify(result) + "\n"
        : `${zh ? "已忘记：" : "Forgotten: "}${countsText(result.counts, call.language)}\n${
          [...stillNamed(result.named_in, zh), keptElsewhere(zh)].join("\n")
        }\n`,
    );
  }
  return EXIT.done;
}

/** The person's own words about it, which only they change. */
const stillNamed = (places: string[], zh: boolean) =>
  places.length === 0 ? [] : [
    zh
      ? `以下设置和文件中仍提到此名，请自行修改：${places.join("、")}`
      : `Still named in ${places.join(", ")}: change that yourself.`,
  ];

/** What the person keeps elsewhere is theirs: homed does not look for it. */
const keptElsewhere = (zh: boolean) =>
  zh
    ? "您自己做的备份和导出文件不受影响：其中的内容仍在，请自行删除。"
    : "Backups and exports that you made yourself are not touched: remove those that are to forget, too.";

const nothingOf = (name: string, zh: boolean) =>
  zh ? `没有关于“${name}”的任何记忆\n` : `Nothing is known of "${name}"\n`;

/** How much memory holds, in lines. */
function statsText(stats: MemoryStats, language: Language): string {
  const zh = language === "zh";
  const { entities, relations, current_relations, sentences, documents, context_events, messages, knowledge } = stats;
  const { name, dimension, pending } = stats.embedder;
  const rows: [en: string, zh: string, value: string | number][] = [
    ["entities", "实体", entities],
    ["facts", "事实", `${relations} (${zh ? "当前" : "current"} ${current_relations})`],
    ["sentences", "原句", sentences],
    ["documents", "文档", documents],
    ["context", "对话窗口", context_events],
    ["messages", "消息", messages],
    ["knowledge", "知识", knowledge],
    ["media", "媒体", `${stats.media.items} (${sizeText(stats.media.bytes)})`],
    [
      "meaning",
      "语义",
      `${name}, ${dimension} ${zh ? "维" : "dimensions"}${
        pending > 0 ? `, ${pending} ${zh ? "待处理" : "to do"}` : ""
      }`,
    ],
    [
      "on disk",
      "磁盘",
      Object.entries(stats.bytes).map(([store, bytes]) => `${zh ? STORES[store] ?? store : store} ${sizeText(bytes)}`)
        .join(", "),
    ],
  ];
  return rows.map(([en, chinese, value]) => `${zh ? `${chinese}：` : `${en}: `}${value}\n`).join("");
}

const STORES: Record<string, string> = {
  graph: "图",
  index: "索引",
  documents: "文档",
  text: "文本日志",
  media: "媒体",
  context: "对话窗口",
};

function hitLine(hit: Hit, language: Language): string {
  const { kind, why } = hitText(hit, language);
  const past = hit.current === false ? (language === "zh" ? "（过去）" : " (past)") : "";
  return `${hit.score.toFixed(2)}  ${kind}${past}  ${hit.at.slice(0, 10)}  ${why}  ${hit.text.replace(/\s+/g, " ")}\n`;
}

/** Each line that was not taken, with the reason; a report names the first ones alone. */
function tellRejected({ io, language }: VerbCall, { counts, rejected }: ImportReport): void {
  const zh = language === "zh";
  for (const { line, reason } of rejected) {
    io.writeError(zh ? `第 ${line} 行：${inLanguage(reason, language)}\n` : `line ${line}: ${reason}\n`);
  }
  const more = (counts.rejected ?? 0) - rejected.length;
  if (more > 0) io.writeError(zh ? `…… 还有 ${more} 行\n` : `… and ${more} more\n`);
}

import { resolve } from "node:path";
import type { OwnerClient } from "../wire/owner.ts";
import { HomedError } from "../base/errors.ts";
import { EXIT, UsageError } from "./failure.ts";
import { countOf } from "./numbers.ts";
import { withHomed } from "./session.ts";
import { requireFile } from "./paths.ts";
import type { VerbCall } from "./verb.ts";

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
      print(stats, () => Object.entries(stats).map(([name, value]) => `${name}: ${show(value)}\n`).join(""));
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
            : found.hits.map(({ text, score, why, kind, at, current }) =>
              `${score.toFixed(2)}  ${kind}${current === false ? (zh ? "（过去）" : " (past)") : ""}  ${
                at.slice(0, 10)
              }  ` +
              `${why.join("+")}  ${text.replace(/\s+/g, " ")}\n`
            ).join(""),
      );
      return EXIT.done;
    }
    case "export": {
      const result = await client.call("memory.export", { path: resolve(io.cwd(), word) });
      print(result, () => `${word}: ${counts(result.counts)}\n`);
      return EXIT.done;
    }
    case "import": {
      const result = await client.call("memory.import", { path: resolve(io.cwd(), word) });
      const [first] = result.rejected;
      if (first && Object.entries(result.counts).every(([name, count]) => name === "rejected" || count === 0)) {
        if (json) io.write(JSON.stringify(result) + "\n");
        throw new HomedError(
          "import",
          `Nothing was imported from ${word}: ${
            result.counts.rejected ?? result.rejected.length
          } lines were rejected, line ${first.line} as ${first.reason}`,
          { fix: "name a file that `homed memory export` made, or one in its format" },
        );
      }
      print(result, () => `${counts(result.counts)}\n`);
      if (!json) { for (const { line, reason } of result.rejected) io.writeError(`line ${line}: ${reason}\n`); }
      return EXIT.done;
    }
    case "forget":
      return await forget(call, client, word);
    default: {
      if (call.flag("--list")) {
        const { items } = await client.call("memory.undo_list", {});
        print(items, () => items.map(({ id, kind, at, summary }) => `${id}  ${at}  ${kind}  ${summary}\n`).join(""));
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
      throw new UsageError(`Forgetting "${name}" (${counts(found)}) cannot be undone`, "say --yes");
    }
    const question = zh
      ? `将彻底忘记“${name}”：${counts(found)}。无法撤销。继续吗？[y/N] `
      : `This forgets "${name}" for good: ${counts(found)}. It cannot be undone. Go on? [y/N] `;
    if (!/^\s*(y|yes|是|好)\s*$/i.test(io.ask(question) ?? "")) return EXIT.failed;
  }
  const result = await client.call("memory.forget", { name });
  const none = Object.values(result.counts).every((count) => count === 0);
  if (!json && none) io.write(nothingOf(name, zh));
  else {
    io.write(
      json
        ? JSON.stringify(result) + "\n"
        : `${zh ? "已忘记" : "Forgotten"}: ${counts(result.counts)}\n${keptElsewhere(zh)}\n`,
    );
  }
  return EXIT.done;
}

/** What the person keeps elsewhere is theirs: homed does not look for it. */
const keptElsewhere = (zh: boolean) =>
  zh
    ? "您自己做的备份和导出文件不受影响：其中的内容仍在，请自行删除。"
    : "Backups and exports that you made yourself are not touched: remove those that are to forget, too.";

const nothingOf = (name: string, zh: boolean) =>
  zh ? `没有关于“${name}”的任何记忆\n` : `Nothing is known of "${name}"\n`;

const counts = (found: Record<string, number>) =>
  Object.entries(found).map(([name, count]) => `${count} ${name}`).join(", ") || "0";
const show = (value: unknown) =>
  typeof value === "object" && value !== null
    ? Object.entries(value).map(([name, one]) => `${name} ${one}`).join(", ")
    : String(value);

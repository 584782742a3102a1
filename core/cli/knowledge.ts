import { resolve } from "node:path";
import { HomedError } from "../base/errors.ts";
import type { OwnerClient } from "../wire/owner.ts";
import { RPC_CODES, RpcError } from "../wire/rpc.ts";
import { EXIT } from "./failure.ts";
import { sizeText } from "./labels.ts";
import { countOf } from "./numbers.ts";
import { requireFile } from "./paths.ts";
import { withHomed } from "./session.ts";
import type { VerbCall } from "./verb.ts";

export async function run(call: VerbCall): Promise<number> {
  const content = call.sub === "add" ? readContent(resolve(call.io.cwd(), call.words[1]!)) : "";
  if (call.value("--top") !== undefined) countOf(call, "--top");
  return await withHomed(call, (client) => carryOut(call, client, content));
}

async function carryOut(call: VerbCall, client: OwnerClient, content: string): Promise<number> {
  const { sub, words, io, json } = call;
  const zh = call.language === "zh";
  const print = (data: unknown, text: () => string) => io.write(json ? JSON.stringify(data) + "\n" : text());
  switch (sub) {
    case "list": {
      const { items } = await client.call("knowledge.list", {});
      print(items, () => items.map(({ name, title, bytes }) => `${name}  ${sizeText(bytes)}  ${title}\n`).join(""));
      if (items.length === 0 && !json) io.writeError(zh ? "知识库是空的\n" : "The knowledge base is empty\n");
      return EXIT.done;
    }
    case "add": {
      const params = { name: words[0]!, content, ...(call.flag("--replace") && { replace: true }) };
      const added = await client.call("knowledge.add", params).catch((error) => {
        if (!(error instanceof RpcError) || error.code !== RPC_CODES.conflict) throw error;
        throw new HomedError("knowledge", `There is an entry named "${words[0]}" already`, {
          fix: "choose another name, or say --replace to put this in its place",
          cause: error,
        });
      });
      print(added, () => zh ? `已加入 ${added.name}\n` : `Added ${added.name}\n`);
      return EXIT.done;
    }
    default: {
      const top = countOf(call, "--top");
      const { hits } = await client.call("knowledge.search", { query: words[0]!, ...(top !== undefined && { top }) });
      print(
        hits,
        () =>
          hits.length === 0
            ? (zh ? "没有找到\n" : "Nothing was found\n")
            : hits.map(({ id, score, text }) =>
              `${score.toFixed(2)}  ${id}  ${text.replace(/\s+/g, " ").slice(0, 200)}\n`
            )
              .join(""),
      );
      return EXIT.done;
    }
  }
}

function readContent(path: string): string {
  requireFile(path);
  const bytes = Deno.readFileSync(path);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new HomedError("no_text", `Cannot add ${path}: it is no text in UTF-8`, { fix: "convert it to UTF-8 text" });
  }
}

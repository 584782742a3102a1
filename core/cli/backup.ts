import { resolve } from "node:path";
import { EXIT } from "./failure.ts";
import { sizeText } from "./labels.ts";
import { withHomed } from "./session.ts";
import type { VerbCall } from "./verb.ts";

export function run(call: VerbCall): Promise<number> {
  const { io, json, words, language } = call;
  const path = resolve(io.cwd(), words[0]!);
  return withHomed(call, async (client) => {
    const made = await client.call("backup", { path });
    const size = sizeText(made.bytes);
    const text = language === "zh" ? `${path}：${made.files} 个文件，${size}` : `${path}: ${made.files} files, ${size}`;
    io.write((json ? JSON.stringify({ path, ...made }) : text) + "\n");
    return EXIT.done;
  });
}

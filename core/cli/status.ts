import { inLanguage } from "./chinese.ts";
import { EXIT } from "./failure.ts";
import { sizeText } from "./labels.ts";
import { sourceState, textsFor } from "./repl/texts.ts";
import { withRunning } from "./running.ts";
import type { VerbCall } from "./verb.ts";

export function run(call: VerbCall): Promise<number> {
  const { io, json, language } = call;
  return withRunning(call, async (client) => {
    const status = await client.call("status", {});
    if (json) {
      io.write(JSON.stringify(status) + "\n");
      return EXIT.done;
    }
    const zh = language === "zh";
    const { kernel } = status;
    const texts = textsFor(language);
    const sources = kernel.sources.map(({ name, model, state, reason }) =>
      `${name} (${model}) ${sourceState(state, reason, texts)}`
    );
    const lines: [string, string][] = [
      [zh ? "版本" : "version", status.version],
      [zh ? "主目录" : "home", status.home],
      [zh ? "进程" : "process", `${status.pid}, ${zh ? "启动于" : "since"} ${status.since}`],
      [zh ? "套接字" : "socket", status.socket],
      ...(status.page === null ? [] : [[zh ? "网页" : "page", status.page] as [string, string]]),
      [zh ? "状态" : "agent", kernel.busy ? (zh ? "忙" : "busy") : (zh ? "空闲" : "idle")],
      [zh ? "轮次" : "turns", String(kernel.turns)],
      [zh ? "来源" : "sources", sources.join("; ") || (zh ? "无：离线智能体作答" : "none: the offline agent answers")],
      [
        zh ? "部件" : "parts",
        status.parts.map(({ name, up }) => `${name} ${zh ? (up ? "运行" : "未启动") : up ? "up" : "off"}`).join(", "),
      ],
      ...(status.download === undefined
        ? []
        : [[zh ? "下载" : "download", downloadText(status.download)] as [string, string]]),
      ...status.notices.map((text) => [zh ? "注意" : "notice", inLanguage(text, language)] as [string, string]),
    ];
    io.write(lines.map(([name, value]) => `${name}${zh ? "：" : ": "}${value}\n`).join(""));
    return EXIT.done;
  });
}

function downloadText({ name, bytes, total }: { name: string; bytes: number; total: number | null }): string {
  return total === null
    ? `${name}: ${sizeText(bytes)}`
    : `${name}: ${sizeText(bytes)} / ${sizeText(total)} (${Math.floor(bytes * 100 / total)} %)`;
}

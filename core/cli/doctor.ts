import type { DoctorReport } from "../wire/owner.ts";
import { inLanguage } from "./chinese.ts";
import { EXIT } from "./failure.ts";
import type { Language } from "./language.ts";
import { withHomed } from "./session.ts";
import type { VerbCall } from "./verb.ts";

export function run(call: VerbCall): Promise<number> {
  const { io, json } = call;
  return withHomed(call, async (client) => {
    const report = await client.call("doctor", { online: call.flag("--online") });
    io.write(json ? JSON.stringify(report) + "\n" : readable(report, call.language));
    return report.checks.every(({ ok }) => ok) ? EXIT.done : EXIT.failed;
  });
}

function readable({ checks, workers }: DoctorReport, language: Language): string {
  const zh = language === "zh";
  const told = (text: string) => inLanguage(text, language);
  const lines = checks.map(({ name, ok, detail, fix }) =>
    `${ok ? "✓" : "✗"} ${told(name)}${zh ? "：" : ": "}${told(detail)}${fix ? `\n    → ${told(fix)}` : ""}`
  );
  lines.push("", zh ? "各部件的权限（逐项实测）：" : "What each worker may do, found by trying:");
  for (const { name, permissions } of workers) {
    const granted = Object.entries(permissions).filter(([, value]) => value !== "denied");
    const text = granted.map(([kind, value]) => `${kind} ${Array.isArray(value) ? value.join(" ") : value}`).join("; ");
    lines.push(`  ${name}: ${text || (zh ? "无" : "nothing")}`);
  }
  return lines.join("\n") + "\n";
}

import { dirname, join } from "node:path";
import { basename } from "node:path";
import { writeAtomically } from "./files.ts";

/** Takes the lines that name someone out of all log files; upper and lower case are the same. Returns how many. */
export function forgetInLogs(log: string, name: string): number {
  const wanted = name.toLowerCase();
  let removed = 0;
  for (const entry of Deno.readDirSync(dirname(log))) {
    if (!entry.isFile || !entry.name.startsWith(basename(log))) continue;
    const path = join(dirname(log), entry.name);
    const lines = Deno.readTextFileSync(path).split("\n");
    const kept = lines.filter((line) => !line.toLowerCase().includes(wanted));
    if (kept.length === lines.length) continue;
    removed += lines.length - kept.length;
    writeAtomically(path, kept.join("\n"));
  }
  return removed;
}

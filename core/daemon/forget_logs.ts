import { join } from "node:path";
import { isThere, writeAtomically } from "../base/files.ts";
import { type Mentions, textsIn } from "../../memory/mention.ts";
import type { Home } from "./home.ts";

/** Takes the lines that name someone out of all logs and out of what was typed in the REPL; `dryRun` only counts. Returns
 * how many. */
export function forgetInLogs(home: Home, mentions: Mentions, options: { dryRun: boolean }): number {
  const history = home.path("run/history");
  let removed = 0;
  for (const path of [...filesBelow(home.path("logs")), ...(isThere(history) ? [history] : [])]) {
    const lines = Deno.readTextFileSync(path).split("\n");
    const kept = lines.filter((line) => !mentions(line) && !mentions(textOfLine(line)));
    if (kept.length === lines.length) continue;
    removed += lines.length - kept.length;
    if (!options.dryRun) writeAtomically(path, kept.join("\n"));
  }
  return removed;
}

/** What a line says behind the escapes of JSON. */
function textOfLine(line: string): string {
  if (!line.includes("\\")) return "";
  try {
    return textsIn(JSON.parse(line));
  } catch {
    return ""; // Plain text: looked at as it is.
  }
}

function* filesBelow(folder: string): Generator<string> {
  for (const { name, isDirectory, isFile } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* filesBelow(join(folder, name));
    else if (isFile) yield join(folder, name);
  }
}

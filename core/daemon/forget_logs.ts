import { join } from "node:path";
import { isThere, writeAtomically } from "../base/files.ts";
import type { Home } from "./home.ts";

/** Takes the lines that name someone out of all logs and out of what was typed in the REPL; upper and lower case are the
 * same. Returns how many. */
export function forgetInLogs(home: Home, name: string): number {
  const wanted = name.toLowerCase();
  const history = home.path("run/history");
  let removed = 0;
  for (const path of [...filesBelow(home.path("logs")), ...(isThere(history) ? [history] : [])]) {
    const lines = Deno.readTextFileSync(path).split("\n");
    const kept = lines.filter((line) => !line.toLowerCase().includes(wanted));
    if (kept.length === lines.length) continue;
    removed += lines.length - kept.length;
    writeAtomically(path, kept.join("\n"));
  }
  return removed;
}

function* filesBelow(folder: string): Generator<string> {
  for (const { name, isDirectory, isFile } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* filesBelow(join(folder, name));
    else if (isFile) yield join(folder, name);
  }
}

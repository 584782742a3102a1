import { resolve } from "node:path";
import { EXIT, UsageError } from "./failure.ts";
import { requireFile } from "./paths.ts";
import type { VerbCall } from "./verb.ts";
import { isYes } from "./yes.ts";

export async function run(call: VerbCall): Promise<number> {
  const { io, json } = call;
  const zh = call.language === "zh";
  const path = resolve(io.cwd(), call.words[0]!);
  requireFile(path);
  const room = await call.room();
  const home = await call.home();
  if (room.homeExists(home) && !call.flag("--yes")) {
    if (!io.inputIsTerminal) {
      throw new UsageError(
        `${home.root} is in use: restoring puts the backup in its place`,
        "say --yes; what is there is kept in backups/",
      );
    }
    const question = zh
      ? `${home.root} 的内容将移到 backups/，由备份取代。继续吗？[y/N] `
      : `What is in ${home.root} is moved to its backups/, and the backup takes its place. Go on? [y/N] `;
    if (!isYes(io.ask(question))) return EXIT.failed;
  }
  const existed = room.homeExists(home);
  room.prepareHome(home);
  const done = await room.restore(home, path);
  const kept = done.before === null || !existed
    ? ""
    : zh
    ? `；原内容在 ${done.before}`
    : `; what was there is in ${done.before}`;
  const text = zh ? `已恢复 ${done.files} 个文件${kept}` : `Restored ${done.files} files${kept}`;
  io.write((json ? JSON.stringify(done) : text) + "\n");
  return EXIT.done;
}

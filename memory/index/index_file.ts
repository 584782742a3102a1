import { messageOf } from "../../core/base/errors.ts";
import { checkDatabase, condemn, isDamage, openDatabase, type OpenedDatabase, takeCondemned } from "../sqlite.ts";
import { INDEX_SCHEMA } from "./schema.ts";

/** Up to this size the whole file is checked at every start. */
const CHECKED = 32 * 1024 * 1024;

/** The index's database. One that was condemned, or whose pages do not fit together, is thrown away: it can be made
 * again. */
export function openIndex(path: string): OpenedDatabase {
  removeCondemned(path);
  const options = { schema: INDEX_SCHEMA, durable: false, cacheKiB: 16384 };
  const opened = openDatabase(path, options);
  if (path === ":memory:" || opened.fresh || Deno.statSync(path).size > CHECKED) return opened;
  let wrong: string[];
  try {
    wrong = checkDatabase(opened.db);
  } catch (error) {
    if (!isDamage(error)) throw error;
    wrong = [messageOf(error)];
  }
  if (wrong.length === 0) return opened;
  opened.db.close();
  condemn(path);
  removeCondemned(path);
  const notice = `${path} was damaged (${wrong[0]}): the index is made anew, nothing of memory itself is lost. ` +
    "记忆索引已损坏，正在自动重建，记忆本身没有丢失。";
  return { ...openDatabase(path, options), notices: [...opened.notices, notice] };
}

function removeCondemned(path: string): void {
  if (path === ":memory:" || !takeCondemned(path)) return;
  for (const suffix of ["", "-wal", "-shm"]) {
    try {
      Deno.removeSync(path + suffix);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

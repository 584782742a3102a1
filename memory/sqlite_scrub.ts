import type { DatabaseSync } from "node:sqlite";
import { settleDatabase } from "./sqlite.ts";

/** Overwrites what SQLite left of deleted rows in its file. `secure_delete` clears what is freed, but a page that is
 * rebuilt when its neighbours are balanced keeps old copies of cells in its unallocated part; `VACUUM` would clear them
 * and is refused to a worker that is limited to a folder. So the log is emptied into the file, the unallocated parts of
 * its b-tree pages are zeroed in place, and the cached pages are dropped, which else would bring them back. Only for the
 * one connection there is, outside a transaction. Bytes that mean something are never touched, so a kill in the middle
 * does no harm. Format: https://www.sqlite.org/fileformat2.html#b_tree_pages. Answers with how many pages were cleared. */
export function scrubDatabase(db: DatabaseSync, path: string): number {
  settleDatabase(db);
  let cleared = 0;
  using file = Deno.openSync(path, { read: true, write: true });
  const header = readAt(file, 0, 100);
  if (!header) return 0;
  const declared = header[16]! << 8 | header[17]!;
  const size = declared === 1 ? 65_536 : declared;
  for (let number = 0;; number++) {
    const page = readAt(file, number * size, size);
    if (!page) break;
    if (!clearPage(page, number === 0 ? 100 : 0)) continue;
    file.seekSync(number * size, Deno.SeekMode.Start);
    for (let at = 0; at < size;) at += file.writeSync(page.subarray(at));
    cleared++;
  }
  if (cleared > 0) file.syncSync();
  db.exec("PRAGMA shrink_memory");
  return cleared;
}

/** Zeroes what is unallocated in a b-tree page: the gap before the cells, and the free blocks between them. Answers
 * whether anything changed. A page that is of another kind (its first byte tells: a chain's next page number is small),
 * or is not what it should be, stays as it is. */
function clearPage(page: Uint8Array, start: number): boolean {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  const kind = page[start]!;
  if (kind !== 2 && kind !== 5 && kind !== 10 && kind !== 13) return false;
  const pointers = start + (kind === 2 || kind === 5 ? 12 : 8);
  const from = pointers + 2 * view.getUint16(start + 3);
  const to = view.getUint16(start + 5) || 65_536;
  if (from > to || to > page.length) return false;
  let changed = zero(page, from, to);
  for (let at = view.getUint16(start + 1), last = 0; at !== 0; at = view.getUint16(at)) {
    if (at <= last || at < to || at + 4 > page.length) return changed;
    const end = at + view.getUint16(at + 2);
    if (end > page.length) return changed;
    changed = zero(page, at + 4, end) || changed;
    last = at;
  }
  return changed;
}

function zero(page: Uint8Array, from: number, to: number): boolean {
  const part = page.subarray(from, to);
  if (part.every((byte) => byte === 0)) return false;
  part.fill(0);
  return true;
}

/** Exactly so many bytes, or undefined where the file ends before. */
function readAt(file: Deno.FsFile, at: number, length: number): Uint8Array | undefined {
  const bytes = new Uint8Array(length);
  file.seekSync(at, Deno.SeekMode.Start);
  for (let done = 0; done < length;) {
    const read = file.readSync(bytes.subarray(done));
    if (read === null) return undefined;
    done += read;
  }
  return bytes;
}

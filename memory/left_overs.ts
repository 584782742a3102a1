import { dirname, join } from "node:path";
import type { MemorySettings } from "../core/wire/memory.ts";
import type { FileStore } from "./files.ts";

const UNFINISHED = /\.(tmp|new)(-wal|-shm|-journal)?$/;
/** Files on their way in or out, which lie here while an import or export runs. */
const PASSING = /^(import|export)-[0-9a-z]{26}\.jsonl$/;

/** Removes what a kill left of writes that were never finished: temporary files beside the ones they were to become. Of
 * documents their own store does that, which looks at each of them anyway. */
export function removeLeftOvers(store: FileStore, settings: MemorySettings): void {
  const state = dirname(settings.context), blobs = join(settings.media_dir, "blobs");
  const below = (folder: string) =>
    store.list(folder).filter((entry) => entry.folder).map((entry) => join(folder, entry.name));
  const journals = [join(state, "journal"), join(settings.documents, "journal")];
  const ours = [
    state,
    join(state, "undo"),
    join(state, "vectors"),
    ...journals,
    settings.text,
    settings.media_dir,
    ...below(blobs),
  ];
  for (const folder of new Set(ours)) {
    for (const { name, folder: isFolder } of store.list(folder)) {
      if (!isFolder && (UNFINISHED.test(name) || (folder === state && PASSING.test(name)))) {
        store.remove(join(folder, name));
      }
    }
  }
  // A person's own folders: only what we write in them.
  for (const entry of below(settings.knowledge)) store.remove(join(entry, "content.md.tmp"));
}

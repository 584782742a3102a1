import { join } from "node:path";
import { newId } from "../core/base/ids.ts";
import { RPC_CODES, RpcError } from "../core/wire/rpc.ts";
import type { MemoryDocument } from "./documents/document.ts";
import { type FileStore, jsonBytes, readChecked, setAside } from "./files.ts";
import type { GraphUndo } from "./graph/snapshot.ts";
import { textsIn } from "./mention.ts";

/** Changes can be taken back for this long, in milliseconds. */
export const UNDO_KEPT = 30 * 24 * 3_600_000;
/** The most that are kept. */
const MOST = 500;

export interface UndoItem {
  id: string;
  /** "consolidation", "merge", "purge", "delete", "edit". */
  kind: string;
  /** Milliseconds since the epoch. */
  at: number;
  summary: string;
  /** Graph rows as they were. */
  graph: GraphUndo[];
  /** Documents that the change took away. */
  documents: MemoryDocument[];
}

/** What can be taken back: one file each in `memory/undo/`, newest last. */
export class UndoStore {
  readonly #store: FileStore;
  readonly #folder: string;
  readonly #now: () => number;

  readonly #onProblem: (text: string) => void;

  constructor(
    options: { store: FileStore; folder: string; now: () => number; onProblem?: (text: string) => void },
  ) {
    this.#onProblem = options.onProblem ?? (() => {});
    this.#store = options.store;
    this.#folder = options.folder;
    this.#now = options.now;
  }

  /** Durable when it returns. */
  add(item: Omit<UndoItem, "id" | "at">): string {
    const id = newId(this.#now());
    this.#store.write(this.#path(id), jsonBytes({ ...item, id, at: this.#now() }));
    return id;
  }

  /** Newest first; what is older than thirty days is removed, what cannot be read is set aside and told. */
  list(): UndoItem[] {
    const items: UndoItem[] = [];
    for (const { name, folder } of this.#store.list(this.#folder)) {
      if (folder || !name.endsWith(".json")) continue;
      const item = this.find(name.slice(0, -".json".length));
      if (item && item.at > this.#now() - UNDO_KEPT) items.push(item);
      else if (item) this.remove(item.id);
    }
    items.sort((a, b) => (a.id < b.id ? 1 : -1));
    for (const item of items.splice(MOST)) this.remove(item.id);
    return items;
  }

  /** The item of that id, however old: one whose way back was cut off is brought to its end. */
  find(id: string): UndoItem | undefined {
    const path = this.#path(id);
    const read = readChecked(this.#store, path, (value) => {
      const item = value as UndoItem | null;
      return typeof item?.id === "string" && Array.isArray(item.graph) ? item : undefined;
    });
    if (read.kind === "damaged") {
      const damage = { reason: read.reason, now: this.#now(), instead: "that change can no longer be taken back" };
      this.#onProblem(setAside(this.#store, path, damage));
    }
    return read.kind === "sound" ? read.value : undefined;
  }

  /** The item of that id, or the newest.
   * @throws RpcError when there is none */
  get(id?: string): UndoItem {
    const item = this.list().find((one) => id === undefined || one.id === id);
    if (item) return item;
    const what = id === undefined ? "There is nothing to take back" : `There is nothing to take back under "${id}"`;
    throw new RpcError(RPC_CODES.notFound, what, {
      data: {
        fix: id === undefined ? "changes are kept for thirty days" : "homed memory undo --list shows what there is",
      },
    });
  }

  remove(id: string): void {
    this.#store.remove(this.#path(id));
  }

  /** Removes every item that `matches`: what was forgotten cannot be taken back. */
  scrub(matches: (text: string) => boolean): number {
    const hit = this.list().filter((item) => matches(textsIn(item)));
    for (const item of hit) this.remove(item.id);
    return hit.length;
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}

import { join } from "node:path";
import { newId } from "../core/base/ids.ts";
import { type FileStore, jsonBytes, readChecked, setAside } from "./files.ts";

/** Writes down what a movement is about to do, before it does it, so that a kill in the middle is finished at the next
 * start. A movement is a plain value from which each of its steps can be done again with the same result. */
export class Journal<M extends { kind: string }> {
  readonly #store: FileStore;
  readonly #folder: string;
  readonly #now: () => number;

  constructor(options: { store: FileStore; folder: string; now: () => number }) {
    this.#store = options.store;
    this.#folder = options.folder;
    this.#now = options.now;
  }

  /** Durable when it returns. */
  begin(movement: M): string {
    const id = newId(this.#now());
    this.#store.write(this.#path(id), jsonBytes(movement));
    return id;
  }

  /** The movement is complete, or was taken back. */
  end(id: string): void {
    this.#store.remove(this.#path(id));
  }

  /** What was begun and not ended, oldest first. A damaged entry is set aside and told: it was never begun, since a
   * movement starts only after its entry is whole on disk. */
  open(notices: string[]): { id: string; movement: M }[] {
    return this.#store.list(this.#folder).flatMap((entry) => {
      const path = join(this.#folder, entry.name);
      if (entry.name.endsWith(".tmp")) this.#store.remove(path);
      if (!entry.name.endsWith(".json") || entry.folder) return [];
      const read = readChecked(this.#store, path, (value) => {
        const kind = (value as { kind?: unknown } | null)?.kind;
        return typeof kind === "string" ? value as M : undefined;
      });
      if (read.kind === "sound") return [{ id: entry.name.slice(0, -".json".length), movement: read.value }];
      if (read.kind === "damaged") {
        const instead = "the movement between memory tiers that it describes is not continued";
        notices.push(setAside(this.#store, path, { reason: read.reason, now: this.#now(), instead }));
      }
      return [];
    });
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}

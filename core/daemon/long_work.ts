import type { Progress } from "../base/progress.ts";

/** The long work that is going on, for those who watch. */
export class LongWork {
  readonly #now = new Map<string, Progress>();
  readonly #watchers = new Set<(progress: Progress) => void>();

  tell(progress: Progress): void {
    const { title, share } = progress;
    if (share === null || share >= 1) this.#now.delete(title);
    else this.#now.set(title, progress);
    for (const watch of this.#watchers) watch(progress);
  }

  /** Tells what is going on now and from now on. `watch` must not throw. */
  watch(watch: (progress: Progress) => void): Disposable {
    this.#watchers.add(watch);
    for (const progress of this.#now.values()) watch(progress);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watch) };
  }
}

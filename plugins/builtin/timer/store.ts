import { isThere, removeIfThere, writeAtomically } from "../../../core/base/files.ts";
import type { Schedule } from "./schedule.ts";

/** A timer as it is kept. `next` and `fired` in milliseconds since the epoch. */
export interface Timer {
  id: string;
  text: string;
  schedule: Schedule;
  /** What to do about one that was missed while homed was down: fire once, or only log it. */
  missed: "fire" | "log";
  interrupt: boolean;
  channel: string;
  next: number;
  /** When it was last due and fired. */
  fired?: number;
}

interface State {
  version: 1;
  last_id: number;
  timers: Timer[];
}

/** Timers in one JSON file, replaced as a whole: written beside, flushed, renamed; and the same again as `.bak`. A file
 * that cannot be read is set aside and the copy is used. */
export class TimerStore {
  readonly #folder: string;
  readonly #path: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = `${folder}/timers.json`;
  }

  /** What was saved; `notice` when the newest state was damaged. */
  async load(): Promise<State & { notice?: string }> {
    try {
      return await read(this.#path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound && !isThere(`${this.#path}.bak`)) return empty();
      if (!(error instanceof Deno.errors.NotFound)) {
        await Deno.rename(this.#path, `${this.#path}.damaged-${Date.now()}`);
      }
    }
    try {
      return { ...await read(`${this.#path}.bak`), notice: "The timers were damaged and their copy was used" };
    } catch {
      return { ...empty(), notice: "The timers were damaged, also in their copy: there are none now" };
    }
  }

  /** Removes the copy, and what was set aside as damaged, where they name somebody. */
  async forget(mentions: (text: string) => boolean): Promise<void> {
    for await (const { name, isFile } of Deno.readDir(this.#folder)) {
      const path = `${this.#folder}/${name}`;
      if (isFile && path !== this.#path && mentions(await Deno.readTextFile(path))) removeIfThere(path);
    }
  }

  save(state: { last_id: number; timers: Timer[] }): void {
    const text = JSON.stringify({ version: 1, ...state });
    writeAtomically(this.#path, text);
    try {
      writeAtomically(`${this.#path}.bak`, text);
    } catch {
      // The copy is extra: what was saved is saved.
    }
  }
}

const empty = (): State => ({ version: 1, last_id: 0, timers: [] });

async function read(path: string): Promise<State> {
  const state = JSON.parse(await Deno.readTextFile(path)) as State;
  if (state.version !== 1 || !Array.isArray(state.timers)) throw new Error(`${path} holds no timers`);
  return state;
}

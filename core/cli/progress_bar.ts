import type { Progress } from "../base/progress.ts";
import { fit } from "./repl/width.ts";

const CELLS = 24;

/** A share from 0 to 1 as a bar, and what it is of. */
export function barText(title: string, share: number): string {
  const full = Math.round(share * CELLS);
  return `${"█".repeat(full)}${"░".repeat(CELLS - full)} ${String(Math.floor(share * 100)).padStart(3)} % ${title}`;
}

/** A bar on one line of the terminal that is drawn over itself; nothing where stderr is no terminal. Other lines are written
 * `above` it, so that they do not run into it. */
export class ProgressBar {
  readonly #io: { writeError(text: string): void; errorIsTerminal: boolean; columns(): number };
  #drawn = "";

  constructor(io: { writeError(text: string): void; errorIsTerminal: boolean; columns(): number }) {
    this.#io = io;
  }

  draw({ title, share }: Progress): void {
    if (!this.#io.errorIsTerminal) return;
    // A row more could not be taken back.
    const text = share === null ? "" : fit(barText(title, share), this.#io.columns() - 1);
    if (text === this.#drawn) return;
    const isDone = share !== null && share >= 1;
    this.#io.writeError(`\r\x1b[2K${text}${isDone ? "\n" : ""}`);
    this.#drawn = isDone ? "" : text;
  }

  /** Writes whole lines above the bar. */
  above<R>(write: () => R): R {
    if (this.#drawn !== "") this.#io.writeError("\r\x1b[2K");
    const result = write();
    if (this.#drawn !== "") this.#io.writeError(this.#drawn);
    return result;
  }

  /** Takes away what is drawn. */
  clear(): void {
    if (this.#drawn !== "") this.#io.writeError("\r\x1b[2K");
    this.#drawn = "";
  }
}

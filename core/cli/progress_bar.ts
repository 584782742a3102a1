import type { Progress } from "../base/progress.ts";

const CELLS = 24;

/** A bar on one line of the terminal that is drawn over itself; nothing where stderr is no terminal. Other lines are written
 * `above` it, so that they do not run into it. */
export class ProgressBar {
  readonly #io: { writeError(text: string): void; errorIsTerminal: boolean };
  #drawn = "";

  constructor(io: { writeError(text: string): void; errorIsTerminal: boolean }) {
    this.#io = io;
  }

  draw({ title, share }: Progress): void {
    if (!this.#io.errorIsTerminal) return;
    const full = Math.round(share * CELLS);
    const text = `${"█".repeat(full)}${"░".repeat(CELLS - full)} ${
      String(Math.floor(share * 100)).padStart(3)
    } % ${title}`;
    if (text === this.#drawn) return;
    this.#io.writeError(`\r\x1b[2K${text}${share >= 1 ? "\n" : ""}`);
    this.#drawn = share >= 1 ? "" : text;
  }

  /** Writes whole lines above the bar. */
  above(write: () => void): void {
    if (this.#drawn !== "") this.#io.writeError("\r\x1b[2K");
    write();
    if (this.#drawn !== "") this.#io.writeError(this.#drawn);
  }
}

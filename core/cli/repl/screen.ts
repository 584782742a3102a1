/** The part of a terminal that still changes: the last rows, with the cursor in them. What is above is history and is
 * never touched again. Only rows that differ are written, inside one synchronized update, so nothing flickers. */
export class Screen {
  readonly #write: (text: string) => void;
  #rows: string[] = [""];
  #row = 0;
  #column = 0;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Shows `live` below what is kept, with the cursor in it. `kept` rows come above it and become history. All rows are
   * already no wider than the screen, and `live` has fewer rows than the screen. */
  paint(kept: readonly string[], live: readonly string[], cursor: { row: number; column: number }): void {
    const next = live.length > 0 ? [...kept, ...live] : [...kept, ""];
    let out = "", at = this.#row;
    const last = () => this.#rows.length - 1;
    const goTo = (row: number) => {
      if (row < at) out += `\x1b[${at - row}A`;
      else if (row > at) out += `\x1b[${row - at}B`;
      at = row;
    };
    for (let row = 0; row < next.length; row++) {
      if (row <= last() && next[row] === this.#rows[row]) continue;
      if (row <= last()) {
        goTo(row);
        out += `\r\x1b[2K${next[row]}`;
      } else {
        goTo(row - 1);
        out += `\r\n${next[row]}`;
        at = row;
        this.#rows.push(next[row]!);
      }
    }
    if (last() >= next.length) {
      goTo(next.length);
      out += "\r\x1b[J";
    }
    const target = kept.length + Math.min(cursor.row, Math.max(0, live.length - 1));
    const still = out === "" && target === this.#row && cursor.column === this.#column;
    goTo(target);
    out += "\r" + (cursor.column > 0 ? `\x1b[${cursor.column}C` : "");
    this.#rows = next.slice(kept.length);
    this.#row = target - kept.length;
    this.#column = cursor.column;
    if (!still) this.#write(`\x1b[?2026h\x1b[?25l${out}\x1b[?25h\x1b[?2026l`);
  }

  /** The terminal got another width and has wrapped our rows anew. Clears them; the next paint writes all. `widths` are
   * the cells of each live row. */
  resized(widths: readonly number[], columns: number): void {
    const rowsOf = (width: number) => Math.max(1, Math.ceil(width / Math.max(1, columns)));
    let up = 0;
    for (let row = 0; row < this.#row; row++) up += rowsOf(widths[row] ?? 0);
    up += Math.floor(this.#column / Math.max(1, columns));
    this.#write(`${up > 0 ? `\x1b[${up}A` : ""}\r\x1b[J`);
    this.#forget();
  }

  /** Clears everything that can be seen; the next paint begins at the top. */
  clear(): void {
    this.#write("\x1b[H\x1b[2J");
    this.#forget();
  }

  /** Leaves the cursor on an empty row below: someone else writes from here on. */
  leave(): void {
    const down = this.#rows.length - 1 - this.#row;
    this.#write(`${down > 0 ? `\x1b[${down}B` : ""}\r\n`);
    this.#forget();
  }

  #forget(): void {
    this.#rows = [""];
    this.#row = 0;
    this.#column = 0;
  }
}

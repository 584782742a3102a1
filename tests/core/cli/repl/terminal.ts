import { graphemes, graphemeWidth } from "../../../../core/cli/repl/width.ts";

/** A screen that does what a terminal does with the sequences the REPL writes, and refuses all others. Wide characters
 * take two cells; lines scroll off the top into `scrollback`; a character after the last cell wraps. */
export class FakeTerminal {
  columns: number;
  height: number;
  readonly scrollback: string[] = [];
  row = 0;
  column = 0;
  cursorShown = true;
  synchronized = false;
  /** Everything written, for what must never be. */
  written = "";
  /** How many times the terminal had something to show. */
  updates = 0;
  #cells: string[][];

  constructor(columns: number, height: number) {
    this.columns = columns;
    this.height = height;
    this.#cells = Array.from({ length: height }, () => []);
  }

  write(text: string): void {
    this.written += text;
    this.updates++;
    for (const [part] of text.matchAll(PARTS)) {
      if (part.startsWith("\x1b[")) this.#sequence(part);
      else if (part === "\r") this.column = 0;
      else if (part === "\n") this.#lineFeed();
      else if (part < " " || part === "\x7f" || (part >= "\x80" && part < "\xa0")) {
        throw new Error(`The terminal got the control character ${JSON.stringify(part)}`);
      } else for (const grapheme of graphemes(part)) this.#put(grapheme);
    }
  }

  /** The rows that can be seen, without blanks at their ends. */
  get rows(): string[] {
    return this.#cells.map((cells) => textOf(cells));
  }

  /** What can be seen, without empty rows at the end. */
  get screen(): string {
    return this.rows.join("\n").trimEnd();
  }

  /** All that was ever kept: scrolled off and seen. */
  get everything(): string {
    return [...this.scrollback, ...this.rows].join("\n").trimEnd();
  }

  /** Another size: rows too long are wrapped anew, as modern terminals do; the cursor stays on its character. */
  resize(columns: number): void {
    const wrapped: string[][] = [];
    let cursorRow = 0, cursorColumn = this.column;
    const used = Math.max(this.row + 1, ...this.#cells.map((cells, i) => cells.length > 0 ? i + 1 : 0));
    for (const [index, cells] of this.#cells.slice(0, used).entries()) {
      const parts: string[][] = [];
      for (let from = 0; from < Math.max(1, cells.length); from += columns) {
        parts.push(cells.slice(from, from + columns));
      }
      if (index === this.row) {
        cursorRow = wrapped.length + Math.floor(this.column / columns);
        cursorColumn = this.column % columns;
        while (wrapped.length + parts.length <= cursorRow) parts.push([]);
      }
      wrapped.push(...parts);
    }
    while (wrapped.length > this.height) {
      this.scrollback.push(textOf(wrapped.shift()!));
      cursorRow--;
    }
    while (wrapped.length < this.height) wrapped.push([]);
    this.#cells = wrapped;
    this.columns = columns;
    this.row = Math.max(0, cursorRow);
    this.column = cursorColumn;
  }

  #put(grapheme: string): void {
    const width = graphemeWidth(grapheme);
    if (width === 0) throw new Error(`The terminal got ${JSON.stringify(grapheme)}, which has no width`);
    if (this.column + width > this.columns) {
      this.column = 0;
      this.#lineFeed();
    }
    const cells = this.#cells[this.row]!;
    while (cells.length < this.column) cells.push(" ");
    cells[this.column] = grapheme;
    if (width === 2) cells[this.column + 1] = "";
    this.column += width;
  }

  #lineFeed(): void {
    if (this.row < this.height - 1) this.row++;
    else {
      this.scrollback.push(textOf(this.#cells.shift()!));
      this.#cells.push([]);
    }
  }

  #sequence(sequence: string): void {
    const params = sequence.slice(2, -1), count = Number(params || "1"), letter = sequence.at(-1)!;
    if (letter === "m") return;
    if (letter === "h" || letter === "l") {
      const on = letter === "h";
      if (params === "?25") this.cursorShown = on;
      else if (params === "?2026") this.synchronized = on;
      else if (params !== "?2004") throw new Error(`The terminal does not know ${JSON.stringify(sequence)}`);
      return;
    }
    this.column = Math.min(this.column, this.columns - 1);
    if (letter === "A") this.row = Math.max(0, this.row - count);
    else if (letter === "B") this.row = Math.min(this.height - 1, this.row + count);
    else if (letter === "C") this.column = Math.min(this.columns - 1, this.column + count);
    else if (letter === "H" && params === "") [this.row, this.column] = [0, 0];
    else if (letter === "K" && params === "2") this.#cells[this.row] = [];
    else if (letter === "J" && params === "") {
      this.#cells[this.row]!.length = Math.min(this.#cells[this.row]!.length, this.column);
      for (let row = this.row + 1; row < this.height; row++) this.#cells[row] = [];
    } else if (letter === "J" && params === "2") this.#cells = this.#cells.map(() => []);
    else throw new Error(`The terminal does not know ${JSON.stringify(sequence)}`);
  }
}

// Sequences, controls, text.
// deno-lint-ignore no-control-regex
const PARTS = /\x1b\[[?0-9;]*[A-Za-z]|[\x00-\x1f\x7f-\x9f]|[^\x00-\x1f\x7f-\x9f]+/g;

const textOf = (cells: string[]): string => Array.from(cells, (cell) => cell ?? " ").join("").trimEnd();

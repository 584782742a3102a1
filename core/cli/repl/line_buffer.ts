import { graphemes } from "./width.ts";

const words = new Intl.Segmenter("zh", { granularity: "word" });
const MAX_UNDO = 200;
const MAX_KILLS = 30;

interface Snapshot {
  text: string;
  cursor: number;
}

/** The text being typed and the cursor in it (an offset in UTF-16 units, always at the edge of a grapheme), with a kill
 * ring and undo. It may have several lines. Every operation says whether it changed anything. */
export class LineBuffer {
  #text = "";
  #cursor = 0;
  #undo: Snapshot[] = [];
  /** What the last operation was: typing is undone in runs, kills in a row join. */
  #last: "insert" | "kill" | "yank" | "other" = "other";
  #kills: string[] = [];
  #yankAt = 0;
  #yanked = { from: 0, to: 0 };

  get text(): string {
    return this.#text;
  }

  get cursor(): number {
    return this.#cursor;
  }

  /** Replaces everything; the cursor goes to the end. Undo brings the old text back. */
  set(text: string): void {
    this.#change(text, text.length, "other");
  }

  /** Empties the buffer and forgets undo: a new line begins. The kill ring stays. */
  reset(): void {
    this.#text = "";
    this.#cursor = 0;
    this.#undo = [];
    this.#last = "other";
  }

  insert(text: string): boolean {
    if (text === "") return false;
    const joins = this.#last === "insert" && !/\s$/.test(this.#text.slice(0, this.#cursor));
    this.#replace(this.#cursor, this.#cursor, text, "insert", !joins);
    return true;
  }

  deleteBack(): boolean {
    return this.#delete(this.#before(this.#cursor), this.#cursor);
  }

  deleteForward(): boolean {
    return this.#delete(this.#cursor, this.#after(this.#cursor));
  }

  left(): boolean {
    return this.#move(this.#before(this.#cursor));
  }

  right(): boolean {
    return this.#move(this.#after(this.#cursor));
  }

  wordLeft(): boolean {
    return this.#move(this.#wordBefore(this.#cursor));
  }

  wordRight(): boolean {
    return this.#move(this.#wordAfter(this.#cursor));
  }

  lineStart(): boolean {
    return this.#move(this.#lineStart(this.#cursor));
  }

  lineEnd(): boolean {
    return this.#move(this.#lineEnd(this.#cursor));
  }

  start(): boolean {
    return this.#move(0);
  }

  end(): boolean {
    return this.#move(this.#text.length);
  }

  /** One line up, to the same character in it; false on the first line. */
  up(): boolean {
    const start = this.#lineStart(this.#cursor);
    if (start === 0) return false;
    return this.#toColumn(this.#lineStart(start - 1), this.#column());
  }

  /** One line down; false on the last. */
  down(): boolean {
    const end = this.#lineEnd(this.#cursor);
    if (end === this.#text.length) return false;
    return this.#toColumn(end + 1, this.#column());
  }

  /** To the end of the line; at the end, the line feed. */
  killToEnd(): boolean {
    const end = this.#lineEnd(this.#cursor);
    return this.#kill(this.#cursor, end === this.#cursor ? this.#after(end) : end, "forward");
  }

  killToStart(): boolean {
    return this.#kill(this.#lineStart(this.#cursor), this.#cursor, "back");
  }

  /** Back to the last white space before a word, as Ctrl-W does. */
  killBackToSpace(): boolean {
    const before = this.#text.slice(0, this.#cursor);
    return this.#kill(before.replace(/\S*\s*$/, "").length, this.#cursor, "back");
  }

  killWordBack(): boolean {
    return this.#kill(this.#wordBefore(this.#cursor), this.#cursor, "back");
  }

  killWordForward(): boolean {
    return this.#kill(this.#cursor, this.#wordAfter(this.#cursor), "forward");
  }

  /** Puts in what was killed last. */
  yank(): boolean {
    this.#yankAt = this.#kills.length - 1;
    return this.#yankHere(this.#cursor, this.#cursor);
  }

  /** Right after a yank: puts in the kill before instead. */
  yankPop(): boolean {
    if (this.#last !== "yank" || this.#kills.length < 2) return false;
    this.#yankAt = (this.#yankAt + this.#kills.length - 1) % this.#kills.length;
    return this.#yankHere(this.#yanked.from, this.#yanked.to);
  }

  /** Swaps the characters around the cursor. */
  transpose(): boolean {
    const end = this.#cursor === this.#lineEnd(this.#cursor) ? this.#cursor : this.#after(this.#cursor);
    const middle = this.#before(end), start = this.#before(middle);
    if (start === middle || middle === end || start < this.#lineStart(end)) return false;
    const swapped = this.#text.slice(middle, end) + this.#text.slice(start, middle);
    this.#replace(start, end, swapped, "other");
    return true;
  }

  undo(): boolean {
    const last = this.#undo.pop();
    if (!last) return false;
    this.#text = last.text;
    this.#cursor = last.cursor;
    this.#last = "other";
    return true;
  }

  #yankHere(from: number, to: number): boolean {
    const text = this.#kills[this.#yankAt];
    if (text === undefined) return false;
    this.#replace(from, to, text, "yank");
    this.#yanked = { from, to: this.#cursor };
    return true;
  }

  #kill(from: number, to: number, direction: "back" | "forward"): boolean {
    if (from >= to) return false;
    const killed = this.#text.slice(from, to);
    const last = this.#kills.at(-1);
    if (this.#last === "kill" && last !== undefined) {
      this.#kills[this.#kills.length - 1] = direction === "back" ? killed + last : last + killed;
    } else this.#kills.push(killed);
    if (this.#kills.length > MAX_KILLS) this.#kills.shift();
    this.#replace(from, to, "", "kill");
    return true;
  }

  #delete(from: number, to: number): boolean {
    if (from >= to) return false;
    this.#replace(from, to, "", "other");
    return true;
  }

  #replace(from: number, to: number, text: string, kind: "insert" | "kill" | "yank" | "other", remember = true): void {
    this.#change(this.#text.slice(0, from) + text + this.#text.slice(to), from + text.length, kind, remember);
  }

  #change(text: string, cursor: number, kind: "insert" | "kill" | "yank" | "other", remember = true): void {
    if (remember) {
      this.#undo.push({ text: this.#text, cursor: this.#cursor });
      if (this.#undo.length > MAX_UNDO) this.#undo.shift();
    }
    this.#text = text;
    this.#last = kind;
    this.#cursor = this.#snap(cursor);
  }

  #move(to: number): boolean {
    this.#last = "other";
    if (to === this.#cursor) return false;
    this.#cursor = to;
    return true;
  }

  /** The nearest edge of a grapheme at or after an offset: an insertion can join its neighbours. */
  #snap(offset: number): number {
    let at = this.#lineStart(offset);
    for (const grapheme of graphemes(this.#text.slice(at, this.#lineEnd(offset)))) {
      if (at >= offset) break;
      at += grapheme.length;
    }
    return at;
  }

  #before(offset: number): number {
    const start = this.#lineStart(offset);
    if (start === offset) return Math.max(0, offset - 1);
    return offset - graphemes(this.#text.slice(start, offset)).at(-1)!.length;
  }

  #after(offset: number): number {
    const end = this.#lineEnd(offset);
    if (end === offset) return Math.min(this.#text.length, offset + 1);
    return offset + graphemes(this.#text.slice(offset, end))[0]!.length;
  }

  /** Words as the language has them: 我住在上海 is several. Line feeds part words. */
  #wordBefore(offset: number): number {
    let found = 0;
    for (const { segment, index, isWordLike } of words.segment(this.#text.slice(0, offset))) {
      if (isWordLike || (index === 0 && segment !== "")) found = index;
    }
    return found;
  }

  #wordAfter(offset: number): number {
    for (const { segment, index, isWordLike } of words.segment(this.#text.slice(offset))) {
      if (isWordLike) return this.#snap(offset + index + segment.length);
    }
    return this.#text.length;
  }

  #lineStart(offset: number): number {
    return offset === 0 ? 0 : this.#text.lastIndexOf("\n", offset - 1) + 1;
  }

  #lineEnd(offset: number): number {
    const end = this.#text.indexOf("\n", offset);
    return end < 0 ? this.#text.length : end;
  }

  #column(): number {
    return graphemes(this.#text.slice(this.#lineStart(this.#cursor), this.#cursor)).length;
  }

  #toColumn(lineStart: number, column: number): boolean {
    const cells = graphemes(this.#text.slice(lineStart, this.#lineEnd(lineStart)));
    return this.#move(lineStart + cells.slice(0, column).join("").length);
  }
}

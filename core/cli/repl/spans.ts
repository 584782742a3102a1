/** Styled text before it is bytes: lines of spans, wrapped by display width, then written with or without colours.
 * Wrapping happens here, never in the terminal, so the screen always knows how many rows it has. @module */
import { visible } from "./visible.ts";
import { graphemes, graphemeWidth } from "./width.ts";

export type Color = "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

/** How a span looks. */
export interface Look {
  bold?: true;
  dim?: true;
  italic?: true;
  underline?: true;
  strike?: true;
  color?: Color;
}

/** Text of one look, on one line. Control characters in it are made visible when it is wrapped or rendered: this is the
 * last gate before the terminal, whoever made the span. */
export interface Span {
  text: string;
  look?: Look;
}

/** One line before wrapping. `hang`: cells by which the rows after the first are indented; `hard`: break anywhere, as
 * code wants it, not at words. */
export interface Line {
  spans: Span[];
  hang?: number;
  hard?: boolean;
}

/** A line of one span. */
export function line(text: string, look?: Look): Line {
  return { spans: [look ? { text, look } : { text }] };
}

const oneLine = (text: string): string => visible(text).replaceAll("\n", " ");

interface Cell {
  text: string;
  width: number;
  look: Look | undefined;
}

/** The rows a line takes on a screen of `columns` cells; at least one. A wide character that does not fit the last cell
 * goes to the next row. Words are kept whole where they fit a row; Chinese may break anywhere. */
export function wrapLine({ spans, hang = 0, hard = false }: Line, columns: number): Span[][] {
  const width = Math.max(2, columns);
  const indent = hang * 2 > width || width - hang < 2 ? 0 : hang;
  const cells: Cell[] = spans.flatMap(({ text, look }) =>
    graphemes(oneLine(text)).map((grapheme) => ({ text: grapheme, width: graphemeWidth(grapheme), look }))
  );
  const rows: Span[][] = [];
  let start = 0, used = 0, breakAt = 0;
  const cut = (end: number, next: number) => {
    rows.push(toSpans(cells.slice(start, end), rows.length > 0 ? indent : 0));
    start = next;
    used = indent;
  };
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i]!;
    if (!hard && cell.text === " " && used >= width && i > start) {
      cut(i, i + 1);
      breakAt = start;
      continue;
    }
    // Again, where the indent leaves less room than the row before had.
    while (used + cell.width > width && i > start) {
      // A break inside the first row's own indent would leave a bullet alone.
      const least = start + (rows.length === 0 ? hang : 0);
      const at = !hard && breakAt > least ? breakAt : i;
      const end = at > start + 1 && cells[at - 1]!.text === " " && !hard ? at - 1 : at;
      cut(end, at);
      for (let k = at; k < i; k++) used += cells[k]!.width;
      breakAt = start;
    }
    used += cell.width;
    const next = cells[i + 1];
    if (cell.text === " " || (next && (cell.width === 2 || next.width === 2) && mayPart(cell, next))) breakAt = i + 1;
  }
  rows.push(toSpans(cells.slice(start), rows.length > 0 ? indent : 0));
  return rows;
}

const NOT_FIRST = new Set("、。，．：；？！）》」』】〉”’…,.:;?!)]}");
const NOT_LAST = new Set("（《「『【〈“‘([{");

/** Whether a row may end between two characters: closing signs do not begin a row, opening ones do not end it. */
function mayPart(before: Cell, after: Cell): boolean {
  return after.text !== " " && !NOT_FIRST.has(after.text) && !NOT_LAST.has(before.text);
}

function toSpans(cells: Cell[], indent: number): Span[] {
  const spans: Span[] = indent > 0 ? [{ text: " ".repeat(indent) }] : [];
  let last: Span | undefined, look: Look | undefined;
  for (const cell of cells) {
    if (last && look === cell.look) last.text += cell.text;
    else {
      last = cell.look ? { text: cell.text, look: cell.look } : { text: cell.text };
      look = cell.look;
      spans.push(last);
    }
  }
  return spans;
}

const COLORS: Record<Color, number> = { red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 };

/** The spans as text for a terminal; with `plain` the text alone. Every look is ended where its span ends. */
export function renderSpans(spans: Span[], plain: boolean): string {
  let out = "";
  for (const { text: raw, look } of spans) {
    const text = oneLine(raw);
    const codes = look && !plain ? codesOf(look) : "";
    out += codes ? `\x1b[${codes}m${text}\x1b[0m` : text;
  }
  return out;
}

function codesOf(look: Look): string {
  const codes: number[] = [];
  if (look.bold) codes.push(1);
  if (look.dim) codes.push(2);
  if (look.italic) codes.push(3);
  if (look.underline) codes.push(4);
  if (look.strike) codes.push(9);
  if (look.color) codes.push(COLORS[look.color]);
  return codes.join(";");
}

/** Lines as rows ready to write. */
export function renderLines(lines: Line[], options: { columns: number; plain: boolean }): string[] {
  return lines.flatMap((one) => wrapLine(one, options.columns).map((row) => renderSpans(row, options.plain)));
}

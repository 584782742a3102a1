import { inlineSpans } from "./markdown_inline.ts";
import { type Line, type Look, type Span, wrapLine } from "./spans.ts";
import { textWidth } from "./width.ts";

type Align = "left" | "right" | "center";
const MIN_COLUMN = 4;

/** Whether two lines begin a table: a row, and the line of dashes under it with as many cells. */
export function isTable(first: string, second: string): boolean {
  const marks = cellsOf(second);
  return marks.length === cellsOf(first).length && marks.every((mark) => /^:?-+:?$/.test(mark));
}

/** A table's source lines (already safe to show) as lines of at most `width` cells: columns aligned by display width,
 * cells wrapped inside their column where the whole is too wide. */
export function tableLines(rows: string[], options: { width: number; plain: boolean }): Line[] {
  const { width, plain } = options;
  const head = cellsOf(rows[0]!);
  const aligns = cellsOf(rows[1]!).map(alignOf);
  const body = rows.slice(2).map((row) => cellsOf(row).slice(0, head.length));
  const shown = [head, ...body].map((cells, row) =>
    head.map((_, column) => cellSpans(cells[column] ?? "", plain, row === 0 ? { bold: true } : undefined))
  );
  const natural = head.map((_, column) => Math.max(1, ...shown.map((cells) => widthOf(cells[column]!))));
  const widths = shrink(natural, width - (plain ? 3 * head.length + 1 : 3 * (head.length - 1)));
  const lines = shown.map((cells) => rowLines(cells, { widths, aligns, plain }));
  return [...lines[0]!, ruleLine(widths, plain), ...lines.slice(1).flat()];
}

function cellSpans(text: string, plain: boolean, look: Look | undefined): Span[] {
  return plain ? [{ text }] : inlineSpans(text, look);
}

/** The cells between the pipes. `\|` is a pipe in a cell. */
function cellsOf(row: string): string[] {
  const inner = row.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function alignOf(mark: string): Align {
  return mark.endsWith(":") ? (mark.startsWith(":") ? "center" : "right") : "left";
}

const widthOf = (spans: Span[]): number => spans.reduce((sum, span) => sum + textWidth(span.text), 0);

/** Takes cells off the widest columns until the sum fits. */
function shrink(natural: number[], room: number): number[] {
  const widths = [...natural];
  let over = widths.reduce((sum, width) => sum + width, 0) - room;
  while (over > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    if (widths[widest]! <= MIN_COLUMN) break;
    widths[widest]!--;
    over--;
  }
  return widths;
}

function rowLines(cells: Span[][], options: { widths: number[]; aligns: Align[]; plain: boolean }): Line[] {
  const { widths, aligns, plain } = options;
  const wrapped = cells.map((spans, column) => wrapLine({ spans }, widths[column]!));
  const height = Math.max(...wrapped.map((rows) => rows.length));
  const bar: Span = plain ? { text: " | " } : { text: " │ ", look: { dim: true } };
  return Array.from({ length: height }, (_, row) => {
    const spans: Span[] = plain ? [{ text: "| " }] : [];
    for (let column = 0; column < widths.length; column++) {
      if (column > 0) spans.push(bar);
      const content = wrapped[column]![row] ?? [];
      const room = Math.max(0, widths[column]! - widthOf(content));
      const align = aligns[column] ?? "left";
      const before = align === "right" ? room : align === "center" ? room >> 1 : 0;
      if (before > 0) spans.push({ text: " ".repeat(before) });
      spans.push(...content);
      if (room > before && (plain || column < widths.length - 1)) spans.push({ text: " ".repeat(room - before) });
    }
    if (plain) spans.push({ text: " |" });
    return { spans, hard: true };
  });
}

function ruleLine(widths: number[], plain: boolean): Line {
  if (plain) return { spans: [{ text: `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|` }], hard: true };
  const text = widths.map((width, i) => "─".repeat(width + (i === 0 || i === widths.length - 1 ? 1 : 2))).join("┼");
  return { spans: [{ text: widths.length === 1 ? "─".repeat(widths[0]!) : text, look: { dim: true } }], hard: true };
}

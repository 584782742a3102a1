import type { CliIo } from "./io.ts";
import { fit, textWidth } from "./repl/width.ts";

const GAP = 2;
/** Cells below which a column says nothing. */
const LEAST = 6;

/** Prints rows in columns; the last one is not padded. On a terminal every row is one line: cells longer than their
 * column's most (0: names, which are never cut) are cut, and further where the terminal is narrow; the last column goes
 * when there is no room for it. Elsewhere every cell is whole. */
export function printTable(io: CliIo, rows: string[][], most: number[]): void {
  const full = most.map((limit, i) => {
    const widest = Math.max(0, ...rows.map((row) => textWidth(row[i] ?? "")));
    return io.outputIsTerminal && limit > 0 ? Math.min(limit, widest) : widest;
  });
  const widths = io.outputIsTerminal ? narrowed(full, most, io.columns()) : full;
  for (const row of rows) {
    const cells = row.slice(0, widths.length).map((cell, i) => io.outputIsTerminal ? fit(cell, widths[i]!) : cell);
    const line = cells.map((cell, i) =>
      i === cells.length - 1 ? cell : cell + " ".repeat(widths[i]! - textWidth(cell))
    );
    io.write(line.join(" ".repeat(GAP)).trimEnd() + "\n");
  }
}

/** Widths that together fit the terminal, as far as that can be had. */
function narrowed(full: number[], most: number[], columns: number): number[] {
  const widths = [...full];
  const over = () => widths.reduce((sum, width) => sum + width, 0) + GAP * (widths.length - 1) - columns;
  while (over() > 0) {
    const widest = widths.reduce((best, width, i) => most[i]! > 0 && width > (widths[best] ?? 0) ? i : best, -1);
    if (widest >= 0 && widths[widest]! > LEAST) widths[widest]!--;
    else if (widths.length > 1 && most[widths.length - 1]! > 0) widths.pop();
    else return widths;
  }
  return widths;
}

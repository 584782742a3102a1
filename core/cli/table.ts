import type { CliIo } from "./io.ts";

/** Prints rows in columns. Cells longer than their column's most are cut on a terminal, whole elsewhere; the last column
 * is not padded. */
export function printTable(io: CliIo, rows: string[][], most: number[]): void {
  const cells = rows.map((row) =>
    row.map((cell, i) => io.outputIsTerminal && width(cell) > most[i]! ? cut(cell, most[i]!) : cell)
  );
  const widths = most.map((_, i) => Math.max(0, ...cells.map((row) => Math.min(width(row[i] ?? ""), most[i]!))));
  for (const row of cells) {
    const line = row.map((cell, i) =>
      i === row.length - 1 ? cell : cell + " ".repeat(Math.max(0, widths[i]! - width(cell)))
    );
    io.write(line.join("  ").trimEnd() + "\n");
  }
}

/** Columns that a text takes: Chinese, Japanese and Korean characters take two. */
function width(text: string): number {
  let sum = 0;
  for (const character of text) {
    sum +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(character)
        ? 2
        : 1;
  }
  return sum;
}

function cut(text: string, most: number): string {
  let out = "";
  for (const character of text) {
    if (width(out + character) > most - 1) break;
    out += character;
  }
  return out + "…";
}

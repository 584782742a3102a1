/** What a bench measures with: percentiles over samples, and rows that set a figure against a floor of the same run. A
 * time alone means nothing on a shared machine. @module */

/** The value below which the share `p` (0 to 1) of the samples lies. */
export function percentile(samples: readonly number[], p: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))]!;
}

/** Milliseconds that each of `rounds` calls took, after a warm-up. */
export async function timeEach(
  rounds: number,
  work: (i: number) => unknown,
  warmUp = Math.ceil(rounds / 10),
): Promise<number[]> {
  for (let i = 0; i < warmUp; i++) await work(-1 - i);
  const samples: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const from = performance.now();
    await work(i);
    samples.push(performance.now() - from);
  }
  return samples;
}

/** One line of the report. `reach` says in words what is to be reached; `ok` whether it was. */
export interface Row {
  what: string;
  figure: string;
  floor: string;
  reach: string;
  ok: boolean;
}

/** Prints rows as a table and says how many reached their figure. */
export function report(rows: readonly Row[]): void {
  const columns: (keyof Row)[] = ["what", "figure", "floor", "reach"];
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => String(row[column]).length)));
  const line = (cells: string[]) => cells.map((cell, i) => cell.padEnd(widths[i]!)).join("  ");
  console.log(`    ${line(columns)}`);
  for (const row of rows) {
    console.log(`${row.ok ? " ok " : " ✗  "}${line(columns.map((column) => String(row[column])))}`);
  }
  console.log(`${rows.filter((row) => row.ok).length} of ${rows.length} reached`);
}

export const ms = (value: number) => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
export const times = (value: number) => `${value.toFixed(2)}×`;

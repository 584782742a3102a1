import assert from "node:assert/strict";
import type { CliIo } from "../../../core/cli/io.ts";
import { textWidth } from "../../../core/cli/repl/width.ts";
import { printTable } from "../../../core/cli/table.ts";

function printed(rows: string[][], most: number[], columns: number | undefined): string[] {
  let text = "";
  const io = { write: (more: string) => void (text += more), outputIsTerminal: columns !== undefined };
  printTable({ ...io, columns: () => columns ?? 0 } as CliIo, rows, most);
  return text.split("\n").slice(0, -1);
}

const ROWS = [
  ["*", "core.agent.system_prompt", "一个很长的值，里面有许多汉字，放不下", "系统提示词"],
  [" ", "core.llm.provider", "auto", "使用的来源"],
];

Deno.test("on a terminal every row is one line of it, whatever is in the cells, and names are whole", () => {
  for (const columns of [80, 60, 44, 20]) {
    const lines = printed(ROWS, [0, 0, 44, 40], columns);
    assert.equal(lines.length, 2);
    assert.match(lines[0]!, /core\.agent\.system_prompt/);
    for (const line of lines) assert.ok(textWidth(line) <= Math.max(columns, 27), `${columns}: ${line}`);
  }
  assert.match(printed(ROWS, [0, 0, 44, 40], 80)[0]!, /系统提示词$/);
  assert.doesNotMatch(printed(ROWS, [0, 0, 44, 40], 36)[0]!, /系统/);
});

Deno.test("columns begin at the same cell, wide characters and all; in a pipe every cell is whole", () => {
  const starts = (lines: string[]) => lines.map((line, i) => textWidth(line.slice(0, line.indexOf(ROWS[i]![3]!))));
  const whole = printed(ROWS, [0, 0, 4, 4], undefined);
  assert.equal(whole[0]!.includes("放不下"), true);
  assert.equal(new Set(starts(whole)).size, 1);
  assert.equal(new Set(starts(printed(ROWS, [0, 0, 44, 40], 100))).size, 1);
});

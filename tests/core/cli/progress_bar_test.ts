import assert from "node:assert/strict";
import { ProgressBar } from "../../../core/cli/progress_bar.ts";

function bar(errorIsTerminal: boolean, columns = 80) {
  let written = "";
  const writeError = (text: string) => void (written += text);
  return {
    bar: new ProgressBar({ errorIsTerminal, writeError, columns: () => columns }),
    writeError,
    written: () => written,
  };
}

Deno.test("a bar is drawn over itself and ends with its line", () => {
  const terminal = bar(true);
  terminal.bar.draw({ title: "Converting x", share: 0.5 });
  terminal.bar.draw({ title: "Converting x", share: 0.5 });
  assert.equal(terminal.written(), `\r\x1b[2K${"█".repeat(12)}${"░".repeat(12)}  50 % Converting x`);
  terminal.bar.draw({ title: "Converting x", share: 1 });
  assert.ok(terminal.written().endsWith(`${"█".repeat(24)} 100 % Converting x\n`));
});

Deno.test("a bar of work that was given up is taken away", () => {
  const terminal = bar(true);
  terminal.bar.draw({ title: "x", share: 0.5 });
  terminal.bar.draw({ title: "x", share: null });
  assert.ok(terminal.written().endsWith("x\r\x1b[2K"));
  const before = terminal.written();
  terminal.bar.above(() => terminal.writeError("warn odd\n"));
  assert.equal(terminal.written(), before + "warn odd\n");
});

Deno.test("a bar has one row of a narrow terminal, and nothing is left of it when it is cleared", () => {
  const narrow = bar(true, 30);
  narrow.bar.draw({ title: "正在转换 words.vec", share: 0.5 });
  assert.equal(narrow.written(), `\r\x1b[2K${"█".repeat(12)}${"░".repeat(12)}  50…`);
  narrow.bar.clear();
  assert.ok(narrow.written().endsWith("\r\x1b[2K"));
  const before = narrow.written();
  assert.equal(narrow.bar.above(() => "answer"), "answer");
  narrow.bar.clear();
  assert.equal(narrow.written(), before);
});

Deno.test("a warning stands above the bar, not in it", () => {
  const terminal = bar(true);
  terminal.bar.draw({ title: "x", share: 0 });
  terminal.bar.above(() => terminal.writeError("warn [memory] odd\n"));
  assert.ok(terminal.written().endsWith(`\r\x1b[2Kwarn [memory] odd\n${"░".repeat(24)}   0 % x`));
});

Deno.test("where nobody looks nothing is drawn, and lines are lines", () => {
  const pipe = bar(false);
  pipe.bar.draw({ title: "x", share: 0.3 });
  pipe.bar.above(() => pipe.writeError("warn [memory] odd\n"));
  assert.equal(pipe.written(), "warn [memory] odd\n");
});

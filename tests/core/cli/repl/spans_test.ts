import assert from "node:assert/strict";
import fc from "fast-check";
import { type Line, line, renderSpans, wrapLine } from "../../../../core/cli/repl/spans.ts";
import { textWidth } from "../../../../core/cli/repl/width.ts";

const wrapped = (text: string, columns: number, options: Partial<Line> = {}) =>
  wrapLine({ ...line(text), ...options }, columns).map((row) => renderSpans(row, true));

Deno.test("wrapLine() keeps words whole and lets Chinese break anywhere but before closing signs", () => {
  assert.deepEqual(wrapped("the quick brown fox", 10), ["the quick", "brown fox"]);
  assert.deepEqual(wrapped("exactly te", 10), ["exactly te"]);
  assert.deepEqual(wrapped("exactly te n", 10), ["exactly te", "n"]);
  assert.deepEqual(wrapped("我们今天去公园玩", 10), ["我们今天去", "公园玩"]);
  assert.deepEqual(wrapped("我们今天去，好吗", 10), ["我们今天", "去，好吗"]);
  assert.deepEqual(wrapped("a verylongwordthatdoesnotfit", 10), ["a", "verylongwo", "rdthatdoes", "notfit"]);
  assert.deepEqual(wrapped("我a", 2), ["我", "a"]);
});

Deno.test("wrapLine() hangs the rows after the first, and leaves no bullet alone", () => {
  assert.deepEqual(wrapped("• some words here", 10, { hang: 2 }), ["• some", "  words", "  here"]);
  assert.deepEqual(wrapped("• unbreakable-thing", 10, { hang: 2 }), ["• unbreaka", "  ble-thin", "  g"]);
  assert.deepEqual(wrapped("code with words", 6, { hard: true }), ["code w", "ith wo", "rds"]);
});

Deno.test("no row is wider than the screen, and nothing but spaces at breaks is lost", () => {
  const unit = fc.constantFrom("a", "bc", " ", "你", "，", "👍", "（", "-", "e\u0301");
  fc.assert(
    fc.property(
      fc.string({ unit, maxLength: 60 }),
      fc.integer({ min: 2, max: 20 }),
      fc.nat(6),
      fc.boolean(),
      (text, columns, hang, hard) => {
        const rows = wrapped(text, columns, { hang, hard });
        for (const row of rows) assert.ok(textWidth(row) <= columns, JSON.stringify(row));
        assert.equal(rows.join("").replaceAll(" ", ""), text.replaceAll(" ", ""));
        if (hard && hang === 0) assert.equal(rows.join(""), text);
      },
    ),
    { numRuns: 1000 },
  );
});

Deno.test("renderSpans() ends every look where its span ends, and writes none when plain", () => {
  const spans = [{ text: "a", look: { bold: true, color: "red" } as const }, { text: "b" }];
  assert.equal(renderSpans(spans, false), "\x1b[1;31ma\x1b[0mb");
  assert.equal(renderSpans(spans, true), "ab");
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { layoutInput } from "../../../../core/cli/repl/layout.ts";
import { Screen } from "../../../../core/cli/repl/screen.ts";
import { textWidth } from "../../../../core/cli/repl/width.ts";
import { FakeTerminal } from "./terminal.ts";

Deno.test("layoutInput() puts the cursor where the next character will stand", () => {
  const at = (text: string, cursor = text.length, columns = 10) => layoutInput({ prompt: "> ", text, cursor, columns });
  assert.deepEqual(at("abc"), { rows: ["> abc"], cursor: { row: 0, column: 5 } });
  assert.deepEqual(at("abcdefgh"), { rows: ["> abcdefgh", "  "], cursor: { row: 1, column: 2 } });
  assert.deepEqual(at("你好世界"), { rows: ["> 你好世界", "  "], cursor: { row: 1, column: 2 } });
  assert.deepEqual(at("a你好世界"), { rows: ["> a你好世", "  界"], cursor: { row: 1, column: 4 } });
  assert.deepEqual(at("a你好世界", 4), { rows: ["> a你好世", "  界"], cursor: { row: 1, column: 2 } });
  assert.deepEqual(at("one\ntwo", 4), { rows: ["> one", "  two"], cursor: { row: 1, column: 2 } });
  assert.deepEqual(at("\t|"), { rows: [">     |"], cursor: { row: 0, column: 7 } });
});

Deno.test("the screen shows what was painted last, below all that was kept, whatever changed", () => {
  const row = fc.string({ unit: fc.constantFrom("a", "b", "你", "👍", " "), maxLength: 8 }).filter((text) =>
    textWidth(text) <= 8
  );
  const paint = fc.record({
    kept: fc.array(row, { maxLength: 3 }),
    live: fc.array(row, { minLength: 1, maxLength: 5 }),
    at: fc.nat(4),
    column: fc.nat(7),
  });
  fc.assert(
    fc.property(fc.array(paint, { minLength: 1, maxLength: 12 }), (paints) => {
      const terminal = new FakeTerminal(8, 6);
      const screen = new Screen((text) => terminal.write(text));
      const kept: string[] = [];
      for (const one of paints) {
        const cursor = { row: one.at % one.live.length, column: one.column };
        screen.paint(one.kept, one.live, cursor);
        kept.push(...one.kept);
        const all = [...kept, ...one.live].map((text) => text.trimEnd());
        const rows = [...terminal.scrollback, ...terminal.rows];
        assert.deepEqual(rows.slice(0, all.length), all);
        assert.ok(rows.slice(all.length).every((text) => text === ""), "nothing stale below");
        const shown = terminal.scrollback.length + terminal.row;
        assert.deepEqual([shown, terminal.column], [kept.length + cursor.row, cursor.column]);
        assert.ok(terminal.cursorShown && !terminal.synchronized);
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("painting the same again writes nothing; one changed row writes that row alone", () => {
  const terminal = new FakeTerminal(20, 6);
  const screen = new Screen((text) => terminal.write(text));
  screen.paint([], ["first", "second", "third"], { row: 2, column: 0 });
  const before = terminal.updates;
  screen.paint([], ["first", "second", "third"], { row: 2, column: 0 });
  assert.equal(terminal.updates, before);
  terminal.written = "";
  screen.paint([], ["first", "changed", "third"], { row: 2, column: 0 });
  assert.match(terminal.written, /changed/);
  assert.doesNotMatch(terminal.written, /first|third/);
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { visible, visibleLine } from "../../../../core/cli/repl/visible.ts";

Deno.test("visible() shows an escape sequence instead of obeying it", () => {
  assert.equal(visible("a\x1b[2Jb\x07\x9b31m\x7f"), "a␛[2Jb␇\ufffd31m␡");
  assert.equal(visible("one\r\ntwo\tthree\rfour"), "one\ntwo    three␍four");
  assert.equal(visible("\ud800 x"), "\ufffd x");
  assert.equal(visible("safe\u202egnp.exe"), "safe\ufffdgnp.exe");
  assert.equal(visible("你好 👨‍👩‍👧"), "你好 👨‍👩‍👧");
});

Deno.test("no text leaves visible() with a control character other than the line feed", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    assert.doesNotMatch(visible(text).replaceAll("\n", ""), /[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]/u);
    assert.doesNotMatch(visibleLine(text), /[\p{Cc}\p{Cs}]/u);
  }));
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { fit, graphemes, textWidth } from "../../../../core/cli/repl/width.ts";

Deno.test("textWidth() counts cells as terminals do", () => {
  const cases: [string, number][] = [
    ["", 0],
    ["hello", 5],
    ["你好", 4],
    ["한국어", 6],
    ["ひらがな", 8],
    ["ｆｕｌｌ", 8],
    ["ﾊﾝｶｸ", 4],
    ["，。", 4],
    ["é", 1],
    ["e\u0301", 1],
    ["👍", 2],
    ["👍🏽", 2],
    ["👨‍👩‍👧", 2],
    ["🇨🇳🇩🇪", 4],
    ["❤", 1],
    ["❤️", 2],
    ["1️⃣", 2],
    ["—…·", 3],
    ["│┌─", 3],
    ["𠮷", 2],
    ["\u200b", 0],
    ["ไทย", 3],
    ["नमस्ते", 4],
  ];
  for (const [text, width] of cases) assert.equal(textWidth(text), width, text);
});

Deno.test("graphemes() joined are the text again", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => assert.equal(graphemes(text).join(""), text)));
});

Deno.test("fit() never takes more cells than it may", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, width) => {
    assert.ok(textWidth(fit(text, width)) <= width);
  }));
  assert.equal(fit("你好世界", 5), "你好…");
  assert.equal(fit("short", 5), "short");
});

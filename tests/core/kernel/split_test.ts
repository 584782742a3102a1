import assert from "node:assert/strict";
import fc from "fast-check";
import { splitMessage } from "../../../core/kernel/split.ts";

const graphemes = (text: string) => [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)];

Deno.test("every part is within the limit, and joined they are the text but for white space at the cuts", () => {
  const words = fc.array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.constantFrom("\n\n", "\n", " ", ". ", "。", "！", "word", "一个句子", "👩‍👩‍👧", "🇨🇳", "e\u0301", "  "),
    ),
    { maxLength: 60 },
  ).map((pieces) => pieces.join("").toWellFormed());
  fc.assert(fc.property(words, fc.integer({ min: 2, max: 40 }), (text, max) => {
    const parts = splitMessage(text, max);
    for (const part of parts) {
      assert.ok(part.length <= max, `${part.length} > ${max}`);
      assert.ok(part.isWellFormed());
      assert.notEqual(part.trim(), "");
    }
    assert.equal(parts.join("").replace(/\s/gu, ""), text.replace(/\s/gu, ""));
  }));
});

Deno.test("no part begins or ends within a grapheme that fits", () => {
  const emoji = ["👩‍👩‍👧", "🇨🇳", "e\u0301", "a", "中", "👍🏽"];
  fc.assert(fc.property(fc.array(fc.constantFrom(...emoji), { minLength: 1, maxLength: 80 }), (pieces) => {
    const text = pieces.join("");
    const parts = splitMessage(text, 16);
    assert.deepEqual(
      parts.flatMap((part) => graphemes(part).map(({ segment }) => segment)),
      graphemes(text).map(({ segment }) => segment),
    );
  }));
});

Deno.test("it cuts at a paragraph before a sentence, at a sentence before a word", () => {
  assert.deepEqual(splitMessage("First one. Second.\n\nThird one here.", 30), [
    "First one. Second.",
    "Third one here.",
  ]);
  assert.deepEqual(splitMessage("First one here. Second is long enough.", 25), [
    "First one here.",
    "Second is long enough.",
  ]);
  assert.deepEqual(splitMessage("第一句话。第二句话很长。", 8), ["第一句话。", "第二句话很长。"]);
  assert.deepEqual(splitMessage("some words without end", 12), ["some words", "without end"]);
});

Deno.test("a short text is one message, an empty one none", () => {
  assert.deepEqual(splitMessage("short", 100), ["short"]);
  assert.deepEqual(splitMessage(" \n", 100), []);
});

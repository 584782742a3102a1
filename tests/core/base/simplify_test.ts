import assert from "node:assert/strict";
import fc from "fast-check";
import { simplify } from "../../../core/base/simplify.ts";

Deno.test("simplify() writes Traditional characters as Simplified, and full-width letters and digits as half-width", () => {
  assert.equal(simplify("我媽媽住在臺北，電話１３８Ａ"), "我妈妈住在台北，电话138A");
  assert.equal(simplify("plain text, 简体。"), "plain text, 简体。");
});

Deno.test("simplify() keeps every position, and again changes nothing", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    const once = simplify(text);
    assert.equal(once.length, text.length);
    assert.equal(simplify(once), once);
  }));
});

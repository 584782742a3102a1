import assert from "node:assert/strict";
import { nearest } from "../../../core/base/nearest.ts";

Deno.test("nearest() finds what was meant, and nothing for what is another word or too short", () => {
  const names = ["openai", "ollama", "auto"];
  assert.equal(nearest("opnai", names), "openai");
  assert.equal(nearest("olama", names), "ollama");
  assert.equal(nearest("atuo", names), "auto");
  assert.equal(nearest("shed", names), undefined);
  assert.equal(nearest("x", names), undefined);
  assert.equal(nearest("", names), undefined);
});

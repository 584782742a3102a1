import assert from "node:assert/strict";
import { countsText, hitText, sizeText } from "../../../core/cli/labels.ts";

Deno.test("counts are told in words of the person's language, without what is nothing", () => {
  const counts = { relations: 1, documents: 3, messages: 0, novelty: 2 };
  assert.equal(countsText(counts, "en"), "1 fact, 3 documents, 2 novelty");
  assert.equal(countsText(counts, "zh"), "1 条事实，3 份文档，2 novelty");
  assert.equal(countsText({ files: 0 }, "en"), "nothing");
  assert.equal(countsText({}, "zh"), "没有内容");
});

Deno.test("sizes have three figures at most, and hits say what they are and why they were found", () => {
  assert.deepEqual([0, 999, 1500, 82_000, 1_234_567, 2e9].map(sizeText), [
    "0 B",
    "999 B",
    "1.5 kB",
    "82 kB",
    "1.2 MB",
    "2000 MB",
  ]);
  const hit = { kind: "relation", why: ["exact", "graph"] };
  assert.deepEqual(hitText(hit, "en"), { kind: "relation", why: "exact+graph" });
  assert.deepEqual(hitText(hit, "zh"), { kind: "事实", why: "原文+关联" });
});

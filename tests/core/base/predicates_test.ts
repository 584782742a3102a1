import assert from "node:assert/strict";
import {
  CANONICAL_PREDICATES,
  canonicalPredicate,
  predicateById,
  predicatesAskedFor,
  withBroader,
  withNarrower,
} from "../../../core/base/predicates.ts";

Deno.test("the table is rich: many relations, each with at least eight ways to say it in either language", () => {
  assert.ok(CANONICAL_PREDICATES.length >= 80);
  for (const { id, forms, asks } of CANONICAL_PREDICATES) {
    assert.ok(forms.en.length + asks.en.length >= 8, `${id} has too few English forms`);
    assert.ok(forms.zh.length + asks.zh.length >= 8, `${id} has too few Chinese forms`);
  }
});

Deno.test("identifiers are unique, and inverses and broader relations exist", () => {
  assert.equal(new Set(CANONICAL_PREDICATES.map(({ id }) => id)).size, CANONICAL_PREDICATES.length);
  for (const { inverse, broader } of CANONICAL_PREDICATES) {
    if (inverse) assert.ok(predicateById(inverse));
    if (broader) assert.ok(predicateById(broader));
  }
});

Deno.test("what is written in either language is read back as the same relation", () => {
  for (const predicate of CANONICAL_PREDICATES) {
    assert.equal(canonicalPredicate(predicate.en)?.id, predicate.id, predicate.en);
    assert.equal(canonicalPredicate(predicate.zh)?.id, predicate.id, predicate.zh);
  }
});

Deno.test("canonicalPredicate() reads synonyms, spelling and possessives, and leaves free text alone", () => {
  assert.equal(canonicalPredicate("Moved_to")?.id, "lives_in");
  assert.equal(canonicalPredicate("搬到")?.id, "lives_in");
  assert.equal(canonicalPredicate("my phone number")?.id, "phone");
  assert.equal(canonicalPredicate("was painted by"), undefined);
});

Deno.test("one value at a time: where one lives, not what one likes; each kind of favourite by itself", () => {
  assert.equal(canonicalPredicate("lives in")?.single, true);
  assert.equal(canonicalPredicate("喜欢")?.single, false);
  assert.equal(canonicalPredicate("orbits")?.single, undefined);
  assert.equal(canonicalPredicate("favourite colour")?.single, true);
  assert.notEqual(canonicalPredicate("favourite colour")?.id, canonicalPredicate("favourite band")?.id);
  assert.equal(canonicalPredicate("favorite color")?.id, canonicalPredicate("最喜欢的颜色")?.id);
});

Deno.test("a broader relation is implied, a narrower one answers for it", () => {
  assert.deepEqual(withBroader(predicateById("older_sister")).map(({ id }) => id), [
    "older_sister",
    "sister",
    "sibling",
    "relative",
  ]);
  assert.ok(withNarrower(predicateById("sibling")).some(({ id }) => id === "younger_brother"));
});

Deno.test("predicatesAskedFor() finds what a question asks for, surest first", () => {
  const first = (question: string) => predicatesAskedFor(question)[0]?.predicate.id;
  assert.equal(first("How old is Tom?"), "age");
  assert.equal(first("我住在哪里？"), "lives_in");
  assert.equal(first("what does the ticket cost"), "price");
  assert.equal(first("路由器的端口是多少"), "port");
  assert.equal(first("他几岁了"), "age");
});

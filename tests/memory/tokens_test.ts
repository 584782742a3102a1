import assert from "node:assert/strict";
import { fold, nameKey } from "../../memory/words/fold.ts";
import { lexicon, readLexicon } from "../../memory/words/lexicon.ts";
import { stem } from "../../memory/words/stem.ts";
import { isExactTerm, tokenize } from "../../memory/words/tokens.ts";

Deno.test("fold() makes full width half, capitals small and Traditional Simplified", () => {
  assert.equal(fold("端口８０１３　ＡＢＣ"), "端口8013 abc");
  assert.equal(fold("這臺電腦的設定"), fold("这台电脑的设定"));
});

Deno.test("nameKey() is the same for a name however it is written", () => {
  assert.equal(nameKey(" 「張曉雯」 "), nameKey("张晓雯"));
  assert.equal(nameKey("Ｊｅｌｌｙｆｉｎ"), nameKey("jellyfin"));
  assert.notEqual(nameKey("张晓雯"), nameKey("张晓文"));
});

Deno.test("tokenize() finds two-character words inside longer runs", () => {
  assert.ok(tokenize("我睡荞麦枕头").includes("枕头"));
  assert.ok(tokenize("枕头").includes("枕头"));
});

Deno.test("tokenize() keeps addresses, paths, versions and models whole", () => {
  const terms = tokenize("AX-7703 at 10.37.5.11, v1.131, /opt/stacks, 8123端口");
  for (const term of ["ax-7703", "10.37.5.11", "v1.131", "/opt/stacks", "8123"]) assert.ok(terms.includes(term), term);
  for (const part of ["10.37.5.1", "802", "812"]) assert.ok(!terms.includes(part), part);
});

Deno.test("tokenize() leaves out English stop words and stems the rest", () => {
  assert.deepEqual(tokenize("What are the bedtimes of the children?"), ["bedtim", "child"]);
});

Deno.test("tokenize() takes any text: lone surrogates, emoji, other scripts, nothing", () => {
  for (const text of ["", "\ud83d", "👩‍👩‍👧 семья 가족", "'''---///", "\u0000"]) assert.ok(Array.isArray(tokenize(text)));
  assert.ok(tokenize("моя семья").includes("семья"));
});

Deno.test("isExactTerm() is for what has digits or inner punctuation", () => {
  assert.equal(isExactTerm("10.37.5.11"), true);
  assert.equal(isExactTerm("枕头"), false);
  assert.equal(isExactTerm("kitchen"), false);
});

Deno.test("stem() brings forms of a word together and leaves other words apart", () => {
  for (const [one, other] of [["walked", "walks"], ["allergies", "allergy"], ["bought", "buys"], ["tyres", "tire"]]) {
    assert.equal(stem(one!), stem(other!));
  }
  assert.notEqual(stem("ups"), stem("up"));
});

Deno.test("the lexicon translates both ways and is sorted as its lookup needs it", () => {
  const words = lexicon();
  assert.ok(words.english("护照").includes(stem("passport")));
  assert.ok(words.chinese(stem("passport")).includes("护照"));
  for (const word of ["妻子", "老婆", "钥匙", "过敏", "轮胎"]) assert.equal(words.has(word), true, word);
  assert.equal(words.has("饕餮之徒也"), false);
});

Deno.test("readLexicon() finds the first and the last line, and what an equivalent is a part of", () => {
  const words = readLexicon(new TextEncoder().encode("一9 one\n二8 two,pair\n双7 pair of shoes\n和9 \n龙6 dragon"));
  assert.deepEqual(words.english("一"), ["on"]);
  assert.deepEqual(words.english("龙"), ["dragon"]);
  assert.deepEqual(words.chinese("pair"), ["二"]);
  assert.deepEqual(words.chineseOfPart("pair"), ["双"]);
  assert.deepEqual(words.chineseOfPart("dragon"), []);
  assert.deepEqual([words.english("三"), words.english("和")], [[], []]);
  assert.ok(words.share("一") > words.share("龙") && words.share("龙") > 0);
  assert.equal(words.share("三"), 0);
});

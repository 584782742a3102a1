import assert from "node:assert/strict";
import { HomedError } from "../../../core/base/errors.ts";
import { EXIT, failureOf, UsageError } from "../../../core/cli/failure.ts";
import { languageOf } from "../../../core/cli/language.ts";
import { mimeOf } from "../../../core/base/mime.ts";
import { RPC_CODES, RpcError } from "../../../core/wire/rpc.ts";

Deno.test("exit statuses are those of the contract", () => {
  assert.deepEqual(EXIT, { done: 0, failed: 1, usage: 2, noSource: 3, homeInUse: 75 });
  assert.equal(failureOf(new UsageError("x", "y")).code, 2);
  assert.equal(failureOf(new RpcError(RPC_CODES.noSource, "x")).code, 3);
  for (const error of [new HomedError("a", "x"), new RpcError(-32603, "x"), new Error("x"), "x"]) {
    assert.equal(failureOf(error).code, 1);
  }
});

Deno.test("a failure is one line: what happened, and what to do where there is something", () => {
  const cases: [unknown, string][] = [
    [new HomedError("a", "It broke.", { fix: "mend it." }), "homed: It broke: mend it"],
    [new RpcError(-32603, "It broke", { data: { fix: "mend it" } }), "homed: It broke: mend it"],
    [new Error("first\n  second\r\nthird\x1b[0m"), "homed: first; second; third [0m"],
    ["thrown text", "homed: thrown text"],
  ];
  for (const [error, line] of cases) assert.equal(failureOf(error).line, line);
});

Deno.test("the language is that of the locale, unless HOMED_LANG says another", () => {
  for (const value of ["zh_CN.UTF-8", "zh", "zh_TW", "zh-Hans"]) assert.equal(languageOf({ LANG: value }), "zh");
  for (const value of ["", "C", "C.UTF-8", "en_GB", "de_DE.UTF-8"]) assert.equal(languageOf({ LANG: value }), "en");
  assert.equal(languageOf({ LANG: "zh_CN", LC_ALL: "en_US" }), "en");
  assert.equal(languageOf({ LANG: "zh_CN", LC_ALL: "zh_CN", HOMED_LANG: "en" }), "en");
  assert.equal(languageOf({ LANG: "en_US", HOMED_LANG: "zh" }), "zh");
});

Deno.test("files are known by their first bytes, not their names", () => {
  const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
  assert.equal(mimeOf(bytes("\x89PNG\r\n\x1a\nrest")), "image/png");
  assert.equal(mimeOf(bytes("RIFF....WEBPVP8 ")), "image/webp");
  assert.equal(mimeOf(bytes("RIFF....WAVEfmt ")), "audio/wav");
  assert.equal(mimeOf(bytes("\xff\xd8\xff\xe0")), "image/jpeg");
  for (const text of ["", "\x89PN", "RIFF....AVI ", "<svg", "MZ"]) assert.equal(mimeOf(bytes(text)), undefined, text);
});

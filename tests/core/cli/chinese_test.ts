import assert from "node:assert/strict";
import { CHINESE, inChinese, questionIn } from "../../../core/cli/chinese.ts";
import { HomedError } from "../../../core/base/errors.ts";
import { failureOf } from "../../../core/cli/failure.ts";
import { failureLines } from "../../../core/cli/repl/failure.ts";
import { RPC_CODES, RpcError } from "../../../core/wire/rpc.ts";
import { textsFor } from "../../../core/cli/repl/texts.ts";

const ROOT = new URL("../../../", import.meta.url);
/** The rooms whose sentences reach a person. */
const ROOMS = ["core", "memory", "plugins/host", "plugins/builtin", "adapters"];

/** Rows whose sentence is put together from pieces where it is thrown. */
const ASSEMBLED =
  /^--top takes|^Another homed|^Cannot reach homed|^a duration such as|^That value cannot|^Landlock|^\{source\} [a-z ]+ \(\{status\}\)|^\{source\} failed in/;

async function sourcesBelow(folder: URL): Promise<string[]> {
  const texts: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const url = new URL(entry.name + (entry.isDirectory ? "/" : ""), folder);
    if (entry.name === "chinese") continue;
    if (entry.isDirectory) texts.push(...await sourcesBelow(url));
    else if (entry.name.endsWith(".ts")) texts.push(await Deno.readTextFile(url));
  }
  return texts;
}

Deno.test("every row of the table is said somewhere: its longest piece is in the source", async () => {
  const sources = (await Promise.all(ROOMS.map((room) => sourcesBelow(new URL(`${room}/`, ROOT))))).flat();
  // Texts that were broken into lines are whole again.
  const all = sources.join("\n").replace(/["`'] \+\s*["`']/g, "").replaceAll("\\`", "`").replaceAll('\\"', '"');
  assert.ok(all.length > 500_000, "the sources were found");
  const unsaid: string[] = [];
  for (const [en] of CHINESE.filter(([en]) => !ASSEMBLED.test(en))) {
    const piece = en.split(/\{\w+\}/).toSorted((a, b) => b.length - a.length)[0]!.trim();
    const parts = piece.replaceAll("\\", "\\\\");
    if (!all.includes(piece) && !all.includes(parts)) unsaid.push(`${piece} (${en})`);
  }
  assert.deepEqual(unsaid, []);
});

Deno.test("no sentence is in the table twice", () => {
  const all = CHINESE.map(([en]) => en.replace(/\{\w+\}/g, "{}"));
  assert.deepEqual(all.filter((en, i) => all.indexOf(en) !== i), []);
});

Deno.test("every row has the same names on both sides", () => {
  const names = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
  for (const [en, zh] of CHINESE) {
    assert.deepEqual(new Set(names(zh)), new Set(names(en)), en);
    assert.match(zh, /[\u4e00-\u9fff]|true/, en);
  }
});

/** What stands for a variable that is one word of a kind. */
const SAMPLES: Record<string, string> = {
  state: "odd",
  plugin: "my-plugin",
  source: "my_source",
  status: "418",
  count: "7",
  quoted: '"Q7"',
};

Deno.test("no row stands before another one's sentences", () => {
  const wrong: string[] = [];
  for (const [en, zh] of CHINESE) {
    const filled = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => SAMPLES[name] ?? "Q7");
    if (inChinese(filled(en)) !== filled(zh)) wrong.push(`${en} → ${inChinese(filled(en))}`);
  }
  assert.deepEqual(wrong, []);
});

Deno.test("what happened and what to do are told in Chinese also where they come as one sentence", () => {
  assert.equal(
    inChinese(
      "The working folder /no where cannot be used, as there is no such file or folder; commands are refused: " +
        "name a folder that is there with homed config set core.agent.workdir, or unset it",
    ),
    "无法使用工作目录 /no where：没有这个文件或文件夹；命令会被拒绝：" +
      "用 homed config set core.agent.workdir 指定一个已有的文件夹，或取消该设置",
  );
  assert.equal(
    inChinese('core.llm.provider is "opnai", which is no source: did you mean openai?'),
    "core.llm.provider 是 “opnai”，但没有这个来源：是想用 openai 吗？",
  );
  assert.equal(
    questionIn("w 1.0: x\n  - can read /a\n  ✗ not held to: hosts (nothing)", "zh").split("\n")[1],
    "  - 可以读取 /a",
  );
});

Deno.test("every failure of a source is told in Chinese, whatever language the rest is in", () => {
  const failures = "mine cannot be reached: nothing listens at 127.0.0.1:1; it is asked again in 4 s; " +
    "other refused the key (401): bad key";
  const told = "无法连接 mine：127.0.0.1:1 没有服务在监听；4 秒后再问；other 拒绝了密钥（401）：bad key";
  assert.equal(inChinese(`No LLM source answered. ${failures}`), `没有任何模型来源给出回答。${told}`);
  assert.equal(inChinese("gpt-5: other refused the key (401)"), "gpt-5：other 拒绝了密钥（401）");
  assert.equal(inChinese(`没有任何模型来源给出回答。${failures}`), `没有任何模型来源给出回答。${told}`);
});

Deno.test("inChinese() fills in what the text names, puts reasons into Chinese too, and leaves what it does not know", () => {
  assert.equal(
    inChinese("Cannot read /a b/it is no file: there is no such file or folder"),
    "无法读取 /a b/it is no file：没有这个文件或文件夹",
  );
  assert.equal(inChinese("worker memory"), "部件 memory");
  assert.equal(inChinese("memory"), "记忆");
  assert.equal(inChinese("Something that no table has"), "Something that no table has");
});

Deno.test("a failure of the system is told in words, with what to do, in both languages", () => {
  const error = new Deno.errors.NotADirectory("Not a directory (os error 20): readfile '/x/y'");
  assert.equal(failureOf(error).line, "homed: Cannot use /x/y: a part of its path is no folder: look at the path");
  assert.equal(failureOf(error, "zh").line, "homed: 无法使用 /x/y：路径中有一部分不是文件夹：请检查路径");
  assert.match(failureOf(new Error("database or disk is full")).line, /the disk is full.*make room/);
});

Deno.test("a text of many colons, or a very long one, is not looked at in every way that it can be cut", () => {
  const many = Array.from({ length: 60 }, (_, i) => `a part ${i}`).join(": ");
  assert.equal(inChinese(many), many);
  const words = many.replaceAll("a part ", "w");
  assert.equal(inChinese(words), words);
  assert.equal(inChinese(`Cannot read /x: ${many}`), `无法读取 /x：${many}`);
  const long = "x y: ".repeat(10_000);
  assert.equal(inChinese(long), long);
});

Deno.test("that nobody answered is said once, in the person's language", () => {
  const error = new RpcError(RPC_CODES.noSource, "No LLM source answered. mine failed (500)");
  const said = (lang: "en" | "zh") =>
    failureLines(error, textsFor(lang)).flatMap(({ spans }) => spans.map(({ text }) => text)).join("\n");
  assert.equal(said("en"), "No LLM source answered. mine failed (500)");
  assert.equal(said("zh"), "没有任何模型来源给出回答。mine 出错（500）");
});

Deno.test("the REPL tells a failure and what to do in the person's language", () => {
  const error = new HomedError("unknown_key", 'There is no setting "core.x"', {
    fix: "homed config list shows every setting",
  });
  const said = failureLines(error, textsFor("zh")).flatMap(({ spans }) => spans.map(({ text }) => text)).join("\n");
  assert.match(said, /没有 “core\.x” 这个设置/);
  assert.match(said, /列出所有设置/);
  const english = failureLines(error, textsFor("en")).flatMap(({ spans }) => spans.map(({ text }) => text)).join("\n");
  assert.match(english, /There is no setting "core\.x"/);
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { MarkdownStream } from "../../../../core/cli/repl/markdown.ts";
import { inlineSpans } from "../../../../core/cli/repl/markdown_inline.ts";
import { type Line, renderLines } from "../../../../core/cli/repl/spans.ts";
import { textWidth } from "../../../../core/cli/repl/width.ts";

function render(chunks: string[], { columns = 40, plain = false } = {}): Line[] {
  const stream = new MarkdownStream({ width: () => columns, plain });
  for (const chunk of chunks) {
    stream.push(chunk);
    stream.tail();
  }
  stream.end();
  return stream.lines;
}

const rows = (text: string, { columns = 40, plain = true } = {}): string[] =>
  renderLines(render([text], { columns, plain: false }), { columns, plain });

const SAMPLE = `# 标题 Title

Some **bold 粗体** text, \`code\`, ~~old~~ and [link](https://x.y/z).
- one
  - two **二**
1. first
- [x] done

| 名称 | value | mid |
|------|------:|:---:|
| 苹果 | 1 | a |
| a \\| b | 22222 | **b** |
after

\`\`\`ts
const x = "**not bold**";
| no | table |
\`\`\`
> quoted *text*
---
👨‍👩‍👧 end`;

Deno.test("Markdown cut at any place gives the lines of the whole, styled and plain", () => {
  for (const plain of [false, true]) {
    for (const text of [SAMPLE, SAMPLE.replaceAll("\n", "\r\n")]) {
      const whole = render([text], { plain });
      for (let cut = 0; cut <= text.length; cut++) {
        assert.deepEqual(render([text.slice(0, cut), text.slice(cut)], { plain }), whole, `cut at ${cut}`);
      }
      assert.deepEqual(render(text.split(""), { plain }), whole, "by character");
    }
  }
});

Deno.test("any Markdown in any chunks gives the lines of the whole, and the finished ones never change", () => {
  const piece = fc.constantFrom(
    ..."*_`~[]()|#>-+!\\ \n\r".split(""),
    "**",
    "```",
    "| a | 你 |\n",
    "|--|--|\n",
    "word",
    "中文",
    "👍",
    "\ud83d",
    "\udc4d",
    "\x1b[2J",
    "1. ",
    "- ",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.boolean(), (pieces, plain) => {
      const stream = new MarkdownStream({ width: () => 30, plain });
      let finished: string[] = [];
      for (const chunk of pieces) {
        stream.push(chunk);
        const now = stream.lines.map((one) => JSON.stringify(one));
        assert.deepEqual(now.slice(0, finished.length), finished);
        finished = now;
        stream.tail();
      }
      const tail = stream.tail();
      const shown = [...stream.lines, ...tail];
      stream.end();
      assert.deepEqual(stream.lines, shown, "the tail shows what the end makes of it");
      assert.deepEqual(stream.lines, render([pieces.join("")], { columns: 30, plain }));
      const text = JSON.stringify(stream.lines.map(({ spans }) => spans.map((span) => span.text)));
      assert.doesNotMatch(text, /\\u001b|\\r/);
      for (const row of renderLines(stream.lines, { columns: 30, plain: true })) {
        assert.ok(textWidth(row) <= 30, `${JSON.stringify(row)} is wider than the screen`);
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("blocks look as they should", () => {
  assert.deepEqual(
    rows(SAMPLE),
    [
      "标题 Title",
      "",
      "Some bold 粗体 text, code, old and link",
      "(https://x.y/z).",
      "• one",
      "  • two 二",
      "1. first",
      "☑ done",
      "",
      "名称  │ value │ mid",
      "──────┼───────┼────",
      "苹果  │     1 │  a",
      "a | b │ 22222 │  b",
      "after",
      "",
      "┌ ts",
      '│ const x = "**not bold**";',
      "│ | no | table |",
      "└",
      "▎ quoted text",
      "────────────────────────────────────────",
      "👨‍👩‍👧 end",
    ].map((row) => row),
  );
});

Deno.test("columns of a table stand under one another whatever the script, and narrow screens wrap cells", () => {
  const table =
    "| 名称 | a long description of it | n |\n|---|---|---:|\n| 苹果 | 很长的中文说明文字放在这里 | 1 |\n| x | y | 22 |\n";
  for (const columns of [60, 30, 20]) {
    const shown = rows(table, { columns });
    const bars = shown.filter((row) => row.includes("│")).map((row) =>
      [...row.matchAll(/│/g)].map(({ index }) => textWidth(row.slice(0, index))).join()
    );
    assert.ok(shown.length >= 4);
    assert.equal(new Set(bars).size, 1, shown.join("\n"));
    for (const row of shown) assert.ok(textWidth(row) <= columns, row);
  }
});

Deno.test("without colours the source stays readable, only tables are aligned", () => {
  const lines = render(["**bold** `x`\n| a | 你好 |\n|---|---|\n| long | b |\n"], { plain: true });
  assert.deepEqual(renderLines(lines, { columns: 40, plain: true }), [
    "**bold** `x`",
    "| a    | 你好 |",
    "|------|------|",
    "| long | b    |",
  ]);
});

const looks = (text: string) => inlineSpans(text).map(({ text, look }) => [text, Object.keys(look ?? {}).join("+")]);

Deno.test("emphasis follows what models write, in both languages", () => {
  assert.deepEqual(looks("a **b** c"), [["a ", ""], ["b", "bold"], [" c", ""]]);
  assert.deepEqual(looks("**重要：**请看"), [["重要：", "bold"], ["请看", ""]]);
  assert.deepEqual(looks("*a **b** c*"), [["a ", "italic"], ["b", "italic+bold"], [" c", "italic"]]);
  assert.deepEqual(looks("**a *b***"), [["a ", "bold"], ["b", "bold+italic"]]);
  assert.deepEqual(looks("***x***"), [["x", "bold+italic"]]);
  assert.deepEqual(looks("`a``b`"), [["a``b", "color"]]);
  assert.deepEqual(looks("`` a`b ``"), [["a`b", "color"]]);
  assert.deepEqual(looks("\\*no\\*"), [["*no*", ""]]);
});

Deno.test("stars and underscores that are no emphasis stay as they are", () => {
  for (
    const text of ["2 * 3 * 4", "snake_case_name", "a**", "** a **", "_", "__init__x", "~~", "[x]", "![", "<b>", "5*"]
  ) {
    assert.equal(inlineSpans(text).map((span) => span.text).join(""), text, text);
    assert.ok(inlineSpans(text).every(({ look }) => look === undefined), text);
  }
});

Deno.test("a link shows its address, so that a label cannot lie", () => {
  assert.deepEqual(looks("[bank](https://evil.example/a_(b))"), [
    ["bank", "underline"],
    [" (https://evil.example/a_(b))", "dim"],
  ]);
  assert.deepEqual(looks("<https://a.b/c>"), [["https://a.b/c", "underline"]]);
});

Deno.test("no line is too hard: a hundred thousand signs are read in one go", () => {
  for (const sign of ["*", "**a ", "_", "`", "[", "![](", "> ", "| ", "~~x", "\\", "<"]) {
    const text = sign.repeat(100_000 / sign.length);
    const read = inlineSpans(text).map((span) => span.text).join("");
    assert.ok(read.length > 0, sign);
    assert.ok(render([text]).length > 0);
  }
});

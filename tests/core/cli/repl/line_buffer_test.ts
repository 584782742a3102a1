import assert from "node:assert/strict";
import fc from "fast-check";
import { LineBuffer } from "../../../../core/cli/repl/line_buffer.ts";
import { graphemes } from "../../../../core/cli/repl/width.ts";

/** The same editor in the plainest way: an array of characters and an index. Only signs that never join. */
class Model {
  characters: string[] = [];
  at = 0;
  insert(text: string) {
    const added = graphemes(text);
    this.characters.splice(this.at, 0, ...added);
    this.at += added.length;
  }
  deleteBack() {
    if (this.at > 0) this.characters.splice(--this.at, 1);
  }
  deleteForward() {
    this.characters.splice(this.at, 1);
  }
  left() {
    this.at = Math.max(0, this.at - 1);
  }
  right() {
    this.at = Math.min(this.characters.length, this.at + 1);
  }
  lineStart() {
    while (this.at > 0 && this.characters[this.at - 1] !== "\n") this.at--;
  }
  lineEnd() {
    while (this.at < this.characters.length && this.characters[this.at] !== "\n") this.at++;
  }
  killToStart() {
    while (this.at > 0 && this.characters[this.at - 1] !== "\n") this.deleteBack();
  }
  killToEnd() {
    if (this.characters[this.at] === "\n") return this.deleteForward();
    while (this.at < this.characters.length && this.characters[this.at] !== "\n") this.deleteForward();
  }
  killBackToSpace() {
    while (this.at > 0 && /\s/.test(this.characters[this.at - 1]!)) this.deleteBack();
    while (this.at > 0 && !/\s/.test(this.characters[this.at - 1]!)) this.deleteBack();
  }
}

const OPERATIONS = [
  "deleteBack",
  "deleteForward",
  "left",
  "right",
  "lineStart",
  "lineEnd",
  "killToStart",
  "killToEnd",
  "killBackToSpace",
] as const;

Deno.test("LineBuffer does what an array of characters would", () => {
  const word = fc.string({
    unit: fc.constantFrom("a", "b", " ", "\n", "你", "👍", "👨‍👩‍👧", "e\u0301"),
    minLength: 1,
    maxLength: 4,
  });
  const step = fc.oneof(fc.constantFrom(...OPERATIONS), word.map((text) => ({ text })));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const buffer = new LineBuffer(), model = new Model();
      for (const one of steps) {
        if (typeof one === "string") {
          buffer[one]();
          model[one]();
        } else {
          buffer.insert(one.text);
          model.insert(one.text);
        }
        assert.equal(buffer.text, model.characters.join(""), JSON.stringify(one));
        assert.equal(buffer.cursor, model.characters.slice(0, model.at).join("").length, JSON.stringify(one));
      }
    }),
    { numRuns: 400 },
  );
});

Deno.test("LineBuffer's cursor is always at the edge of a character, whatever joins", () => {
  const unit = fc.constantFrom("a", "\u0301", "\u200d", "👩", "🇨", "🇳", "\ufe0f", "你", "\n", " ");
  const step = fc.oneof(
    fc.constantFrom(
      ...OPERATIONS,
      "wordLeft",
      "wordRight",
      "killWordBack",
      "killWordForward",
      "yank",
      "undo",
      "transpose",
    ),
    fc.string({ unit, minLength: 1, maxLength: 3 }).map((text) => ({ text })),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const buffer = new LineBuffer();
      for (const one of steps) {
        if (typeof one === "string") (buffer[one as "left"])();
        else buffer.insert(one.text);
        const edges = new Set([0]);
        // Lines part characters: the line feed itself is one.
        for (const grapheme of buffer.text.split(/(\n)/).flatMap(graphemes)) {
          edges.add(Math.max(...edges) + grapheme.length);
        }
        assert.ok(edges.has(buffer.cursor), `${JSON.stringify(buffer.text)} at ${buffer.cursor}`);
      }
    }),
    { numRuns: 400 },
  );
});

Deno.test("undo takes back everything, step by step, to the empty line", () => {
  const step = fc.oneof(fc.constantFrom(...OPERATIONS, "yank", "transpose"), fc.constantFrom("a", " ", "bc", "你"));
  fc.assert(fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
    const buffer = new LineBuffer();
    for (const one of steps) {
      if (one in buffer) (buffer[one as "left"])();
      else buffer.insert(one);
    }
    while (buffer.undo());
    assert.equal(buffer.text, "");
  }));
});

Deno.test("typing is undone by the word", () => {
  const buffer = new LineBuffer();
  for (const character of "hello world") buffer.insert(character);
  buffer.undo();
  assert.equal(buffer.text, "hello ");
});

Deno.test("kills in a row join, yank puts them in, yankPop the ones before", () => {
  const buffer = new LineBuffer();
  buffer.insert("one two three");
  buffer.killBackToSpace();
  buffer.killBackToSpace();
  assert.equal(buffer.text, "one ");
  buffer.left();
  buffer.killToStart();
  assert.equal(buffer.text, " ");
  buffer.yank();
  assert.equal(buffer.text, "one ");
  buffer.yankPop();
  assert.equal(buffer.text, "two three ");
});

Deno.test("word motion knows Chinese words", () => {
  const buffer = new LineBuffer();
  buffer.insert("我住在上海 now");
  buffer.wordLeft();
  assert.equal(buffer.text.slice(buffer.cursor), "now");
  buffer.wordLeft();
  assert.equal(buffer.text.slice(buffer.cursor), "上海 now");
  buffer.start();
  buffer.wordRight();
  assert.equal(buffer.text.slice(0, buffer.cursor), "我");
});

Deno.test("up and down go to the same character of the next line, and say when there is none", () => {
  const buffer = new LineBuffer();
  buffer.insert("你好世界\nab\nxyz");
  assert.equal(buffer.down(), false);
  assert.equal(buffer.up(), true);
  assert.equal(buffer.cursor, "你好世界\nab".length);
  assert.equal(buffer.up(), true);
  assert.equal(buffer.cursor, 2);
  assert.equal(buffer.up(), false);
});

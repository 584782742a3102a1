import assert from "node:assert/strict";
import { LineEditor } from "../../../../core/cli/repl/editor.ts";
import { History } from "../../../../core/cli/repl/history.ts";
import { KeyDecoder } from "../../../../core/cli/repl/keys.ts";
import { MemoryHistory } from "./kit.ts";

async function editorWith(...entries: string[]): Promise<LineEditor> {
  const history = new History(new MemoryHistory(entries.map((text) => JSON.stringify(text) + "\n").join("")));
  await history.load();
  return new LineEditor({ history });
}

function type(editor: LineEditor, sent: string) {
  const decoder = new KeyDecoder();
  const keys = [...decoder.push(new TextEncoder().encode(sent)), ...decoder.flush()];
  return keys.map((key) => editor.handle(key)).at(-1);
}

Deno.test("Enter submits; Alt-Enter, Ctrl-J and a backslash before Enter begin a new line; a paste keeps its lines", () => {
  const editor = new LineEditor();
  assert.deepEqual(type(editor, "one\x1b\rtwo\nthree\\\rfour\x1b[200~\nfive\n\x1b[201~"), { kind: "edited" });
  assert.deepEqual(type(editor, "\r"), { kind: "submit", text: "one\ntwo\nthree\nfour\nfive\n" });
  assert.equal(editor.text, "");
  assert.deepEqual(type(editor, "C:\\\\\r"), { kind: "submit", text: "C:\\\\" });
});

Deno.test("the keys of readline edit", () => {
  const cases: [string, string][] = [
    ["hello\x01X", "Xhello"],
    ["hello\x1b[D\x1b[DX", "helXlo"],
    ["hello\x1b[H\x1b[3~", "ello"],
    ["one two\x17", "one "],
    ["one two\x15", ""],
    ["one two\x1bb\x0b", "one "],
    ["one two\x1bb\x0b\x19\x19", "one twotwo"],
    ["one two\x1b\x7f", "one "],
    ["one \x1b[200~two\x1b[201~\x1f", "one "],
    ["ab\x14", "ba"],
    ["你好世界\x7f\x02\x02\x04", "你世"],
  ];
  for (const [sent, text] of cases) {
    const editor = new LineEditor();
    type(editor, sent);
    assert.equal(editor.text, text, JSON.stringify(sent));
  }
});

Deno.test("Ctrl-C, Ctrl-D and Tab are the caller's; Ctrl-D deletes when there is text", () => {
  const editor = new LineEditor();
  assert.deepEqual(type(editor, "\x04"), { kind: "leave" });
  assert.deepEqual(type(editor, "ab\x02\x04"), { kind: "edited" });
  assert.equal(editor.text, "a");
  assert.deepEqual(type(editor, "\x03"), { kind: "interrupt" });
  assert.deepEqual(type(editor, "\t"), { kind: "complete" });
});

Deno.test("up goes back through history and down forward again to the line that was being typed", async () => {
  const editor = await editorWith("first", "multi\nline");
  type(editor, "draft\x1b[A");
  assert.equal(editor.text, "multi\nline");
  type(editor, "\x1b[A\x1b[A");
  assert.equal(editor.text, "first", "the first up was to the line above in the entry");
  assert.deepEqual(type(editor, "\x1b[A"), { kind: "ignored" });
  type(editor, "\x1b[B\x1b[B");
  assert.equal(editor.text, "draft");
});

Deno.test("Ctrl-R finds what contains the words, again further back; Enter takes it, Ctrl-G does not", async () => {
  const editor = await editorWith("deploy 上海", "list", "deploy 北京");
  type(editor, "x\x12deploy");
  assert.equal(editor.text, "deploy 北京");
  type(editor, "\x12");
  assert.equal(editor.text, "deploy 上海");
  const prompt = (query: string, failed: boolean) => `${failed ? "no" : "yes"} ${query}: `;
  assert.match(editor.view({ prompt: "> ", searchPrompt: prompt, columns: 80 }).rows[0]!, /^yes deploy: deploy 上海/);
  type(editor, "zzz");
  assert.match(editor.view({ prompt: "> ", searchPrompt: prompt, columns: 80 }).rows[0]!, /^no deployzzz: /);
  type(editor, "\x07");
  assert.equal(editor.text, "x");
  assert.deepEqual(type(editor, "\x12li\r"), { kind: "submit", text: "list" });
});

Deno.test("a masked line shows dots and no text, and is in one piece", () => {
  const editor = new LineEditor({ masked: true, singleLine: true });
  type(editor, "\x1b[200~sk-密\x1b[201~");
  const view = editor.view({ prompt: "key: ", searchPrompt: () => "", columns: 40 });
  assert.deepEqual(view, { rows: ["key: ••••"], cursor: { row: 0, column: 9 } });
  assert.deepEqual(type(editor, "\x1b[200~a\nb\n\x1b[201~\r"), { kind: "submit", text: "sk-密a b" });
});

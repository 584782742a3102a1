import assert from "node:assert/strict";
import fc from "fast-check";
import { type Key, KeyDecoder, pastedText } from "../../../../core/cli/repl/keys.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function decode(...chunks: Uint8Array[]): Key[] {
  const decoder = new KeyDecoder();
  return joined(chunks.flatMap((chunk) => decoder.push(chunk)));
}

/** Neighbouring texts as one: where they are parted depends on the chunks, and means nothing. */
function joined(keys: Key[]): Key[] {
  const out: Key[] = [];
  for (const key of keys) {
    const last = out.at(-1);
    if (key.kind === "text" && last?.kind === "text") {
      out[out.length - 1] = { kind: "text", text: last.text + key.text };
    } else out.push(key);
  }
  return out;
}

const key = (name: string, chord: { ctrl?: true; alt?: true; shift?: true } = {}): Key => ({
  kind: "key",
  name,
  ctrl: chord.ctrl ?? false,
  alt: chord.alt ?? false,
  shift: chord.shift ?? false,
});

const KEYS: [string, Key][] = [
  ["\r", key("enter")],
  ["\n", key("j", { ctrl: true })],
  ["\t", key("tab")],
  ["\x7f", key("backspace")],
  ["\x08", key("backspace")],
  ["\x01", key("a", { ctrl: true })],
  ["\x03", key("c", { ctrl: true })],
  ["\x1f", key("_", { ctrl: true })],
  ["\x00", key("space", { ctrl: true })],
  ["\x1b[A", key("up")],
  ["\x1bOB", key("down")],
  ["\x1b[1;5C", key("right", { ctrl: true })],
  ["\x1b[1;3D", key("left", { alt: true })],
  ["\x1b[1;2H", key("home", { shift: true })],
  ["\x1bOF", key("end")],
  ["\x1b[3~", key("delete")],
  ["\x1b[3;5~", key("delete", { ctrl: true })],
  ["\x1b[5~", key("pageup")],
  ["\x1b[7~", key("home")],
  ["\x1b[Z", key("tab", { shift: true })],
  ["\x1b[15~", key("f5")],
  ["\x1b\r", key("enter", { alt: true })],
  ["\x1b\x7f", key("backspace", { alt: true })],
  ["\x1bb", key("b", { alt: true })],
  ["\x1b好", key("好", { alt: true })],
  ["\x1b[13;2u", key("enter", { shift: true })],
  ["\x1b[99;5u", key("c", { ctrl: true })],
  ["\x1b[27;2;13~", key("enter", { shift: true })],
];

Deno.test("KeyDecoder knows what terminals send for each key", () => {
  for (const [sent, expected] of KEYS) assert.deepEqual(decode(bytes(sent)), [expected], JSON.stringify(sent));
});

Deno.test("KeyDecoder reads text in any language, and signs that are several code points", () => {
  for (const text of ["a", "é", "你好，世界", "👨‍👩‍👧🇨🇳", "\u{10ffff}"]) {
    assert.deepEqual(decode(bytes(text)), [{ kind: "text", text }]);
  }
});

Deno.test("KeyDecoder drops what is no key: replies, mouse and focus reports, unknown sequences", () => {
  const junk = [
    "\x1b[I",
    "\x1b[24;80R",
    "\x1b[<0;1;1M",
    "\x1b[?62;4c",
    "\x1b]11;rgb:0/0/0\x07",
    "\x1bP1$r0m\x1b\\",
    "\x1b[[A",
  ];
  for (const sent of junk) {
    assert.deepEqual(decode(bytes(`a${sent}b`)), [{ kind: "text", text: "ab" }], JSON.stringify(sent));
  }
});

Deno.test("KeyDecoder gives a paste as one piece, with its lines and without its control characters", () => {
  const sent = "\x1b[200~one\r\ntwo\r三\x1b[31m\t\x03\x1b[201~x";
  assert.deepEqual(decode(bytes(sent)), [{ kind: "paste", text: "one\ntwo\n三[31m\t" }, { kind: "text", text: "x" }]);
});

Deno.test("KeyDecoder puts U+FFFD for bytes that are no UTF-8, and goes on with the next character", () => {
  const cases: [number[], string][] = [
    [[0x80, 0x61], "\ufffda"],
    [[0xc0, 0xaf], "\ufffd\ufffd"],
    [[0xe4, 0xbd, 0x61], "\ufffda"],
    [[0xff, 0x61], "\ufffda"],
    [[0xed, 0xa0, 0x80, 0x61], "\ufffda"],
    [[0xf5, 0x61], "\ufffda"],
  ];
  for (const [sent, text] of cases) assert.deepEqual(decode(new Uint8Array(sent)), [{ kind: "text", text }], `${sent}`);
});

Deno.test("a lone Escape is a key only when nothing follows it", () => {
  const decoder = new KeyDecoder();
  assert.deepEqual(decoder.push(bytes("\x1b")), []);
  assert.equal(decoder.pending, true);
  assert.deepEqual(decoder.flush(), [key("escape")]);
  assert.equal(decoder.pending, false);
  assert.deepEqual(decoder.push(bytes("\x1b[")), []);
  assert.deepEqual(decoder.flush(), [key("[", { alt: true })]);
  assert.deepEqual(decoder.push(bytes("\x1b[1;")), []);
  assert.deepEqual(decoder.flush(), []);
  assert.deepEqual(decoder.push(bytes("a")), [{ kind: "text", text: "a" }]);
});

Deno.test("KeyDecoder gives the same keys wherever the bytes are cut", () => {
  const piece = fc.oneof(
    fc.constantFrom(...KEYS.map(([sent]) => sent)),
    fc.string({ unit: "grapheme", maxLength: 4 }),
    fc.string({ unit: "grapheme", maxLength: 4 }).map((text) => `\x1b[200~${text}\x1b[201~`),
    fc.constantFrom("\x1b]0;title\x07", "\x1b[24;80R"),
  );
  fc.assert(fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
    const all = bytes(pieces.join(""));
    const whole = decode(all);
    for (let cut = 0; cut <= all.length; cut++) {
      assert.deepEqual(decode(all.subarray(0, cut), all.subarray(cut)), whole, `cut at ${cut}`);
    }
    assert.deepEqual(decode(...Array.from(all, (byte) => new Uint8Array([byte]))), whole, "byte by byte");
  }));
});

Deno.test("KeyDecoder takes any bytes, and after a pause is ready for the next key", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (noise) => {
      const decoder = new KeyDecoder();
      decoder.push(noise);
      decoder.flush();
      if (String.fromCharCode(...noise).includes("\x1b[200~")) return;
      assert.deepEqual(decoder.push(bytes("你")), [{ kind: "text", text: "你" }]);
    }),
    { numRuns: 500 },
  );
});

Deno.test("pastedText() leaves no control character but tab and line feed", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(pastedText(text), /[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  }));
});

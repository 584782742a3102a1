import assert from "node:assert/strict";
import fc from "fast-check";
import { type DecodedLine, LineDecoder } from "../../../core/wire/ndjson.ts";

const decode = (bytes: Uint8Array, cuts: number[], maxBytes = 1000) => {
  const decoder = new LineDecoder(maxBytes);
  const lines: DecodedLine[] = [];
  let from = 0;
  for (const cut of [...new Set(cuts.map((c) => c % (bytes.length + 1)))].sort((a, b) => a - b)) {
    lines.push(...decoder.push(bytes.subarray(from, cut)));
    from = cut;
  }
  lines.push(...decoder.push(bytes.subarray(from)), ...decoder.end());
  return lines;
};

Deno.test("lines are the same wherever the bytes were cut, also inside a character", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme", maxLength: 20 }).map((line) => line.replaceAll(/[\r\n]/g, "·"))),
      fc.constantFrom("\n", "\r\n"),
      fc.array(fc.nat()),
      (lines, ending, cuts) => {
        const bytes = new TextEncoder().encode(lines.map((line) => line + ending).join(""));
        const expected = lines.map((text) => ({
          kind: "line",
          text: new TextDecoder().decode(new TextEncoder().encode(text)),
        }));
        assert.deepEqual(decode(bytes, cuts), expected);
      },
    ),
  );
});

Deno.test("a line over the limit is dropped whole and told once, the next one is whole again", () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), fc.integer({ min: 11, max: 60 }), (cuts, length) => {
      const bytes = new TextEncoder().encode(`short\n${"x".repeat(length)}\nafter\n`);
      assert.deepEqual(decode(bytes, cuts, 10), [
        { kind: "line", text: "short" },
        { kind: "too_large" },
        { kind: "line", text: "after" },
      ]);
    }),
  );
});

Deno.test("a last line without a line feed comes at the end, and an empty rest does not", () => {
  assert.deepEqual(decode(new TextEncoder().encode("a\nb"), []), [{ kind: "line", text: "a" }, {
    kind: "line",
    text: "b",
  }]);
  assert.deepEqual(decode(new TextEncoder().encode("a\n"), []), [{ kind: "line", text: "a" }]);
});

import assert from "node:assert/strict";
import { parseDuration } from "../../../core/config/duration.ts";

Deno.test("parseDuration() reads what people write", () => {
  for (
    const [text, ms] of [
      ["500ms", 500],
      ["30s", 30_000],
      ["30m", 1_800_000],
      ["1h30m", 5_400_000],
      ["7d", 604_800_000],
      [
        "0",
        0,
      ],
      ["0s", 0],
      ["1.5s", 1500],
      [" 2h ", 7_200_000],
    ] as const
  ) assert.equal(parseDuration(text), ms, text);
});

Deno.test("parseDuration() knows what is none", () => {
  for (const text of ["", "30", "-5s", "5 s", "s", "5w", "5sm", "soon", "1e3s", "5S", "٣s"]) {
    assert.equal(parseDuration(text), undefined, text);
  }
});

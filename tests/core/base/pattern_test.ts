import assert from "node:assert/strict";
import { fitsPattern } from "../../../core/base/pattern.ts";

Deno.test("fitsPattern() takes * for any text and everything else as it stands", () => {
  for (const pattern of ["cmd_run", "cmd_*", "*", "*run", "c*_*n", "cmd_run*"]) {
    assert.ok(fitsPattern("cmd_run", pattern));
  }
  for (const pattern of ["cmd_ru", "cmd", "*cmd", "cmd_run_*", "c*x*n", "cmd_.un"]) {
    assert.ok(!fitsPattern("cmd_run", pattern), pattern);
  }
});

import assert from "node:assert/strict";
import { giveFreedMemoryBack } from "../../../core/daemon/allocator.ts";

Deno.test({
  name: "giveFreedMemoryBack() is understood by glibc, and again does no harm",
  // Another C library or system has another allocator, which is not asked.
  ignore: !Deno.build.target.endsWith("linux-gnu"),
  async fn() {
    assert.equal(await giveFreedMemoryBack(), true);
    assert.equal(await giveFreedMemoryBack(), true);
  },
});

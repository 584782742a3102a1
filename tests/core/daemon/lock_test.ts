import assert from "node:assert/strict";
import { HomedError } from "../../../core/base/errors.ts";
import { HomeLock } from "../../../core/daemon/lock.ts";
import { tempFolder } from "../../kit/temp_folder.ts";

Deno.test("a home is one process's at a time; a killed one never blocks the next", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/lock`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", new URL("./lock_holder.ts", import.meta.url).pathname, path],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  assert.equal(HomeLock.holder(path)?.pid, child.pid);
  assert.throws(() => HomeLock.take(path), (error: HomedError) => {
    assert.equal(error.code, "locked");
    assert.match(error.message, new RegExp(`process ${child.pid}`));
    return true;
  });
  child.kill("SIGKILL");
  await child.status;
  await reader.cancel();
  assert.equal(HomeLock.holder(path), undefined);
  HomeLock.take(path).release();
});

Deno.test("within one process too; a lock file with nonsense in it is taken", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/lock`;
  assert.equal(HomeLock.holder(path), undefined);
  Deno.writeTextFileSync(path, "\0\0{nonsense".repeat(200));
  {
    using _lock = HomeLock.take(path);
    assert.throws(() => HomeLock.take(path), HomedError);
    assert.equal(HomeLock.holder(path)?.pid, Deno.pid);
  }
  HomeLock.take(path).release();
});

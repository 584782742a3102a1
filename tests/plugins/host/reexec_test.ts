import assert from "node:assert/strict";

Deno.test({
  name: "restartSelf() begins the process anew: the same id, new arguments, nothing left of the old one",
  ignore: Deno.build.os === "windows",
  async fn() {
    const child = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-prompt", new URL("./reexec_child.ts", import.meta.url).pathname, "eins zwei"],
    }).output();
    const lines = new TextDecoder().decode(child.stdout).trim().split("\n").map((line) => JSON.parse(line));
    assert.equal(child.code, 0, new TextDecoder().decode(child.stderr));
    assert.deepEqual(lines.map(({ args }) => args), [["eins zwei"], ["eins zwei", "again"]]);
    assert.equal(lines[0].pid, lines[1].pid);
  },
});

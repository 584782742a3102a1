import assert from "node:assert/strict";
import { VERBS } from "../../../core/cli/verbs.ts";
import { homed, serve } from "../../kit/homed.ts";
import { hasPython } from "../../kit/python.ts";
import { standInDaemon } from "../../kit/stand_in_daemon.ts";
import { tempFolder } from "../../kit/temp_folder.ts";
import { tempHome } from "../../kit/temp_home.ts";

const DOC = await Deno.readTextFile(new URL("../../../docs/socket.md", import.meta.url));

Deno.test("docs/socket.md has every method of the socket, and no other", async () => {
  await using home = await tempHome();
  await using daemon = await standInDaemon(home);
  const served = Object.keys(daemon.methodsFor({ notify() {}, closing: new AbortController().signal }));
  // A daemon of stand-ins has no plugins; their verbs work over the socket but for those that need no homed.
  const plugins = Object.keys(VERBS.find(({ name }) => name === "plugin")!.forms)
    .filter((verb) => verb !== "new" && verb !== "build").map((verb) => `plugin.${verb}`);
  const table = DOC.slice(DOC.indexOf("## Methods"), DOC.indexOf("## While a turn runs"));
  const rows = table.split("\n").filter((row) => row.startsWith("| `")).map((row) => row.split("|")[1]!);
  const told = rows.flatMap((cell) => [...cell.matchAll(/`([a-z_.]+)`/g)].map(([, method]) => method!));
  assert.deepEqual(told.toSorted(), [...new Set([...served, ...plugins])].sort());
});

Deno.test({
  name: `the program in docs/socket.md talks to homed${hasPython ? "" : " (skipped: no python3 here)"}`,
  ignore: !hasPython,
  async fn() {
    await using folder = await tempFolder();
    const home = `${folder.path}/home`;
    const [, program] = /```python\n([^]*?)```/.exec(DOC)!;
    await Deno.writeTextFile(`${folder.path}/say.py`, program!);
    await using _daemon = await serve({ home });
    const say = async (text: string) => {
      const args = [`${folder.path}/say.py`, text];
      const { code, stdout } = await new Deno.Command("python3", { args, env: { HOMED_HOME: home } }).output();
      return { code, text: new TextDecoder().decode(stdout) };
    };
    assert.equal((await say("My dog is called Rex.")).code, 0);
    assert.match((await say("What is my dog called?")).text, /Rex/);
    assert.match((await homed(["memory", "recall", "dog"], { home })).stdout, /Rex/);
  },
});

import assert from "node:assert/strict";
import { PluginLog } from "../../../plugins/host/plugin_log.ts";
import { tempFolder } from "../../kit/temp_folder.ts";

Deno.test("a flood of records is cut, counted and rotated: the log stays small, and its end can be read", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/flood.log`;
  const log = new PluginLog(path, () => 0);
  for (let i = 0; i < 5000; i++) log.write("info", `${i} ${"x".repeat(100_000)}`, { more: "y".repeat(100_000) });
  const tail = await log.tail(1);
  assert.match(tail[0]!, /warn \d+ records were lost/);
  for (let round = 0; round < 8; round++) {
    for (let i = 0; i < 200; i++) log.write("info", `round ${round} ${"z".repeat(20_000)}`);
    await log.flush();
  }
  const sizes = [...Deno.readDirSync(folder.path)].map(({ name }) => Deno.statSync(`${folder.path}/${name}`).size);
  assert.equal(sizes.length, 3, "the log and two old ones");
  for (const size of sizes) assert.ok(size < 3 << 20, String(size));
  assert.match((await log.tail(2)).join("\n"), /round 7.*more characters/);
});

import assert from "node:assert/strict";
import { buildPackage } from "../../../plugins/host/mod.ts";
import { parseManifest, strayFields } from "../../../plugins/host/manifest.ts";
import { tempFolder } from "../../kit/temp_folder.ts";

const RIGHT = { name: "ok-plug", version: "0.1.0", description: "x", entry: "main.js" };

Deno.test("a wrong manifest is told by its field and what it must be, in words", () => {
  const wrong: [change: Record<string, unknown>, said: string][] = [
    [{ name: undefined }, '"name": it is missing'],
    [{ name: 3 }, '"name": it must be a text, not a number'],
    [{ description: "" }, '"description": it is empty'],
    [{ platforms: "linux" }, '"platforms": it must be a list, not a text'],
    [{ platforms: ["macos-arm64"] }, '"platforms.0": a platform is linux, darwin or windows'],
    [{ capabilities: ["fly"] }, '"capabilities.0": it must be one of io, memory,'],
    [{ permissions: { net: ["http://x"] } }, '"permissions.net.0": an entry is host or host:port'],
    [{ permissions: { run: 3 } }, '"permissions.run": it is of the wrong kind'],
    [{ permissions: { env: ["a b"] } }, '"permissions.env.0": a variable\'s name has'],
    [{ config: [{ key: "a", type: "number" }] }, '"config.0.type": it must be one of string, int,'],
    [{ description: "x".repeat(1001) }, '"description": it is longer than 1000'],
    [{ min_core: "one" }, '"min_core": a version is like 1.2.3'],
  ];
  for (const [change, said] of wrong) {
    assert.throws(() => parseManifest(JSON.stringify({ ...RIGHT, ...change })), (error: Error) => {
      assert.ok(error.message.startsWith(`plugin.json is wrong at ${said}`), error.message);
      return true;
    });
  }
});

Deno.test("a field that homed does not know is told to the author when the plugin is built", async () => {
  const text = JSON.stringify({ ...RIGHT, permision: { net: ["x"] }, permissions: { raed: ["/x"] }, author: "me" });
  assert.deepEqual(strayFields(text), [
    'plugin.json: "permision" means nothing to homed: did you mean permissions?',
    'plugin.json: "author" means nothing to homed',
    'plugin.json: "permissions.raed" means nothing to homed: did you mean read?',
  ]);
  assert.deepEqual(strayFields(JSON.stringify({ ...RIGHT, permissions: { net: [] }, config: [] })), []);
  await using folder = await tempFolder();
  await Deno.writeTextFile(`${folder.path}/plugin.json`, text);
  await Deno.writeTextFile(`${folder.path}/main.js`, "export default { start() {} };\n");
  assert.equal((await buildPackage(folder.path)).notices.length, 3);
});

import assert from "node:assert/strict";
import { homed } from "../kit/homed.ts";
import { tempFolder } from "../kit/temp_folder.ts";

Deno.test("offline, relatives, things and loose notes are found by new processes, in either language", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  const say = async (text: string) => {
    const { code, stdout, stderr } = await homed(["chat", text], { home });
    assert.equal(code, 0, stderr);
    return stdout.split("\n\n")[0]!;
  };
  await say("My sister Runa is a beekeeper. The Wi-Fi password is larch-88.");
  await say("Keep in mind that the chimney sweep comes in October.");
  await say("我儿子今年五岁，叫小舟，对芒果过敏。");
  assert.match(await say("What does my sister do?"), /beekeeper/);
  assert.match(await say("Who is she?"), /Runa/);
  assert.match(await say("我儿子几岁了？"), /小舟.*5/);
  assert.match(await say("小舟对什么过敏？"), /芒果/);
  assert.match(await say("WiFi密码是多少？"), /larch-88/);
  assert.match(await say("When does the chimney sweep come?"), /October/);
  assert.match(await say("What is my brother's name?"), /don't know/);
  const note = `${folder.path}/pump.md`;
  await Deno.writeTextFile(note, "# Heat pump\n\nThe heat pump's filter is washed every three months.\n");
  assert.equal((await homed(["knowledge", "add", "pump", note], { home })).code, 0);
  assert.match(await say("How often is the filter of the heat pump washed?"), /three months/);
});

import assert from "node:assert/strict";
import type { PluginManifest } from "../../../core/wire/mod.ts";
import { until } from "../../kit/until.ts";
import { js, jsTool, type PluginFiles, testHost } from "./kit.ts";

const count = (call: string, times: number, manifest: Partial<PluginManifest> = {}): PluginFiles => ({
  ...js(jsTool(
    "many_try",
    `const codes = {};
    for (let i = 0; i < ${times}; i++) {
      const code = await (${call})(i).then(() => "ok", (error) => error.code);
      codes[code] = (codes[code] ?? 0) + 1;
    }
    return codes;`,
  )),
  manifest,
});

Deno.test("a plugin has a bounded number of tools, channels, routes and settings", async (t) => {
  const tries: [what: string, call: string, most: number][] = [
    [
      "tools",
      `(i) => sdk.registerTool({name: "many_" + i, description: "x", parameters: {type: "object"}}, () => 1)`,
      127,
    ],
    [
      "outputs",
      `(i) => sdk.registerOutput({name: "out" + i, caps: 1, description: "x"}, () => ({status: "sent"}))`,
      16,
    ],
    ["inputs", `(i) => sdk.registerInput({name: "in" + i})`, 16],
    ["apis", `(i) => sdk.call("core.api.register", {name: "a" + i, method: "GET", path: "/a" + i})`, 64],
    [
      "settings",
      `(i) => sdk.settings.registerDef({key: "k" + i, type: "string", default: "", title: {en: "x", zh: "x"}})`,
      256,
    ],
  ];
  for (const [what, call, most] of tries) {
    await t.step(what, async () => {
      await using test = await testHost({ plugins: { many: count(call, 300) } });
      assert.deepEqual((await test.tool("many_try")).result, { ok: most, "-32006": 300 - most });
    });
  }
});

Deno.test("a plugin cannot fill the queue of messages, nor interrupt or change settings without end", async () => {
  await using test = await testHost({
    plugins: {
      many: {
        ...js(
          jsTool(
            "many_speak",
            `const all = await Promise.allSettled(Array.from({length: 40}, (_, i) => sdk.io.injectInputSync({text: "m" + i})));
            return all.filter(({status}) => status === "rejected").map(({reason}) => reason.message);`,
          ) + jsTool(
            "many_break",
            `const all = await Promise.allSettled(Array.from({length: 40}, (_, i) => sdk.io.injectInterrupt({text: "m" + i})));
            return all.filter(({status}) => status === "rejected").map(({reason}) => reason.message);`,
          ) + jsTool(
            "many_set",
            `const all = await Promise.allSettled(Array.from({length: 400}, (_, i) => sdk.settings.set("k", i)));
            return all.filter(({status}) => status === "rejected").map(({reason}) => reason.message);`,
          ),
        ),
        manifest: { capabilities: ["io"] },
      },
    },
  });
  const held = Promise.withResolvers<void>();
  let sent = 0;
  test.kernel.answers["chat.send"] = async () => {
    sent++;
    await held.promise;
    return { turn: "t", reply: "r", tools: [], usage: {}, source: "x" };
  };
  test.kernel.answers["chat.interrupt"] = () => ({ turn: "t" });
  const speaking = test.tool("many_speak");
  await until("as many as may have come", () => sent === 16);
  held.resolve();
  const spoken = (await speaking).result as string[];
  assert.ok(spoken.length >= 1 && spoken.length <= 24);
  for (const message of spoken) assert.match(message, /has 16 turns already/);
  // Their places are free again.
  const before = sent;
  await test.tool("many_speak");
  assert.ok(sent >= before + 16);
  const broken = (await test.tool("many_break")).result as string[];
  assert.ok(broken.length >= 34 && broken.length <= 35, String(broken.length));
  assert.match(broken[0]!, /sends interrupts too fast/);
  const refused = (await test.tool("many_set")).result as string[];
  assert.ok(refused.length > 200 && refused.length <= 300, String(refused.length));
});

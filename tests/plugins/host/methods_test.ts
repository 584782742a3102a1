import assert from "node:assert/strict";
import { CAPABILITIES, CoreParams } from "../../../core/wire/mod.ts";
import { METHODS } from "../../../plugins/host/methods.ts";
import { isOwnerKey } from "../../../plugins/host/owner_keys.ts";
import { GENERATED, renderProtocol } from "../../../plugins/host/protocol_doc.ts";
import { js, jsTool, testHost } from "./kit.ts";

/** The names the outside relies on, with the capability each needs. */
const CONTRACT: Record<string, string> = {
  "":
    "tool.register stage.register output.register input.register api.register stage.lock stage.unlock io.setToolBlocks " +
    "lifecycle.autoRestart settings.get settings.set settings.list settings.defs settings.registerDef settings.dataDir log",
  io: "io.injectText io.injectTextNoMem io.injectInputSync io.injectInterrupt io.injectMedia io.injectMediaSync " +
    "io.injectInterruptMedia",
  memory: "memory.recall memory.commit memory.introspect memory.merge memory.purge",
  doc_memory: "doc.query doc.insert doc.insertMedia doc.remove doc.stats",
  knowledge: "knowledge.search knowledge.add knowledge.list",
  text_memory: "textmemory.append",
  llm: "llm.listSources llm.setSource llm.currentSource llm.complete",
  social: "social.getPerson social.getTrait social.getRelations social.getNetwork social.listPersons",
  events: "events.subscribe events.unsubscribe",
  plugin_mgr: "plugin.reloadOne plugin.listLoaded plugin.isDisabled",
  settings_cross: "settings.getCore settings.setCore settings.listCore settings.getPlugin settings.setPlugin " +
    "settings.listPlugin settings.dump settings.plugins",
};

Deno.test("every method of the contract is a row, with its capability", () => {
  for (const [capability, names] of Object.entries(CONTRACT)) {
    for (const name of names.split(" ")) {
      const row = METHODS.find(({ method }) => method === `core.${name}`);
      assert.equal(row?.capability ?? "", capability, name);
    }
  }
});

Deno.test("every method has one row, and every row a description and an example that its schema takes", () => {
  assert.deepEqual(METHODS.map(({ method }) => method).toSorted(), Object.keys(CoreParams).toSorted());
  for (const { method, description, example, capability } of METHODS) {
    assert.ok(description.endsWith("."), method);
    assert.ok(CoreParams[method].safeParse(example).success, method);
    assert.ok(capability === null || CAPABILITIES.includes(capability));
  }
});

Deno.test("the documents are made of the tables as they are", async () => {
  for (const path of GENERATED) {
    const text = await Deno.readTextFile(new URL(`../../../docs/${path}`, import.meta.url));
    assert.match(text, /<!-- end -->/, path);
    assert.equal(renderProtocol(text), text, "run: deno run -A plugins/host/protocol_doc.ts");
  }
});

Deno.test("a plugin without capabilities is refused each method that needs one, and reaches nothing through them", async () => {
  await using test = await testHost({
    plugins: {
      bare: js(
        jsTool(
          "bare_call",
          "try { return {result: await sdk.call(args.method, args.params)}; } catch (e) { return {code: e.code, message: e.message}; }",
        ),
      ),
    },
  });
  const before = test.kernel.calls.length;
  for (const { method, capability, example } of METHODS) {
    if (capability === null) continue;
    const { result } = await test.tool("bare_call", { method, params: example });
    const { code, message } = result as { code: number; message: string };
    assert.equal(code, -32001, method);
    assert.ok(message.includes(method) && message.includes(`"${capability}"`), message);
    assert.match(message, capability === "host" ? /built-in plugins alone/ : /plugin\.json/);
  }
  assert.deepEqual(test.memoryCalls, []);
  assert.equal(test.kernel.calls.length, before);
});

Deno.test("a plugin with every capability reaches kernel and memory through each row", async () => {
  const capabilities = CAPABILITIES.filter((name) => name !== "host");
  await using test = await testHost({
    plugins: {
      full: {
        ...js(jsTool("full_call", "return await sdk.call(args.method, args.params);")),
        manifest: { capabilities },
      },
      weather: js(""),
    },
  });
  test.kernel.answers["kernel.status"] = () => ({ sources: [{ name: "a", model: "m", state: "ready" }] });
  test.kernel.answers["chat.send"] = () => ({ turn: "t9", reply: "yes" });
  test.memoryAnswers["social.get_person"] = { person: null };
  test.memoryAnswers["media.put"] = { digest: "d" };
  test.settings.define("weather", { key: "city", type: "string" });
  test.settings.values.set("core.agent.max_tool_turns", 10);
  for (const { method, capability, example } of METHODS) {
    if (capability === "host" || method.startsWith("core.stage.") || method.startsWith("core.segment.")) continue;
    const params = method === "core.tool.register" ? { ...example, name: "full_other" } : example;
    const { result } = await test.tool("full_call", { method, params });
    assert.equal(typeof result, "object", method);
  }
  const sync = await test.tool("full_call", {
    method: "core.io.injectInputSync",
    params: { text: "x", source: "door" },
  });
  assert.deepEqual(sync.result, { turn: "t9", reply: "yes" });
  const { params } = test.kernel.calls.findLast(({ method }) => method === "chat.send")!;
  assert.deepEqual(params, { text: "x", source: "full/door", channel: "file", trusted: false });
});

Deno.test("owner keys are refused to plugins, secrets are masked, and the rest is theirs", async () => {
  await using test = await testHost({
    plugins: {
      cross: {
        ...js(
          jsTool(
            "cross_call",
            "try { return await sdk.call(args.method, args.params); } catch (e) { return {code: e.code, message: e.message}; }",
          ),
        ),
        manifest: { capabilities: ["settings_cross"], config: [{ key: "token", type: "secret", default: "" }] },
      },
    },
  });
  test.settings.define("other", { key: "key", type: "secret", default: "sk-1234567890abcd" });
  const call = async (method: string, params: unknown) =>
    (await test.tool("cross_call", { method, params })).result as Record<string, unknown>;
  for (const key of ["core.approval.cmd", "core.llm.sources.x.base_url", "core.plugin.dir", "core.agent.workdir"]) {
    const refused = await call("core.settings.setCore", { key, value: "x" });
    assert.equal(refused.code, -32001);
    assert.match(refused.message as string, /only the owner changes it/);
  }
  assert.equal(
    (await call("core.settings.setPlugin", { plugin: "webui", key: "listen", value: "0.0.0.0:1" })).code,
    -32001,
  );
  assert.equal(test.settings.values.size, 0);
  assert.equal((await call("core.settings.getPlugin", { plugin: "other", key: "key" })).value, "••••abcd");
  assert.ok(!JSON.stringify(await call("core.settings.dump", {})).includes("sk-123"));
  await call("core.settings.set", { key: "token", value: "mine" });
  assert.deepEqual(await call("core.settings.get", { key: "token" }), { value: "mine" });
  assert.equal(isOwnerKey("plugin.files.roots"), true);
  assert.equal(isOwnerKey("core.agent.max_tool_turns"), false);
});

Deno.test("a plugin cannot take a channel of homed's own or of another plugin", async () => {
  const register =
    "try { return await sdk.call('core.output.register', {name: args.name, caps: 1, description: 'x'}); } " +
    "catch (e) { return {code: e.code, message: e.message}; }";
  await using test = await testHost({
    plugins: { one: js(jsTool("one_take", register)), two: js(jsTool("two_take", register)) },
  });
  assert.deepEqual((await test.tool("one_take", { name: "mail" })).result, {});
  assert.equal(test.kernel.channels.get("mail")?.owner, "one");
  for (const [name, reason] of [["mail", /belongs to plugin "one"/], ["cli", /homed's own/]] as const) {
    const { result } = await test.tool("two_take", { name }) as { result: { code: number; message: string } };
    assert.equal(result.code, -32003);
    assert.match(result.message, reason);
  }
});

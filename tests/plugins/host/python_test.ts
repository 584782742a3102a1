import assert from "node:assert/strict";
import { hasPython } from "../../kit/python.ts";
import { until } from "../../kit/until.ts";
import { js, type PluginFiles, testHost } from "./kit.ts";

const SDK = Deno.readTextFileSync(new URL("../../../plugins/sdk/python/homed_plugin.py", import.meta.url));

const withPython = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name: hasPython ? name : `${name} (skipped: there is no python3 here)`, ignore: !hasPython, fn });

const python = (body: string, manifest: PluginFiles["manifest"] = {}): PluginFiles => ({
  manifest: { entry: "main", ...manifest },
  files: {
    main:
      `#!/usr/bin/env python3\nfrom homed_plugin import Plugin, HomedError\nplugin = Plugin()\n${body}\nplugin.run()\n`,
    "homed_plugin.py": SDK,
  },
});

withPython("a Python plugin has tools, stages, settings and the segment", async () => {
  const body = `
@plugin.tool("snake_echo", "x", cleaner=lambda text: text.upper())
def echo(args, call):
    print("this goes to the log")
    return args

@plugin.tool("snake_core", "x")
def core(args, call):
    plugin.call("core.settings.set", {"key": "k", "value": 5})
    try:
        plugin.call("core.memory.recall", {"query": "x"})
    except HomedError as error:
        return {"code": error.code, "k": plugin.setting("k")}

@plugin.tool("snake_fails", "x")
def fails(args, call):
    raise ValueError("no")

@plugin.stage("on_input")
def stage(ctx, call):
    for i in range(200):
        call.update(lambda now: now["errors"].append("snake %d" % i))
    ctx["memory"] = "seen: " + ctx["raw_message"]
`;
  await using test = await testHost({
    plugins: { snake: python(body), adder: python(body.replaceAll("snake", "adder")) },
  });
  assert.equal(test.state("snake"), "running", test.info("snake").reason);
  const big = { text: "日".repeat(500_000), list: [1, { a: null }] };
  assert.deepEqual((await test.tool("snake_echo", big)).result, big);
  assert.deepEqual((await test.tool("snake_core")).result, { code: -32001, k: 5 });
  await assert.rejects(() => test.tool("snake_fails"), /ValueError: no/);
  const { patch, errors } = await test.stage("on_input", ["snake", "adder"], { raw_message: "hi" });
  assert.deepEqual(errors, []);
  assert.equal(new Set(patch.errors).size, 400);
  assert.equal(patch.memory, "seen: hi");
  const cleaned = await test.handlers["cleaner.invoke"](
    { owner: "snake", name: "snake_echo", text: "abc" },
    test.context,
  );
  assert.equal(cleaned.text, "ABC");
  assert.ok((await test.host.logs("snake")).some((line) => /stderr this goes to the log/.test(line)));
});

withPython("a Python plugin gets events through the ring", async () => {
  const body = `
seen = []
@plugin.on_start
def begin():
    plugin.subscribe(["response"], lambda event, missed: seen.append((event["payload"]["i"], missed)))

@plugin.tool("snake_seen", "x")
def tell(args, call):
    return {"seen": len(seen), "missed": sum(m for _, m in seen), "last": seen[-1][0] if seen else None}
`;
  await using test = await testHost({ plugins: { snake: python(body, { capabilities: ["events"] }) } });
  for (let i = 0; i < 80_000; i++) test.bus.publish({ type: "response", source: "test", payload: { i } });
  test.bus.publish({ type: "response", source: "test", payload: { i: -1 } });
  const { seen, missed } = await until("the last event is there", async () => {
    const { result } = await test.tool("snake_seen") as { result: { seen: number; missed: number; last: number } };
    return result.last === -1 && result;
  });
  // What was missed counts events of other types too.
  assert.ok(missed > 0 && seen > 100 && seen + missed >= 80_001 && seen + missed < 80_050, `${seen} and ${missed}`);
});

withPython("Python handlers that append at once lose nothing, beside each other and a JS plugin", async () => {
  const append = (name: string) =>
    python(`
@plugin.stage("on_input")
def on_input(ctx, call):
    for i in range(60):
        call.update(lambda now: now["errors"].append("${name} %d" % i))
    ctx["extra"]["${name}"] = True
`);
  await using test = await testHost({
    plugins: {
      adder: append("adder"),
      boa: append("boa"),
      cat: js(`await sdk.registerStage("on_input", async (ctx, info) => {
        for (let i = 0; i < 60; i++) await info.update((now) => { now.errors.push("cat " + i); now.memory = "m" + i; });
        ctx.extra.cat = true;
      });`),
    },
  });
  const { patch, errors } = await test.stage("on_input", ["adder", "boa", "cat"]);
  assert.deepEqual(errors, []);
  assert.equal(new Set(patch.errors).size, 180);
  assert.deepEqual(patch.extra, { adder: true, boa: true, cat: true });
  assert.equal(patch.memory, "m59");
});

import assert from "node:assert/strict";
import { until } from "../../kit/until.ts";
import { type PluginFiles, testHost } from "./kit.ts";

const lua = (text: string, manifest: PluginFiles["manifest"] = {}): PluginFiles => ({
  manifest: { entry: "main.lua", ...manifest },
  files: { "main.lua": text },
});

Deno.test("a Lua plugin registers tools at load and at start, and answers strings and tables", async () => {
  const text = `
    sdk.register_tool("moon_early", {description = "x"}, function(args) return "early " .. (args.name or "?") end)
    local plugin = {name = "moon"}
    function plugin.start(s)
      s:register_tool({name = "moon_table", description = "x", handler = function(args)
        return {content = args.list, n = #args.list, ok = true}
      end})
      s.register_tool({name = "moon_fails", handler = function() error("no moon tonight") end})
      s.register_tool({name = "moon_asks", handler = function()
        s.set_setting("phase", "full")
        local ok, problem = pcall(s.memory.recall, "x")
        return {phase = s.get_setting("phase"), ok = ok, problem = problem}
      end})
    end
    function plugin.stop() sdk.log("info", "good night") end
    return plugin`;
  await using test = await testHost({ plugins: { moon: lua(text) } });
  assert.equal(test.state("moon"), "running", test.info("moon").reason);
  assert.deepEqual([...test.kernel.tools.keys()].sort(), ["moon_asks", "moon_early", "moon_fails", "moon_table"]);
  assert.equal((await test.tool("moon_early", { name: "月" })).result, "early 月");
  assert.deepEqual((await test.tool("moon_table", { list: [1, "b", { c: [] }] })).result, {
    content: [1, "b", { c: [] }],
    n: 3,
    ok: true,
  });
  await assert.rejects(() => test.tool("moon_fails"), /no moon tonight/);
  const asked = (await test.tool("moon_asks")).result as Record<string, unknown>;
  assert.equal(asked.phase, "full");
  assert.equal(asked.ok, false);
  assert.match(asked.problem as string, /lacks the capability "memory"/);
  await test.host.disable("moon");
  assert.ok((await test.host.logs("moon")).some((line) => /good night/.test(line)));
});

Deno.test("a Lua stage gets the whole context, changes it and returns it", async () => {
  const text = `
    return {start = function(sdk)
      sdk.register_stage("before_output", function(ctx)
        ctx.final_text = ctx.final_text:upper()
        ctx.extra.seen = #ctx.tool_calls
        return ctx
      end)
    end}`;
  await using test = await testHost({ plugins: { upper: lua(text) } });
  const { patch, errors } = await test.stage("before_output", ["upper"], { final_text: "abc", extra: { a: 1 } });
  assert.deepEqual(errors, []);
  assert.deepEqual(patch, { final_text: "ABC", extra: { a: 1, seen: 0 } });
});

Deno.test("a Lua plugin gets events and sends messages on their way", async () => {
  const text = `
    return {start = function(sdk)
      local seen = {}
      sdk.subscribe("response", function(event) seen[#seen + 1] = event.payload.text end)
      sdk.register_tool({name = "ear_seen", handler = function() return json.array(seen) end})
      sdk.register_output("ear", 1, "Says it", function(payload) return {status = "sent", id = payload} end)
    end}`;
  await using test = await testHost({ plugins: { ear: lua(text, { capabilities: ["events"] }) } });
  test.bus.publish({ type: "response", source: "kernel", payload: { text: "hello" } });
  test.bus.publish({ type: "timer", source: "kernel", payload: {} });
  await until("the event is there", async () => {
    const { result } = await test.tool("ear_seen");
    return JSON.stringify(result) === '["hello"]';
  });
  const sent = await test.handlers["output.invoke"]({
    owner: "ear",
    channel: "ear",
    payload: "x",
    meta: {},
    type: "text",
  }, test.context);
  assert.deepEqual(sent, { status: "sent", id: "x" });
});

Deno.test("a runaway Lua loop ends that plugin only", async () => {
  const loop = `return {start = function(sdk)
    sdk.register_tool({name = "loop_run", handler = function() while true do pcall(function() while true do end end) end end})
  end}`;
  const calm =
    `return {start = function(sdk) sdk.register_tool({name = "calm_run", handler = function() return 1 end}) end}`;
  await using test = await testHost({ plugins: { loop: lua(loop), calm: lua(calm) } });
  const { pid } = test.info("calm");
  await assert.rejects(() => test.tool("loop_run", {}, { deadline: 200 }), /did not end in 200 ms/);
  assert.equal((await test.tool("calm_run")).result, 1);
  assert.equal(test.info("calm").pid, pid);
  await until("it is started again", () => test.state("loop") === "running");
});

Deno.test("Lua has no way to files, programs or other code, and no memory without end", async () => {
  const text = `return {start = function(sdk)
    sdk.register_tool({name = "shut_globals", handler = function()
      return {io = io ~= nil, execute = os.execute ~= nil, require = require ~= nil, debug = debug ~= nil,
        dofile = dofile ~= nil, loadfile = loadfile ~= nil, package = package ~= nil,
        binary = load(string.dump and string.dump(function() end) or "\\27Lua") ~= nil}
    end})
    sdk.register_tool({name = "shut_memory", handler = function()
      local t = {}
      for i = 1, 1e9 do t[i] = ("x"):rep(1e6) .. i end
    end})
  end}`;
  await using test = await testHost({ plugins: { shut: lua(text) } });
  const { result } = await test.tool("shut_globals");
  assert.ok(Object.values(result as Record<string, boolean>).every((there) => !there), JSON.stringify(result));
  await assert.rejects(() => test.tool("shut_memory"), /memory/);
});

Deno.test("a Lua plugin that does not load says why, with the line", async () => {
  await using test = await testHost({ plugins: { broken: lua("local x = = 1"), empty: lua("return 5") } });
  assert.match(test.info("broken").reason!, /main\.lua:1/);
  assert.match(test.info("empty").reason!, /must return a table with a function `start`/);
});

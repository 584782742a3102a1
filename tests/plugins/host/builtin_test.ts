import assert from "node:assert/strict";
import { memoryPair } from "../../../core/wire/mod.ts";
import { connectPlugin, type Plugin } from "../../../plugins/sdk/mod.ts";
import { until } from "../../kit/until.ts";
import { testHost } from "./kit.ts";

function builtin(plugin: Plugin) {
  let connected = 0;
  const connect = () => {
    connected++;
    const [here, there] = memoryPair();
    connectPlugin(plugin, there);
    return here;
  };
  return {
    connect,
    get connected() {
      return connected;
    },
  };
}

const about = { version: "0.1.0", description: "x" };

Deno.test("a built-in plugin goes through the same table, with the methods that are its own", async () => {
  await using test = await testHost();
  const plugin = builtin({
    async start(sdk) {
      await sdk.registerTool({ name: "timer_list", description: "x", parameters: {} }, async () => {
        await sdk.call("core.events.publish", { type: "timer", payload: { id: 1 } });
        return (await sdk.call("core.host.list", {})).plugins.map(({ name }) => name);
      });
    },
  });
  test.host.addBuiltin({ name: "timer", ...about, connect: plugin.connect });
  await test.host.reload("timer");
  assert.deepEqual((await test.tool("timer_list")).result, ["timer"]);
  assert.ok(test.events.some(({ type, source }) => type === "timer" && source === "timer"));
  await assert.rejects(() => test.host.remove("timer", { data: false, settings: false }), /comes with homed/);
});

Deno.test("a built-in that says what it offers as data is connected at its first use", async () => {
  await using test = await testHost();
  const plugin = builtin({
    async start(sdk) {
      await sdk.registerTool({ name: "files_read", description: "x", parameters: {} }, () => "text");
    },
  });
  const tools = [{ name: "files_read", description: "x", parameters: {} }];
  test.host.addBuiltin({ name: "files", ...about, connect: plugin.connect, tools });
  await test.host.reload("files");
  assert.equal(test.kernel.tools.get("files_read")?.owner, "files");
  assert.equal(plugin.connected, 0);
  assert.equal(test.state("files"), "loaded");
  assert.equal((await test.tool("files_read")).result, "text");
  assert.equal((await test.tool("files_read")).result, "text");
  assert.equal(plugin.connected, 1);
});

Deno.test("a built-in whose thread is gone is connected anew", async () => {
  await using test = await testHost();
  const ends: { close(): void }[] = [];
  const connect = () => {
    const [here, there] = memoryPair();
    ends.push(connectPlugin({
      async start(sdk) {
        await sdk.registerTool({ name: "mcp_x", description: "x", parameters: {} }, () => 1);
      },
    }, there));
    return here;
  };
  test.host.addBuiltin({
    name: "mcp",
    ...about,
    connect,
    tools: [{ name: "mcp_x", description: "x", parameters: {} }],
  });
  await test.host.reload("mcp");
  await test.tool("mcp_x");
  ends[0]!.close();
  await until("it is noticed", () => test.state("mcp") === "stopped");
  assert.equal((await test.tool("mcp_x")).result, 1);
});

import assert from "node:assert/strict";
import { until } from "../../kit/until.ts";
import { isAlive, js, jsTool, testHost } from "./kit.ts";

Deno.test("a JS plugin is spawned, registers a tool, is invoked and is stopped", async () => {
  await using test = await testHost({
    plugins: { hello: js(jsTool("hello_say", "return {said: `hello ${args.name}`, turn: info.turn};")) },
  });
  assert.equal(test.state("hello"), "running");
  assert.equal(test.kernel.tools.get("hello_say")?.owner, "hello");
  const { result } = await test.tool("hello_say", { name: "Ada" });
  assert.deepEqual(result, { said: "hello Ada", turn: "t1" });
  const { pid } = test.info("hello");
  await test.host.disable("hello");
  assert.equal(test.state("hello"), "disabled");
  assert.equal(isAlive(pid!), false);
  assert.equal(test.kernel.tools.size, 0);
  await test.host.enable("hello");
  assert.equal(test.state("hello"), "running");
});

Deno.test("a plugin that crashes is detached and answers again after its restart", async () => {
  await using test = await testHost({
    plugins: {
      crash: js(
        jsTool("crash_now", "setTimeout(() => { throw new Error('boom'); }, 0); return await new Promise(() => {});") +
          jsTool("crash_ok", "return 1;"),
      ),
    },
  });
  const first = test.info("crash").pid;
  await assert.rejects(() => test.tool("crash_now"), /its process ended \(exit status 1\)/);
  await until("it answers again", async () => {
    try {
      return (await test.tool("crash_ok")).result === 1;
    } catch {
      // Not yet: that is what is waited for.
      return false;
    }
  });
  assert.notEqual(test.info("crash").pid, first);
  assert.equal(test.info("crash").restarts, 1);
  assert.ok(test.kernel.calls.some(({ method, params }) => method === "owner.detach" && params.owner === "crash"));
  const lines = await test.host.logs("crash");
  assert.ok(lines.some((line) => /boom/.test(line)), lines.join("\n"));
});

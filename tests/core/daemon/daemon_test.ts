import assert from "node:assert/strict";
import { RPC_CODES, RpcError } from "../../../core/wire/mod.ts";
import { within } from "../../../core/daemon/mod.ts";
import { standInDaemon } from "../../kit/stand_in_daemon.ts";
import { tempHome } from "../../kit/temp_home.ts";
import { until } from "../../kit/until.ts";

Deno.test("a message that no kernel had begun on goes to the next kernel, but one that kills kernels is given up", async () => {
  await using home = await tempHome();
  await using daemon = await standInDaemon(home);
  const deadly = assert.rejects(daemon.send({ text: "die early" }, () => {}), { code: RPC_CODES.disconnected });
  // This one has not begun when the kernel goes with the other.
  const waiting = daemon.send({ text: "hello" }, () => {});
  assert.equal((await waiting).reply, "hello");
  await deadly;
  await until("three kernels were lost, and the fourth is up", () => daemon.parts.kernel.starts === 4);
  assert.equal((await daemon.send({ text: "again" }, () => {})).reply, "again");
});

Deno.test("a message that was being worked on is told to be lost, with what to do, and the next one is answered", async () => {
  await using home = await tempHome();
  await using daemon = await standInDaemon(home);
  await assert.rejects(daemon.send({ text: "die" }, () => {}), (error: RpcError) => {
    assert.equal(error.code, RPC_CODES.disconnected);
    assert.match(String((error.data as { fix: string }).fix), /ask again/);
    return true;
  });
  assert.equal((await daemon.send({ text: "hello" }, () => {})).reply, "hello");
  assert.ok(daemon.notices.some((text) => /The kernel worker was lost/.test(text)));
});

Deno.test("a fresh kernel knows what was registered with the lost one", async () => {
  await using home = await tempHome();
  await using daemon = await standInDaemon(home);
  const tool = { name: "weather_now", description: "", parameters: {} };
  await daemon.kernel.call("tools.register", { owner: "weather", tools: [tool] });
  await daemon.kernel.call("channels.register", { owner: "gone", channel: { name: "x", caps: 1, description: "" } });
  await daemon.kernel.call("owner.detach", { owner: "gone", reason: "" }).catch(() => {
    // The stand-in knows no such method; the real one does.
  });
  await assert.rejects(daemon.send({ text: "die" }, () => {}));
  await daemon.parts.ready;
  const { tools } = await daemon.kernel.call("tools.list", {});
  assert.ok(JSON.stringify(tools).includes("weather_now") && JSON.stringify(tools).includes('"cli"'));
});

Deno.test("a worker that hangs is replaced after missed heartbeats; the second one asks for a new process", async () => {
  await using home = await tempHome();
  let exhausted = 0;
  await using daemon = await standInDaemon(home, { onExhausted: () => exhausted++ });
  const { kernel } = daemon.parts;
  await kernel.beat(1000, 1);
  assert.equal(kernel.starts, 1);
  for (let n = 1; n <= 2; n++) {
    // A thread that is busy for ever would outlive the test, as nothing ends it: this one only does not answer.
    await daemon.send({ text: "deaf" }, () => {});
    await kernel.beat(50, 2);
    assert.equal(kernel.starts, n, "one missed heartbeat is not the end");
    await kernel.beat(50, 2);
    await daemon.parts.ready;
    assert.equal(kernel.starts, n + 1);
    assert.equal(exhausted, n - 1);
    assert.equal((await daemon.send({ text: "hello" }, () => {})).reply, "hello");
  }
});

Deno.test("settings are in force when set() returns: level, sources, and a worker whose hosts changed", async () => {
  await using home = await tempHome();
  const daemon = await standInDaemon(home);
  await using session = within(daemon);
  const { client } = session;
  assert.equal(daemon.parts.lua.isUp, false);
  await client.call("config.set", { key: "core.llm.sources.openai.api_key", value: "sk-verysecretkey1234" });
  assert.deepEqual(daemon.parts.lua.rights.net, ["api.openai.com:443"]);
  const first = daemon.parts.lua.starts;
  await client.call("config.set", { key: "core.llm.sources.openai.model", value: "other" });
  assert.equal(daemon.parts.lua.starts, first, "a model needs no new worker");
  await client.call("config.set", { key: "core.llm.sources.groq.api_key", value: "gsk-another-secret" });
  assert.deepEqual(daemon.parts.lua.rights.net, ["api.groq.com:443", "api.openai.com:443"]);
  assert.equal(daemon.parts.lua.starts, first + 1);
  assert.deepEqual((await client.call("status", {})).kernel.sources.map(({ name }) => name).sort(), ["groq", "openai"]);
  await client.call("config.unset", { key: "core.llm.sources.openai.api_key" });
  await client.call("config.unset", { key: "core.llm.sources.groq.api_key" });
  assert.equal(daemon.parts.lua.isUp, false, "without a source there is no Lua machine");
});

Deno.test("a change of hosts waits for the turn that runs", async () => {
  await using home = await tempHome();
  const daemon = await standInDaemon(home);
  await using session = within(daemon);
  const order: string[] = [];
  const turn = session.client.call("chat.send", { text: "slow" }).then(() => order.push("turn"));
  await until("it runs", async () => (await session.client.call("status", {})).kernel.busy);
  const change = session.client.call("config.set", { key: "core.llm.sources.openai.api_key", value: "sk-1" })
    .then(() => order.push("change"));
  await Promise.all([turn, change]);
  assert.deepEqual(order, ["turn", "change"]);
});

Deno.test("secrets are in no log line, notice, event or answer", async () => {
  await using home = await tempHome();
  const lines: string[] = [];
  const daemon = await standInDaemon(home, { onLog: (record) => lines.push(JSON.stringify(record)) });
  const secret = "sk-verysecretkey1234";
  const events: string[] = [];
  {
    await using session = within(daemon);
    using _all = daemon.bus.subscribe(undefined, (event) => events.push(JSON.stringify(event)));
    const { client } = session;
    await client.call("config.set", { key: "core.llm.sources.openai.api_key", value: secret });
    daemon.notice(`The source said: ${secret} is wrong`);
    daemon.log.error(`again ${secret}`, { key: secret });
    const answers = JSON.stringify([await client.call("config.list", {}), await client.call("status", {})]);
    assert.ok(!answers.includes(secret));
  }
  assert.ok(lines.length > 0 && events.length > 0);
  assert.ok(!lines.join().includes(secret), lines.filter((line) => line.includes(secret)).join("\n"));
  assert.ok(!events.join().includes(secret));
  for (const { name } of Deno.readDirSync(home.path("logs"))) {
    assert.ok(!Deno.readTextFileSync(home.path("logs", name)).includes(secret), name);
  }
});

Deno.test("what goes out of and into the memory passes through its own folder, and nothing is left there", async () => {
  await using home = await tempHome();
  const daemon = await standInDaemon(home);
  await using session = within(daemon);
  const outside = `${home.root}/../out.jsonl`;
  await session.client.call("memory.export", { path: outside });
  assert.equal(Deno.readTextFileSync(outside), "{}\n");
  const report = await session.client.call("memory.import", { path: outside });
  assert.deepEqual(report.counts, { bytes: 3 });
  await assert.rejects(
    session.client.call("memory.import", { path: `${home.root}/missing` }),
    /Cannot read .*missing: there is no such file/,
  );
  assert.deepEqual([...Deno.readDirSync(home.path("memory"))].map(({ name }) => name), []);
});

Deno.test("forgetting someone takes their lines out of the logs", async () => {
  await using home = await tempHome();
  const daemon = await standInDaemon(home);
  await using session = within(daemon);
  daemon.log.info("Margit said hello");
  daemon.log.info("someone else did");
  Deno.mkdirSync(home.path("logs/plugins"));
  Deno.writeTextFileSync(home.path("logs/plugins/x.log"), "for MARGIT\nfor others\n");
  Deno.writeTextFileSync(home.path("run/history"), "who is margit?\nhello\n");
  const { counts } = await session.client.call("memory.forget", { name: "margit" });
  assert.equal(counts.log_lines, 3);
  daemon.log.info("after that");
  const text = ["logs/homed.log", "logs/plugins/x.log", "run/history"].map((path) =>
    Deno.readTextFileSync(home.path(path))
  );
  assert.ok(!/margit/i.test(text.join()));
  assert.match(text.join(), /someone else[^]*after that[^]*for others[^]*hello/);
});

Deno.test("an approval that is for no tool is told when it is set, and by the doctor", async () => {
  await using home = await tempHome();
  const daemon = await standInDaemon(home);
  await using session = within(daemon);
  const { client } = session;
  await daemon.kernel.call("tools.register", {
    owner: "cmd",
    tools: [{ name: "cmd_run", description: "", parameters: {} }],
  });
  const set = async (name: string) =>
    (await client.call("config.set", { key: `core.approval.${name}`, value: "deny" })).warnings;
  assert.equal(await set("cmd_run"), undefined);
  assert.equal(await set("cmd_*"), undefined);
  assert.deepEqual(await set("cmd_rnu"), [
    "core.approval.cmd_rnu is for no tool that is there now: did you mean core.approval.cmd_run?",
  ]);
  const { checks } = await client.call("doctor", {});
  const told = checks.filter(({ detail }) => /is for no tool/.test(detail));
  assert.deepEqual(told.map(({ ok, detail }) => [ok, detail.split(" ")[0]]), [[true, "core.approval.cmd_rnu"]]);
});

import assert from "node:assert/strict";
import { groupMembers } from "../../../plugins/host/ledger.ts";
import { until } from "../../kit/until.ts";
import { isAlive, raw, testHost } from "./kit.ts";

for (const phase of ["handshake", "init", "start"]) {
  Deno.test(`a plugin that crashes during ${phase} is tried again, then put into quarantine with a notice`, async () => {
    const name = `raw-${phase}-crash`;
    await using test = await testHost({ plugins: { [name]: raw() }, limits: { restart_max: 2 } });
    await until("it is in quarantine", () => test.state(name) === "quarantined");
    assert.match(test.info(name).reason!, /ended during .*exit status 3.*crashed 3 times.*plugin reload/);
    assert.equal(test.info(name).restarts, 2);
    assert.ok(test.events.some(({ type, payload }) => type === "plugin_state" && payload.state === "quarantined"));
  });
}

Deno.test("a plugin that hangs in the handshake is ended in time", async () => {
  const name = "raw-handshake-hang";
  await using test = await testHost({ plugins: { [name]: raw() }, limits: { start_timeout: 1500, restart_max: 0 } });
  assert.equal(test.state(name), "quarantined");
  assert.match(test.info(name).reason!, /handshake.*did not answer "handshake" in 1500 ms/);
  assert.equal(test.info(name).pid, undefined);
});

Deno.test("a plugin of another protocol is not started, and both versions are named", async () => {
  await using test = await testHost({ plugins: { "raw-protocol": raw() }, limits: { restart_max: 0 } });
  assert.match(test.info("raw-protocol").reason!, /its protocol is 99: this homed speaks 1/);
});

Deno.test("a plugin that refuses to start has failed, with its reason, and is not tried again", async () => {
  await using test = await testHost({ plugins: { "raw-start-error": raw() } });
  assert.equal(test.state("raw-start-error"), "failed");
  assert.match(test.info("raw-start-error").reason!, /plugin\.start.*I do not want to/);
});

Deno.test("what a plugin registers or sets without right is refused with the reason", async () => {
  await using test = await testHost({ plugins: { "raw-register": raw() } });
  assert.equal(test.state("raw-register"), "running");
  const results = JSON.parse(await Deno.readTextFile(`${test.home}/plugin-data/raw-register/results.json`)) as {
    result?: unknown;
    error?: { code: number; message: string };
  }[];
  assert.deepEqual(results.map(({ error }) => error?.code ?? 0), [
    0,
    -32003,
    -32602,
    -32001,
    -32001,
    -32001,
    -32601,
    -32602,
  ]);
  assert.match(results[2]!.error!.message, /begin with "raw-register_"/);
  assert.match(results[3]!.error!.message, /core\.memory\.recall.*capability "memory": add "memory" to "capabilities"/);
  assert.deepEqual([...test.kernel.tools.keys()], ["raw-register_a"]);
  assert.deepEqual(test.memoryCalls, []);
});

Deno.test("a thousand calls at once are all answered", async () => {
  await using test = await testHost({ plugins: { "raw-calls": raw() } });
  assert.equal(test.state("raw-calls"), "running");
  await until(
    "the plugin has counted",
    async () => (await test.host.logs("raw-calls")).some((line) => /answers 1000/.test(line)),
  );
});

Deno.test("garbage on stdout is logged, wrong answers are ignored, and the plugin goes on", async () => {
  await using test = await testHost({ plugins: { "raw-garbage": raw() } });
  assert.deepEqual((await test.tool("raw-garbage_run", { a: 1 })).result, { a: 1 });
  const log = (await test.host.logs("raw-garbage")).join("\n");
  for (const text of ["hello there", "{broken", "no line feed", "a request that is not open"]) {
    assert.ok(log.includes(text), `${text}: ${log}`);
  }
});

Deno.test("a line over a mebibyte is dropped, and the plugin goes on", async () => {
  await using test = await testHost({ plugins: { "raw-long-line": raw() } });
  assert.deepEqual((await test.tool("raw-long-line_run", { a: 1 })).result, { a: 1 });
});

Deno.test("a tool that crashes its plugin fails with the way it ended", async () => {
  await using test = await testHost({ plugins: { "raw-tool-crash": raw() } });
  await assert.rejects(() => test.tool("raw-tool-crash_run"), /its process ended \(exit status 4\)/);
});

Deno.test("a tool that hangs is over at its deadline, and so is its process", async () => {
  await using test = await testHost({ plugins: { "raw-tool-hang": raw() } });
  const { pid } = test.info("raw-tool-hang");
  await assert.rejects(
    () => test.tool("raw-tool-hang_run", {}, { deadline: 300 }),
    (error: { code: number; message: string }) => error.code === -32004 && /did not end in 300 ms/.test(error.message),
  );
  assert.equal(isAlive(pid!), false);
  await until("it is started again", () => test.state("raw-tool-hang") === "running");
});

Deno.test("a cancelled call is over only when its work is", async () => {
  await using test = await testHost({ plugins: { "raw-tool-hang": raw() } });
  const { pid } = test.info("raw-tool-hang");
  const controller = new AbortController();
  const call = test.tool("raw-tool-hang_run", {}, { signal: controller.signal });
  setTimeout(() => controller.abort(new Error("enough")), 100);
  await assert.rejects(() => call, /enough/);
  assert.equal(isAlive(pid!), false);
});

Deno.test("an answer after the deadline is no result, and the plugin lives on when it ends in its grace", async () => {
  await using test = await testHost({ plugins: { "raw-late": raw() }, limits: { cancel_grace: 2000 } });
  const { pid } = test.info("raw-late");
  await assert.rejects(() => test.tool("raw-late_run", {}, { deadline: 100 }), /did not end in 100 ms/);
  assert.equal(test.info("raw-late").pid, pid);
});

Deno.test("a plugin that ignores stop and TERM is ended, grandchildren included", async () => {
  await using test = await testHost({
    plugins: { "raw-ignore-stop": raw(), "raw-fork": raw({ run: true }) },
    limits: { stop_grace: 300 },
  });
  const stubborn = test.info("raw-ignore-stop").pid!;
  const { result: grandchild } = await test.tool("raw-fork_run");
  assert.equal(isAlive(grandchild as number), true);
  await test.host.disable("raw-ignore-stop");
  await test.host.disable("raw-fork");
  assert.equal(isAlive(stubborn), false);
  await until("the grandchild is gone", () => !isAlive(grandchild as number));
});

Deno.test("the end of a plugin is noticed although a grandchild holds its pipes, and the grandchild is ended", async () => {
  await using test = await testHost({ plugins: { "raw-fork": raw({ run: true }) } });
  const { pid } = test.info("raw-fork");
  const { result: grandchild } = await test.tool("raw-fork_run");
  Deno.kill(pid!, "SIGKILL");
  await until("it runs again", () => test.state("raw-fork") === "running" && test.info("raw-fork").pid !== pid);
  assert.equal(isAlive(grandchild as number), false);
});

for (const which of ["stdin", "stdout"]) {
  Deno.test(`a plugin that closes its ${which} does not hold anyone up`, async () => {
    const name = `raw-close-${which}`;
    await using test = await testHost({ plugins: { [name]: raw() } });
    const { pid } = test.info(name);
    await assert.rejects(() => test.tool(`${name}_run`, {}, { deadline: 1500 }));
    assert.equal(isAlive(pid!), false);
    await until("it runs again", () => test.state(name) === "running");
  });
}

Deno.test("a plugin that prints for ever does not block homed, and homed does not grow", async () => {
  await using test = await testHost({ plugins: { "raw-flood": raw(), "raw-endless": raw() } });
  // Once before, so that buffers of a usual size are there already.
  await Promise.all([test.tool("raw-flood_run", { ms: 500 }), test.tool("raw-endless_run")]);
  const before = Deno.memoryUsage().rss;
  let longest = 0, last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5);
  const [flood, endless] = await Promise.all([
    test.tool("raw-flood_run", { ms: 1500 }),
    test.tool("raw-endless_run"),
  ]);
  clearInterval(timer);
  assert.ok((flood.result as number) > 1 << 20);
  assert.equal(endless.result, "done");
  assert.ok(Deno.memoryUsage().rss - before < 64 << 20, `grew by ${Deno.memoryUsage().rss - before}`);
  console.log(`longest pause of the loop: ${longest.toFixed(1)} ms, ${flood.result} bytes printed`);
});

Deno.test("a plugin that dies with the stage's lock loses it, and the others' work stands", async () => {
  await using test = await testHost({ plugins: { "raw-lock-die": raw(), "raw-stage": raw() } });
  const { errors } = await test.stage("on_input", ["raw-lock-die", "raw-stage"]);
  assert.equal(errors.length, 1);
  assert.match(errors[0]!.message, /exit status 5/);
  const again = await test.stage("on_input", ["raw-stage"]);
  assert.deepEqual(again.errors, []);
});

Deno.test("no plugin survives a homed that is killed, grandchildren included", async () => {
  // homed is a process of its own here, so that it can be killed.
  const home = await Deno.makeTempDir({ prefix: "homed-killed-" });
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", "--quiet", new URL("killed_homed.ts", import.meta.url).pathname, home],
    stdout: "piped",
    stderr: "inherit",
    stdin: "null",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { pid, grandchild } = JSON.parse((await reader.read()).value!) as { pid: number; grandchild: number };
  assert.ok(isAlive(pid) && isAlive(grandchild));
  child.kill("SIGKILL");
  await child.status;
  await reader.cancel();
  await until("both are gone", () => !isAlive(pid) && !isAlive(grandchild));
  assert.deepEqual(await groupMembers(pid), []);
  await Deno.remove(home, { recursive: true });
});

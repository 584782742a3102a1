import assert from "node:assert/strict";
import { Ledger, startTime } from "../../../plugins/host/ledger.ts";
import { Watchdog } from "../../../plugins/host/watchdog.ts";
import { until } from "../../kit/until.ts";
import { isAlive, js, jsTool, raw, testHost, writePlugin } from "./kit.ts";

Deno.test("a plugin that does not want to be started again is not", async () => {
  await using test = await testHost({
    plugins: {
      once: js(
        `await sdk.lifecycle.autoRestart(false);` +
          jsTool("once_end", "setTimeout(() => { throw new Error('x'); }); await new Promise(() => {});"),
      ),
    },
  });
  await assert.rejects(() => test.tool("once_end"));
  await until("it is noticed", () => test.state("once") === "stopped");
  assert.match(test.info("once").reason!, /does not want to be started again/);
  assert.deepEqual(await test.host.reload("once"), { state: "running" });
});

Deno.test("pauses before restarts grow, and a reload brings a plugin out of quarantine", async () => {
  const name = "raw-start-crash";
  await using test = await testHost({ plugins: { [name]: raw() }, limits: { restart_max: 3, restart_backoff: 50 } });
  await until("quarantine", () => test.state(name) === "quarantined");
  const states = test.events.filter(({ type, source }) => type === "plugin_state" && source === name);
  const starts = states.filter(({ payload }) => payload.state === "starting").map(({ at }) => at);
  const ends = states.filter(({ payload }) => payload.state === "backoff").map(({ at }) => at);
  const pauses = ends.map((at, i) => starts[i + 1]! - at);
  assert.equal(pauses.length, 3);
  assert.ok(pauses[1]! >= 40 && pauses[2]! >= 80, pauses.join());
  await writePlugin(test.home, name, js(""));
  assert.deepEqual(await test.host.reload(name), { state: "running" });
});

Deno.test("what a crash left behind is ended at the next start, and nothing else is", async () => {
  const dir = await Deno.makeTempDir();
  const sleep = () =>
    new Deno.Command("/bin/sleep", { args: ["100"], detached: true, stdin: "null", stdout: "null", stderr: "null" })
      .spawn();
  const left = sleep(), other = sleep();
  const start = await startTime(left.pid);
  const path = `${dir}/plugins.json`;
  await Deno.writeTextFile(
    path,
    JSON.stringify([
      { pid: left.pid, start, command: "sleep" },
      // The number was given to another process since.
      { pid: other.pid, start: "1", command: "sleep" },
      { pid: "x" },
    ]),
  );
  const ended = await new Ledger(path).endLeftovers();
  assert.equal(ended, 1);
  await left.status;
  assert.equal(isAlive(other.pid), true);
  other.kill("SIGKILL");
  await other.status;
  await Deno.writeTextFile(path, '[{"pid": 12');
  assert.equal(await new Ledger(path).endLeftovers(), 0);
  await Deno.remove(dir, { recursive: true });
});

Deno.test("a broken plugin is listed with its reason and holds nobody up", async () => {
  await using test = await testHost({
    plugins: {
      good: js(jsTool("good_run", "return 1;")),
      nomanifest: { manifest: { name: "other" }, files: { "main.js": "" } },
      eval: { files: { "main.js": "eval('1')" } },
    },
  });
  assert.equal((await test.tool("good_run")).result, 1);
  assert.match(test.info("nomanifest").reason!, /holds a plugin with the name "other"/);
  assert.match(test.info("eval").reason!, /`eval` makes code of a text/);
  await test.host.remove("nomanifest", { data: false, settings: false });
  assert.equal(test.info("nomanifest"), undefined);
});

Deno.test("stop() ends every plugin before the segment goes, and leaves no file behind", async () => {
  const test = await testHost({ plugins: { one: js(""), two: js("") } });
  const pids = ["one", "two"].map((name) => test.info(name).pid!);
  const files = () => [...Deno.readDirSync("/dev/shm")].filter(({ name }) => name.startsWith("homed-")).length;
  const before = Deno.build.os === "linux" ? files() : 0;
  await test[Symbol.asyncDispose]();
  assert.ok(pids.every((pid) => !isAlive(pid)));
  if (Deno.build.os === "linux") assert.equal(files(), before - 1);
});

Deno.test("a console.log and a print on stdout of a JS plugin go to its log", async () => {
  await using test = await testHost({
    plugins: {
      chatty: js(
        jsTool(
          "chatty_run",
          "console.log('hi', {a: 1}); Deno.stdout.writeSync(new TextEncoder().encode('raw\\n')); return 1;",
        ),
      ),
    },
  });
  assert.equal((await test.tool("chatty_run")).result, 1);
  await until("both are there", async () => {
    const log = (await test.host.logs("chatty")).join("\n");
    return log.includes("info hi { a: 1 }") && log.includes("stdout raw");
  });
});

Deno.test("a watchdog that is ended is started again, and knows every group", async () => {
  const problems: string[] = [];
  const watchdog = new Watchdog((text) => problems.push(text));
  const sleep = () =>
    new Deno.Command("/bin/sleep", { args: ["100"], detached: true, stdin: "null", stdout: "null", stderr: "null" })
      .spawn();
  const guarded = sleep(), released = sleep();
  watchdog.add(guarded.pid);
  watchdog.add(released.pid);
  const { pid } = watchdog;
  Deno.kill(pid!, "SIGKILL");
  await until("there is a new one", () => watchdog.pid !== undefined && watchdog.pid !== pid);
  watchdog.remove(released.pid);
  await watchdog.close();
  assert.equal((await guarded.status).signal, "SIGKILL");
  assert.equal(isAlive(released.pid), true);
  released.kill("SIGKILL");
  await released.status;
  assert.ok(problems.some((text) => /started again/.test(text)));
});

/** Packages that attack and plugins that misbehave, seen from the outside. */
import assert from "node:assert/strict";
import { connect, homed, serve } from "../kit/homed.ts";
import { hostile } from "../kit/hostile_packages.ts";
import { pluginHome, talkTo, type TurnEvent } from "../kit/plugin_home.ts";
import { until } from "../kit/until.ts";
import { js, jsTool, type PluginFiles, raw, writePlugin } from "../plugins/host/kit.ts";

Deno.test("homed plugin install refuses every hostile package with its reason, and leaves nothing behind", async () => {
  await using plugins = await pluginHome();
  await using _daemon = await serve({ home: plugins.home, env: plugins.env });
  const queue = [...hostile.entries()];
  const one = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [number, [what, make, reason]] = next;
      const file = `${plugins.folder}/${number}.hmap`;
      await Deno.writeFile(file, make());
      const { code, stdout, stderr } = await plugins.run("plugin", "install", file, "--yes");
      assert.equal(code, 1, `${what}: ${stdout}${stderr}`);
      assert.match(stderr, reason, what);
      assert.match(stderr, /^homed: [^\n]+\n$/, what);
      assert.equal(stdout, "", what);
    }
  };
  await Promise.all([one(), one()]);
  assert.deepEqual([...Deno.readDirSync(`${plugins.home}/plugins`)], []);
  const listed = JSON.parse(await plugins.done("plugin", "list", "--json")) as TurnEvent[];
  assert.ok(listed.length > 0 && listed.every(({ kind }) => kind === "builtin"));
});

/** Plugins that are a burden from their start on. */
const BURDENS: Record<string, PluginFiles> = {
  "raw-flood-on": raw(),
  "raw-log-on": raw(),
  "raw-call-on": raw(),
  "raw-fall-on": raw(),
  "raw-start-hang": raw(),
  "raw-garbage": raw(),
  "raw-long-line": raw(),
  busy: js(`setTimeout(() => { for (;;); }, 100);`),
  thrower: js(`setTimeout(() => { throw new Error("thrown on purpose"); }, 100);`),
  greedy: js(`const kept = []; setInterval(() => kept.push(new Array(100000).fill(kept.length)), 5);`),
};

Deno.test("whatever plugins do, another client's conversation goes on, and homed ends in order", async () => {
  await using plugins = await pluginHome();
  await homed(["config", "list"], { home: plugins.home });
  for (const [name, files] of Object.entries(BURDENS)) await writePlugin(plugins.home, name, files);
  plugins.llm.otherwise(() => ({ text: "still here" }));
  const daemon = await serve({ home: plugins.home, env: plugins.env });
  await using client = await connect(plugins.home);
  const waits: number[] = [];
  let over = false;
  const probing = (async () => {
    while (!over) {
      const from = performance.now();
      await client.peer.call("version", {});
      waits.push(performance.now() - from);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  for (let i = 0; i < 15; i++) {
    await using other = await connect(plugins.home);
    assert.equal((await other.peer.call("chat.send", { text: `hello ${i}` })).reply, "still here");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  over = true;
  await probing;
  waits.sort((a, b) => a - b);
  const at = (part: number) => waits[Math.min(waits.length - 1, Math.floor(part * waits.length))]!.toFixed(1);
  console.log(
    `a socket call beside ${Object.keys(BURDENS).length} burdens: p50 ${at(0.5)} p99 ${at(0.99)} max ${at(1)} ms`,
  );
  const listed = JSON.parse(await plugins.done("plugin", "list", "--json")) as TurnEvent[];
  const state = (name: string) => listed.find((row) => row.name === name)?.state;
  assert.equal(state("raw-garbage"), "running");
  assert.equal(state("raw-long-line"), "running");
  daemon.kill("SIGTERM");
  assert.equal((await daemon.exited).code, 0, daemon.output());
});

Deno.test("a JS plugin without permissions is told through the model which entry would allow what it tried", async () => {
  await using plugins = await pluginHome();
  await homed(["config", "list"], { home: plugins.home });
  const outside = `${plugins.folder}/secret.json`;
  await Deno.writeTextFile(outside, '{"secret": 1}');
  const body = `
    const tries = {
      read: () => Deno.readTextFile(${JSON.stringify(outside)}),
      write: () => Deno.writeTextFile(${JSON.stringify(outside)}, "x"),
      link: () => Deno.readTextFile(sdk.dataDir + "/link"),
      net: () => fetch("http://127.0.0.1:6553/"),
      socket: () => Deno.connect({transport: "unix", path: ${JSON.stringify(`${plugins.home}/run/homed.sock`)}}),
      settings: () => Deno.readFile(${JSON.stringify(`${plugins.home}/config.db`)}),
      env: () => Deno.env.get("HOME"),
      run: () => new Deno.Command("echo").output(),
      worker: () => new globalThis["Wor" + "ker"]("data:text/javascript,1", {type: "module"}),
      evaluated: () => globalThis["ev" + "al"]("im" + "port('file://${outside}', {with: {type: 'json'}})"),
    };
    return await tries[args.what]();`;
  await writePlugin(plugins.home, "shut", js(jsTool("shut_try", body)));
  await Deno.mkdir(`${plugins.home}/plugin-data/shut`, { recursive: true });
  await Deno.symlink(outside, `${plugins.home}/plugin-data/shut/link`);
  await using talk = await talkTo(plugins);
  await until("it runs", async () => /shut.*running/.test(await plugins.done("plugin", "list")));
  const refusals: Record<string, RegExp> = {
    read: /permissions\.read/,
    write: /permissions\.write/,
    settings: /refused read access/,
    link: /refused|denied/i,
    net: /permissions\.net/,
    socket: /refused|denied/i,
    env: /permissions\.env/,
    run: /permissions\.run/,
    worker: /Plugins cannot use Worker/,
    evaluated: /code made from a text/,
  };
  for (const [what, wanted] of Object.entries(refusals)) {
    const { ok, result } = await talk.use("shut_try", { what });
    assert.equal(ok, false, `${what}: ${result}`);
    assert.match(result, wanted, what);
  }
  assert.equal(await Deno.readTextFile(outside), '{"secret": 1}');

  // What its text shows is refused before any of it runs, with the line.
  for (
    const [code, reason] of [
      [`import data from "file://${outside}" with { type: "json" };`, /imports another module/],
      [`const data = await import("file://${outside}", { with: { type: "json" } });`, /import\(\)/],
      [`eval("1");`, /eval/],
      [`new Worker(new URL("data:text/javascript,1"), { type: "module" });`, /Worker/],
      [`import { Worker as W } from "node:worker_threads";`, /imports another module/],
      [`import { createRequire } from "node:module";`, /imports another module/],
      [`process.getBuiltinModule("node:fs");`, /getBuiltinModule/],
    ] as const
  ) {
    await writePlugin(plugins.home, "shut", { files: { "main.js": `${code}\nexport default { start() {} };` } });
    const { code: status, stderr } = await plugins.run("plugin", "reload", "shut");
    assert.equal(status, 1, code);
    assert.match(stderr, reason, code);
    assert.match(stderr, /line 1/, code);
  }
  // The one that was running still is.
  assert.match((await talk.use("shut_try", { what: "net" })).result, /permissions\.net/);
});

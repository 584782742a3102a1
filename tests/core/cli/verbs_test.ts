import assert from "node:assert/strict";
import { connect, homed, serve } from "../../kit/homed.ts";
import { Registry } from "../../../core/config/mod.ts";
import { tempFolder } from "../../kit/temp_folder.ts";
import { until } from "../../kit/until.ts";

const oneLine = (stderr: string) => assert.match(stderr, /^homed: [^\n]+\n$/);

Deno.test("settings are the same whether a homed runs or not, and what is set is in force at once", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  const run = (...args: string[]) => homed(args, { home });
  await run("config", "set", "core.agent.max_tool_turns", "4");
  const before = await run("config", "list", "--json");
  await using daemon = await serve({ home });
  const rows = (text: string) => (JSON.parse(text) as { key: string }[]).filter(({ key }) => key.startsWith("core."));
  assert.deepEqual(rows((await run("config", "list", "--json")).stdout), rows(before.stdout));
  await using client = await connect(home);
  const set = await run("config", "set", "core.agent.max_tool_turns", "6");
  assert.equal(set.code, 0, set.stderr);
  assert.equal((await client.peer.call("config.get", { key: "core.agent.max_tool_turns" })).value, 6);
  const refused = await run("config", "set", "core.agent.max_tool_turns", "many");
  assert.equal(refused.code, 1);
  oneLine(refused.stderr);
  // Another program changes the file: SIGHUP reads it again.
  {
    using registry = Registry.open(`${home}/config.db`);
    registry.set("core.agent.max_tool_turns", 9, "owner");
  }
  const value = async () => (await client.peer.call("config.get", { key: "core.agent.max_tool_turns" })).value;
  assert.equal(await value(), 6);
  daemon.kill("SIGHUP");
  await until("it has read them again", async () => await value() === 9);
});

Deno.test("SIGTERM and SIGINT end serve in order: status 0, the socket is gone, the home is free", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    await using daemon = await serve({ home });
    daemon.kill(signal);
    assert.equal((await daemon.exited).code, 0, signal);
    assert.throws(() => Deno.statSync(`${home}/run/homed.sock`), Deno.errors.NotFound);
  }
  for (const verb of ["status", "stop"]) {
    const ran = await homed([verb], { home });
    assert.equal(ran.code, 1);
    oneLine(ran.stderr);
  }
});

Deno.test("memory: stats, recall, export, import, forget, with every count as it is", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  const other = `${folder.path}/other`;
  const file = `${folder.path}/out.jsonl`;
  await using _daemon = await serve({ home });
  const run = async (args: string[], at = home) => {
    const ran = await homed(args, { home: at });
    assert.equal(ran.code, 0, `${args.join(" ")}: ${ran.stderr}`);
    return ran.stdout;
  };
  await run(["chat", "My sister Ingrid is a vet in Tromsø."]);
  const stats = JSON.parse(await run(["memory", "stats", "--json"]));
  assert.ok(stats.current_relations > 0);
  const found = JSON.parse(await run(["memory", "recall", "Ingrid", "--top", "3", "--json"]));
  assert.ok(found.answerable && found.hits.length <= 3);
  await run(["memory", "export", file]);
  assert.match(Deno.readTextFileSync(file), /Ingrid/);
  await run(["memory", "import", file, "--json"], other);
  const again = JSON.parse(await run(["memory", "recall", "Ingrid", "--json"], other));
  assert.ok(again.hits.length > 0);
  const unsure = await homed(["memory", "forget", "Ingrid"], { home });
  assert.equal(unsure.code, 2);
  oneLine(unsure.stderr);
  await run(["memory", "forget", "Ingrid", "--yes"]);
  assert.equal(JSON.parse(await run(["memory", "recall", "Ingrid", "--json"])).hits.length, 0);
  for (const top of ["0", "many", "1.5", "-1"]) {
    assert.equal((await homed(["memory", "recall", "x", "--top", top], { home })).code, 2, top);
  }
});

Deno.test("knowledge: what is added is listed and found; the same name twice, or no text, is refused", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  Deno.writeTextFileSync(`${folder.path}/tea.md`, "# Tea\n\nSteep oolong at 90 degrees for three minutes.");
  Deno.writeFileSync(`${folder.path}/binary`, new Uint8Array([0xff, 0xfe, 0x00]));
  const added = await homed(["knowledge", "add", "tea", `${folder.path}/tea.md`], { home });
  assert.equal(added.code, 0, added.stderr);
  assert.match((await homed(["knowledge", "list"], { home })).stdout, /^tea /m);
  assert.match((await homed(["knowledge", "search", "oolong"], { home })).stdout, /90 degrees/);
  for (const args of [["tea", `${folder.path}/tea.md`], ["x", `${folder.path}/binary`], ["x", folder.path]]) {
    const ran = await homed(["knowledge", "add", ...args], { home });
    assert.equal(ran.code, 1, args.join(" "));
    oneLine(ran.stderr);
  }
});

Deno.test("backup and restore: what was remembered is known in another home, and restoring asks first", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  const other = `${folder.path}/other`;
  const file = `${folder.path}/home.backup`;
  {
    await using _daemon = await serve({ home });
    await homed(["chat", "My sister Ingrid is a vet."], { home });
    const made = await homed(["backup", file], { home });
    assert.equal(made.code, 0, made.stderr);
    const inUse = await homed(["restore", file, "--yes"], { home });
    assert.equal(inUse.code, 1);
    assert.match(inUse.stderr, /is using this home/);
  }
  assert.equal((await homed(["restore", file], { home })).code, 2);
  const restored = await homed(["restore", file], { home: other });
  assert.equal(restored.code, 0, restored.stderr);
  assert.match((await homed(["chat", "Who is my sister?"], { home: other })).stdout, /Ingrid/);
  Deno.writeTextFileSync(file, "no backup");
  const wrong = await homed(["restore", file, "--yes"], { home: other });
  assert.equal(wrong.code, 1);
  oneLine(wrong.stderr);
  assert.match((await homed(["chat", "Who is my sister?"], { home: other })).stdout, /Ingrid/);
});

Deno.test("a home of a newer homed, and one that is no folder, are refused in one line", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await homed(["config", "list"], { home });
  Deno.writeTextFileSync(`${home}/schema.json`, '{"schema":99,"homed":"9.9.9"}');
  for (const args of [["chat", "hello"], ["serve"], ["config", "list"], ["doctor"]]) {
    const ran = await homed(args, { home });
    assert.equal(ran.code, 1, args.join(" "));
    oneLine(ran.stderr);
    assert.match(ran.stderr, /9\.9\.9/);
  }
  Deno.writeTextFileSync(`${folder.path}/file`, "");
  const ran = await homed(["config", "list"], { home: `${folder.path}/file` });
  assert.equal(ran.code, 1);
  oneLine(ran.stderr);
});

Deno.test("chat --attach takes what is an image or audio, by its bytes", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  Deno.writeTextFileSync(`${folder.path}/text.png`, "no image");
  Deno.writeFileSync(
    `${folder.path}/large.png`,
    Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0xd, 0xa, 0x1a, 0xa, ...new Uint8Array(6e6)]),
  );
  for (const [file, reason] of [["text.png", /neither an image nor audio/], ["large.png", /at most 5 MB/]] as const) {
    const ran = await homed(["chat", "--attach", `${folder.path}/${file}`, "look"], { home });
    assert.equal(ran.code, 1, file);
    oneLine(ran.stderr);
    assert.match(ran.stderr, reason);
  }
});

Deno.test("nothing to say is wrong usage", async () => {
  await using folder = await tempFolder();
  const ran = await homed(["chat"], { home: `${folder.path}/home`, stdin: "  \n" });
  assert.equal(ran.code, 2);
  oneLine(ran.stderr);
});

Deno.test("a wrong variable is told of and not used; the language is the person's", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  const env = { HOMED_CORE__LLM__TEMPERATURE: "hot", LANG: "zh_CN.UTF-8" };
  const doctor = await homed(["doctor", "--json"], { home, env });
  const settings = JSON.parse(doctor.stdout).checks.find((check: { name: string }) => check.name === "settings");
  assert.equal(settings.ok, false);
  assert.match(settings.detail, /HOMED_CORE__LLM__TEMPERATURE/);
  assert.equal(doctor.code, 1);
  const rows = JSON.parse((await homed(["config", "list", "core.llm", "--json"], { home, env })).stdout);
  assert.match(rows[0].title, /[\u4e00-\u9fff]/);
});

Deno.test("plugin: new, build, install after a yes, list, logs, disable, remove; and what cannot be is one line", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using _daemon = await serve({ home });
  const dir = `${folder.path}/weather`;
  const run = async (...args: string[]) => await homed(["plugin", ...args], { home });
  const works = async (...args: string[]) => {
    const ran = await run(...args);
    assert.equal(ran.code, 0, `${args.join(" ")}: ${ran.stderr}`);
    return ran.stdout;
  };
  for (const args of [["new", "weather"], ["new", "weather", "--lang", "cobol"]]) {
    const ran = await run(...args);
    assert.equal(ran.code, 2);
    oneLine(ran.stderr);
  }
  const cwd = Deno.cwd();
  Deno.chdir(folder.path);
  try {
    await works("new", "weather", "--lang", "ts");
  } finally {
    Deno.chdir(cwd);
  }
  const file = /^(\S+\.hmap): \d+ bytes/.exec(await works("build", dir))![1]!;
  const unsure = await run("install", file);
  assert.equal(unsure.code, 2);
  oneLine(unsure.stderr);
  assert.ok(!(await works("list")).includes("weather "));
  await works("install", file, "--yes");
  const row = (JSON.parse(await works("list", "--json")) as { name: string; state: string }[])
    .find(({ name }) => name === "weather");
  assert.equal(row?.state, "running");
  await works("logs", "weather");
  await works("reload", "weather");
  await works("disable", "weather");
  await works("remove", "weather", "--yes");
  for (
    const args of [["remove", "weather", "--yes"], ["logs", "weather"], ["install", `${dir}/none.hmap`, "--yes"], [
      "disable",
      "timer",
    ]]
  ) {
    const ran = await run(...args);
    assert.equal(ran.code, 1, args.join(" "));
    oneLine(ran.stderr);
  }
});

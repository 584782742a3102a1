import assert from "node:assert/strict";
import { homed, type Ran, serve } from "../kit/homed.ts";
import { tempFolder } from "../kit/temp_folder.ts";

const oneLine = (ran: Ran) => assert.match(ran.stderr, /^homed: [^\n]+\n$/, JSON.stringify(ran));

Deno.test("wrong usage exits 2 with one line that helps, and makes no home", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  for (
    const args of [
      ["frobnicate"],
      ["config"],
      ["config", "get"],
      ["config", "set", "a"],
      ["memory", "recall"],
      ["chat", "--attach"],
      ["serve", "--no-such-option"],
      ["config", "explode"],
    ]
  ) {
    const ran = await homed(args, { home });
    assert.equal(ran.code, 2, `${args.join(" ")}: ${JSON.stringify(ran)}`);
    oneLine(ran);
    assert.equal(ran.stdout, "");
  }
  await assert.rejects(Deno.stat(home), Deno.errors.NotFound);
});

Deno.test("wrong keys, values, paths and files exit 1 with one line and change nothing", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await homed(["config", "list"], { home });
  const before = (await homed(["config", "list", "--json"], { home })).stdout;
  for (
    const args of [
      ["config", "get", "core.no.such.key"],
      ["config", "set", "core.no.such.key", "1"],
      ["config", "set", "core.agent.max_tool_turns", "many"],
      ["config", "set", "core.agent.max_tool_turns", "-3"],
      ["config", "set", "core.agent.distill_interval", "soon"],
      ["config", "set", "core.daemon.log_level", "shouting"],
      ["config", "set", "core.llm.sources.BAD NAME.model", "x"],
      ["memory", "import", `${folder.path}/missing.jsonl`],
      ["knowledge", "add", "tea", `${folder.path}/missing.md`],
      ["knowledge", "add", "../escape", "/etc/hostname"],
      ["chat", "--attach", `${folder.path}/missing.png`, "look"],
      ["restore", `${folder.path}/missing.zip`],
    ]
  ) {
    const ran = await homed(args, { home });
    assert.equal(ran.code, 1, `${args.join(" ")}: ${JSON.stringify(ran)}`);
    oneLine(ran);
  }
  assert.equal((await homed(["config", "list", "--json"], { home })).stdout, before);
});

Deno.test("config: set, get, unset, masked secrets, environment overrides that are never stored", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  const run = async (...args: string[]) => {
    const ran = await homed(args, { home });
    assert.equal(ran.code, 0, ran.stderr);
    return ran.stdout.trim();
  };
  await run("config", "set", "core.agent.max_tool_turns", "5");
  assert.match(await run("config", "get", "core.agent.max_tool_turns"), /\b5\b/);
  const override = await homed(["config", "get", "core.agent.max_tool_turns"], {
    home,
    env: { HOMED_CORE__AGENT__MAX_TOOL_TURNS: "3" },
  });
  assert.match(override.stdout, /\b3\b/);
  assert.match(await run("config", "get", "core.agent.max_tool_turns"), /\b5\b/);
  await run("config", "unset", "core.agent.max_tool_turns");
  assert.match(await run("config", "get", "core.agent.max_tool_turns"), /\b10\b/);
  await run("config", "set", "core.llm.sources.openai.api_key", "sk-verysecretkey1234");
  const shown = await run("config", "get", "core.llm.sources.openai.api_key");
  assert.match(shown, /••••1234/);
  assert.doesNotMatch(shown, /verysecret/);
  await run("config", "set", "core.llm.sources.openai.api_key", "short");
  assert.doesNotMatch(await run("config", "list", "core.llm"), /short/);
  const rows = JSON.parse(await run("config", "list", "--json"));
  assert.ok(rows.length >= 80, `${rows.length} keys`);
  for (const row of rows) {
    for (const field of ["key", "value", "default", "type", "title", "secret"]) {
      assert.ok(field in row, `${row.key} has no ${field}`);
    }
  }
});

Deno.test("changing the host of a base_url forgets the key that was meant for the old one", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await homed(["config", "set", "core.llm.sources.openai.api_key", "sk-verysecretkey1234"], { home });
  await homed(["config", "set", "core.llm.sources.openai.base_url", "https://elsewhere.example/v1"], { home });
  const { stdout } = await homed(["config", "get", "core.llm.sources.openai.api_key"], { home });
  assert.doesNotMatch(stdout, /1234/);
});

Deno.test("help, VERB --help and version answer at once, in both languages, and make no home", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  const help = await homed(["help"], { home });
  assert.equal(help.code, 0);
  for (
    const verb of [
      "chat",
      "serve",
      "config",
      "memory",
      "knowledge",
      "plugin",
      "doctor",
      "service",
      "backup",
      "restore",
      "version",
    ]
  ) {
    assert.match(help.stdout, new RegExp(`\\b${verb}\\b`));
    const own = await homed([verb, "--help"], { home });
    assert.equal(own.code, 0, `${verb}: ${own.stderr}`);
    assert.match(own.stdout, new RegExp(`homed .*${verb}`));
  }
  assert.match((await homed(["help"], { home, env: { LANG: "zh_CN.UTF-8" } })).stdout, /[\u4e00-\u9fff]{2}/);
  assert.match((await homed(["--version"], { home })).stdout, /\d+\.\d+\.\d+/);
  const version = JSON.parse((await homed(["version", "--json"], { home })).stdout);
  for (const field of ["core", "protocol", "sdk", "schema", "deno", "target"]) assert.ok(field in version, field);
  await assert.rejects(Deno.stat(home), Deno.errors.NotFound);
});

Deno.test("doctor shows each worker's permissions as found by trying, and none has more than its row", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  const ran = await homed(["doctor", "--json"], { home });
  const report = JSON.parse(ran.stdout);
  const of = (name: string) => report.workers.find((worker: { name: string }) => worker.name === name).permissions;
  for (const [kind, value] of Object.entries(of("kernel"))) assert.equal(value, "denied", `kernel ${kind}`);
  for (const kind of ["net", "run", "ffi", "env", "sys", "import"]) {
    assert.equal(of("memory")[kind], "denied", `memory ${kind}`);
  }
  assert.ok(Array.isArray(of("memory").read) && of("memory").read.every((path: string) => path.startsWith(home)));
  for (const kind of ["read", "write", "run", "ffi", "env", "sys", "import"]) {
    assert.equal(of("lua")[kind], "denied", `lua ${kind}`);
  }
  assert.ok(report.checks.length >= 5);
  for (const check of report.checks) for (const field of ["name", "ok", "detail"]) assert.ok(field in check);
});

Deno.test("a pipe that nobody writes to is no file: it is refused, not waited for", async () => {
  if (Deno.build.os === "windows") return;
  await using folder = await tempFolder();
  const pipe = `${folder.path}/pipe`;
  await new Deno.Command("mkfifo", { args: [pipe] }).output();
  for (
    const args of [["memory", "import", pipe], ["knowledge", "add", "x", pipe], ["chat", "--attach", pipe, "look"], [
      "restore",
      pipe,
    ]]
  ) {
    const ran = await homed(args, { home: `${folder.path}/home`, timeout: 10_000 });
    assert.equal(ran.code, 1, `${args.join(" ")}: ${JSON.stringify(ran)}`);
    oneLine(ran);
    assert.match(ran.stderr, /it is no file/);
  }
});

Deno.test("a failure says what happened and what to do, in the person's language alone", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`, text = `${folder.path}/a.txt`;
  await Deno.writeTextFile(text, "hello\n");
  await using _daemon = await serve({ home });
  for (
    const args of [
      ["config", "set", "core.llm.provider", "opnai"],
      ["config", "set", "core.llm.sources.openai.base_url", "http://me:pw@host/"],
      ["memory", "recall", ""],
      ["memory", "undo", "no-such-id"],
      ["memory", "import", text],
      ["memory", "export", folder.path],
      ["plugin", "reload", "nope"],
      ["plugin", "remove", "cmd", "--yes"],
      ["plugin", "install", text, "--yes"],
      ["plugin", "build", folder.path],
      ["plugin", "new", "cmd", "--lang", "ts"],
      ["restore", text, "--yes"],
    ]
  ) {
    const shown = args.join(" ");
    const english = await homed(args, { home });
    oneLine(english);
    assert.match(english.stderr, /^homed: [^:]+.*: .+/, `${shown}: what to do is missing`);
    const chinese = await homed(args, { home, env: { LANG: "zh_CN.UTF-8" } });
    oneLine(chinese);
    assert.equal(chinese.code, english.code, shown);
    assert.match(chinese.stderr, /^homed: .*[\u4e00-\u9fff].*：.*\n$/, shown);
    // Commands to type and the parser's own words stay as they are; no English sentence does.
    const prose = chinese.stderr.slice(7).replace(/homed [^：，]*|Unexpected token.*?JSON/g, "");
    assert.doesNotMatch(prose, /(?:\b[a-z]{2,} ){3}/, shown);
  }
  const mixed = `${folder.path}/mixed.jsonl`;
  await Deno.writeTextFile(
    mixed,
    '{"kind":"document","content":"a note"}\n{"kind":"relation"}\n{"kind":"message","role":"x","text":"y"}\n',
  );
  const imported = await homed(["memory", "import", mixed], { home, env: { LANG: "zh_CN.UTF-8" } });
  assert.equal(imported.stdout, "已导入：2 行被拒绝，1 份文档\n");
  assert.match(imported.stderr, /^第 2 行：relation 行需要 subject、predicate 和 object\n第 3 行：role 是 "x"：应为/);
  const stats = await homed(["memory", "stats"], { home, env: { LANG: "zh_CN.UTF-8" } });
  assert.match(stats.stdout, /^实体：0\n事实：0 \(当前 0\)\n(?:.+：.+\n)*文档：1\n/);
});

Deno.test("a setting that names what is not there, or that a variable overrides, is told when it is set", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  const env = { HOMED_CORE__AGENT__MAX_TOOL_TURNS: "3" };
  await using _daemon = await serve({ home, env });
  const set = async (key: string, value: string) => (await homed(["config", "set", key, value], { home, env })).stderr;
  const gone = `${folder.path}/gone`;
  assert.match(
    await set("plugin.files.roots", JSON.stringify([folder.path, gone])),
    /gone cannot be used, as there is no/,
  );
  assert.match(await set("core.agent.workdir", gone), /The working folder .*gone cannot be used.*commands are refused/);
  assert.match(
    await set("core.agent.max_tool_turns", "5"),
    /MAX_TOOL_TURNS has the last word: take that variable away/,
  );
  const source = (field: string) => `core.llm.sources.shed.${field}`;
  assert.match(
    await set(source("base_url"), "http://127.0.0.1:1"),
    /shed names no model: homed config set .*model MODEL/,
  );
  assert.equal(await set(source("model"), "m"), "");
  assert.match(await set(source("adapter"), "plian"), /There is no adapter "plian"/);
  assert.equal(await set("plugin.files.roots", JSON.stringify([folder.path])), "");
  assert.equal(await set("core.agent.workdir", folder.path), "");
  const doctor = await homed(["doctor"], { home, env });
  assert.doesNotMatch(doctor.stdout, /cannot be used/);
});

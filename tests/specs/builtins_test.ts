/** The built-in plugins from the outside: a scripted model calls their tools, the owner answers over the socket. */
import assert from "node:assert/strict";
import { connect, homed, serve } from "../kit/homed.ts";
import { pluginHome, talkTo, type TurnEvent } from "../kit/plugin_home.ts";
import { tempFolder } from "../kit/temp_folder.ts";
import { until } from "../kit/until.ts";

/** The JSON in a fenced result. */
// deno-lint-ignore no-explicit-any
function dataOf(result: string): any {
  const from = result.indexOf("{"), to = result.lastIndexOf("}");
  assert.ok(from >= 0 && to > from, `There is no JSON in: ${result}`);
  return JSON.parse(result.slice(from, to + 1));
}

Deno.test("timer: set, listed, cancelled; what is due breaks into a running answer, and into silence", async () => {
  await using plugins = await pluginHome();
  await using talk = await talkTo(plugins);
  const set = await talk.use("timer_set", { text: "stand up", every: "1h" });
  const { id } = dataOf(set.result);
  assert.match((await talk.use("timer_list", {})).result, /stand up/);
  assert.equal((await talk.use("timer_cancel", { id })).ok, true);
  assert.deepEqual(dataOf((await talk.use("timer_list", {})).result).timers, []);
  assert.equal((await talk.use("timer_cancel", { id })).ok, false);

  // Idle: what the model makes of it reaches whoever listens.
  await talk.use("timer_set", { text: "water the basil", in: "1s" });
  plugins.llm.drop().otherwise(() => ({ text: "The basil wants water." }));
  await until("it is heard", () => talk.outputs.some((text) => /The basil wants water/.test(text)));

  // In the middle of an answer that would never end.
  await talk.use("timer_set", { text: "the eggs are done", in: "1s" });
  plugins.llm.drop().say(
    { text: ["Once upon ", "a time"], finish: null, faults: { noEnd: true, stayOpen: true } },
    { text: "Your eggs are done!" },
  );
  const before = plugins.llm.requests.length;
  const types: string[] = [];
  const reply = await talk.client.peer.call("chat.send", { text: "tell me a long story" }, {
    onEvent: (_, event) => void types.push(String(event.type)),
  });
  assert.equal(reply.reply, "Your eggs are done!");
  assert.ok(types.includes("interrupt"));
  assert.equal(await plugins.llm.requests[before]!.ended, "client gone");
  assert.match(JSON.stringify(plugins.llm.requests[before + 1]!.body), /打断消息.*the eggs are done/);
});

Deno.test("timer: outlives a restart, and one that was missed fires once afterwards", async () => {
  await using plugins = await pluginHome();
  {
    await using talk = await talkTo(plugins);
    await talk.use("timer_set", { text: "call the bank", in: "2s" });
    await talk.use("timer_set", { text: "yearly", cron: "0 8 1 1 *", timezone: "Asia/Shanghai" });
  }
  await new Promise((resolve) => setTimeout(resolve, 2000));
  plugins.llm.drop().otherwise(() => ({ text: "You wanted to call the bank." }));
  await using talk = await talkTo(plugins);
  await until("it is told", () => JSON.stringify(plugins.llm.requests.at(-1)!.body).includes("call the bank"));
  const { timers } = dataOf((await talk.use("timer_list", {})).result);
  assert.deepEqual(timers.map(({ text }: { text: string }) => text), ["yearly"]);
});

for (
  const [language, said, heard, lang] of [
    ["English", "remind me in 2 seconds to drink water", /drink water/, "C.UTF-8"],
    ["中文", "两秒后提醒我喝水", /喝水/, "zh_CN.UTF-8"],
  ] as const
) {
  Deno.test(`timer: with no model at all a reminder in ${language} reaches a client that listens`, async () => {
    await using folder = await tempFolder();
    const home = `${folder.path}/home`;
    await using _daemon = await serve({ home, env: { LANG: lang } });
    const outputs: string[] = [];
    await using client = await connect(home, {
      "chat.output": (params) => void outputs.push((params as { text: string }).text),
    });
    await client.peer.call("chat.listen", {});
    const { reply, tools } = await client.peer.call("chat.send", { text: said });
    assert.deepEqual(tools, ["timer_set"], reply);
    assert.match(reply, heard);
    await until("it is heard", () => outputs.some((text) => heard.test(text)));
  });
}

Deno.test("files: asks before it writes, in its own folder unless told; nobody to ask and no answer in time are a no", async () => {
  await using plugins = await pluginHome({ HOMED_CORE__APPROVAL__TIMEOUT: "1s" });
  await using talk = await talkTo(plugins);
  const workspace = `${plugins.home}/plugin-data/files/workspace`;
  const write = { path: "notes/a.txt", content: "one\ntwo\n" };
  const denied = await talk.use("files_write", write, { answer: "deny" });
  assert.equal(denied.ok, false);
  const late = await talk.use("files_write", write, { answer: "nothing" });
  assert.match(late.result, /nobody answered in time/);
  const allowed = await talk.use("files_write", write, { answer: "allow" });
  assert.equal(allowed.ok, true, allowed.result);
  const question = allowed.events.find(({ type }) => type === "approval")!;
  assert.deepEqual([question.tool, question.args], ["files_write", write]);
  assert.equal(await Deno.readTextFile(`${workspace}/notes/a.txt`), write.content);

  // Reading asks nobody. Each of the others at least once, "always" for all that follow.
  assert.match((await talk.use("files_read", { path: "notes/a.txt" })).result, /two/);
  assert.match((await talk.use("files_list", { depth: 2 })).result, /a\.txt/);
  assert.match((await talk.use("files_search", { pattern: "t.o", regex: true })).result, /two/);
  assert.equal(
    (await talk.use("files_append", { path: "notes/a.txt", content: "three\n" }, { answer: "always" })).ok,
    true,
  );
  assert.equal((await talk.use("files_append", { path: "notes/a.txt", content: "four\n" })).ok, true);
  const edit = { path: "notes/a.txt", find: "two", replace: "2" };
  assert.equal((await talk.use("files_edit", edit, { answer: "allow" })).ok, true);
  assert.equal(await Deno.readTextFile(`${workspace}/notes/a.txt`), "one\n2\nthree\nfour\n");
  assert.equal((await talk.use("files_delete", { path: "notes/a.txt" }, { answer: "allow" })).ok, true);
  const outside = await talk.use("files_read", { path: `${plugins.home}/config.db` });
  assert.equal(outside.ok, false);

  // The policy stands in the settings; a tool cannot change it, nor the folders.
  assert.match(await plugins.done("config", "get", "core.approval.files_append"), /allow/);
  for (const key of ["core.approval.files_write", "plugin.files.roots"]) {
    const refused = await talk.use("cfgmgr_set", { key, value: key.endsWith("roots") ? ["/"] : "allow" }, {
      answer: "allow",
    });
    assert.equal(refused.ok, false, refused.result);
  }
  const root = `${plugins.folder}/mine`;
  await Deno.mkdir(root);
  await Deno.writeTextFile(`${root}/b.txt`, "mine");
  await plugins.done("config", "set", "plugin.files.roots", JSON.stringify([root]));
  assert.match((await talk.use("files_read", { path: "b.txt" })).result, /mine/);

  // A turn that no owner stands behind: a timer's.
  plugins.llm.drop();
  await talk.use("timer_set", { text: "write it", in: "1s", interrupt: false });
  const asked = plugins.llm.requests.length;
  plugins.llm.drop().say(
    { calls: [{ id: "c9", name: "files_write", arguments: JSON.stringify({ path: "c.txt", content: "x" }) }] },
    { text: "I could not." },
  );
  await until(
    "the model is told why",
    () => plugins.llm.requests.slice(asked).some(({ body }) => JSON.stringify(body).includes("there is nobody to ask")),
  );
  assert.ok(![...Deno.readDirSync(root)].some(({ name }) => name === "c.txt"));

  // Started at the first use, they are in the doctor's table with what they may do.
  const { workers } = JSON.parse(await plugins.done("doctor", "--json"));
  const row = workers.find(({ name }: { name: string }) => name === "files");
  assert.ok(row, "the files worker is in the table");
  assert.deepEqual(row.permissions.read, [root]);
  assert.deepEqual(row.permissions.write, [root]);
  for (const kind of ["net", "run", "ffi", "env", "sys", "import"]) assert.equal(row.permissions[kind], "denied", kind);
});

Deno.test("cmd: asks, runs without a shell, ends what takes too long with all it started", async () => {
  await using plugins = await pluginHome();
  await using talk = await talkTo(plugins);
  const ran = await talk.use("cmd_run", { argv: ["echo", "$HOME", "*"] }, { answer: "always" });
  assert.equal(ran.ok, true, ran.result);
  assert.equal(dataOf(ran.result).stdout, "$HOME *\n");
  const shell = await talk.use("cmd_run", { shell: "printf abc | tr a-c x-z; exit 3" });
  assert.match(shell.result, /xyz/);
  assert.equal(dataOf(shell.result).code, 3);
  const mark = `${plugins.folder}/still`;
  const slow = await talk.use("cmd_run", { shell: `(sleep 3; touch ${mark}) & sleep 30`, timeout_s: 0.5 });
  assert.match(slow.result, /timed.?out|time/i);
  await new Promise((resolve) => setTimeout(resolve, 3200));
  assert.throws(() => Deno.statSync(mark), Deno.errors.NotFound);
  const { workers } = JSON.parse(await plugins.done("doctor", "--json"));
  assert.ok(workers.some(({ name }: { name: string }) => name === "hands"), "the hands worker is in the table");
});

Deno.test("agentcli: a program in a real terminal is started, typed into, read, resized, listed and ended", async () => {
  await using plugins = await pluginHome({ "HOMED_CORE__APPROVAL__AGENTCLI_*": "allow" });
  await plugins.done("config", "set", "core.approval.agentcli*", "allow");
  await using talk = await talkTo(plugins);
  const started = await talk.use("agentcli_start", { argv: ["/bin/sh"], columns: 60, rows: 10 });
  assert.equal(started.ok, true, started.result);
  const { id } = dataOf(started.result);
  const sent = await talk.use("agentcli_send", { id, text: "stty size; echo $((6*7))", keys: ["enter"], wait_s: 3 });
  assert.match(sent.result, /10 60/);
  assert.match(sent.result, /42/);
  assert.equal((await talk.use("agentcli_resize", { id, columns: 80, rows: 20 })).ok, true);
  await talk.use("agentcli_send", { id, text: "stty size", keys: ["enter"], wait_s: 3 });
  assert.match((await talk.use("agentcli_read", { id })).result, /20 80/);
  assert.match((await talk.use("agentcli_list", {})).result, new RegExp(id));
  assert.equal((await talk.use("agentcli_stop", { id })).ok, true);
  assert.equal((await talk.use("agentcli_read", { id })).ok, false);
});

Deno.test("pluginmgr: the question before an install says what the package asks for; then every verb on it", async () => {
  await using plugins = await pluginHome();
  const file = await plugins.build("weather");
  await using talk = await talkTo(plugins);
  const inspected = await talk.use("pluginmgr_inspect", { file });
  const { sha256 } = dataOf(inspected.result).report;
  assert.match(inspected.result, /wttr\.in/);
  const wrong = await talk.use("pluginmgr_install", { file, sha256: "0".repeat(64) }, { answer: "allow" });
  assert.equal(wrong.ok, false);
  assert.match(detailOf(wrong.events), /not the package that was inspected/);
  const denied = await talk.use("pluginmgr_install", { file, sha256 }, { answer: "deny" });
  assert.equal(denied.ok, false);
  assert.match(detailOf(denied.events), /weather 1\.0\.0.*wttr\.in:443/s);
  const installed = await talk.use("pluginmgr_install", { file, sha256 }, { answer: "allow" });
  assert.equal(installed.ok, true, installed.result);
  assert.match((await talk.use("pluginmgr_list", {})).result, /weather/);
  assert.equal((await talk.use("pluginmgr_disable", { name: "weather" }, { answer: "allow" })).ok, true);
  assert.match((await talk.use("weather_now", { place: "x" })).result, /no tool named/);
  assert.equal((await talk.use("pluginmgr_enable", { name: "weather" }, { answer: "allow" })).ok, true);
  assert.equal((await talk.use("pluginmgr_reload", { name: "weather" }, { answer: "allow" })).ok, true);
  assert.equal((await talk.use("pluginmgr_logs", { name: "weather" })).ok, true);
  assert.equal((await talk.use("pluginmgr_remove", { name: "weather" }, { answer: "allow" })).ok, true);
  assert.doesNotMatch((await talk.use("pluginmgr_list", {})).result, /"weather"/);
});

const detailOf = (events: TurnEvent[]) => String(events.find(({ type }) => type === "approval")?.detail);

Deno.test("cfgmgr: secrets are masked, what only the owner may change is refused, the rest is set", async () => {
  await using plugins = await pluginHome();
  await plugins.done("config", "set", "core.llm.sources.groq.api_key", "gsk-very-secret-12345");
  await using talk = await talkTo(plugins);
  const listed = await talk.use("cfgmgr_list", { prefix: "core.llm.sources.groq" });
  assert.doesNotMatch(listed.result, /very-secret/);
  assert.match(listed.result, /••••/);
  assert.doesNotMatch((await talk.use("cfgmgr_get", { key: "core.llm.sources.groq.api_key" })).result, /very-secret/);
  const set = await talk.use("cfgmgr_set", { key: "core.llm.temperature", value: 0.3 }, { answer: "allow" });
  assert.equal(set.ok, true, set.result);
  assert.equal((await plugins.done("config", "get", "core.llm.temperature")).trim(), "0.3");
  for (
    const [key, value] of [
      ["core.llm.sources.groq.base_url", "http://127.0.0.1:1"],
      ["core.llm.sources.groq.api_key", "mine"],
      ["core.approval.cmd_run", "allow"],
      ["core.agent.workdir", "/"],
      ["core.plugin.dir", "/tmp"],
      ["plugin.files.roots", ["/"]],
    ] as const
  ) {
    const refused = await talk.use("cfgmgr_set", { key, value }, { answer: "allow" });
    assert.equal(refused.ok, false, `${key}: ${refused.result}`);
    assert.match(refused.result, /owner/, key);
  }
  assert.equal(
    (await talk.use("cfgmgr_set", { key: "core.llm.temperature", value: "hot" }, { answer: "allow" })).ok,
    false,
  );
});

Deno.test("healthcheck: a plugin in quarantine turns it red, and is in the list with its reason", async () => {
  await using plugins = await pluginHome({
    HOMED_CORE__PLUGIN__RESTART_MAX: "1",
    HOMED_CORE__PLUGIN__RESTART_BACKOFF: "10ms",
  });
  const folder = `${plugins.home}/plugins/faller`;
  await homed(["config", "list"], { home: plugins.home });
  await Deno.mkdir(folder, { recursive: true });
  const manifest = { name: "faller", version: "1.0.0", description: "Falls", entry: "main.js" };
  await Deno.writeTextFile(`${folder}/plugin.json`, JSON.stringify(manifest));
  await Deno.writeTextFile(
    `${folder}/main.js`,
    `export default { start() { setTimeout(() => { throw new Error("fell over"); }, 50); } };`,
  );
  await using talk = await talkTo(plugins);
  assert.match((await talk.use("healthcheck_status", {})).result, /"state"/);
  const row = await until("it is given up", async () => {
    const rows = JSON.parse(await plugins.done("plugin", "list", "--json")) as TurnEvent[];
    return rows.find(({ name, state }) => name === "faller" && state === "quarantined");
  });
  assert.match(String(row!.detail), /\S/);
  assert.match(await plugins.done("plugin", "list"), /faller.*quarantined/);
  assert.match(await plugins.done("status"), /The plugin faller is in quarantine: homed plugin logs faller tells more/);
  const health = dataOf((await talk.use("healthcheck_status", {})).result);
  assert.equal(health.state, "red");
  assert.match(JSON.stringify(health.checks), /faller: quarantined/);
  assert.match(await plugins.done("plugin", "logs", "faller"), /fell over/);
});

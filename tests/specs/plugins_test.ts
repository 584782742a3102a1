import assert from "node:assert/strict";
import { pluginHome, talkTo } from "../kit/plugin_home.ts";
import { hasPython } from "../kit/python.ts";
import { until } from "../kit/until.ts";

/** What the model was last sent, as text. */
const lastBody = (llm: { requests: { body?: unknown }[] }) => JSON.stringify(llm.requests.at(-1)?.body);

Deno.test("example weather: a TypeScript tool with settings asks its server, and no other", async () => {
  const asked: string[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    asked.push(new URL(request.url).pathname + new URL(request.url).search);
    const now = { temp_C: "7", temp_F: "45", windspeedKmph: "30", weatherDesc: [{ value: "Light rain" }] };
    return Response.json({ current_condition: [now] });
  });
  await using other = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => Response.json({}));
  await using plugins = await pluginHome();
  const host = `127.0.0.1:${server.addr.port}`;
  const file = await plugins.build("weather", (manifest) => manifest.permissions.net = [host]);
  const said = await plugins.done("plugin", "install", file, "--yes");
  assert.match(said, /weather is installed and running/);
  await plugins.done("config", "set", "plugin.weather.server", `http://${host}`);
  plugins.llm.say(
    { calls: [{ id: "c1", name: "weather_now", arguments: '{"place":"Bergen"}' }] },
    { text: "It is raining in Bergen." },
  );
  assert.match(await plugins.done("chat", "What is the weather in Bergen?"), /It is raining in Bergen/);
  assert.deepEqual(asked, ["/Bergen?format=j1"]);
  assert.match(lastBody(plugins.llm), /Bergen: Light rain, 7 °C, wind 30 km\/h/);
  await plugins.done("config", "set", "plugin.weather.unit", "fahrenheit");
  await using talk = await talkTo(plugins);
  assert.match((await talk.use("weather_now", { place: "Bergen" })).result, /45 °F/);
  await plugins.done("config", "set", "plugin.weather.server", `http://127.0.0.1:${other.addr.port}`);
  const refused = await talk.use("weather_now", { place: "Oslo" });
  assert.equal(refused.ok, false);
  assert.match(refused.result, /permissions\.net/);
  // What is none of the options is refused, with homed running.
  assert.notEqual((await plugins.run("config", "set", "plugin.weather.unit", "kelvin")).code, 0);
});

Deno.test({
  name: hasPython
    ? "example tidy: a Python stage cleans what comes in and the links that go out"
    : "example tidy (skipped: there is no python3 here)",
  ignore: !hasPython,
  async fn() {
    await using plugins = await pluginHome();
    await plugins.done("plugin", "install", await plugins.build("tidy"), "--yes");
    plugins.llm.otherwise(() => ({ text: "See https://a.example/x?utm_source=mail&id=5&fbclid=1 today." }));
    const reply = await plugins.done("chat", "look\u200b  at \u202ethis");
    assert.match(reply, /See https:\/\/a\.example\/x\?id=5 today\./);
    assert.match(lastBody(plugins.llm), /look at this/);
    await plugins.done("config", "set", "plugin.tidy.links", "false");
    assert.match(await plugins.done("chat", "again"), /utm_source=mail/);
  },
});

Deno.test("example nudge: a Lua reminder comes back by itself, after a restart too", async () => {
  await using plugins = await pluginHome();
  await plugins.done("plugin", "install", await plugins.build("nudge"), "--yes");
  plugins.llm.otherwise((request) => ({
    text: JSON.stringify(request.body).includes("Nudge: ") ? "Time to water the plants!" : "Noted.",
  }));
  {
    await using talk = await talkTo(plugins);
    const set = await talk.use("nudge_me", { text: "water the plants", minutes: 0.02 });
    assert.match(set.result, /I will come back to: water the plants/);
    await until("the reminder is heard", () => talk.outputs.some((text) => /water the plants/.test(text)));
    assert.equal(await plugins.done("config", "get", "plugin.nudge.waiting").then((text) => text.trim()), "[]");
    await talk.use("nudge_me", { text: "feed the cat", minutes: 0.1 });
  }
  await using talk = await talkTo(plugins);
  await until("the model is told", () => /Nudge: feed the cat/.test(lastBody(plugins.llm)));
  await until("the reminder is heard", () => talk.outputs.length > 0);
});

Deno.test("example meeting-notes: only a skill's description is in the prompt until it is used, and its files come on demand", async () => {
  await using plugins = await pluginHome();
  await plugins.done("plugin", "install", await plugins.build("meeting-notes"), "--yes");
  await using talk = await talkTo(plugins);
  await talk.client.peer.call("chat.send", { text: "hello" });
  assert.match(lastBody(plugins.llm), /minutes or a summary of a meeting/);
  assert.doesNotMatch(lastBody(plugins.llm), /leave out whoever only listened/);
  const used = await talk.use("skill_use", { name: "meeting-notes" });
  assert.equal(used.ok, true, used.result);
  assert.match(lastBody(plugins.llm), /leave out whoever only listened/);
  assert.match((await talk.use("skill_read", { name: "meeting-notes", path: "references/zh.md" })).result, /会议纪要/);
  const outside = await talk.use("skill_read", { name: "meeting-notes", path: "../../config.db" });
  assert.equal(outside.ok, false);
});

Deno.test("example journal: an output channel writes to a file, once the owner has allowed the send", async () => {
  await using plugins = await pluginHome();
  await plugins.done("plugin", "install", await plugins.build("journal"), "--yes");
  await using talk = await talkTo(plugins);
  const denied = await talk.use("output_send__journal", { payload: "secret" }, { answer: "deny" });
  assert.equal(denied.ok, false);
  const sent = await talk.use("output_send__journal", { payload: "Saw a heron.\nIt flew off." }, { answer: "allow" });
  assert.equal(sent.ok, true, sent.result);
  const folder = `${plugins.home}/plugin-data/journal`;
  const files = [...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(".md"));
  assert.equal(files.length, 1);
  const text = await Deno.readTextFile(`${folder}/${files[0]!.name}`);
  assert.match(text, /^# \d{4}-\d\d-\d\d\n\n- \d\d:\d\d Saw a heron\.\n {2}It flew off\.\n$/);
});

Deno.test("remove keeps what a plugin had unless that is to go too; enable and disable last", async () => {
  await using plugins = await pluginHome();
  const file = await plugins.build("journal");
  await plugins.done("plugin", "install", file, "--yes");
  const data = `${plugins.home}/plugin-data/journal/kept.md`;
  await Deno.writeTextFile(data, "kept");
  await plugins.done("config", "set", "plugin.journal.heading", "## ");
  assert.match(await plugins.done("plugin", "disable", "journal"), /disabled/);
  assert.match(await plugins.done("plugin", "list"), /journal.*disabled/);
  await plugins.done("plugin", "enable", "journal");
  const unsaid = await plugins.run("plugin", "remove", "journal");
  assert.equal(unsaid.code, 2, unsaid.stderr);
  assert.match(await plugins.done("plugin", "remove", "journal", "--yes"), /settings and data stay/);
  assert.doesNotMatch(await plugins.done("plugin", "list"), /journal/);
  assert.equal(await Deno.readTextFile(data), "kept");
  await plugins.done("plugin", "install", file, "--yes");
  assert.match(await plugins.done("config", "get", "plugin.journal.heading"), /##/);
  assert.match(await plugins.done("plugin", "remove", "journal", "--yes", "--data"), /settings and data too/);
  assert.throws(() => Deno.statSync(data), Deno.errors.NotFound);
  await plugins.done("plugin", "install", file, "--yes");
  assert.equal((await plugins.done("config", "get", "plugin.journal.heading")).trim(), "#");
});

Deno.test("an upgrade or a reload that does not start leaves the running one as it was", async () => {
  await using plugins = await pluginHome();
  await plugins.done("plugin", "install", await plugins.build("journal"), "--yes");
  await using talk = await talkTo(plugins);
  const folder = `${plugins.home}/plugins/journal`;
  const good = await Deno.readTextFile(`${folder}/main.js`);
  await Deno.writeTextFile(`${folder}/main.js`, 'export default { start() { throw new Error("not today"); } };');
  const reload = await plugins.run("plugin", "reload", "journal");
  assert.equal(reload.code, 1);
  assert.match(reload.stderr, /not today.*: homed plugin logs journal tells more/);
  assert.match(await plugins.done("plugin", "logs", "journal"), /Cannot start plugin "journal".*not today/);
  assert.equal((await talk.use("output_send__journal", { payload: "still here" }, { answer: "always" })).ok, true);
  await Deno.writeTextFile(`${folder}/main.js`, good);
  await Deno.writeTextFile(
    `${plugins.folder}/journal/main.ts`,
    'export default { start() { throw new Error("worse"); } };',
  );
  const manifest = JSON.parse(await Deno.readTextFile(`${plugins.folder}/journal/plugin.json`));
  await Deno.writeTextFile(
    `${plugins.folder}/journal/plugin.json`,
    JSON.stringify({ ...manifest, version: "1.1.0" }),
  );
  await plugins.done("plugin", "build", `${plugins.folder}/journal`);
  const upgrade = await plugins.run("plugin", "install", `${plugins.folder}/journal/journal-1.1.0.hmap`, "--yes");
  assert.equal(upgrade.code, 1);
  assert.match(upgrade.stderr, /worse/);
  assert.match(await plugins.done("plugin", "list"), /journal\s+1\.0\.0.*running/);
  assert.equal((await talk.use("output_send__journal", { payload: "and here" })).ok, true);
  assert.deepEqual([...Deno.readDirSync(`${plugins.home}/plugins`)].map(({ name }) => name), ["journal"]);
});

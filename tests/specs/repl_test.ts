import assert from "node:assert/strict";
import { homedTerminal } from "../kit/homed_terminal.ts";
import { startLlmServer } from "../kit/llm_servers/mod.ts";
import { tempFolder } from "../kit/temp_folder.ts";

const ignore = Deno.build.os === "windows";

Deno.test("in a terminal: 中文 is typed, wrapped, answered, and known to the next process", { ignore }, async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`, env = { LANG: "zh_CN.UTF-8" };
  {
    await using terminal = homedTerminal(["chat"], { home, env, columns: 40, rows: 20 });
    await terminal.shows(/还没有配置模型[^]*\/setup[^]*\n›$/);
    const start = terminal.cursor().row;
    terminal.type("我住在杭州，这一行很长很长，长到一行放不下，要折到下一行去");
    const rows = (await terminal.shows(/下一行去$/)).split("\n").slice(start);
    assert.deepEqual(rows, ["› 我住在杭州，这一行很长很长，长到一行放", "  不下，要折到下一行去"]);
    assert.deepEqual(terminal.cursor(), { row: start + 1, column: 22 });
    terminal.resize(60, 20);
    await terminal.shows(/\n› 我住在杭州，这一行很长很长，长到一行放不下，要折到下一行去$/);
    terminal.type("\x15我住在杭州\r");
    await terminal.shows(/› 我住在杭州\n[^]*杭州[^]*\n›$/);
    terminal.type("/quit\r");
    assert.equal(await terminal.exited, 0);
  }
  await using terminal = homedTerminal(["chat"], { home, env });
  await terminal.shows(/\n›$/);
  terminal.type("我住在哪里？\r");
  await terminal.shows(/我住在哪里？\n[^]*你住在杭州[^]*\n›$/);
  terminal.type("\x1b[A");
  await terminal.shows(/\n› 我住在哪里？$/);
  terminal.type("\x15\x04");
  assert.equal(await terminal.exited, 0);
});

Deno.test("in a terminal: Markdown streams from a model, Ctrl-C interrupts it, twice leaves a sane terminal", {
  ignore,
}, async () => {
  await using folder = await tempFolder();
  await using server = startLlmServer("openai");
  const prefix = "HOMED_CORE__LLM__SOURCES__OPENAI__";
  const env = { [`${prefix}BASE_URL`]: server.url, [`${prefix}API_KEY`]: "sk-test", [`${prefix}MODEL`]: "scripted" };
  server.say(
    { text: ["# 标", "题\n\n- **粗", "体** a\n", "- b\n\n| 名 | n |\n|-", "--|--:|\n| 苹果 | 1 |\n"] },
    { text: ["this one ", "never ends"], finish: null, faults: { noEnd: true, stayOpen: true } },
  );
  const terminal = homedTerminal(["chat"], {
    home: `${folder.path}/home`,
    env,
    after: "echo left with $status; stty -a; read line",
    rows: 40,
  });
  await using _terminal = terminal;
  await terminal.shows(/Models: openai \(scripted\)\n›$/);
  terminal.type("hello\r");
  await terminal.shows(/› hello\n标题\n\n• 粗体 a\n• b\n\n名 {3}│ n\n─+┼─+\n苹果 │ 1\n›$/);
  terminal.type("again\r");
  await terminal.shows(/never ends\n. thinking\n›$/);
  const [, request] = server.requests;
  terminal.type("\x03");
  assert.equal(await request!.ended, "client gone");
  await terminal.shows(/Interrupted\. Press Ctrl-C again to leave\.[^]*\n›$/);
  terminal.type("\x03");
  const after = await terminal.shows(/left with 0[^]* icanon [^]* echo /);
  assert.doesNotMatch(after, /-icanon|-echo /);
  terminal.type("\r");
  await terminal.exited;
});

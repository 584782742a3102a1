import assert from "node:assert/strict";
import { COMMANDS, parseCommand } from "../../../../core/cli/repl/commands.ts";
import { TEXTS, textsFor } from "../../../../core/cli/repl/texts.ts";
import { RPC_CODES, RpcError } from "../../../../core/wire/rpc.ts";
import { FakeSession } from "./fake_session.ts";
import { settle, Stage, type StageOptions } from "./kit.ts";

async function start(session: FakeSession, options?: StageOptions): Promise<Stage> {
  const stage = new Stage(session, { columns: 100, height: 30, ...options });
  await settle();
  return stage;
}

const screenAfter = async (session: FakeSession, typed: string, options?: StageOptions): Promise<string> => {
  const stage = await start(session, options);
  await stage.type(typed);
  const screen = stage.terminal.screen;
  await stage.leave();
  return screen;
};

Deno.test("every sentence is in both languages with the same blanks, and no command is without help", () => {
  const blanks = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([blank]) => blank).sort();
  for (const [key, { en, zh }] of Object.entries<{ en: string; zh: string }>(TEXTS)) {
    assert.ok(en !== "" && /\p{Script=Han}/u.test(zh), key);
    assert.deepEqual(blanks(en), blanks(zh), key);
  }
  assert.deepEqual(
    COMMANDS.map(({ name }) => name),
    ["help", "setup", "sources", "tools", "memory", "config", "undo", "attach", "clear", "quit"],
  );
});

Deno.test("/help lists every command, in the person's language", async () => {
  for (const lang of ["en", "zh"] as const) {
    const screen = await screenAfter(new FakeSession(), "/help\r", { lang });
    for (const { name, help } of COMMANDS) {
      assert.ok(screen.includes(`/${name}`), name);
      assert.ok(screen.includes(textsFor(lang)(help)), help);
    }
  }
});

Deno.test("what looks like a command and is none is told, with the one that was meant", async () => {
  assert.match(
    await screenAfter(new FakeSession(), "/hlep\r"),
    /There is no command \/hlep\.[^]*Did you mean \/help\?/,
  );
  assert.equal(parseCommand("/etc/hosts is empty"), undefined);
  assert.equal(parseCommand("hello /help"), undefined);
  assert.equal(parseCommand("/EXIT")?.kind, "command");
  const session = new FakeSession();
  await screenAfter(session, "//help me\r");
  assert.deepEqual(session.sent, [{ text: "/help me" }]);
});

Deno.test("/sources shows each model's state with its reason, and /sources NAME asks that one", async () => {
  const session = new FakeSession();
  session.sources = [
    { name: "deepseek", model: "deepseek-chat", state: "ready" },
    { name: "openai", model: "gpt", state: "out", reason: "401" },
    { name: "shed", model: "m", state: "ready", reason: "shed cannot be reached: nothing listens at 127.0.0.1:1" },
  ];
  const screen = await screenAfter(session, "/sources\r/sources openai\r/sources nobody\r");
  assert.match(screen, /● deepseek {2}deepseek-chat {2}ready\n● openai {4}gpt {2}out until its settings change: 401\n/);
  assert.match(screen, /ready · last time: shed cannot be reached: nothing/);
  assert.match(screen, /No source nobody is configured/);
  assert.deepEqual(
    session.called.filter(({ method }) => method === "config.set").map(({ params }) => params),
    [{ key: "core.llm.provider", value: "openai" }],
  );
});

Deno.test("/tools lists tools in one line each, and /tools NAME says all of one", async () => {
  const session = new FakeSession();
  session.answers["tools.list"] = () => ({
    tools: [
      { name: "timer_set", description: "Sets a timer.\nSecond line.", parameters: { type: "object" }, owner: "timer" },
      { name: "memory_recall", description: "召回".repeat(60), parameters: {}, owner: "core" },
    ],
  });
  const screen = await screenAfter(session, "/tools\r/tools timer_set\r");
  assert.match(screen, /memory_recall {2}(召回)+召?…\ntimer_set {6}Sets a timer\. Second line\.\n2 tools\n/);
  assert.match(screen, /timer_set {2}timer\nSets a timer\.\nSecond line\.\n\{\n {2}"type": "object"\n\}/);
});

Deno.test("/memory shows counts, /memory QUERY what is remembered, with why and what is past", async () => {
  const session = new FakeSession();
  session.answers["memory.recall"] = ({ query }) => ({
    answerable: true,
    hits: query === "none" ? [] : [
      {
        id: "1",
        kind: "relation",
        text: "我 住在 上海",
        score: 1,
        why: ["exact", "graph"],
        at: "2026-01-02T00:00:00Z",
        current: true,
      },
      {
        id: "2",
        kind: "relation",
        text: "我 住在 北京",
        score: 0.5,
        why: ["text"],
        at: "2025-01-02T00:00:00Z",
        current: false,
      },
    ],
  });
  const screen = await screenAfter(session, "/memory\r/memory 我住在哪里\r/memory none\r");
  assert.match(screen, /5 facts \(4 current\) about 3 things · 2 documents · 9 messages/);
  assert.match(screen, /• 我 住在 上海 {2}relation · exact\+graph · 2026-01-02\n• 我 住在 北京 .* · no longer\n/);
  assert.match(screen, /Nothing is remembered about that\./);
});

Deno.test("/config shows one setting, those below a prefix, sets one, and says why it could not", async () => {
  const session = new FakeSession();
  session.define("core.agent.max_tool_turns", 10, { type: "int" });
  session.define("core.agent.workdir", "");
  const shown = await screenAfter(session, "/config core.agent\r/config core.agent.max_tool_turns\r/config nope\r");
  assert.match(shown, /core\.agent\.max_tool_turns {2}10\ncore\.agent\.workdir/);
  assert.match(shown, /Title of core\.agent\.max_tool_turns/);
  assert.match(shown, /No setting begins with nope\./);
  await screenAfter(session, "/config core.agent.workdir /srv/my work\r");
  assert.equal(session.settings.get("core.agent.workdir")?.value, "/srv/my work");
  session.answers["config.set"] = () => {
    throw new RpcError(RPC_CODES.invalidParams, "max_tool_turns is a whole number from 1 to 100");
  };
  const refused = await screenAfter(session, "/config core.agent.max_tool_turns x\r");
  assert.match(refused, /That did not work: max_tool_turns is a whole number from 1 to 100/);
});

Deno.test("/attach adds an image to the next message and to that one only; wrong files are told", async () => {
  const session = new FakeSession();
  const png = new TextEncoder().encode("?PNG\r\n\x1a\n");
  png[0] = 0x89;
  const big = new Uint8Array(6e6);
  big.set(png);
  const files = { "/tmp/my cat.png": png, "/big.png": big, "/x.png": new TextEncoder().encode("MZ") };
  const stage = await start(session, { files });
  await stage.type("/attach /tmp/my\\ cat.png\r/attach /none.png\r/attach /big.png\r/attach /x.png\r/attach\rlook\r");
  await stage.type("again\r");
  assert.deepEqual(session.sent, [
    { text: "look", media: [{ mime: "image/png", data: "iVBORw0KGgo=", name: "my cat.png" }] },
    { text: "again" },
  ]);
  const screen = stage.terminal.everything;
  assert.match(screen, /my cat\.png \(8 B\) goes with the next message/);
  assert.match(screen, /Cannot read \/none\.png: no such file/);
  assert.match(screen, /big\.png has 6\.0 MB; at most 5\.2 MB/);
  assert.match(screen, /x\.png is neither an image nor audio/);
  assert.match(screen, /Usage: \/attach FILE/);
  await stage.leave();
});

Deno.test("/undo, /clear and /quit do what they say", async () => {
  const session = new FakeSession();
  const stage = await start(session);
  await stage.type("/undo\r");
  assert.match(stage.terminal.screen, /Undone: commit last/);
  await stage.type("/clear\r");
  assert.equal(stage.terminal.screen, "›");
  await stage.type("/quit\r");
  assert.equal(await stage.exit, 0);
});

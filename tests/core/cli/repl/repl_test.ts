import assert from "node:assert/strict";
import fc from "fast-check";
import { RPC_CODES, RpcError } from "../../../../core/wire/rpc.ts";
import { FakeSession } from "./fake_session.ts";
import { settle, Stage, type StageOptions } from "./kit.ts";

async function start(session: FakeSession, options?: StageOptions): Promise<Stage> {
  const stage = new Stage(session, options);
  await settle();
  return stage;
}

/** A turn that goes on until it is told. */
function openTurn(session: FakeSession) {
  const turn = Promise.withResolvers<string>();
  let emit: Parameters<FakeSession["script"]>[0]["emit"] = () => {};
  session.script = (context) => {
    emit = context.emit;
    return turn.promise;
  };
  return { finish: (reply: string) => turn.resolve(reply), emit: (event: Parameters<typeof emit>[0]) => emit(event) };
}

Deno.test("a message typed and entered is sent, and its reply stands on the screen", async () => {
  const session = new FakeSession();
  const stage = await start(session);
  await stage.type("你好 hello\r");
  assert.deepEqual(session.sent, [{ text: "你好 hello" }]);
  assert.match(stage.terminal.screen, /› 你好 hello\n你好 hello\n›$/);
  assert.equal(await stage.leave(), 0);
  assert.deepEqual(stage.raw, [true, false]);
  assert.ok(stage.output.endsWith("\x1b[?2004l"));
});

Deno.test("the welcome names the models, or says that there is none and names /setup, in the person's language", async () => {
  const session = new FakeSession();
  const bare = await start(session, { columns: 90 });
  assert.match(bare.terminal.screen, /No model is configured.*\/setup/);
  await bare.leave();
  const chinese = await start(session, { columns: 90, lang: "zh" });
  assert.match(chinese.terminal.screen, /还没有配置模型.*\/setup/);
  await chinese.leave();
  session.sources = [{ name: "deepseek", model: "deepseek-chat", state: "ready" }];
  const ready = await start(session);
  assert.match(ready.terminal.screen, /Models: deepseek \(deepseek-chat\)/);
  await ready.leave();
});

Deno.test("long work is a bar above the line being typed, which stays as it is, and goes when it is over", async () => {
  const session = new FakeSession();
  const stage = await start(session, { columns: 50, lang: "zh" });
  await stage.type("还没写完");
  session.tellProgress({ title: "Converting words.vec", share: 0.5 });
  session.tellProgress({ title: "Importing", share: 0.25 });
  assert.match(
    stage.terminal.screen,
    /█{12}░{12} {2}50 % 正在转换 words\.vec\n█{6}░{18} {2}25 % 正在导入\n› 还没写完$/,
  );
  await stage.type("的话");
  session.tellProgress({ title: "Converting words.vec", share: 1 });
  session.tellProgress({ title: "Importing", share: null });
  assert.doesNotMatch(stage.terminal.everything, /█/);
  assert.match(stage.terminal.screen, /\n› 还没写完的话$/);
  await stage.type("\r");
  assert.deepEqual(session.sent, [{ text: "还没写完的话" }]);
  session.tellProgress({ title: "Importing", share: 0.5 });
  await stage.leave();
  assert.doesNotMatch(stage.terminal.everything, /█/);
  const written = stage.output;
  session.tellProgress({ title: "Importing", share: 0.75 });
  assert.equal(stage.output, written, "the terminal is no longer ours");
});

Deno.test("a long line wraps with the cursor in its place, on wide characters and after a resize", async () => {
  const stage = await start(new FakeSession(), { columns: 12, height: 16 });
  const above = stage.terminal.row;
  await stage.type("你好世界再见朋友ab");
  const shown = () => stage.terminal.rows.slice(above).join("\n").trimEnd();
  assert.equal(shown(), "› 你好世界再\n  见朋友ab");
  assert.deepEqual([stage.terminal.row - above, stage.terminal.column], [1, 10]);
  await stage.type("\x1b[H\x1b[C");
  assert.deepEqual([stage.terminal.row - above, stage.terminal.column], [0, 4]);
  await stage.type("\x05");
  for (
    const [columns, rows] of [[20, "› 你好世界再见朋友ab"], [9, "› 你好世\n  界再见\n  朋友ab"], [
      30,
      "› 你好世界再见朋友ab",
    ]] as const
  ) {
    await stage.resize(columns);
    assert.ok(stage.terminal.everything.endsWith(rows), `at ${columns}:\n${stage.terminal.everything}`);
    assert.equal(stage.terminal.everything.split("你好").length, 2, `nothing is shown twice at ${columns}`);
  }
  await stage.leave();
});

Deno.test("a streamed reply longer than the screen scrolls without a line lost, doubled or torn", async () => {
  const session = new FakeSession();
  const lines = Array.from({ length: 40 }, (_, i) => `line ${i} 第${i}行`);
  session.script = ({ emit }) => {
    for (const part of lines.join("\n").match(/.{1,3}/gsu)!) emit({ type: "delta", text: part });
    return lines.join("\n");
  };
  const stage = await start(session, { columns: 30, height: 8 });
  await stage.type("go\r");
  const all = stage.terminal.everything.split("\n");
  assert.deepEqual(all.slice(all.indexOf("› go")), ["› go", ...lines, "›"]);
  await stage.leave();
});

Deno.test("withdrawn text is gone from the screen, and what had scrolled off is disowned", async () => {
  const session = new FakeSession();
  const turn = openTurn(session);
  const stage = await start(session, { columns: 90, height: 8 });
  await stage.type("go\r");
  turn.emit({ type: "delta", text: "wrong answer" });
  assert.match(stage.terminal.screen, /wrong answer/);
  turn.emit({ type: "notice", text: "the stream was cut", withdraws: true });
  assert.doesNotMatch(stage.terminal.everything, /wrong answer/);
  assert.match(stage.terminal.screen, /withdrawn: the stream was cut/);
  turn.emit({ type: "delta", text: Array.from({ length: 20 }, (_, i) => `wrong ${i}`).join("\n") });
  turn.emit({ type: "notice", text: "again", withdraws: true });
  assert.match(stage.terminal.everything, /The last \d+ lines above were withdrawn and do not count: again/);
  assert.doesNotMatch(stage.terminal.screen, /wrong 19/);
  turn.finish("right");
  await settle();
  assert.match(stage.terminal.screen, /\nright\n›$/);
  await stage.leave();
});

Deno.test("tool calls are folded to a line with their result, reasoning is dimmed, a changed reply replaces the draft", async () => {
  const session = new FakeSession();
  const turn = openTurn(session);
  const stage = await start(session, { columns: 70 });
  await stage.type("go\r");
  turn.emit({ type: "reasoning", text: "Let me\nthink" });
  turn.emit({ type: "tool", name: "doc_query", args: { query: "端口", top: 3 } });
  turn.emit({ type: "tool", name: "cmd_run", args: {} });
  assert.match(stage.terminal.screen, /⠋ doc_query\(query: "端口", top: 3\)\n {2}cmd_run/);
  turn.emit({ type: "tool_result", name: "doc_query", ok: true, summary: "2 hits\nmore" });
  turn.emit({ type: "tool_result", name: "cmd_run", ok: false, summary: "exit 1" });
  turn.emit({ type: "delta", text: "draft" });
  turn.finish("final");
  await settle();
  assert.match(
    stage.terminal.screen,
    /› go\nLet me\nthink\n✓ doc_query\(query: "端口", top: 3\) — 2 hits more\n✗ cmd_run — exit 1\nfinal\n›$/,
  );
  assert.ok(stage.output.includes("\x1b[2mthink\x1b[0m"));
  assert.doesNotMatch(stage.terminal.everything, /draft/);
  await stage.leave();
});

Deno.test("text before a tool call and the reply after it are each shown once", async () => {
  const session = new FakeSession();
  session.script = ({ emit }) => {
    emit({ type: "delta", text: "I look." });
    emit({ type: "tool", name: "t", args: {} });
    emit({ type: "tool_result", name: "t", ok: true, summary: "" });
    emit({ type: "delta", text: "Found." });
    return "Found.";
  };
  const stage = await start(session);
  await stage.type("go\r");
  assert.match(stage.terminal.screen, /› go\nI look\.\n✓ t\nFound\.\n›$/);
  await stage.leave();
});

Deno.test("no control character of model or tool reaches the terminal, in any kind of event", async () => {
  const session = new FakeSession();
  const evil = "\x1b]0;owned\x07\x1b[2J\x9b31m\r\x08x";
  session.script = ({ emit }) => {
    emit({ type: "reasoning", text: evil });
    emit({ type: "delta", text: `**a** ${evil}\n| ${evil} | b |\n|---|---|\n\`\`\`\n${evil}\n\`\`\`\n[l${evil}](u)` });
    emit({ type: "tool", name: evil, args: { [evil]: evil } });
    emit({ type: "tool_result", name: evil, ok: true, summary: evil });
    emit({ type: "notice", text: evil });
    emit({ type: "interrupt", text: evil });
    emit({ type: "approval", id: "1", tool: evil, args: { a: evil }, expires: 1_060_000 });
    return evil;
  };
  session.sources = [{ name: evil, model: evil, state: "paused", reason: evil }];
  for (const term of ["xterm", "dumb"]) {
    const stage = await start(session, { term });
    // The fake terminal throws at any sequence but the REPL's own.
    await stage.type("go\r");
    await stage.type("n\r");
    session.say(evil);
    await stage.type("/sources\r");
    for (const sign of ["\x1b]", "\x1b[2J", "\x9b", "\x07", "\x08"]) assert.ok(!stage.output.includes(sign), sign);
    await stage.type("/quit\r");
    assert.equal(await stage.exit, 0);
  }
});

Deno.test("Ctrl-C interrupts the model and not the program; a second one within two seconds leaves", async () => {
  const session = new FakeSession();
  openTurn(session);
  const stage = await start(session);
  await stage.type("go\r");
  await stage.type("\x03");
  assert.deepEqual(session.cancelled, ["t1"]);
  assert.match(stage.terminal.screen, /Interrupted\. Press Ctrl-C again to leave\.\n›$/);
  await stage.advance(2001);
  await stage.type("half a line\x03");
  assert.match(stage.terminal.screen, /\nPress Ctrl-C again to leave\.\n›$/);
  await stage.advance(1999);
  await stage.type("\x03");
  assert.equal(await stage.exit, 0);
});

Deno.test("Ctrl-C before the turn has a name cancels it as soon as it has one", async () => {
  const session = new FakeSession();
  openTurn(session);
  const stage = await start(session);
  await stage.type("go\r\x03");
  assert.deepEqual(session.cancelled, ["t1"]);
  await stage.advance(5000);
  await stage.leave();
});

Deno.test("what is typed while a turn runs goes into it as an interrupt, and the draft goes on below", async () => {
  const session = new FakeSession();
  const turn = openTurn(session);
  const stage = await start(session);
  await stage.type("go\r");
  turn.emit({ type: "delta", text: "first line\nsecond " });
  await stage.type("等一下\r");
  assert.deepEqual(session.interrupts, ["等一下"]);
  assert.deepEqual(session.sent, [{ text: "go" }]);
  turn.emit({ type: "delta", text: "half\n" });
  turn.finish("first line\nsecond half\n");
  await settle();
  assert.match(stage.terminal.screen, /› go\nfirst line\n› 等一下\nsecond half\n›$/);
  await stage.leave();
});

Deno.test("what the agent says of itself appears above the line being typed", async () => {
  const session = new FakeSession();
  const stage = await start(session);
  await stage.type("half typed");
  session.say("**Time** to go");
  assert.match(stage.terminal.screen, /\nTime to go\n› half typed$/);
  await stage.leave();
});

Deno.test("an error is a sentence with what to do, and the prompt is back", async () => {
  const session = new FakeSession();
  session.script = () => {
    throw new RpcError(RPC_CODES.noSource, "deepseek: 401", { data: { fix: "check the key with /setup" } });
  };
  const stage = await start(session);
  await stage.type("go\r");
  assert.match(stage.terminal.screen, /No model answered: deepseek: 401\nWhat to do: check the key with \/setup\n›$/);
  assert.equal(await stage.leave(), 0);
});

Deno.test("when the agent goes away the REPL says why and ends with 1", async () => {
  const session = new FakeSession();
  const stage = await start(session);
  session.close("homed was stopped");
  assert.equal(await stage.exit, 1);
  assert.match(stage.terminal.screen, /The agent is gone: homed was stopped/);
  assert.deepEqual(stage.raw, [true, false]);
});

Deno.test("with NO_COLOR nothing is styled and Markdown stays as written", async () => {
  const session = new FakeSession();
  const stage = await start(session, { noColor: true });
  await stage.type("**bold** `code`\r");
  assert.match(stage.terminal.screen, /\n\*\*bold\*\* `code`\n›$/);
  assert.doesNotMatch(stage.output.replaceAll("\x1b", "ESC"), /ESC\[[0-9;]*m/);
  await stage.leave();
});

Deno.test("Tab completes commands and their arguments", async () => {
  const session = new FakeSession();
  session.define("core.agent.max_tool_turns", 10);
  session.define("core.agent.max_context_size", 30);
  const stage = await start(session);
  await stage.type("/conf\t");
  assert.match(stage.terminal.screen, /› \/config$/);
  await stage.type("core.a\t");
  assert.match(stage.terminal.screen, /› \/config core\.agent\.max_$/);
  await stage.type("\t");
  assert.match(
    stage.terminal.screen,
    /› \/config core\.agent\.max_\n {2}core\.agent\.max_tool_turns\n {2}core\.agent\.max_context/,
  );
  await stage.type("t\t");
  assert.match(stage.terminal.screen, /› \/config core\.agent\.max_tool_turns$/);
  await stage.leave();
});

Deno.test("a lone Escape does not hold back what follows", async () => {
  const session = new FakeSession();
  const stage = await start(session);
  await stage.type("a\x1b");
  await stage.advance(60);
  await stage.type("b\r");
  assert.deepEqual(session.sent, [{ text: "ab" }]);
  await stage.leave();
});

Deno.test("a session that is closed after the REPL was left is not complained of", async () => {
  for (const term of ["xterm", "dumb"]) {
    const session = new FakeSession();
    const stage = await start(session, { term });
    await stage.type("/quit\r");
    assert.equal(await stage.exit, 0);
    const before = stage.output;
    session.close("closed by this side");
    await settle();
    assert.equal(stage.output, before);
  }
});

Deno.test("a process that is told to end gives the terminal back first", async () => {
  const session = new FakeSession();
  openTurn(session);
  const stage = await start(session);
  await stage.type("go\r");
  await stage.terminate();
  assert.equal(await stage.exit, 143);
  assert.deepEqual(stage.raw, [true, false]);
  assert.ok(stage.output.endsWith("\x1b[?2004l"));
});

Deno.test("whatever happens in whatever order, every line that was meant stands on the terminal once and in order", async () => {
  const step = fc.oneof(
    fc.constant("line" as const),
    fc.constant("half" as const),
    fc.constant("tool" as const),
    fc.constant("notice" as const),
    fc.constant("output" as const),
    fc.constant("typing" as const),
    fc.constant("enter" as const),
    fc.constant("withdraw" as const),
  );
  const run = async (steps: string[], height: number) => {
    const session = new FakeSession();
    const turn = openTurn(session);
    const stage = await start(session, { columns: 24, height });
    await stage.type("go\r");
    let count = 0, draft: string[] = [], partial = "", typed = "";
    const meant: string[] = [], wrong: string[] = [];
    const emitText = (text: string) => turn.emit({ type: "delta", text });
    const keep = () => {
      meant.push(...draft, ...(partial ? [partial] : []));
      [draft, partial] = [[], ""];
    };
    for (const one of steps) {
      const token = `<${++count}字>`;
      if (one === "half") {
        partial += token;
        emitText(token);
      } else if (one === "line") {
        draft.push(partial + token);
        partial = "";
        emitText(`${token}\n`);
      } else if (one === "tool") {
        turn.emit({ type: "tool", name: token, args: {} });
        turn.emit({ type: "tool_result", name: token, ok: true, summary: "" });
        keep();
        meant.push(`✓ ${token}`);
      } else if (one === "notice") {
        turn.emit({ type: "notice", text: token });
        keep();
        meant.push(`· ${token}`);
      } else if (one === "output") {
        session.say(token);
        meant.push(...draft, token);
        draft = [];
      } else if (one === "typing") {
        typed = `${typed}x`.slice(0, 10);
        if (typed.length < 10) await stage.type("x");
      } else if (one === "enter") {
        await stage.type(`\x15${token}\r`);
        typed = "";
        meant.push(...draft, `› ${token}`);
        draft = [];
      } else {
        // What is above an interruption stays there, disowned; only the rest is certainly gone.
        if (draft.length === 0 && partial !== "" && partial.length < 20) wrong.push(partial);
        turn.emit({ type: "notice", text: token, withdraws: true });
        const everything = stage.terminal.everything;
        for (const text of wrong) assert.ok(!everything.includes(text), `${text} was withdrawn`);
        [draft, partial] = [[], ""];
      }
    }
    turn.finish("the end");
    await settle();
    const seen = stage.terminal.everything.replace(/\n\s*/g, "");
    let at = 0;
    for (const text of meant) {
      const found = seen.indexOf(text, at);
      assert.ok(found >= 0, `${text} is missing after ${at} in\n${stage.terminal.everything}`);
      assert.equal(seen.split(text).length, 2, `${text} stands there twice:\n${stage.terminal.everything}`);
      at = found + text.length;
    }
    await stage.leave();
  };
  const seeds = fc.sample(fc.tuple(fc.array(step, { maxLength: 25 }), fc.integer({ min: 5, max: 12 })), 40);
  for (const [steps, height] of seeds) await run(steps, height);
});

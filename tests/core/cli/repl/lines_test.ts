import assert from "node:assert/strict";
import { RPC_CODES, RpcError } from "../../../../core/wire/rpc.ts";
import { FakeSession } from "./fake_session.ts";
import { settle, Stage, type StageOptions } from "./kit.ts";

async function start(session: FakeSession, options: StageOptions): Promise<Stage> {
  const stage = new Stage(session, options);
  await settle();
  return stage;
}

Deno.test("in a pipe each line is a message, one after another, and stdout has the replies and nothing else", async () => {
  const session = new FakeSession();
  session.script = async ({ message, emit }) => {
    emit({ type: "reasoning", text: "hm" });
    emit({ type: "delta", text: "wrong" });
    emit({ type: "notice", text: "cut", withdraws: true });
    emit({ type: "tool", name: "t", args: {} });
    await settle();
    emit({ type: "tool_result", name: "t", ok: true, summary: "ok" });
    emit({ type: "delta", text: `**${message.text}**` });
    return `**${message.text}**`;
  };
  const stage = await start(session, { piped: true });
  await stage.type("one\r\n\n二\nthr");
  await stage.type("ee");
  await stage.end();
  assert.equal(await stage.exit, 0);
  assert.deepEqual(session.sent.map(({ text }) => text), ["one", "二", "three"]);
  assert.equal(stage.output, "**one**\n**二**\n**three**\n");
  assert.match(stage.errors, /withdrawn: cut\n✓ t — ok\n/);
  assert.ok(!(stage.output + stage.errors).includes("\x1b"));
  assert.deepEqual(stage.raw, []);
});

Deno.test("a pipe ends with the status of the last failure: 3 when no source answered, 1 for the rest", async () => {
  const cases = [[RPC_CODES.noSource, 3], [RPC_CODES.internalError, 1]] as const;
  for (const [code, status] of cases) {
    const session = new FakeSession();
    session.script = ({ message }) => {
      if (message.text === "good") return "fine";
      throw new RpcError(code, "broken");
    };
    const stage = await start(session, { piped: true });
    await stage.type("bad\ngood\n");
    await stage.end();
    assert.equal(await stage.exit, status);
    assert.equal(stage.output, "fine\n");
    assert.match(stage.errors, /broken/);
  }
});

Deno.test("a character cut between two chunks of a pipe arrives whole", async () => {
  const session = new FakeSession();
  const bytes = new TextEncoder().encode("你好👍\n");
  for (let cut = 1; cut < bytes.length; cut++) {
    const stage = await start(session, { piped: true });
    await stage.typeBytes(bytes.subarray(0, cut));
    await stage.typeBytes(bytes.subarray(cut));
    await stage.end();
    await stage.exit;
    assert.equal(session.sent.at(-1)!.text, "你好👍");
  }
});

Deno.test("commands work in a pipe, /setup takes its answers from the next lines", async () => {
  const session = new FakeSession();
  session.define("core.llm.sources.openai.model", "gpt");
  const stage = await start(session, { piped: true });
  await stage.type("/setup\nopenai\nsk-1\n\nhello\n/quit\nnever\n");
  assert.equal(await stage.exit, 0);
  assert.equal(session.settings.get("core.llm.sources.openai.api_key")?.value, "••••");
  assert.deepEqual(session.sent, [{ text: "hello" }]);
});

Deno.test("a dumb terminal has a prompt, streams whole lines, and gets no escape code", async () => {
  const session = new FakeSession();
  const turn = Promise.withResolvers<string>();
  session.script = ({ emit }) => {
    emit({ type: "delta", text: "first\nsec" });
    return turn.promise;
  };
  const stage = await start(session, { term: "dumb" });
  assert.match(stage.output, /\/setup[^\n]*\n› $/);
  await stage.type("go\n");
  assert.ok(stage.output.endsWith("› first\n"));
  await stage.type("wait\n");
  assert.deepEqual(session.interrupts, ["wait"]);
  turn.resolve("first\nsecond");
  await settle();
  assert.ok(stage.output.includes("second"));
  assert.ok(stage.output.endsWith("› "));
  assert.ok(!stage.output.includes("\x1b"));
  await stage.end();
  assert.equal(await stage.exit, 0);
});

Deno.test("in a dumb terminal Ctrl-C interrupts the model, then leaves", async () => {
  const session = new FakeSession();
  session.script = () => new Promise(() => {});
  const stage = await start(session, { term: "dumb" });
  await stage.type("go\n");
  await stage.interrupt();
  assert.deepEqual(session.cancelled, ["t1"]);
  await stage.interrupt();
  assert.equal(await stage.exit, 0);
});

Deno.test("a key in a dumb terminal is read without echo, Ctrl-C there takes the question back", async () => {
  const session = new FakeSession();
  session.define("core.llm.sources.openai.model", "gpt");
  const stage = await start(session, { term: "dumb" });
  await stage.type("/setup\n");
  await stage.type("openai\n");
  assert.deepEqual(stage.raw, [true]);
  await stage.type("sk-x\x7fy\r");
  assert.deepEqual(stage.raw, [true, false]);
  assert.deepEqual(session.called.at(-2), {
    method: "config.set",
    params: { key: "core.llm.sources.openai.api_key", value: "sk-y" },
  });
  await stage.interrupt();
  await stage.type("/setup\nopenai\n");
  await stage.type("half\x03");
  assert.match(stage.output, /Nothing was changed\./);
  await stage.type("/quit\n");
  assert.equal(await stage.exit, 0);
});

Deno.test("when the agent goes away in a pipe the status is 1 and the reason is on stderr", async () => {
  const session = new FakeSession();
  session.script = () => new Promise(() => {});
  const stage = await start(session, { piped: true });
  await stage.type("go\n");
  session.close("the daemon was stopped");
  assert.equal(await stage.exit, 1);
  assert.match(stage.errors, /the daemon was stopped/);
});

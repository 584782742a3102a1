import assert from "node:assert/strict";
import { FakeSession } from "./fake_session.ts";
import { settle, Stage, type StageOptions } from "./kit.ts";

/** A turn that asks for one approval and ends when it was answered. */
async function start(options: StageOptions = {}): Promise<{ session: FakeSession; stage: Stage }> {
  const session = new FakeSession();
  const answered = Promise.withResolvers<boolean>();
  const answer = session.answerApproval.bind(session);
  session.answerApproval = (given) => {
    answered.resolve(given.allow);
    return answer(given);
  };
  session.script = async ({ emit }) => {
    emit({ type: "approval", id: "a1", tool: "cmd_run", args: { command: "ls 目录" }, expires: 1_060_000 });
    return await answered.promise ? "did it" : "did not";
  };
  const stage = new Stage(session, { columns: 80, ...options });
  await settle();
  return { session, stage };
}

Deno.test("an approval shows tool and arguments, and y, n and a answer it", async () => {
  const cases = [
    ["y", { id: "a1", allow: true }, "allowed\ndid it"],
    ["N", { id: "a1", allow: false }, "denied\ndid not"],
    ["a", { id: "a1", allow: true, always: true }, "allowed, from now on always\ndid it"],
    ["是", { id: "a1", allow: true }, "allowed\ndid it"],
  ] as const;
  for (const [typed, expected, shown] of cases) {
    const { session, stage } = await start();
    await stage.type("go\r");
    assert.match(stage.terminal.screen, /cmd_run asks to act:\n {2}\{\n {4}"command": "ls 目录"\n {2}\}\n.*\nAllow\?/);
    await stage.type(`${typed}\r`);
    assert.deepEqual(session.approvals, [expected]);
    assert.ok(stage.terminal.screen.endsWith(`${shown}\n›`), stage.terminal.screen);
    await stage.leave();
  }
});

Deno.test("a word that was being typed when the question came is no answer", async () => {
  const { session, stage } = await start();
  await stage.type("go\r");
  await stage.type("yes");
  await stage.type("terday I\r");
  assert.deepEqual(session.approvals, []);
  assert.match(stage.terminal.screen, /Please answer y, n or a\./);
  await stage.type("n\r");
  assert.deepEqual(session.approvals, [{ id: "a1", allow: false }]);
  await stage.leave();
});

Deno.test("an approval that nobody answers is denied when it expires", async () => {
  const { session, stage } = await start();
  await stage.type("go\r");
  await stage.advance(60_000);
  assert.deepEqual(session.approvals, [{ id: "a1", allow: false }]);
  assert.match(stage.terminal.screen, /denied: nobody answered in time\ndid not\n›$/);
  await stage.leave();
});

Deno.test("Ctrl-C at an approval denies it and interrupts the turn", async () => {
  const { session, stage } = await start();
  await stage.type("go\r");
  await stage.type("\x03");
  assert.deepEqual(session.approvals, [{ id: "a1", allow: false }]);
  await stage.advance(5000);
  await stage.leave();
});

Deno.test("an answer that came too late is told", async () => {
  const { session, stage } = await start();
  const answer = session.answerApproval.bind(session);
  session.answerApproval = async (given) => ({ known: (await answer(given), false) });
  await stage.type("go\r");
  await stage.type("y\r");
  assert.match(stage.terminal.screen, /the answer came too late/);
  await stage.leave();
});

Deno.test("in a pipe nobody is there, and that means no", async () => {
  const { session, stage } = await start({ piped: true });
  await stage.type("go\n");
  await stage.end();
  assert.equal(await stage.exit, 0);
  assert.deepEqual(session.approvals, [{ id: "a1", allow: false }]);
  assert.equal(stage.output, "did not\n");
  assert.match(stage.errors, /denied: there is no one to ask in a pipe/);
});

import assert from "node:assert/strict";
import { FakeSession } from "./fake_session.ts";
import { settle, Stage } from "./kit.ts";

Deno.test("a message typed and entered is sent, and its reply stands on the screen", async () => {
  const session = new FakeSession();
  const stage = new Stage(session);
  await settle();
  await stage.type("你好 hello\r");
  assert.deepEqual(session.sent, [{ text: "你好 hello" }]);
  assert.match(stage.terminal.screen, /› 你好 hello\n你好 hello\n›$/);
  assert.equal(await stage.leave(), 0);
});

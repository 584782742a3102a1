import assert from "node:assert/strict";
import { answered, request, TestRoom, testSource } from "./room_kit.ts";

const DOC = await Deno.readTextFile(new URL("../../docs/adapters.md", import.meta.url));

Deno.test("the adapter in docs/adapters.md asks its server as it says, and gives the answer", async () => {
  const asked: { url: string; key: string | null; body: unknown }[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    asked.push({ url: pathname, key: request.headers.get("x-key"), body: await request.json() });
    return Response.json({ text: "It is Tuesday.", tokens: 4 });
  });
  const [, script] = /```lua\n([^]*?)```/.exec(DOC)!;
  const source = testSource("plain", `http://127.0.0.1:${server.addr.port}`, { script: script! });
  await using room = await TestRoom.with([source]);
  const messages = [{ role: "system" as const, content: "Be brief." }, { role: "user" as const, content: "What day?" }];
  const { outcome, deltas } = await room.ask("plain", request({ messages, stream: true }));
  assert.equal(answered(outcome).content, "It is Tuesday.");
  assert.equal(answered(outcome).token_usage.completion, 4);
  assert.deepEqual(asked, [{
    url: "/generate",
    key: "sk-secret-of-the-test",
    body: { model: "m", prompt: "system: Be brief.\nuser: What day?" },
  }]);
  assert.ok(deltas.length <= 1, "without transform_stream_chunk the answer comes whole");
});

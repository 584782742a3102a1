import assert from "node:assert/strict";
import { kernelHome } from "../../kit/kernel_home.ts";

const qq = { name: "qq", caps: 1, description: "chat", max_length: 20 };

async function onQq(steps: Parameters<typeof kernelHome>[0], output: (payload: string) => { status: string }) {
  const home = await kernelHome(steps, { host: { "output.invoke": ({ payload }) => output(payload) } });
  home.kernel.channels.register("qqplugin", qq);
  return { ...home, sent: () => home.host.calls.map(({ params }) => params.payload) };
}

Deno.test("a reply goes back to its channel, in parts and in order", async () => {
  const home = await onQq([{ text: "First sentence. Second sentence. Third." }], () => ({ status: "ok" }));
  await home.say("hi", { channel: "qq", source: "ann" });
  assert.deepEqual(home.sent(), ["First sentence.", "Second sentence.", "Third."]);
  assert.equal(home.host.calls[0]!.params.owner, "qqplugin");
  assert.deepEqual(home.host.calls[0]!.params.meta, { turn: home.events[0]!.turn, user_id: "ann" });
});

Deno.test("a reply that could not be delivered is said, and the next turn knows", async () => {
  const home = await onQq([{ text: "hello" }, { text: "again" }], () => {
    throw new Error("socket closed");
  });
  const reply = await home.say("hi", { channel: "qq" });
  assert.equal(reply.reply, "hello");
  assert.ok(home.events.some((event) => event.type === "notice" && /socket closed/.test(event.text)));
  assert.equal(home.bus.find(({ type }) => type === "output")!.payload.ok, false);
  await home.say("and?");
  assert.ok(home.llm.requests[1]!.messages.some(({ content }) => /could not be delivered/.test(String(content))));
});

Deno.test("a channel that carries no text is not sent any, and that is said", async () => {
  const home = await kernelHome([{ text: "hello" }]);
  home.kernel.channels.register("speaker", { name: "speaker", caps: 8, description: "sound" });
  await home.say("hi", { channel: "speaker" });
  assert.equal(home.host.calls.length, 0);
  assert.ok(home.events.some((event) => event.type === "notice" && /carries no text, only audio/.test(event.text)));
});

Deno.test("what a send returned is what the model is told", async () => {
  const send = (payload: string) => ({ calls: [{ name: "output_send__qq", args: { payload } }] });
  const home = await onQq([send("hi"), { text: "" }], () => ({ status: "queued" }));
  await home.say("go", { channel: "qq" });
  assert.match(String(home.llm.requests[1]!.messages.at(-1)!.content), /"status":"queued"/);
  const failing = await onQq([send("hi"), { text: "" }, { text: "" }], () => ({ status: "failed: no such group" }));
  await failing.say("go", { channel: "qq" });
  assert.match(String(failing.llm.requests[1]!.messages.at(-1)!.content), /"ok":false.*no such group/);
  assert.ok(failing.events.some((event) => event.type === "tool_result" && !event.ok));
});

Deno.test("a send that failed half-way is taken up where it stopped", async () => {
  const payload = "First sentence. Second sentence. Third.";
  const send = { calls: [{ name: "output_send__qq", args: { payload } }] };
  let broken = true;
  const home = await onQq([send, { ...send, text: "again" }, { text: "done" }], (part) => {
    if (part.startsWith("Second") && broken) {
      broken = false;
      throw new Error("timeout");
    }
    return { status: "ok" };
  });
  await home.say("go", { channel: "qq" });
  assert.deepEqual(home.sent(), ["First sentence.", "Second sentence.", "Second sentence.", "Third.", "done"]);
});

Deno.test("a final text that was sent to its channel already is not sent twice", async () => {
  const home = await onQq([
    { calls: [{ name: "output_send__qq", args: { payload: "the answer" } }] },
    { text: "the answer" },
  ], () => ({ status: "ok" }));
  await home.say("go", { channel: "qq" });
  assert.deepEqual(home.sent(), ["the answer"]);
});

Deno.test("what was sent to a channel where nobody listens takes the place of no reply", async () => {
  const send = { calls: [{ name: "output_send__qq", args: { payload: "psst" } }] };
  const home = await onQq([send, { text: "" }, { text: "the reply" }], () => ({ status: "kept: nobody is listening" }));
  assert.equal((await home.say("go", { channel: "qq" })).reply, "the reply");
});

Deno.test("each channel has two tools, its gate rules stand in the prompt, and both go with their owner", async () => {
  const home = await onQq([], () => ({ status: "ok" }));
  await home.say("hi");
  const names = home.llm.requests[0]!.tools!.map((tool) => tool.function.name);
  assert.ok(names.includes("output_send__qq") && names.includes("output_send__qq_help"));
  assert.match(String(home.llm.requests[0]!.messages[0]!.content), /Channels: qq \(text\)/);
  home.kernel.channels.detach("qqplugin");
  await home.say("hi");
  assert.ok(!home.llm.requests[1]!.tools!.some((tool) => tool.function.name.startsWith("output_send__")));
});

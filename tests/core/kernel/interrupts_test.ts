import assert from "node:assert/strict";
import { unsendable } from "../../../core/kernel/history.ts";
import type { ChatMessage } from "../../../core/wire/llm.ts";
import { RpcError } from "../../../core/wire/rpc.ts";
import { type KernelHome, kernelHome } from "../../kit/kernel_home.ts";
import { until } from "../../kit/until.ts";

const MARK = "[打断消息]";
const interrupts = (messages: ChatMessage[]) =>
  messages.flatMap(({ content }) => typeof content === "string" && content.startsWith(MARK) ? [content] : []);

/** A tool that ends when the test says so. */
async function withSlowTool(steps: Parameters<typeof kernelHome>[0]): Promise<KernelHome & { finish: () => void }> {
  const gate = Promise.withResolvers<void>();
  const home = await kernelHome(steps, {
    host: { "tool.invoke": async () => (await gate.promise, { result: "slow result" }) },
  });
  home.kernel.stages.registerTools("plug", [{ name: "plug_slow", description: "", parameters: { type: "object" } }]);
  return { ...home, finish: gate.resolve };
}

Deno.test("an interrupt during a call closes it, withdraws its text, and is before the model in the next", async () => {
  const home = await kernelHome([{ hang: true, say: "Once upon" }, { text: "Stopped the story." }]);
  const reply = home.say("tell me a story");
  await home.llm.asked(1);
  await until("the model writes", () => home.events.some(({ type }) => type === "delta"));
  const turn = home.kernel.loop.interrupt({ text: "no, stop", trusted: true });
  assert.equal((await reply).turn, turn);
  assert.equal((await reply).reply, "Stopped the story.");
  assert.equal(home.llm.open, 0);
  assert.deepEqual(interrupts(home.llm.requests[1]!.messages), [`${MARK} no, stop`]);
  assert.ok(home.events.some((event) => event.type === "notice" && event.withdraws));
  assert.ok(home.events.some((event) => event.type === "interrupt" && event.text === "no, stop"));
  assert.deepEqual(home.memory.events.map(({ kind }) => kind), ["user", "interrupt", "agent"]);
});

Deno.test("an interrupt before the first call waits for no cancelling and is in that call", async () => {
  const gate = Promise.withResolvers<void>();
  const home = await kernelHome([{ text: "both answered" }]);
  home.memory.on["memory.brief"] = async () => (await gate.promise, { index: [], documents: [], knowledge: [] });
  const reply = home.say("first");
  await until("memory is asked", () => home.memory.calls.some(({ method }) => method === "memory.brief"));
  const second = home.say("and second", { interrupt: true });
  gate.resolve();
  assert.equal((await reply).reply, "both answered");
  assert.equal((await second).reply, "both answered");
  assert.equal(home.llm.requests.length, 1);
  assert.deepEqual(interrupts(home.llm.requests[0]!.messages), [`${MARK} and second`]);
});

Deno.test("an interrupt that comes while another is being written is in the same call", async () => {
  const home = await kernelHome([{ hang: true }, { text: "all heard" }]);
  const reply = home.say("go");
  await home.llm.asked(1);
  home.memory.on["context.append"] = ({ event }) => {
    if (event.input === "first") home.kernel.loop.interrupt({ text: "second", trusted: true });
    return {};
  };
  home.kernel.loop.interrupt({ text: "first", trusted: true });
  assert.equal((await reply).reply, "all heard");
  assert.deepEqual(interrupts(home.llm.requests[1]!.messages), [`${MARK} first`, `${MARK} second`]);
});

Deno.test("an interrupt during a tool lets the tool finish and comes before the next call", async () => {
  const home = await withSlowTool([{ calls: [{ name: "plug_slow" }] }, { text: "ok" }]);
  const reply = home.say("go");
  await until("the tool runs", () => home.host.calls.some(({ method }) => method === "tool.invoke"));
  home.kernel.loop.interrupt({ text: "hurry", trusted: true });
  home.finish();
  assert.equal((await reply).reply, "ok");
  const messages = home.llm.requests[1]!.messages;
  assert.equal(unsendable(messages), null);
  assert.deepEqual(messages.slice(-3).map(({ role }) => role), ["assistant", "tool", "user"]);
  assert.match(String(messages.at(-2)!.content), /slow result/);
  assert.equal(messages.at(-1)!.content, `${MARK} hurry`);
});

Deno.test("an interrupt after the last call starts a turn of its own", async () => {
  const home = await kernelHome([{ text: "one" }, { text: "two" }]);
  let late: Promise<unknown> | undefined;
  home.kernel.stages.registerStage("test", "before_output", "global", () => {
    late ??= home.say("late", { interrupt: true }).then(({ reply }) => reply);
  });
  assert.equal((await home.say("first")).reply, "one");
  assert.equal(await late, "two");
  assert.deepEqual(home.memory.events.map(({ kind, input, response }) => `${kind} ${input ?? response}`), [
    "user first",
    "agent one",
    "user late",
    "agent two",
  ]);
});

Deno.test("an interrupt with nothing running starts a turn", async () => {
  const home = await kernelHome([{ text: "hello" }]);
  const turn = home.kernel.loop.interrupt({ text: "hi" });
  await until("the reply is sent", () => home.bus.some(({ type }) => type === "response"));
  assert.equal(home.bus.find(({ type }) => type === "response")!.payload.turn, turn);
});

Deno.test("an interrupt cuts a consolidation off, which is not tried again", async () => {
  const home = await kernelHome([{ hang: true }, { text: "hello" }]);
  const decision = home.kernel.loop.decide("merge A and B?");
  await home.llm.asked(1);
  const reply = home.say("hi", { interrupt: true });
  assert.equal(await decision, null);
  assert.equal((await reply).reply, "hello");
  assert.equal(home.llm.requests.length, 2);
});

Deno.test("self-input is answered with the model's text, and null without a real model", async () => {
  const home = await kernelHome([{ text: "merge" }]);
  assert.equal(await home.kernel.loop.decide("A and B?"), "merge");
  assert.equal(home.llm.requests[0]!.tools, undefined);
  assert.deepEqual(home.memory.events, []);
  const offline = await kernelHome([{ text: "merge" }], { settings: { sources: [] } });
  assert.equal(await offline.kernel.loop.decide("A and B?"), null);
  assert.equal(offline.llm.requests.length, 0);
});

Deno.test("chat.cancel closes the call and keeps what was said so far", async () => {
  const home = await kernelHome([{ hang: true, say: "The answer is" }]);
  const reply = home.say("what is it?");
  await until("the model writes", () => home.events.some(({ type }) => type === "delta"));
  const turn = home.kernel.loop.turn!.id;
  assert.equal(home.kernel.loop.cancel(turn), true);
  assert.equal((await reply).reply, "The answer is");
  assert.equal(home.llm.open, 0);
  assert.equal(home.memory.events.at(-1)!.response, "The answer is (stopped)");
  assert.equal(home.kernel.loop.cancel(turn), false);
});

Deno.test("chat.cancel during a tool gives every open call exactly one result, in what is stored too", async () => {
  const home = await withSlowTool([{ calls: [{ name: "plug_slow" }, { name: "plug_slow", args: { n: 2 } }] }]);
  const reply = home.say("go");
  await until("the tool runs", () => home.host.calls.some(({ method }) => method === "tool.invoke"));
  home.kernel.loop.cancel(home.kernel.loop.turn!.id);
  await home.clock.advance(2000); // it is waited for, but not for ever
  await reply;
  home.finish();
  const stored = home.memory.events.at(-1)!.messages!;
  assert.equal(unsendable(stored), null);
  const results = stored.flatMap(({ role, content }) => role === "tool" ? [String(content)] : []);
  assert.match(results[0]!, /may still be running/);
  assert.match(results[1]!, /^Not run: the person stopped the turn/);
  assert.equal(home.host.calls.filter(({ method }) => method === "tool.invoke").length, 1);
});

Deno.test("shutdown refuses what waits, gives the running turn its grace, then stops it", async () => {
  const home = await kernelHome([{ hang: true, say: "so far" }]);
  const running = home.say("long");
  await until("the model writes", () => home.events.some(({ type }) => type === "delta"));
  const waiting = assert.rejects(home.say("next"), (error: RpcError) => error.code === -32007);
  const stopped = home.kernel.loop.stop(5000);
  await waiting;
  await home.clock.advance(5000);
  await stopped;
  assert.equal((await running).reply, "so far");
  assert.ok(home.events.some((event) => event.type === "notice" && event.text === "homed is shutting down"));
  await assert.rejects(home.say("later"), (error: RpcError) => error.code === -32007);
});

Deno.test("messages of several channels are answered in order", async () => {
  const home = await kernelHome([{ text: "one" }, { text: "two" }, { text: "three" }]);
  const replies = await Promise.all(["a", "b", "c"].map((channel) => home.say(`from ${channel}`, { channel })));
  assert.deepEqual(replies.map(({ reply }) => reply), ["one", "two", "three"]);
});

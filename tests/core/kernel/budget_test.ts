import assert from "node:assert/strict";
import fc from "fast-check";
import { estimateTokens, fitRequest } from "../../../core/kernel/budget.ts";
import { callMessage, resultMessage, unsendable } from "../../../core/kernel/history.ts";
import { middleCut } from "../../../core/kernel/middle_cut.ts";
import type { ChatMessage } from "../../../core/wire/llm.ts";
import type { RpcError } from "../../../core/wire/rpc.ts";
import { kernelHome } from "../../kit/kernel_home.ts";
import { testSource } from "../../kit/scripted_llm.ts";

const timeline = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    score: n / count,
    event: {
      id: String(n),
      kind: "user" as const,
      at: n,
      turn: "t",
      source: "cli",
      channel: "cli",
      input: `old message number ${n} ${"x".repeat(400)}`,
    },
  }));
const call = { id: "c", type: "function" as const, name: "tool", arguments: "{}" };
const talk = (size: number): ChatMessage[] => [
  { role: "user", content: "older question" },
  callMessage("", [call]),
  resultMessage(call, "r".repeat(size)),
  { role: "assistant", content: "older answer" },
  { role: "user", content: "the question" },
];

Deno.test("a request within its budget is left alone", () => {
  const parts = { fixed: "fixed", memory: "memory", timeline: timeline(3) };
  const fitted = fitRequest(parts, talk(100), [], 100_000);
  assert.ok(fitted.fits);
  assert.match(String(fitted.messages[0]!.content), /fixed\n\nmemory\n\n\[Context\][\s\S]*number 0[\s\S]*number 2/);
});

Deno.test("the least relevant of the timeline is given up first, then the recall, then long results are shortened", () => {
  const parts = { fixed: "fixed", memory: "m".repeat(4000), timeline: timeline(20) };
  const some = fitRequest(parts, talk(100), [], 2600);
  assert.ok(some.fits);
  const system = String(some.messages[0]!.content);
  assert.ok(system.includes("number 19") && !system.includes("number 0 ") && system.includes("mmm"));
  const few = fitRequest(parts, talk(40_000), [], 600);
  assert.ok(few.fits);
  assert.equal(few.messages[0]!.content, "fixed");
  assert.equal(few.messages.at(-1)!.content, "the question");
  assert.match(String(few.messages[3]!.content), /characters left out/);
});

Deno.test("trimming keeps system prompt, order and tool pairs, for any sizes and budget", () => {
  fc.assert(fc.property(fc.nat(30_000), fc.nat(30), fc.nat(9000), (size, events, budget) => {
    const { messages } = fitRequest({ fixed: "fixed", memory: "", timeline: timeline(events) }, talk(size), [], budget);
    assert.equal(unsendable(messages), null);
    assert.deepEqual(messages.map(({ role }) => role), ["system", ...talk(0).map(({ role }) => role)]);
    assert.match(String(messages[0]!.content), /^fixed/);
  }));
});

Deno.test("a message of fifty megabytes is cut to the window and the loop goes on", async () => {
  const home = await kernelHome([{ text: "long" }, { text: "short" }], {
    source: testSource("small", { context_window: 8000 }),
  });
  assert.equal((await home.say("x".repeat(50_000_000))).reply, "long");
  const size = home.llm.requests[0]!.messages.reduce((sum, { content }) => sum + estimateTokens(String(content)), 0);
  assert.ok(size < 8000, String(size));
  assert.equal((await home.say("hi")).reply, "short");
});

Deno.test("a source that says the context is too large is asked once more with less, then the loop is free", async () => {
  const tooLarge = {
    completed: { kind: "context" as const, source: "test", window: 4000, message: "too many tokens" },
  };
  const home = await kernelHome([tooLarge, { text: "fits now" }, tooLarge, tooLarge, { text: "free" }]);
  const text = "word ".repeat(8000);
  assert.equal((await home.say(text)).reply, "fits now");
  const [first, second] = home.llm.requests.map(({ messages }) => JSON.stringify(messages).length);
  assert.ok(second! < first! / 1.8);
  await assert.rejects(
    home.say(text),
    (error: RpcError) => error.code === -32006 && /does not fit into test/.test(error.message),
  );
  assert.equal((await home.say("hi")).reply, "free");
});

Deno.test("middleCut() keeps both ends and no half character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.integer({ min: 10, max: 200 }), (text, limit) => {
      const whole = text.toWellFormed();
      const cut = middleCut(whole, limit);
      assert.ok(cut.isWellFormed());
      if (whole.length <= limit) assert.equal(cut, whole);
    }),
  );
});

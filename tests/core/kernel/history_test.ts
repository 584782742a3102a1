import assert from "node:assert/strict";
import fc from "fast-check";
import { repairCalls, repairHistory, unsendable } from "../../../core/kernel/history.ts";
import type { ChatMessage } from "../../../core/wire/llm.ts";
import { kernelHome } from "../../kit/kernel_home.ts";
import type { Step } from "../../kit/scripted_llm.ts";

const nasty = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "{",
    '{"a":',
    "[1]",
    "null",
    '"x"',
    "{}",
    '{"a":1}',
    '{"a":["\\ud800"]}',
    "\ud800",
    "x\udc00y",
    "打断",
  ),
  fc.string({ unit: "binary" }),
);
const anyMessage: fc.Arbitrary<ChatMessage> = fc.record({
  role: fc.constantFrom("system", "user", "assistant", "tool"),
  content: fc.oneof(nasty, fc.array(nasty.map((text) => ({ type: "text" as const, text })), { maxLength: 2 })),
  tool_calls: fc.array(
    fc.record({
      id: fc.constantFrom("", "a", "b", "\ud800"),
      type: fc.constant("function" as const),
      function: fc.record({ name: fc.constantFrom("", "x", "y\udfff"), arguments: nasty }),
    }),
    { maxLength: 3 },
  ),
  tool_call_id: fc.constantFrom("", "a", "b", "c"),
}, { requiredKeys: ["role", "content"] });

Deno.test("repairHistory() makes any list of messages sendable, and repairing twice changes nothing", () => {
  fc.assert(fc.property(fc.array(anyMessage, { maxLength: 8 }), (messages) => {
    const once = repairHistory(messages);
    assert.equal(unsendable(once), null);
    assert.deepEqual(repairHistory(once), once);
  }));
});

Deno.test("repairHistory() leaves a sendable history as it is", () => {
  const messages: ChatMessage[] = [
    { role: "user", content: "hi" },
    {
      role: "assistant",
      content: "",
      tool_calls: [
        { id: "a", type: "function", function: { name: "x", arguments: '{"n": 1}' }, signature: "sig" },
        { id: "b", type: "function", function: { name: "y", arguments: "{}" } },
      ],
    },
    { role: "tool", content: "1", tool_call_id: "a", name: "x" },
    { role: "tool", content: "2", tool_call_id: "b", name: "y" },
    { role: "assistant", content: "done" },
  ];
  assert.deepEqual(repairHistory(messages), messages);
});

Deno.test("repairCalls() fills in ids and keeps them unique", () => {
  const call = (id: string) => ({ id, type: "function" as const, name: "x", arguments: "" });
  const ids = repairCalls([call("a"), call("a"), call(""), call("")], new Set()).map((each) => each.call.id);
  assert.equal(new Set(ids).size, 4);
  assert.ok(ids.every((id) => id !== ""));
});

const call = fc.record({
  name: fc.constantFrom("memory_commit", "memory_recall", "plug_ok", "plug_throws", "plug_slow", "no_such_tool", ""),
  args: fc.constantFrom('{"triples":[]}', '{"query":"x"}', "{}", "{", '{"a":"\ud800"}', "[]", '"text"'),
  id: fc.constantFrom("", "same", "other"),
}, { requiredKeys: ["name", "args"] });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ calls: fc.array(call, { minLength: 1, maxLength: 3 }), text: nasty }) },
  { weight: 1, arbitrary: fc.record({ text: nasty }) },
  {
    weight: 1,
    arbitrary: fc.constant<Step>({
      completed: { kind: "failed", failures: [{ source: "test", failure: { kind: "server", message: "500" } }] },
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Step>({ completed: { kind: "context", source: "test", window: 1000, message: "" } }),
  },
);

Deno.test("a stage handler cannot make the history unsendable", async () => {
  const home = await kernelHome([{ calls: [{ name: "knowledge_list" }] }, { text: "ok" }]);
  home.kernel.stages.registerStage("vandal", "pre_action", "global", (ctx) => {
    ctx.context_msgs.push(
      { role: "tool", content: "orphan", tool_call_id: "nobody" },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "x", type: "function", function: { name: "y", arguments: "{" } }],
      },
      { role: "system", content: "" },
      { role: "user", content: "half \ud83d" },
    );
  });
  home.kernel.stages.registerStage("vandal", "after_toolcall", "global", (ctx) => {
    ctx.tool_results = [];
    ctx.context_msgs.pop();
  });
  await home.say("go");
  for (const { messages } of home.llm.requests) assert.equal(unsendable(messages), null);
  assert.equal(unsendable(home.memory.events.at(-1)!.messages!), null);
});

Deno.test("a very long result reaches the model whole at first, and the history without its middle", async () => {
  const home = await kernelHome([{ calls: [{ name: "plug_long" }] }, { text: "ok" }], {
    host: { "tool.invoke": () => ({ result: `start${"x".repeat(40_000)}end` }) },
  });
  home.kernel.stages.registerTools("plug", [{ name: "plug_long", description: "", parameters: {} }]);
  await home.say("go");
  await home.say("and now?");
  const seen = (request: number) =>
    String(home.llm.requests[request]!.messages.find(({ role }) => role === "tool")!.content);
  assert.ok(seen(1).length > 40_000 && seen(2).length < 17_000);
  assert.match(seen(2), /^⟦data from plug_long⟧\nstart[\s\S]*left out[\s\S]*end\n⟦end of data⟧$/);
});

Deno.test("whatever a model sends, every request and everything stored is sendable", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 5 }), { minLength: 1, maxLength: 3 }), async (turns) => {
      const home = await kernelHome([], {
        settings: { max_tool_turns: 4, tool_timeout: 1000 },
        host: {
          "tool.invoke": ({ name }) => {
            if (name === "plug_throws") throw new Error("broken \ud800");
            return { result: "fine" };
          },
        },
      });
      home.kernel.stages.registerTools(
        "plug",
        ["plug_ok", "plug_throws", "plug_slow"].map((name) => ({ name, description: "", parameters: {} })),
      );
      for (const steps of turns) {
        home.llm.steps.splice(0, Infinity, ...steps);
        await home.say("go \ud83d").catch(() => {}); // no source answered: that is one of the endings
      }
      for (const { messages } of home.llm.requests) assert.equal(unsendable(messages), null);
      for (const event of home.memory.events) {
        if (event.messages) assert.equal(unsendable(event.messages), null);
        assert.ok((event.input ?? "").isWellFormed() && (event.response ?? "").isWellFormed());
      }
    }),
    { numRuns: 60 },
  );
});

import assert from "node:assert/strict";
import { applyPatch, emptyContext } from "../../../core/kernel/stages.ts";
import { type Stage, STAGES } from "../../../core/wire/stage.ts";
import { RPC_CODES, type RpcError } from "../../../core/wire/rpc.ts";
import { kernelHome } from "../../kit/kernel_home.ts";

const tool = (name: string) => ({ name, description: "", parameters: { type: "object" } });

/** A turn in which every stage runs. */
async function fullTurn(host: Parameters<typeof kernelHome>[1] = {}) {
  const home = await kernelHome([{ text: "working", calls: [{ name: "plug_ok" }] }, { text: "done" }], {
    host: { "tool.invoke": () => ({ result: "fine" }), ...host.host },
  });
  home.kernel.stages.registerTools("plug", [tool("plug_ok")]);
  return home;
}

Deno.test("the stages of a turn run in their order", async () => {
  const home = await fullTurn();
  const seen: Stage[] = [];
  for (const stage of STAGES) home.kernel.stages.registerStage("test", stage, "global", () => void seen.push(stage));
  await home.say("go");
  assert.deepEqual(seen, [
    "on_input",
    "pre_action",
    "post_action",
    "before_toolcall",
    "after_toolcall",
    "post_action",
    "before_output",
    "after_output",
  ]);
});

for (const stage of STAGES.filter((each) => each !== "after_output")) {
  Deno.test(`a response set in ${stage} is recorded and emitted, then after_output runs and before_output not`, async () => {
    const home = await fullTurn();
    const seen: string[] = [];
    home.kernel.stages.registerStage("test", stage, "global", (ctx) => {
      ctx.response = "short-circuit";
    });
    home.kernel.stages.registerStage("other", "before_output", "global", () => void seen.push("before_output"));
    home.kernel.stages.registerStage("other", "after_output", "global", () => void seen.push("after_output"));
    const reply = await home.say("go");
    assert.equal(reply.reply, "short-circuit");
    assert.equal(reply.source, "stage");
    assert.equal(home.memory.events.at(-1)!.response, "short-circuit");
    assert.equal(home.memory.events[0]!.input, "go");
    assert.deepEqual(home.events.at(-1)!.type, "reply");
    assert.deepEqual(seen, stage === "before_output" ? ["before_output", "after_output"] : ["after_output"]);
    if (stage === "on_input" || stage === "pre_action") assert.equal(home.llm.requests.length, 0);
  });

  Deno.test(`a handler that throws in ${stage} is reported and the others' work stands`, async () => {
    const home = await fullTurn();
    const errors: string[][] = [];
    home.kernel.stages.registerStage("bad", stage, "global", () => {
      throw new Error("broken");
    });
    home.kernel.stages.registerStage("good", stage, "global", async (ctx) => {
      await Promise.resolve();
      ctx.extra.good = stage;
    });
    home.kernel.stages.registerStage("last", "after_output", "global", (ctx) => {
      errors.push([...ctx.errors]);
      assert.equal(ctx.extra.good, stage);
    });
    assert.equal((await home.say("go")).reply, "done");
    assert.match(errors[0]![0]!, new RegExp(`bad in ${stage}: broken`));
  });
}

Deno.test("handlers of one stage run at the same time on one context", async () => {
  const home = await fullTurn();
  const first = Promise.withResolvers<void>();
  home.kernel.stages.registerStage("a", "on_input", "global", async (ctx) => {
    await first.promise; // only comes if b runs meanwhile
    ctx.extra.seen = ctx.extra.fromB;
  });
  home.kernel.stages.registerStage("b", "on_input", "global", (ctx) => {
    ctx.extra.fromB = 1;
    first.resolve();
  });
  let seen: unknown;
  home.kernel.stages.registerStage("c", "after_output", "global", (ctx) => void (seen = ctx.extra.seen));
  await home.say("go");
  assert.equal(seen, 1);
});

Deno.test("one stage.invoke reaches all owners outside, and its patch joins what handlers inside did", async () => {
  const home = await fullTurn({
    host: {
      "stage.invoke": ({ ctx, owners }) => {
        assert.deepEqual(owners, ["p1", "p2"]);
        return {
          patch: {
            raw_message: "rewritten",
            extra: { ...ctx.extra, outside: true },
            errors: [...ctx.errors, "said outside"],
            tool_calls: "nonsense" as never,
          },
          errors: [{ owner: "p2", message: "half broken" }],
        };
      },
    },
  });
  home.kernel.stages.registerStage("p1", "on_input");
  home.kernel.stages.registerStage("p2", "on_input");
  home.kernel.stages.registerStage("inside", "on_input", "global", (ctx) => {
    ctx.extra.inside = true;
    ctx.errors.push("said inside");
  });
  let extra: Record<string, unknown> = {}, errors: string[] = [];
  home.kernel.stages.registerStage("last", "after_output", "global", (ctx) => void ({ extra, errors } = ctx));
  await home.say("original");
  assert.deepEqual([extra.inside, extra.outside], [true, true]);
  assert.equal(home.memory.events[0]!.input, "rewritten");
  for (const text of ["said inside", "said outside"]) assert.ok(errors.includes(text));
  assert.ok(errors.some((text) => /p2.*half broken/.test(text)) && errors.some((text) => /tool_calls/.test(text)));
});

Deno.test("main that cannot be reached for a stage is reported, and the turn goes on", async () => {
  const home = await fullTurn();
  home.kernel.stages.registerStage("gone", "on_input");
  assert.equal((await home.say("go")).reply, "done");
});

Deno.test("own-tools handlers see only the calls of their owner's tools", async () => {
  const home = await fullTurn();
  const seen: string[] = [];
  for (const owner of ["plug", "other"]) {
    for (const stage of STAGES) {
      home.kernel.stages.registerStage(owner, stage, "own-tools", () => void seen.push(`${owner} ${stage}`));
    }
  }
  await home.say("go");
  assert.deepEqual(seen, [
    "plug post_action",
    "plug before_toolcall",
    "plug after_toolcall",
    "plug before_output",
    "plug after_output",
  ]);
});

Deno.test("before_toolcall may change arguments or reject; all rejected ends the loop with the reason", async () => {
  const home = await fullTurn({ host: { "tool.invoke": ({ args }) => ({ result: args }) } });
  home.kernel.stages.registerStage("audit", "before_toolcall", "global", (ctx) => {
    ctx.tool_calls[0]!.arguments = '{"safe":true}';
  });
  await home.say("go");
  assert.deepEqual(home.host.calls[0]!.params.args, { safe: true });

  const strict = await kernelHome([{ calls: [{ name: "plug_ok" }] }]);
  strict.kernel.stages.registerTools("plug", [tool("plug_ok")]);
  strict.kernel.stages.registerStage("audit", "before_toolcall", "global", (ctx) => {
    ctx.tool_calls = [];
    ctx.extra.reject_reason = "not on Sundays";
  });
  const reply = await strict.say("go");
  assert.match(reply.reply, /refused \(not on Sundays\)/);
  assert.equal(strict.host.calls.length, 0);
  assert.match(String(strict.memory.events.at(-1)!.messages![1]!.content), /not on Sundays/);
});

Deno.test("after_toolcall may change what the model reads, post_action what it is taken to have said", async () => {
  const home = await fullTurn();
  home.kernel.stages.registerStage("mask", "after_toolcall", "global", (ctx) => {
    ctx.tool_results[0]!.content = "masked";
  });
  home.kernel.stages.registerStage("filter", "post_action", "global", (ctx) => {
    ctx.llm_text = ctx.llm_text.replace("done", "filtered");
  });
  assert.equal((await home.say("go")).reply, "filtered");
  assert.equal(home.llm.requests[1]!.messages.at(-1)!.content, "masked");
});

Deno.test("a tool belongs to whoever registered it; taken, built-in and impossible names are refused", async () => {
  const { kernel } = await kernelHome([]);
  assert.deepEqual(kernel.stages.registerTools("a", [tool("a_x")]), []);
  assert.deepEqual(kernel.stages.registerTools("a", [tool("a_x")]), [], "its own tool may be renewed");
  const names = [
    "a_x",
    "memory_recall",
    "output_send__cli",
    "skill_use",
    "agent_spawn",
    "",
    "sp ace",
    "é",
    "x".repeat(65),
  ];
  const rejected = kernel.stages.registerTools("b", names.map(tool));
  assert.deepEqual(rejected.map(({ name }) => name), names);
  kernel.stages.detach("a", "unloaded");
  assert.deepEqual(kernel.stages.registerTools("b", [tool("a_x")]), []);
  assert.equal(kernel.stages.tool("a_x")!.owner, "b");
});

Deno.test("detaching an owner fails its running calls and the turn goes on", async () => {
  const home = await fullTurn({ host: { "tool.invoke": () => new Promise<never>(() => {}) } });
  const reply = home.say("go");
  while (!home.host.calls.length) await new Promise((resolve) => setTimeout(resolve, 1));
  await home.kernel.handlers()["owner.detach"]({ owner: "plug", reason: "crashed" }, {} as never);
  assert.equal((await reply).reply, "done");
  assert.match(String(home.llm.requests[1]!.messages.at(-1)!.content), /"plug" is gone: crashed/);
  assert.ok(!home.llm.requests[1]!.tools!.some((each) => each.function.name === "plug_ok"));
});

Deno.test("applyPatch() adds to a list what was added to it, and replaces one that was changed otherwise", () => {
  const base = emptyContext({ errors: ["a"] });
  const ctx = structuredClone(base);
  ctx.errors.push("meanwhile");
  assert.deepEqual(applyPatch(ctx, base, { errors: ["a", "b"] }), []);
  assert.deepEqual(ctx.errors, ["a", "meanwhile", "b"]);
  applyPatch(ctx, base, { errors: ["only"] });
  assert.deepEqual(ctx.errors, ["only"]);
});

Deno.test("a channel that another owner has cannot be taken", async () => {
  const { kernel } = await kernelHome([]);
  kernel.channels.register("qq", { name: "qq", caps: 1, description: "" });
  const taken = (error: RpcError) => error.code === RPC_CODES.conflict;
  assert.throws(() => kernel.channels.register("evil", { name: "qq", caps: 1, description: "" }), taken);
});

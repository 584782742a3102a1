import assert from "node:assert/strict";
import { Approvals } from "../../../core/kernel/approvals.ts";
import { kernelHome } from "../../kit/kernel_home.ts";
import { ManualClock } from "../../kit/manual_clock.ts";

const acting = { name: "plug_act", description: "", parameters: { type: "object" }, acts: true };

async function asking(more: Parameters<typeof kernelHome>[1] = {}) {
  const home = await kernelHome([{ calls: [{ name: "plug_act", args: { n: 1 } }] }, { text: "ok" }], {
    host: { "tool.invoke": () => ({ result: "acted" }), "approval.remember": () => ({}) },
    ...more,
  });
  home.kernel.stages.registerTools("plug", [acting]);
  const asked = async () => {
    for (;;) {
      const event = home.events.find((each) => each.type === "approval");
      if (event?.type === "approval") return event;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const answer = (id: string, allow: boolean, always = false) =>
    home.kernel.handlers()["approval.answer"]({ id, allow, always }, {} as never);
  const ran = () => home.host.calls.some(({ method }) => method === "tool.invoke");
  const told = () => String(home.llm.requests[1]!.messages.at(-1)!.content);
  return { ...home, asked, answer, ran, told };
}

Deno.test("an acting tool asks the owner, and runs when they allow it", async () => {
  const home = await asking();
  const reply = home.say("go");
  const question = await home.asked();
  assert.deepEqual([question.tool, question.args], ["plug_act", { n: 1 }]);
  assert.ok(!home.ran());
  assert.deepEqual(await home.answer(question.id, true), { known: true });
  assert.equal((await reply).reply, "ok");
  assert.ok(home.ran());
  assert.deepEqual(await home.answer(question.id, true), { known: false }, "it can be answered once");
});

Deno.test("a refusal is a result the model can act on", async () => {
  const home = await asking();
  const reply = home.say("go");
  await home.answer((await home.asked()).id, false);
  await reply;
  assert.ok(!home.ran());
  assert.match(home.told(), /the owner refused/);
});

Deno.test("nobody answering in time is no", async () => {
  const home = await asking({ settings: { approval_timeout: 60_000 } });
  const reply = home.say("go");
  await home.asked();
  await home.clock.advance(60_000);
  await reply;
  assert.ok(!home.ran());
  assert.match(home.told(), /nobody answered in time/);
});

Deno.test("in a turn that is not the owner's nobody is asked", async () => {
  const home = await asking();
  await home.say("go", { trusted: false, channel: "qq", source: "stranger" });
  assert.ok(!home.ran() && !home.events.some(({ type }) => type === "approval"));
  assert.match(home.told(), /nobody to ask/);
});

Deno.test("an answer for always is stored and not asked again", async () => {
  const home = await asking();
  home.llm.steps.splice(1, 0, { calls: [{ name: "plug_act", args: { n: 2 } }] });
  const reply = home.say("go");
  await home.answer((await home.asked()).id, true, true);
  await reply;
  assert.equal(home.events.filter(({ type }) => type === "approval").length, 1);
  assert.deepEqual(home.host.calls.find(({ method }) => method === "approval.remember")!.params, {
    tool: "plug_act",
    policy: "allow",
  });
});

Deno.test("cancelling the turn ends the question", async () => {
  const home = await asking();
  const reply = home.say("go");
  await home.asked();
  home.kernel.loop.cancel(home.kernel.loop.turn!.id);
  await reply;
  assert.ok(!home.ran());
});

Deno.test("the longest pattern decides; without one acting tools ask and others are allowed", () => {
  const approvals = new Approvals(new ManualClock());
  approvals.configure({ "*": "allow", "cmd_*": "deny", "cmd_run": "ask", "*_read": "allow", "a*b*c": "deny" }, 1000);
  assert.equal(approvals.policy("files_write", true), "allow");
  assert.equal(approvals.policy("cmd_kill", true), "deny");
  assert.equal(approvals.policy("cmd_run", true), "ask");
  assert.equal(approvals.policy("cmd_read", true), "allow");
  assert.equal(approvals.policy("axbxc", false), "deny");
  assert.equal(approvals.policy("acb", false), "allow");
  approvals.configure({}, 1000);
  assert.equal(approvals.policy("cmd_run", true), "ask");
  assert.equal(approvals.policy("memory_recall", false), "allow");
});

Deno.test("sending to another channel acts, to the one the message came from does not", async () => {
  const send = { name: "output_send__qq", args: { payload: "hi" } };
  const home = await kernelHome([{ calls: [send] }, { text: "ok" }, { calls: [send] }, { text: "ok" }], {
    host: { "output.invoke": () => ({ status: "ok" }) },
  });
  home.kernel.channels.register("qq", { name: "qq", caps: 1, description: "" });
  await home.say("go", { trusted: false, channel: "web" });
  assert.ok(!home.host.calls.some(({ method }) => method === "output.invoke"));
  await home.say("go", { trusted: false, channel: "qq" });
  assert.deepEqual(home.host.calls.map(({ params }) => params.payload), ["hi", "ok"]);
});

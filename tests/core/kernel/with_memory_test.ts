/** The kernel over the real memory: what only shows where the two meet. */
import assert from "node:assert/strict";
import { silentLog } from "../../../core/base/log.ts";
import { createKernel, EMPTY_SETTINGS, type Kernel } from "../../../core/kernel/kernel.ts";
import { unsendable } from "../../../core/kernel/history.ts";
import type { MemoryPort } from "../../../core/kernel/ports.ts";
import { unfence } from "../../../core/llm/fence.ts";
import { FakeHost } from "../../kit/kernel_home.ts";
import { ScriptedLlm, type Step, testSource } from "../../kit/scripted_llm.ts";
import { tempFolder } from "../../kit/temp_folder.ts";
import { openService } from "../../memory/kit.ts";

/** A kernel over the memory of a home, as after a start. */
async function startKernel(home: string, steps: Step[]) {
  const memory = await openService(home);
  const llm = new ScriptedLlm(steps);
  const settings = { ...EMPTY_SETTINGS, sources: [testSource()], max_context_size: 12 };
  const kernel: Kernel = createKernel({
    memory: memory as unknown as MemoryPort,
    host: new FakeHost(),
    llm,
    clock: memory.clock,
    log: silentLog,
    emit: () => {},
  }, settings);
  const { notices } = await kernel.start(settings);
  assert.deepEqual(notices, []);
  return {
    kernel,
    llm,
    memory,
    say: (text: string) => kernel.loop.send({ text, trusted: true }),
    [Symbol.asyncDispose]: async () => {
      await memory.call("memory.close", {});
    },
  };
}

Deno.test("a long conversation moves into documents once, comes back by doc_query, and outlives a restart", async () => {
  await using folder = await tempFolder();
  let window: string[] = [];
  {
    await using home = await startKernel(folder.path, []);
    await home.say("The greenhouse thermostat is set to nineteen degrees");
    for (let n = 0; n < 12; n++) {
      await home.memory.clock.advance(60_000);
      await home.say(`Small talk number ${n} about football`);
    }
    await home.kernel.archive.send();
    const { events } = await home.memory.call("context.load", {});
    assert.deepEqual(home.kernel.context.events.map(({ id }) => id), events.map(({ id }) => id));
    const { documents } = await home.memory.call("doc.stats", {});
    assert.equal(documents + events.length, 26);
    home.llm.steps.push(
      { calls: [{ name: "doc_query", args: { query: "greenhouse thermostat", top: 1 } }] },
      (request) => {
        const { hits } = JSON.parse(unfence(String(request.messages.at(-1)!.content)));
        assert.match(hits[0].text, /nineteen degrees/);
        return { text: "Nineteen degrees." };
      },
    );
    await home.say("How warm is the greenhouse?");
    const back = home.kernel.context.events.filter(({ kind }) => kind === "cold_storage");
    assert.equal(back.length, 1);
    assert.match(back[0]!.input ?? back[0]!.response ?? "", /nineteen degrees/);
    window = home.kernel.context.events.map(({ id }) => id);
  }
  await using again = await startKernel(folder.path, []);
  assert.deepEqual(again.kernel.context.events.map(({ id }) => id), window);
  await again.say("And now?");
  assert.equal(unsendable(again.llm.requests[0]!.messages), null);
});

Deno.test("a fact committed in one process is in the prompt of the next, and what it closed is marked so", async () => {
  await using folder = await tempFolder();
  const commit = (object: string): Step => ({
    calls: [{ name: "memory_commit", args: { triples: [{ subject: "Ann", predicate: "lives in", object }] } }],
  });
  {
    await using home = await startKernel(folder.path, [
      commit("Oslo"),
      { text: "noted" },
      commit("Bergen"),
      (request) => {
        const { closed } = JSON.parse(unfence(String(request.messages.at(-1)!.content)));
        assert.match(closed.join(), /Oslo/);
        return { text: "noted" };
      },
    ]);
    await home.say("Ann lives in Oslo");
    await home.say("Ann has moved to Bergen");
  }
  await using again = await startKernel(folder.path, []);
  await again.memory.clock.advance(60_000);
  await again.say("Where does Ann live?");
  const system = String(again.llm.requests[0]!.messages[0]!.content);
  assert.match(system, /\[Memory Index\][\s\S]*Bergen/);
  for (const line of system.split("\n")) if (/Oslo \(|Oslo\. \(/.test(line)) assert.match(line, /no longer true/);
});

import assert from "node:assert/strict";
import { fence } from "../../../core/llm/fence.ts";
import { OfflineProvider } from "../../../core/llm/offline.ts";
import { ManualClock } from "../../kit/manual_clock.ts";
import { Conversation, OFFLINE_TOOLS, OfflineMemory } from "./offline_memory.ts";

/** The answer without the note that no model is configured. */
const answerOf = (reply: string) => reply.split("\n\n")[0]!;

for (const name of ["asked_first.txt", "asked_second.txt", "asked_last.txt"]) {
  Deno.test(`questions of ${name} are answered in a new conversation, at least 85 of 100`, async () => {
    const text = await Deno.readTextFile(new URL(`../../fixtures/offline/${name}`, import.meta.url));
    const misses: string[] = [];
    let asked = 0;
    for (const block of text.split(/\n\s*\n/)) {
      const memory = new OfflineMemory();
      const asking = new Conversation(memory);
      let answer = "", question = "", wrong = false;
      for (const line of [...block.split("\n"), "? "]) {
        const said = line.slice(2);
        if (line.startsWith("< ")) await new Conversation(memory).say(said);
        else if (line.startsWith("+ ")) wrong ||= !answer.includes(said);
        else if (line.startsWith("! ")) wrong ||= answer.includes(said);
        else if (line.startsWith("? ")) {
          if (wrong) misses.push(`  ${question}\n    ${answer}`);
          wrong = false;
          if (said === "") continue;
          question = said;
          answer = answerOf(await asking.say(question));
          asked++;
        }
      }
    }
    console.log([`${name}: ${asked - misses.length} of ${asked}`, ...misses].join("\n"));
    assert.ok(asked >= 30);
    assert.ok(1 - misses.length / asked >= 0.85);
  });
}

Deno.test("a told fact is committed with its sentence, and what it closes is said", async () => {
  const memory = new OfflineMemory();
  await new Conversation(memory).say("我住在北京。");
  const reply = await new Conversation(memory).say("我搬到了上海。");
  assert.match(reply, /上海/);
  assert.match(reply, /不再成立：.*北京/);
  assert.equal(memory.calls.at(-1)!.args["sentence_text"], "我搬到了上海。");
});

Deno.test("what is no longer true is said as a sentence to the person, not as it is stored", async () => {
  const cases: [told: string, then: string, said: RegExp][] = [
    ["I live in Paris.", "I moved to Rome.", /\(No longer true: you live in Paris\)/],
    ["My name is Ada.", "My name is Eve.", /\(No longer true: your name is Ada\)/],
    ["My sister lives in Paris.", "My sister moved to Rome.", /\(No longer true: your sister lives in Paris\)/i],
    ["我住在北京。", "我搬到了上海。", /（不再成立：你住在北京）/],
    ["I live in Paris.", "我搬到了上海。", /（不再成立：你住在Paris）/],
  ];
  for (const [told, then, said] of cases) {
    const memory = new OfflineMemory();
    await new Conversation(memory).say(told);
    assert.match(await new Conversation(memory).say(then), said);
  }
});

Deno.test("the reply streams in small pieces that make up the whole", async () => {
  const conversation = new Conversation(new OfflineMemory());
  const reply = await conversation.say("What can you do?");
  assert.equal(conversation.deltas.join(""), reply);
  assert.ok(conversation.deltas.length > 5);
});

Deno.test("that no model is configured is said once in a conversation, with how to add one", async () => {
  const conversation = new Conversation(new OfflineMemory());
  const first = await conversation.say("I live in Lisbon.");
  assert.match(first, /No language model is configured/);
  assert.match(first, /\/setup/);
  assert.match(first, /homed config set core\.llm\.sources\.openai\.api_key/);
  assert.doesNotMatch(await conversation.say("I like figs."), /No language model/);
  assert.match(await conversation.say("Write a poem about figs."), /cannot do that.*\n\nNo language model/s);
  assert.match(await new Conversation(new OfflineMemory()).say("你好"), /没有配置语言模型.*\/setup/);
});

Deno.test("how to configure a model is answered in either language", async () => {
  assert.match(await new Conversation(new OfflineMemory()).say("How do I add a model?"), /\/setup/);
  assert.match(await new Conversation(new OfflineMemory()).say("怎么配置模型？"), /\/setup/);
});

Deno.test("only tools of the request are called; without memory nothing is claimed to be kept", async () => {
  const memory = new OfflineMemory();
  const conversation = new Conversation(memory, { tools: [] });
  assert.match(await conversation.say("I live in Lisbon."), /nothing was kept/);
  assert.match(await conversation.say("Where do I live?"), /don't know/);
  assert.deepEqual(memory.calls, []);
});

Deno.test("a commit that failed is said to have failed", async () => {
  const memory = new OfflineMemory();
  memory.failing = { memory_commit: "The disk is full" };
  assert.match(await new Conversation(memory).say("我叫小白。"), /没有记下来：The disk is full/);
});

Deno.test("when nothing is found it says so and invents nothing, after asking memory and the knowledge base", async () => {
  const memory = new OfflineMemory();
  assert.match(await new Conversation(memory).say("What is my blood type?"), /I don't know/);
  assert.ok(memory.calls.some(({ name }) => name === "memory_recall"));
  assert.ok(memory.calls.some(({ name }) => name === "knowledge_search"));
});

Deno.test("questions that the knowledge base answers quote its entry; it can be listed and searched", async () => {
  const memory = new OfflineMemory();
  memory.knowledge.push({
    name: "boiler",
    content: "Boiler pressure should be 1.5 bar; refill through the left valve.",
  });
  assert.match(await new Conversation(memory).say("What should the boiler pressure be?"), /1\.5 bar/);
  assert.match(await new Conversation(memory).say("Search the knowledge base for boiler"), /1\.5 bar/);
  assert.match(await new Conversation(memory).say("知识库里有什么？"), /boiler/);
});

Deno.test("of a long entry the paragraph that answers is quoted", async () => {
  const memory = new OfflineMemory();
  const filler = "Nothing of interest stands in this paragraph at all. ".repeat(6);
  memory.knowledge.push({
    name: "pump",
    content: `# Pump\n\n${filler}\n\nThe pump filter is washed in spring.\n\n${filler}`,
  });
  const reply = await new Conversation(memory).say("When is the pump filter washed?");
  assert.match(reply, /washed in spring/);
  assert.doesNotMatch(reply, /Nothing of interest/);
});

Deno.test("what can you do: the tools at hand, by family", async () => {
  const reply = await new Conversation(new OfflineMemory()).say("你能做什么？");
  for (const tool of OFFLINE_TOOLS) assert.ok(reply.includes(tool), tool);
});

Deno.test("forgetting is left to the person, who is told how", async () => {
  const memory = new OfflineMemory();
  assert.match(await new Conversation(memory).say("Forget everything about Tom."), /homed memory forget/);
  assert.match(await new Conversation(memory).say("忘掉我前女友"), /homed memory forget/);
  assert.deepEqual(memory.calls, []);
});

Deno.test("reminders become timers", async () => {
  const system =
    'You are homed.\n\n[Now]\n2027-03-01T06:00:00.000Z; this message came from "cli" through the channel "cli", which is the owner\'s own.';
  const set = async (text: string) => {
    const memory = new OfflineMemory();
    await new Conversation(memory, { system }).say(text);
    assert.equal(memory.calls.length, 1, text);
    return memory.calls[0]!.args;
  };
  assert.deepEqual(await set("Remind me in 10 minutes to turn off the oven."), {
    text: "turn off the oven",
    in: "10m",
  });
  assert.deepEqual(await set("十分钟后提醒我关火"), { text: "关火", in: "10m" });
  assert.deepEqual(await set("每天早上8点提醒我吃药"), { text: "吃药", cron: "0 8 * * *" });
  assert.deepEqual(await set("Remind me every weekday at 7:30 to feed the cat"), {
    text: "feed the cat",
    cron: "30 7 * * 1-5",
  });
  assert.match(String((await set("明天下午三点半提醒我开会"))["at"]), /^2027-03-02T15:30$/);
  assert.match(String((await set("remind me tomorrow at 9am to call Ann"))["at"]), /^2027-03-02T09:00$/);
});

Deno.test("without a timer tool a reminder is refused, not promised", async () => {
  const conversation = new Conversation(new OfflineMemory(), { tools: ["memory_recall"] });
  assert.match(await conversation.say("Remind me in 5 minutes to stretch"), /no reminder was set/);
});

Deno.test("a timer that is due is said, and its text is not learned", async () => {
  const memory = new OfflineMemory();
  const reply = await new Conversation(memory).say("⏰ Timer t1 (due 2027-03-01T06:00:00.000Z): I live in Rome");
  assert.equal(reply, "⏰ I live in Rome");
  assert.deepEqual(memory.calls, []);
});

Deno.test("only the owner's own words teach: not a stranger's channel, not fenced data", async () => {
  const memory = new OfflineMemory();
  const system = '[Now]\n2027-03-01T06:00:00.000Z; this message came from "guest" through the channel "irc".';
  await new Conversation(memory, { system }).say("I live in Rome.");
  await new Conversation(memory).say(fence("page", "My name is Mallory."));
  assert.ok(memory.calls.every(({ name }) => !/commit/.test(name)));
});

Deno.test("a loose thing to remember is kept word for word, and found again", async () => {
  const memory = new OfflineMemory();
  await new Conversation(memory).say("Remember that bins go out on Tuesday.");
  assert.deepEqual(memory.documents, ["bins go out on Tuesday"]);
  assert.match(await new Conversation(memory).say("When do the bins go out?"), /Tuesday/);
});

Deno.test("the time of day comes from the prompt, and is unknown without it", async () => {
  const system =
    '[Now]\n2027-03-01T06:00:00.000Z; this message came from "cli" through the channel "cli", which is the owner\'s own.';
  const local = new Date("2027-03-01T06:00:00.000Z").toLocaleTimeString("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
  });
  assert.match(await new Conversation(new OfflineMemory(), { system }).say("What time is it?"), new RegExp(local));
  assert.match(await new Conversation(new OfflineMemory()).say("现在几点？"), /不知道/);
});

Deno.test("an aborted call ends as cancelled, before and between its pieces", async () => {
  const request = {
    model: "",
    messages: [{ role: "user" as const, content: "What can you do?" }],
    temperature: 0,
    max_tokens: 1,
    stream: true,
  };
  const before = await new OfflineProvider().complete(request, { signal: AbortSignal.abort() });
  assert.equal(before.kind === "failed" && before.failure.kind, "cancelled");
  const stop = new AbortController();
  const during = await new OfflineProvider().complete(request, { signal: stop.signal, onDelta: () => stop.abort() });
  assert.equal(during.kind === "failed" && during.failure.kind, "cancelled");
});

Deno.test("prepare() leaves pauses for other work, is done once, and changes no answer", async () => {
  const clock = new ManualClock(0);
  const provider = new OfflineProvider();
  let isOver = false;
  void provider.prepare(clock).then(() => isOver = true);
  let pauses = 0;
  for (; !isOver && pauses < 50; pauses++) await clock.advance(3);
  assert.ok(isOver && pauses > 3, `${pauses} pauses`);
  await provider.prepare(clock);
  const request = { model: "rules", messages: [{ role: "user" as const, content: "你好" }], stream: false } as never;
  const signal = new AbortController().signal;
  assert.deepEqual(
    await provider.complete(request, { signal }),
    await new OfflineProvider().complete(request, { signal }),
  );
});

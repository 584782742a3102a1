import assert from "node:assert/strict";
import { type Client, connect, homed, serve } from "../kit/homed.ts";
import { type LlmServer, startLlmServer } from "../kit/llm_servers/mod.ts";
import { refusal } from "../kit/sendable.ts";
import { tempFolder } from "../kit/temp_folder.ts";

const env = (server: LlmServer, more: Record<string, string> = {}) => ({
  HOMED_CORE__LLM__SOURCES__OPENAI__ENABLED: "true",
  HOMED_CORE__LLM__SOURCES__OPENAI__BASE_URL: server.url,
  HOMED_CORE__LLM__SOURCES__OPENAI__API_KEY: "sk-test-0123456789abcdef",
  HOMED_CORE__LLM__SOURCES__OPENAI__MODEL: "scripted",
  ...more,
});

const endless = { text: ["Let me ", "think"], finish: null, faults: { noEnd: true, stayOpen: true } };

const sendable = (server: LlmServer) => {
  for (const [at, { body }] of server.requests.entries()) assert.equal(refusal("openai", body), null, `request ${at}`);
};

/** Sends, and tells when the first event of a type came. */
function send(client: Client, text: string, more: Record<string, unknown> = {}) {
  const events: Record<string, unknown>[] = [];
  const seen = new Map<string, PromiseWithResolvers<Record<string, unknown>>>();
  const waiting = (type: string) => {
    if (!seen.has(type)) seen.set(type, Promise.withResolvers());
    return seen.get(type)!;
  };
  const reply = client.peer.call("chat.send", { text, ...more }, {
    onEvent: (_, event) => {
      events.push(event);
      waiting(String(event.type)).resolve(event);
    },
  });
  reply.catch(() => {});
  return { reply, events, first: (type: string) => waiting(type).promise };
}

Deno.test("interrupts before, during and after a call, while a tool waits, and several at once: each reaches the model once, all is answered", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using server = startLlmServer("openai");
  server.otherwise(() => ({ text: "fine" }));
  await using _daemon = await serve({ home, env: env(server) });
  await using client = await connect(home);
  const interrupt = (text: string) => client.peer.call("chat.interrupt", { text });
  await interrupt("word-idle");
  await server.arrived(1);
  // During a call, twice.
  server.say(endless, endless);
  const during = send(client, "first");
  await during.first("delta");
  await interrupt("word-during");
  await server.arrived(3);
  await interrupt("word-again");
  assert.equal((await during.reply).reply, "fine");
  // While a tool waits for the owner, who does not answer.
  server.say({
    calls: [{ id: "c1", name: "cmd_run", arguments: '{"program":"true"}' }, {
      id: "c2",
      name: "memory_recall",
      arguments: '{"query":"x"}',
    }],
  });
  const waiting = send(client, "second");
  const approval = await waiting.first("approval");
  await interrupt("word-tool");
  await client.peer.call("approval.answer", { id: approval.id, allow: false });
  assert.equal((await waiting.reply).reply, "fine");
  // Several at once, with a message behind them.
  server.say(endless);
  const crowded = send(client, "third");
  await crowded.first("delta");
  await Promise.all([interrupt("word-x1"), interrupt("word-x2"), interrupt("word-x3")]);
  const behind = send(client, "fourth");
  assert.equal((await crowded.reply).reply, "fine");
  assert.equal((await behind.reply).reply, "fine");
  sendable(server);
  const last = JSON.stringify(server.requests.at(-1)!.body.messages);
  for (const word of ["word-idle", "word-during", "word-again", "word-tool", "word-x1", "word-x2", "word-x3"]) {
    assert.equal(last.split(word).length - 1, 1, `${word} in ${last.slice(-3000)}`);
  }
});

Deno.test("clients on several channels at once: each gets its own replies, its own events, in its own order", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using server = startLlmServer("openai");
  server.otherwise(({ body }) => {
    const asked = body.messages.filter((message: { role: string }) => message.role === "user").at(-1);
    return { text: ["reply to ", /(\w+-\d+)/.exec(JSON.stringify(asked.content))?.[1] ?? "nothing"] };
  });
  await using _daemon = await serve({ home, env: env(server) });
  const channels = ["cli", "garden", "厨房"];
  await Promise.all(channels.map(async (channel, at) => {
    await using client = await connect(home);
    const word = "abc"[at]!.repeat(3);
    const sent = Array.from({ length: 8 }, (_, n) => send(client, `say ${word}-${n}`, { channel, source: channel }));
    const done: number[] = [];
    await Promise.all(sent.map(async ({ reply, events }, n) => {
      assert.equal((await reply).reply, `reply to ${word}-${n}`);
      done.push(n);
      const deltas = events.filter(({ type }) => type === "delta").map(({ text }) => text).join("");
      assert.equal(deltas, `reply to ${word}-${n}`);
      const seqs = events.map(({ seq }) => Number(seq));
      assert.deepEqual(seqs, seqs.toSorted((a, b) => a - b));
    }));
    assert.deepEqual(done, done.toSorted((a, b) => a - b));
  }));
  assert.equal(server.requests.length, 24);
  sendable(server);
});

Deno.test("SIGTERM in the middle of a turn ends homed within its grace, the message is kept, and the next start can send its history", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using server = startLlmServer("openai");
  server.otherwise(() => ({ text: "fine" }));
  server.say(endless);
  const more = { HOMED_CORE__DAEMON__STOP_GRACE: "1s" };
  {
    await using daemon = await serve({ home, env: env(server, more) });
    await using client = await connect(home);
    const cut = send(client, "remember the number 4711");
    await cut.first("delta");
    daemon.kill("SIGTERM");
    const status = await daemon.exited;
    assert.equal(status.code, 0, daemon.output());
    assert.equal(await server.requests[0]!.ended, "client gone");
    // What had been said so far, or that homed stops; not silence.
    const end = await cut.reply.then(({ reply }) => reply, (error) => String(error));
    assert.match(end, /Let me think|stop|shutting down|关闭/);
  }
  await using _daemon = await serve({ home, env: env(server, more) });
  await using client = await connect(home);
  assert.equal(server.requests.length, 1, "nothing is replayed");
  await send(client, "and now?").reply;
  assert.match(JSON.stringify(server.requests.at(-1)!.body.messages), /4711/);
  sendable(server);
});

Deno.test("SIGHUP in the middle of a turn ends nothing; kill -9 leaves no process", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using server = startLlmServer("openai");
  server.otherwise(() => ({ text: "fine" }));
  await using daemon = await serve({ home, env: env(server) });
  {
    await using client = await connect(home);
    server.say({ text: ["slow ", "and ", "steady"], faults: { pieces: 40, pace: 10 } });
    const turn = send(client, "take your time");
    await turn.first("started");
    for (let n = 0; n < 5; n++) daemon.kill("SIGHUP");
    assert.equal((await turn.reply).reply, "slow and steady");
  }
  const children = await below(daemon.pid);
  daemon.kill("SIGKILL");
  await daemon.exited;
  for (let n = 0; n < 100 && children.some(isAlive); n++) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(children.filter(isAlive), []);
  assert.match((await homed(["chat", "hello"], { home, env: env(server) })).stdout, /fine/);
});

Deno.test("no tool changes a setting that is the owner's, whatever the policy for the tool is", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using server = startLlmServer("openai");
  await using _daemon = await serve({ home, env: env(server, { "HOMED_CORE__APPROVAL__CFGMGR_SET": "allow" }) });
  await using client = await connect(home);
  const rows: { key: string; owner: boolean; value: unknown; type: string }[] = await client.peer.call(
    "config.list",
    {},
  );
  const owned = rows.filter(({ owner }) => owner);
  assert.ok(owned.length >= 20, `${owned.length} keys are the owner's`);
  for (let at = 0; at < owned.length; at += 10) {
    const calls = owned.slice(at, at + 10).map(({ key, type }, n) => ({
      id: `c${at + n}`,
      name: "cfgmgr_set",
      arguments: JSON.stringify({ key, value: type === "bool" ? true : type === "select" ? "allow" : "/tmp/x" }),
    }));
    server.say({ calls }, { text: "done" });
    const turn = send(client, `change them ${at}`);
    assert.equal((await turn.reply).reply, "done");
    const results = turn.events.filter(({ type }) => type === "tool_result");
    assert.equal(results.length, calls.length);
    assert.deepEqual(results.filter(({ ok }) => ok === true), [], JSON.stringify(results));
    const told = JSON.stringify(server.requests.at(-1)!.body.messages);
    assert.match(told, /by your own hand|owner/);
  }
  assert.deepEqual(await client.peer.call("config.list", {}), rows);
  // What is not the owner's alone can be changed: the refusals above were not for another reason.
  const free = JSON.stringify({ key: "core.agent.max_tool_turns", value: 5 });
  server.say({ calls: [{ id: "free", name: "cfgmgr_set", arguments: free }] }, { text: "done" });
  await send(client, "and this").reply;
  assert.equal((await client.peer.call("config.get", { key: "core.agent.max_tool_turns" })).value, 5);
});

/** The processes that a process has started, and theirs. */
async function below(pid: number): Promise<number[]> {
  if (Deno.build.os !== "linux") return [];
  const parents = new Map<number, number[]>();
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await Deno.readTextFile(`/proc/${name}/stat`).catch(() => ""); // It has ended meanwhile.
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    parents.set(parent, [...parents.get(parent) ?? [], Number(name)]);
  }
  const found = [pid];
  for (const one of found) found.push(...parents.get(one) ?? []);
  return found;
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}

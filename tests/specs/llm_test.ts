import assert from "node:assert/strict";
import { connect, homed, serve } from "../kit/homed.ts";
import { type LlmServer, startLlmServer, type WireFormat } from "../kit/llm_servers/mod.ts";
import { tempFolder } from "../kit/temp_folder.ts";

/** One configured source for each wire format: the seeded source that speaks it. */
const SOURCES: Record<WireFormat, string> = {
  openai: "openai",
  anthropic: "anthropic",
  gemini: "gemini",
  ollama: "ollama",
};

function environment(name: string, server: LlmServer, more: Record<string, string> = {}): Record<string, string> {
  const prefix = `HOMED_CORE__LLM__SOURCES__${name.toUpperCase()}__`;
  return {
    [`${prefix}ENABLED`]: "true",
    [`${prefix}BASE_URL`]: server.url,
    [`${prefix}API_KEY`]: "sk-test-0123456789abcdef",
    [`${prefix}MODEL`]: "scripted",
    ...more,
  };
}

for (const [format, name] of Object.entries(SOURCES) as [WireFormat, string][]) {
  Deno.test(`${format}: a conversation streams, uses a tool, reports usage, and its fact is known to a new process`, async () => {
    await using folder = await tempFolder();
    const home = `${folder.path}/home`;
    await using server = startLlmServer(format);
    const env = environment(name, server);
    server.say(
      {
        calls: [{
          id: "call_1",
          name: "memory_commit",
          arguments: JSON.stringify({
            triples: [{ subject: "Mira", predicate: "plays", object: "the cello" }],
            sentence_text: "Mira plays the cello.",
          }),
        }],
      },
      { text: ["Noted: ", "Mira plays ", "the cello. 好的。"] },
    );
    const ran = await homed(["chat", "--json", "Mira plays the cello"], { home, env });
    assert.equal(ran.code, 0, ran.stderr);
    const events = ran.stdout.trim().split("\n").map((line) => JSON.parse(line));
    assert.equal(events.at(-1).text, "Noted: Mira plays the cello. 好的。");
    assert.ok(events.filter(({ type }) => type === "delta").length >= 2);
    assert.deepEqual(events.filter(({ type }) => type === "tool").map(({ name }) => name), ["memory_commit"]);
    assert.deepEqual(events.filter(({ type }) => type === "tool_result").map(({ ok }) => ok), [true]);
    assert.equal(server.requests.length, 2);
    const recalled = await homed(["memory", "recall", "cello", "--json"], { home });
    assert.match(recalled.stdout, /Mira plays the cello/);
    // The key went into the header alone.
    for (const request of server.requests) assert.doesNotMatch(JSON.stringify(request.body), /sk-test/);
    for await (const file of textsBelow(home)) {
      assert.ok(!file.text.includes("sk-test-0123456789abcdef"), `${file.path} holds the key`);
    }
  });
}

async function* textsBelow(folder: string): AsyncGenerator<{ path: string; text: string }> {
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) yield* textsBelow(path);
    else if (entry.isFile) yield { path, text: new TextDecoder("latin1").decode(await Deno.readFile(path)) };
  }
}

Deno.test("sources are asked in order of priority; one that is refused or down hands over to the next", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using first = startLlmServer("openai");
  await using second = startLlmServer("anthropic");
  const env = {
    ...environment("openai", first, { HOMED_CORE__LLM__SOURCES__OPENAI__PRIORITY: "90" }),
    ...environment("anthropic", second, { HOMED_CORE__LLM__SOURCES__ANTHROPIC__PRIORITY: "10" }),
  };
  first.otherwise(() => ({
    status: 401,
    body: { error: { message: "Incorrect API key sk-test-0123456789abcdef", code: "invalid_api_key" } },
  }));
  second.otherwise(() => ({ text: "from the second" }));
  await using _daemon = await serve({ home, env });
  for (let i = 0; i < 3; i++) assert.match((await homed(["chat", "hello"], { home })).stdout, /from the second/);
  assert.equal(first.requests.length, 1, "a refused key costs one attempt, not one a turn");
  assert.equal(second.requests.length, 3);
});

Deno.test("when no source answers, chat exits 3 and names each with its reason, without the key; the offline rules stay out", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using first = startLlmServer("openai");
  await using second = startLlmServer("gemini");
  first.otherwise(() => ({ status: 401, body: { error: { message: "bad key sk-test-0123456789abcdef" } } }));
  second.otherwise(() => ({ status: 503, body: { error: { message: "overloaded" } } }));
  const env = { ...environment("openai", first), ...environment("gemini", second) };
  const ran = await homed(["chat", "My name is Ada"], { home, env });
  assert.equal(ran.code, 3, JSON.stringify(ran));
  assert.match(ran.stderr, /^homed: [^\n]+\n$/);
  assert.match(ran.stderr, /openai/);
  assert.match(ran.stderr, /gemini/);
  assert.doesNotMatch(ran.stderr, /sk-test/);
  assert.equal(ran.stdout, "");
});

Deno.test("an interrupt closes the connection at the server, reaches the model as 打断消息, and the turn is answered", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using server = startLlmServer("openai");
  server.say({ text: ["Let me think ", "for ever"], finish: null, faults: { noEnd: true, stayOpen: true } }, {
    text: "All right, tea.",
  });
  await using _daemon = await serve({ home, env: environment("openai", server) });
  await using client = await connect(home);
  const talking = Promise.withResolvers<void>();
  const types: string[] = [];
  const turn = client.peer.call("chat.send", { text: "coffee?" }, {
    onEvent: (_, params) => {
      types.push(String(params.type));
      if (params.type === "delta") talking.resolve();
    },
  });
  await talking.promise;
  await client.peer.call("chat.interrupt", { text: "no, tea" });
  assert.equal(await server.requests[0]!.ended, "client gone");
  assert.equal((await turn).reply, "All right, tea.");
  assert.match(JSON.stringify(server.requests[1]!.body.messages), /打断消息.*no, tea/);
  assert.ok(types.includes("interrupt"));
});

Deno.test("a turn is cancelled: the connection is closed and the next message is answered", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using server = startLlmServer("openai");
  server.say({ text: ["endless ", "talk"], finish: null, faults: { noEnd: true, stayOpen: true } }, { text: "fine" });
  await using _daemon = await serve({ home, env: environment("openai", server) });
  await using client = await connect(home);
  const started = Promise.withResolvers<string>();
  const turn = client.peer.call("chat.send", { text: "go on" }, {
    onEvent: (_, params) => params.type === "delta" && started.resolve(String(params.turn)),
  });
  turn.catch(() => {});
  await client.peer.call("chat.cancel", { turn: await started.promise });
  assert.equal(await server.requests[0]!.ended, "client gone");
  await turn.catch(() => {});
  assert.equal((await client.peer.call("chat.send", { text: "hello" })).reply, "fine");
});

Deno.test("a user's adapter that knows nothing of homed works, from the home's adapters folder", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await homed(["config", "list"], { home });
  await Deno.writeTextFile(
    `${home}/adapters/plain.lua`,
    `local adapter = { name = "plain", version = "1.0", endpoint = "/ask/{model}", headers = { ["X-Key"] = "{api_key}" } }
function adapter.transform_request(text)
  local request = json.decode(text)
  local ok = pcall(json.decode, "{not json")
  return json.encode({ question = request.messages[#request.messages].content, ok = ok })
end
function adapter.transform_response(text)
  local answer = json.decode(text)
  return json.encode({ content = answer.said, finish_reason = "stop", token_usage = { prompt = 1, completion = 2, total = 3 } })
end
return adapter
`,
  );
  const seen: { path: string; key: string | null; body: Record<string, unknown> }[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    seen.push({ path: new URL(request.url).pathname, key: request.headers.get("x-key"), body: await request.json() });
    return Response.json({ said: "plainly yes" });
  });
  const set = async (key: string, value: string) => {
    const ran = await homed(["config", "set", `core.llm.sources.mine.${key}`, value], { home });
    assert.equal(ran.code, 0, ran.stderr);
  };
  await set("adapter", "plain");
  await set("base_url", `http://127.0.0.1:${server.addr.port}`);
  await set("api_key", "k-1");
  await set("model", "m1");
  const ran = await homed(["chat", "does it work?"], { home });
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stdout, /plainly yes/);
  assert.equal(seen[0]!.path, "/ask/m1");
  assert.equal(seen[0]!.key, "k-1");
  assert.equal(seen[0]!.body.ok, false);
  assert.match(String(seen[0]!.body.question), /does it work/);
});

Deno.test("a source that is set up and cannot be used is named, exit 3; the offline rules do not hide it", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using server = startLlmServer("openai");
  const env = environment("openai", server, { HOMED_CORE__LLM__SOURCES__OPENAI__ADAPTER: "no-such-adapter" });
  const ran = await homed(["chat", "My name is Ada"], { home, env });
  assert.equal(ran.code, 3, JSON.stringify(ran));
  assert.match(ran.stderr, /^homed: [^\n]*openai[^\n]*no-such-adapter[^\n]*\n$/);
  assert.equal(ran.stdout, "");
  const doctor = JSON.parse((await homed(["doctor", "--json"], { home, env })).stdout);
  const check = doctor.checks.find(({ name }: { name: string }) => name === "source openai");
  assert.equal(check.ok, false);
  assert.match(check.fix, /core\.llm\.sources\.openai/);
});

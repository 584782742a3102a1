import assert from "node:assert/strict";
import type { CompletionOutcome } from "../../core/wire/llm.ts";
import { startLlmServer, WIRE_FORMATS } from "../kit/llm_servers/mod.ts";
import { answered, failure, request, TestRoom, testSource } from "./room_kit.ts";

/** What a status and body come to: kind and wait. */
async function said(
  format: "openai" | "anthropic" | "gemini" | "ollama" | "mistral",
  status: number,
  body: unknown,
  headers = {},
) {
  await using server = startLlmServer(format === "mistral" ? "openai" : format);
  server.say({ status, body, headers });
  await using room = await TestRoom.with([testSource(format, server.url)]);
  return failure((await room.ask(format)).outcome);
}

Deno.test("a status tells what kind of failure it is", async () => {
  const kinds: [number, string][] = [
    [400, "refused"],
    [401, "auth"],
    [402, "rate"],
    [403, "auth"],
    [404, "refused"],
    [405, "refused"],
    [408, "timeout"],
    [413, "context"],
    [422, "refused"],
    [429, "rate"],
    [500, "server"],
    [502, "server"],
    [503, "server"],
    [529, "server"],
  ];
  for (const [status, kind] of kinds) {
    const { kind: found, status: told } = await said("openai", status, {
      error: { message: "no", type: "x", code: null },
    });
    assert.deepEqual([found, told], [kind, status], String(status));
  }
});

Deno.test("a request that is too large is told by the vendors' codes", async () => {
  const cases: [Parameters<typeof said>[0], number, unknown][] = [
    ["openai", 400, { error: { message: "…", type: "invalid_request_error", code: "context_length_exceeded" } }],
    ["openai", 413, { error: { code: "tokens_limit_reached", message: "Request body too large" } }],
    ["openai", 400, { error: { code: 400, message: "…", type: "exceed_context_size_error" } }],
    ["anthropic", 400, {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
    }],
    ["anthropic", 413, {
      type: "error",
      error: { type: "request_too_large", message: "Request exceeds the maximum size" },
    }],
    ["gemini", 400, {
      error: {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      },
    }],
    ["mistral", 400, {
      object: "error",
      message: "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
    }],
  ];
  for (const [format, status, body] of cases) {
    assert.equal((await said(format, status, body)).kind, "context", JSON.stringify(body));
  }
});

Deno.test("words of a user in an error's text do not make it another kind", async () => {
  const words = [
    "messages.0: text may not contain 'context_length_exceeded'",
    "You wrote: prompt is too long: 210000 tokens > 200000 maximum",
    "rate limit, 401, invalid_api_key, overloaded",
  ];
  for (const message of words) {
    const { kind } = await said("anthropic", 400, { type: "error", error: { type: "invalid_request_error", message } });
    assert.equal(kind, "refused", message);
  }
});

Deno.test("the wait a server asks for is read from each place where vendors put it", async () => {
  const error = { error: { message: "slow down" } };
  assert.equal((await said("openai", 429, error, { "retry-after": "7" })).retry_after, 7000);
  assert.equal((await said("openai", 429, error, { "retry-after": "0" })).retry_after, 0);
  assert.equal((await said("openai", 429, error, { "retry-after-ms": "250", "retry-after": "1" })).retry_after, 250);
  const date = (await said("openai", 503, error, { "retry-after": new Date(Date.now() + 60_000).toUTCString() }))
    .retry_after!;
  assert.ok(date > 50_000 && date <= 60_000, String(date));
  const google = {
    error: { code: 429, status: "RESOURCE_EXHAUSTED", details: [{ "@type": "x/RetryInfo", retryDelay: "34s" }] },
  };
  assert.equal((await said("gemini", 429, google)).retry_after, 34_000);
  assert.equal((await said("openai", 429, error)).retry_after, undefined);
});

Deno.test("an error page and an empty body still say what happened", async () => {
  assert.equal((await said("openai", 502, "<html>Bad Gateway</html>")).message, "openai failed (502)");
  assert.match(
    (await said("openai", 400, { detail: "no such model" })).message,
    /refused the request \(400\): no such model/,
  );
});

Deno.test("errors inside a 200 stream are told apart by their codes", async () => {
  const cases: [Parameters<typeof startLlmServer>[0], unknown, string][] = [
    ["openai", { error: { code: "rate_limit_exceeded", message: "x" } }, "rate"],
    ["openai", { error: { code: 429, message: "x" } }, "rate"],
    ["openai", { error: { code: "context_length_exceeded", message: "x" } }, "context"],
    ["openai", { error: "anything" }, "server"],
    ["anthropic", { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "server"],
    ["anthropic", { type: "error", error: { type: "rate_limit_error", message: "x" } }, "rate"],
    ["gemini", { error: { code: 401, status: "UNAUTHENTICATED", message: "x" } }, "auth"],
    ["ollama", { error: "the runner has stopped" }, "server"],
  ];
  for (const [format, error, kind] of cases) {
    await using server = startLlmServer(format);
    server.say({ text: "some", faults: { errorAfter: 2, error } });
    await using room = await TestRoom.with([testSource(format, server.url)]);
    assert.equal(failure((await room.ask(format)).outcome).kind, kind, JSON.stringify(error));
  }
});

for (const format of WIRE_FORMATS) {
  Deno.test(`${format}: dropped, stalled, slow and lingering connections`, async () => {
    await using server = startLlmServer(format);
    const text = ["one ", "two ", "three"];
    server.say(
      { text, faults: { cutAt: 150, cut: "broken" } },
      { text, faults: { cutAt: 150 } },
      { text, faults: { stallAt: 150 } },
      { text, faults: { wait: 10_000 } },
      { text, faults: { pieces: 400, pace: 20 } },
      { text, faults: { stayOpen: true } },
    );
    await using room = await TestRoom.with([
      testSource(format, server.url, { timeout: 3000, idle_timeout: 150 }),
      testSource(format, server.url, { name: "hurried", timeout: 200, idle_timeout: 150 }),
    ]);
    const kinds = async (source: string): Promise<string> => {
      const { outcome } = await room.ask(source);
      return outcome.kind === "failed" ? `${outcome.failure.kind} ${outcome.failure.status ?? ""}`.trim() : "answered";
    };
    assert.equal(await kinds(format), "cut 200");
    assert.equal(await kinds(format), "cut 200");
    assert.equal(await kinds(format), "timeout 200");
    assert.equal(await server.requests[2]!.ended, "client gone");
    assert.equal(await kinds("hurried"), "timeout");
    assert.equal(await server.requests[3]!.ended, "client gone");
    assert.equal(await kinds(format), "answered");
    assert.equal(await kinds(format), "answered");
  });

  Deno.test(`${format}: aborting closes the connection, before the answer and in the middle of it`, async () => {
    await using server = startLlmServer(format);
    server.say({ faults: { wait: 60_000 } }, { text: "half", faults: { stallAt: 200 } });
    await using room = await TestRoom.with([testSource(format, server.url)]);
    for (const count of [1, 2]) {
      const controller = new AbortController();
      const asked = room.ask(format, request(), controller.signal);
      const { ended } = await server.arrived(count);
      controller.abort();
      assert.equal(failure((await asked).outcome).kind, "cancelled");
      assert.equal(await ended, "client gone");
    }
  });
}

Deno.test("a source that nobody serves, and one that redirects, are not reached", async () => {
  const server = startLlmServer("openai");
  const { url } = server;
  await server[Symbol.asyncDispose]();
  await using redirecting = startLlmServer("openai");
  await using target = startLlmServer("openai");
  redirecting.say({ status: 307, headers: { location: `${target.url}/chat/completions` } });
  await using room = await TestRoom.with([
    testSource("openai", url),
    testSource("openai", redirecting.url, { name: "redirects" }),
  ]);
  assert.equal(failure((await room.ask("openai")).outcome).kind, "network");
  assert.equal(failure((await room.ask("redirects")).outcome).kind, "network");
  assert.equal(target.requests.length, 0);
});

Deno.test("no failure tells the key", async () => {
  await using server = startLlmServer("openai");
  const key = "sk-very/secret+key";
  server.say(
    { status: 401, body: { error: { message: `Incorrect API key provided: ${key}. Bearer ${key}` } } },
    { status: 500, body: `at https://x/?key=${encodeURIComponent(key)}&a=1` },
  );
  const script = `return { endpoint = "/x?key={api_key}",
    transform_request = function(t) return t end, transform_response = function(t) error(t) end }`;
  await using room = await TestRoom.with([
    testSource("openai", server.url, { api_key: key }),
    testSource("own", "http://127.0.0.1:9", { api_key: key, script }),
  ]);
  const outcomes: CompletionOutcome[] = [];
  for (const name of ["openai", "openai", "own"]) outcomes.push((await room.ask(name)).outcome);
  for (const outcome of outcomes) {
    const { message } = failure(outcome);
    assert.ok(!message.includes(key) && !message.includes(encodeURIComponent(key)), message);
  }
});

Deno.test("ollama: a prompt of which little was evaluated is reported, and num_ctx is always sent", async () => {
  await using server = startLlmServer("ollama");
  server.say({ text: "a", usage: { prompt: 300, completion: 2 } }, {
    text: "a",
    usage: { prompt: 9000, completion: 2 },
  });
  await using room = await TestRoom.with([testSource("ollama", server.url, { context_window: 4096 })]);
  const long = request({ messages: [{ role: "user", content: "many words of a long text ".repeat(1000) }] });
  const first = (await room.ask("ollama", long)).outcome;
  assert.match(first.kind === "answered" ? first.warning ?? "" : "", /evaluated only 300 tokens/);
  const second = (await room.ask("ollama", long)).outcome;
  assert.equal(second.kind === "answered" && second.warning, undefined);
  assert.deepEqual(server.requests.map(({ body }) => body.options.num_ctx), [4096, 4096]);
});

Deno.test("no more calls at once than max_concurrent, and a waiting one can be cancelled", async () => {
  await using server = startLlmServer("openai");
  server.say({ text: "slow", faults: { wait: 150 } }, { text: "slow", faults: { wait: 150 } });
  await using room = await TestRoom.with([testSource("openai", server.url, { max_concurrent: 1 })]);
  const controller = new AbortController();
  const first = room.ask("openai");
  await server.arrived(1);
  const second = room.ask("openai");
  const third = room.ask("openai", request(), controller.signal);
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.equal(server.requests.length, 1);
  controller.abort();
  assert.equal(failure((await third).outcome).kind, "cancelled");
  assert.equal(answered((await first).outcome).content, "slow");
  assert.equal(answered((await second).outcome).content, "slow");
  assert.equal(server.requests.length, 2);
});

Deno.test("a script that hangs fails its own call, and the next call finds a new machine", async () => {
  await using server = startLlmServer("openai");
  const script = `return { endpoint = "/chat/completions",
    transform_request = function(t) if t:find("hang", 1, true) then while true do end end return t end,
    transform_response = function(t) return json.encode({ content = "alive" }) end }`;
  await using room = await TestRoom.with([testSource("own", server.url, { script })], {
    limits: { time: 100, memory: 1 << 26 },
  });
  const hang = await room.ask("own", request({ messages: [{ role: "user", content: "hang" }] }));
  assert.equal(failure(hang.outcome).kind, "adapter");
  assert.match(failure(hang.outcome).message, /cut off after 100 ms/);
  assert.equal(answered((await room.ask("own")).outcome).content, "alive");
});

Deno.test("configuring anew disturbs no call that runs, and names each script that does not load", async () => {
  await using server = startLlmServer("openai");
  server.say({ text: "slow", faults: { wait: 100 } });
  await using room = await TestRoom.with([testSource("openai", server.url)]);
  const asked = room.ask("openai");
  await server.arrived(1);
  const problems = await room.room.configure([
    testSource("openai", server.url, { model: "other" }),
    testSource("broken", server.url, { script: "return 1 +" }),
  ]);
  assert.deepEqual(problems.map(({ source }) => source), ["broken"]);
  assert.equal(answered((await asked).outcome).content, "slow");
  assert.equal(failure((await room.ask("broken")).outcome).kind, "adapter");
  assert.equal(failure((await room.ask("nobody")).outcome).kind, "adapter");
  await room.ask("openai");
  assert.equal(server.requests[1]!.body.model, "other");
});

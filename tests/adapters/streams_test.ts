import assert from "node:assert/strict";
import type { CompletionDelta, CompletionResponse } from "../../core/wire/llm.ts";
import { type ScriptedReply, streamText, WIRE_FORMATS, type WireFormat } from "../kit/llm_servers/mod.ts";
import { answered, failure, piecewise, request, TestRoom, testSource } from "./room_kit.ts";

const REPLY: ScriptedReply = {
  reasoning: ["想", "一"],
  text: ["天😀", " ok"],
  calls: [
    { id: "a", name: "look", arguments: '{"c":"上","n":1}' },
    { id: "b", name: "wait", arguments: "{}" },
  ],
  usage: { prompt: 20, completion: 9 },
};

const EXPECTED = {
  content: "天😀 ok",
  reasoning_content: "想一",
  finish_reason: "tool_calls",
  token_usage: { prompt: 20, completion: 9, total: 29 },
};

const type = (format: WireFormat) => format === "ollama" ? "application/x-ndjson" : "text/event-stream";

/** A room with one source whose server sends whatever `pieces` holds. */
async function roomFor(format: WireFormat, contentType = type(format)) {
  let pieces: Uint8Array[] = [];
  const room = await TestRoom.with([testSource(format, "http://127.0.0.1:9")], {
    fetch: piecewise(() => pieces, contentType),
  });
  return {
    async ask(...next: Uint8Array[]) {
      pieces = next;
      return await room.ask(format);
    },
    [Symbol.asyncDispose]: () => room[Symbol.asyncDispose](),
  };
}

/** A response without the ids that a format leaves to us. */
function shape(response: CompletionResponse) {
  const { tool_calls, ...rest } = response;
  return { ...rest, calls: tool_calls?.map(({ name, arguments: text }) => [name, text]) };
}

const text = (deltas: CompletionDelta[], kind: CompletionDelta["kind"]) =>
  deltas.filter((delta) => delta.kind === kind).map((delta) => delta.text).join("");

for (const format of WIRE_FORMATS) {
  const bytes = new TextEncoder().encode(streamText(format, REPLY));

  Deno.test(`${format}: a stream cut in two pieces at every byte gives the same events`, async () => {
    await using room = await roomFor(format);
    const whole = await room.ask(bytes);
    const expected = answered(whole.outcome);
    assert.deepEqual(shape(expected), {
      ...EXPECTED,
      calls: [["look", '{"c":"上","n":1}'], ["wait", "{}"]],
    });
    assert.equal(text(whole.deltas, "text"), EXPECTED.content);
    assert.equal(text(whole.deltas, "reasoning"), EXPECTED.reasoning_content);
    for (let at = 1; at < bytes.length; at++) {
      const { outcome, deltas } = await room.ask(bytes.subarray(0, at), bytes.subarray(at));
      assert.deepEqual(shape(answered(outcome)), shape(expected), `cut at ${at}`);
      assert.deepEqual(deltas, whole.deltas, `cut at ${at}`);
    }
  });

  Deno.test(`${format}: a stream that ends at any byte is whole or cut, never half an answer`, async () => {
    await using room = await roomFor(format);
    const expected = shape(answered((await room.ask(bytes)).outcome));
    let whole = 0;
    for (let at = 0; at < bytes.length; at++) {
      const { outcome, deltas } = await room.ask(bytes.subarray(0, at));
      assert.ok(EXPECTED.content.startsWith(text(deltas, "text")));
      if (outcome.kind === "failed") {
        assert.equal(outcome.failure.kind, "cut", `ends at ${at}: ${outcome.failure.message}`);
        continue;
      }
      const { token_usage: _, ...rest } = shape(outcome.response);
      const { token_usage: __, ...all } = expected;
      assert.deepEqual(rest, all, `ends at ${at}`);
      whole++;
    }
    assert.ok(whole < bytes.length / 2);
  });

  Deno.test(`${format}: byte by byte, with CRLF, comments and no end mark, the answer is the same`, async () => {
    await using room = await roomFor(format);
    const expected = shape(answered((await room.ask(bytes)).outcome));
    for (
      const faults of [{ crlf: true }, { comments: true }, { noEnd: true }, { crlf: true, comments: true, noEnd: true }]
    ) {
      const other = new TextEncoder().encode(streamText(format, { ...REPLY, faults }));
      const { outcome } = await room.ask(...Array.from(other, (byte) => Uint8Array.of(byte)));
      assert.deepEqual(shape(answered(outcome)), expected, JSON.stringify(faults));
    }
  });

  Deno.test(`${format}: an error object in the middle of a stream is the source's failure`, async () => {
    await using room = await roomFor(format);
    const other = streamText(format, { ...REPLY, faults: { errorAfter: 3 } });
    const { outcome } = await room.ask(new TextEncoder().encode(other));
    const { kind, status } = failure(outcome);
    assert.deepEqual({ kind, status }, { kind: "server", status: 200 });
  });

  Deno.test(`${format}: an answer with no content type is told by its first byte`, async () => {
    await using room = await roomFor(format, "");
    const { outcome } = await room.ask(bytes);
    assert.equal(answered(outcome).content, EXPECTED.content);
  });

  Deno.test(`${format}: text that speaks of errors is text`, async () => {
    await using room = await roomFor(format);
    const said = 'data: {"error": "context_length_exceeded"} error rate_limit 429';
    const { outcome } = await room.ask(new TextEncoder().encode(streamText(format, { text: said })));
    assert.equal(answered(outcome).content, said);
  });

  Deno.test(`${format}: an answer with nothing in it, and not a token, is not one`, async () => {
    await using room = await roomFor(format);
    const nothing = { text: [], usage: { prompt: 9, completion: 0 } };
    const { outcome } = await room.ask(new TextEncoder().encode(streamText(format, nothing)));
    assert.equal(failure(outcome).kind, "cut");
  });
}

Deno.test("a character cut into two escapes in two chunks is whole", async () => {
  await using room = await roomFor("openai");
  const chunk = (content: string) => `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`;
  const stream = chunk("a\\ud83d") + chunk("\\ude00b") + chunk("\\ud83d") +
    `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;
  const { outcome, deltas } = await room.ask(new TextEncoder().encode(stream));
  assert.equal(answered(outcome).content, "a😀b\ufffd");
  assert.equal(text(deltas, "text"), "a😀b\ufffd");
});

Deno.test("a server that does not stream though it was asked to is understood", async () => {
  await using room = await roomFor("openai", "application/json");
  const body = JSON.stringify(
    {
      choices: [{ message: { role: "assistant", content: "whole" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 3, completion_tokens: 1 },
    },
    null,
    2,
  );
  const { outcome } = await room.ask(new TextEncoder().encode(body));
  assert.equal(answered(outcome).content, "whole");
});

Deno.test("openai: parallel calls with shared, missing, wrong and repeated indexes, and without ids", async () => {
  await using room = await roomFor("openai");
  const one = '{"q":"一"}', two = '{"q":"two"}';
  const cases: Record<string, ScriptedReply> = {
    interleaved: {
      interleave: true,
      calls: [{ id: "a", name: "f", arguments: one }, { id: "b", name: "g", arguments: two }],
    },
    "interleaved without ids": {
      interleave: true,
      calls: [{ name: "f", arguments: one }, { name: "g", arguments: two }],
    },
    "one index, two ids": {
      calls: [{ id: "a", name: "f", arguments: one, index: 0 }, { id: "b", name: "g", arguments: two, index: 0 }],
    },
    "one index, no ids": { calls: [{ name: "f", arguments: one, index: 0 }, { name: "g", arguments: two, index: 0 }] },
    "no index": {
      calls: [{ id: "a", name: "f", arguments: one, index: null }, { id: "b", name: "g", arguments: two, index: null }],
    },
    "no index, no ids": {
      calls: [{ name: "f", arguments: one, index: null }, { name: "g", arguments: two, index: null }],
    },
    "indexes from five": {
      calls: [{ id: "a", name: "f", arguments: one, index: 5 }, { id: "b", name: "g", arguments: two, index: 9 }],
    },
    "the same id twice": { calls: [{ id: "a", name: "f", arguments: one }, { id: "a", name: "g", arguments: two }] },
  };
  for (const [name, reply] of Object.entries(cases)) {
    const { outcome } = await room.ask(new TextEncoder().encode(streamText("openai", reply)));
    const calls = answered(outcome).tool_calls!;
    assert.deepEqual(calls.map((call) => [call.name, call.arguments]), [["f", one], ["g", two]], name);
    assert.equal(new Set(calls.map((call) => call.id)).size, 2, name);
    assert.ok(calls.every((call) => call.id !== ""), name);
  }
});

Deno.test("openai: two calls of one function under one index without ids are two calls", async () => {
  await using room = await roomFor("openai");
  const fragment = (args: string) =>
    `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":${args}}}]}}]}\n\n`;
  const stream = fragment('"{\\"a\\":1}"') + fragment('"{\\"a\\":2}"') +
    `data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}\n\n`;
  const { outcome } = await room.ask(new TextEncoder().encode(stream));
  assert.deepEqual(answered(outcome).tool_calls!.map((call) => call.arguments), ['{"a":1}', '{"a":2}']);
});

Deno.test("openai: arguments that are empty, an object, or malformed", async () => {
  await using room = await roomFor("openai");
  const call = (args: unknown) =>
    `data: ${
      JSON.stringify({
        choices: [{ delta: { tool_calls: [{ index: 0, id: "x", function: { name: "f", arguments: args } }] } }],
      })
    }\n\n` +
    `data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}\n\n`;
  const cases: [unknown, string][] = [["", "{}"], [null, "{}"], [{ a: [1, {}] }, '{"a":[1,{}]}'], ['{"a":', '{"a":']];
  for (const [given, expected] of cases) {
    const { outcome } = await room.ask(new TextEncoder().encode(call(given)));
    assert.equal(answered(outcome).tool_calls![0]!.arguments, expected);
  }
});

Deno.test("ollama: parallel calls that share an index, and one without arguments", async () => {
  await using room = await roomFor("ollama");
  const line = JSON.stringify({
    message: {
      content: "",
      tool_calls: [
        { function: { index: 0, name: "f", arguments: { a: 1 } } },
        { function: { index: 0, name: "f", arguments: { a: 2 } } },
        { function: { index: 0, name: "g" } },
      ],
    },
    done: false,
  });
  const end = JSON.stringify({ message: { content: "" }, done: true, done_reason: "stop", eval_count: 3 });
  const { outcome } = await room.ask(new TextEncoder().encode(`${line}\n${end}\n`));
  const calls = answered(outcome).tool_calls!;
  assert.deepEqual(calls.map((call) => [call.name, call.arguments]), [["f", '{"a":1}'], ["f", '{"a":2}'], ["g", "{}"]]);
  assert.equal(new Set(calls.map((call) => call.id)).size, 3);
});

Deno.test("deltas of a cut stream were told before it was cut", async () => {
  await using room = await roomFor("openai");
  const whole = streamText("openai", { text: ["partial ", "text"] });
  const { outcome, deltas } = await room.ask(new TextEncoder().encode(whole.slice(0, whole.indexOf("text"))));
  assert.equal(failure(outcome).kind, "cut");
  assert.deepEqual(deltas, [{ kind: "text", text: "partial " }]);
});

Deno.test("a request is asked as the caller said: not streaming when it does not stream", async () => {
  let sent = "";
  await using room = await TestRoom.with([testSource("openai", "http://h/v1")], {
    fetch: (_url, init) => {
      sent = String((init as { body: string }).body);
      return Promise.resolve(Response.json({ choices: [{ message: { content: "hi" }, finish_reason: "stop" }] }));
    },
  });
  const { outcome } = await room.ask("openai", request({ stream: false }));
  assert.equal(answered(outcome).content, "hi");
  assert.equal(JSON.parse(sent).stream, false);
  assert.equal("stream_options" in JSON.parse(sent), false);
});

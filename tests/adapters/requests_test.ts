import assert from "node:assert/strict";
import type { ChatMessage, CompletionRequest } from "../../core/wire/llm.ts";
import { ADAPTER_NAMES, type AdapterName } from "../../adapters/catalog.ts";
import { startLlmServer, type WireFormat } from "../kit/llm_servers/mod.ts";
import { answered, request, TestRoom, testSource } from "./room_kit.ts";

const FORMAT: Record<AdapterName, WireFormat> = {
  deepseek: "openai",
  openai: "openai",
  anthropic: "anthropic",
  gemini: "gemini",
  mistral: "openai",
  groq: "openai",
  github: "openai",
  ollama: "ollama",
};

const PICTURE = "data:image/png;base64,iVBORw0KGgo=";
const TOOL = {
  type: "function" as const,
  function: {
    name: "look",
    description: "Looks",
    parameters: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { city: { type: ["string", "null"], description: "where" }, n: { type: "integer", minimum: 0 } },
      required: ["city"],
      additionalProperties: false,
    },
  },
};

/** A conversation with everything in it. */
const MESSAGES: ChatMessage[] = [
  { role: "system", content: "Be kind." },
  {
    role: "user",
    content: [{ type: "text", text: "what is this?" }, { type: "image_url", image_url: { url: PICTURE } }],
  },
  {
    role: "assistant",
    content: "",
    tool_calls: [
      {
        id: "call_0123456789",
        type: "function",
        function: { name: "look", arguments: '{"city":"上海"}' },
        signature: "c2ln",
      },
      { id: "call_b", type: "function", function: { name: "look", arguments: "{broken" } },
    ],
  },
  {
    role: "tool",
    tool_call_id: "call_0123456789",
    name: "look",
    content: [{ type: "text", text: '{"sky":"blue"}' }, { type: "image_url", image_url: { url: PICTURE } }],
  },
  { role: "tool", tool_call_id: "call_b", name: "look", content: "broken arguments" },
  { role: "user", content: "and now?" },
  { role: "user", content: "hello?" },
];

async function sent(adapter: AdapterName, overrides: Partial<CompletionRequest> = {}, source = {}) {
  await using server = startLlmServer(FORMAT[adapter]);
  await using room = await TestRoom.with([testSource(adapter, server.url, source)]);
  const { outcome } = await room.ask(
    adapter,
    request({ messages: MESSAGES, tools: [TOOL], tool_choice: "auto", ...overrides }),
  );
  assert.equal(answered(outcome).content, "ok");
  return server.requests[0]!;
}

for (const adapter of ADAPTER_NAMES) {
  Deno.test(`${adapter}: streams text, reasoning and a tool call, and reports usage`, async () => {
    await using server = startLlmServer(FORMAT[adapter]);
    server.say(
      { reasoning: "hm", text: ["a", "b"], calls: [{ id: "c1", name: "look", arguments: '{"city":"x"}' }] },
      { reasoning: "hm", text: "whole", calls: [{ id: "c1", name: "look", arguments: '{"city":"x"}' }] },
    );
    await using room = await TestRoom.with([testSource(adapter, server.url)]);
    for (const stream of [true, false]) {
      const { outcome, deltas } = await room.ask(adapter, request({ stream }));
      const response = answered(outcome);
      assert.equal(response.content, stream ? "ab" : "whole");
      assert.equal(response.reasoning_content, "hm");
      assert.equal(response.finish_reason, "tool_calls");
      assert.deepEqual(response.token_usage, { prompt: 11, completion: 7, total: 18 });
      assert.deepEqual(response.tool_calls!.map((call) => [call.name, call.arguments]), [["look", '{"city":"x"}']]);
      assert.ok(deltas.length > 0);
    }
  });
}

Deno.test("the openai family: whole messages, pictures of tools in a user message, no field that is not known", async () => {
  for (const adapter of ["openai", "deepseek", "groq", "github"] as const) {
    const { body, path, headers } = await sent(adapter);
    assert.equal(path, "/v1/chat/completions");
    assert.equal(headers.get("authorization"), "Bearer sk-secret-of-the-test");
    assert.deepEqual(body.messages.map((message: ChatMessage) => message.role), [
      "system",
      "user",
      "assistant",
      "tool",
      "tool",
      "user",
      "user",
      "user",
    ]);
    assert.deepEqual(body.messages[1].content[1], { type: "image_url", image_url: { url: PICTURE } });
    assert.deepEqual(body.messages[2].tool_calls[0], {
      id: "call_0123456789",
      type: "function",
      function: { name: "look", arguments: '{"city":"上海"}' },
    });
    assert.deepEqual(body.messages[3], { role: "tool", tool_call_id: "call_0123456789", content: '{"sky":"blue"}' });
    assert.deepEqual(body.messages[5].content[1], { type: "image_url", image_url: { url: PICTURE } });
    assert.deepEqual(body.tools, [TOOL]);
    assert.deepEqual(Object.keys(body).filter((key) => ["thinking", "context_window", "signature"].includes(key)), []);
  }
});

Deno.test("openai: models that reason get max_completion_tokens and no temperature", async () => {
  const plain = (await sent("openai", { model: "gpt-4.1" })).body;
  assert.deepEqual([plain.max_tokens, plain.temperature, plain.max_completion_tokens], [1000, 0.7, undefined]);
  for (const model of ["o4-mini", "gpt-5-mini"]) {
    const body = (await sent("openai", { model })).body;
    assert.deepEqual([body.max_tokens, body.temperature, body.max_completion_tokens], [undefined, undefined, 1000]);
  }
  const github = (await sent("github", { model: "openai/gpt-5" })).body;
  assert.equal(github.max_completion_tokens, 1000);
});

Deno.test("mistral: ids of nine characters, no user message after a tool's, nothing it does not know", async () => {
  const { body } = await sent("mistral", { tool_choice: "required" });
  const ids = body.messages[2].tool_calls.map((call: { id: string }) => call.id);
  assert.ok(ids.every((id: string) => /^[A-Za-z0-9]{9}$/.test(id)), ids.join());
  assert.equal(new Set(ids).size, 2);
  assert.deepEqual([body.messages[3].tool_call_id, body.messages[4].tool_call_id], ids);
  assert.equal(body.messages[3].name, "look");
  assert.deepEqual([body.messages[5].role, body.messages[6].role], ["assistant", "user"]);
  assert.equal(body.tool_choice, "any");
  assert.equal("stream_options" in body, false);
});

Deno.test("deepseek: reasoning that led to tool calls goes back with them", async () => {
  await using server = startLlmServer("openai");
  server.say({ reasoning: ["let me ", "think"], calls: [{ id: "c1", name: "look", arguments: "{}" }] });
  await using room = await TestRoom.with([testSource("deepseek", server.url, { thinking: true })]);
  const { tool_calls } = answered((await room.ask("deepseek")).outcome);
  const [call] = tool_calls!;
  await room.ask("deepseek", request({ messages: followUp(call!) }));
  assert.deepEqual(server.requests[0]!.body.thinking, { type: "enabled" });
  assert.equal(server.requests[1]!.body.messages[1].reasoning_content, "let me think");
});

/** The conversation after a tool call was answered. */
function followUp(
  { id, name, arguments: text, signature }: { id: string; name: string; arguments: string; signature?: string },
) {
  const call = { id, type: "function" as const, function: { name, arguments: text }, ...(signature && { signature }) };
  return [
    { role: "user" as const, content: "hi" },
    { role: "assistant" as const, content: "", tool_calls: [call] },
    { role: "tool" as const, tool_call_id: id, name, content: "done" },
  ];
}

Deno.test("anthropic: system apart, blocks, merged roles, its own headers", async () => {
  const { body, path, headers } = await sent("anthropic");
  assert.equal(path, "/v1/messages");
  assert.equal(headers.get("x-api-key"), "sk-secret-of-the-test");
  assert.equal(headers.get("anthropic-version"), "2023-06-01");
  assert.equal(headers.get("authorization"), null);
  assert.equal(body.system, "Be kind.");
  assert.deepEqual(body.messages.map((message: ChatMessage) => message.role), ["user", "assistant", "user"]);
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
  assert.deepEqual(body.messages[0].content, [{ type: "text", text: "what is this?" }, image]);
  assert.deepEqual(body.messages[1].content, [
    { type: "tool_use", id: "call_0123456789", name: "look", input: { city: "上海" } },
    { type: "tool_use", id: "call_b", name: "look", input: {} },
  ]);
  assert.deepEqual(body.messages[2].content, [
    { type: "tool_result", tool_use_id: "call_0123456789", content: [{ type: "text", text: '{"sky":"blue"}' }, image] },
    { type: "tool_result", tool_use_id: "call_b", content: [{ type: "text", text: "broken arguments" }] },
    { type: "text", text: "and now?" },
    { type: "text", text: "hello?" },
  ]);
  assert.deepEqual(body.tools[0], { name: "look", description: "Looks", input_schema: TOOL.function.parameters });
  assert.deepEqual([body.tool_choice, body.max_tokens, body.temperature], [{ type: "auto" }, 1000, 0.7]);
});

Deno.test("anthropic: thinking comes back signed with its tool calls, and is left out where there is none", async () => {
  await using server = startLlmServer("anthropic");
  server.say({
    reasoning: ["let me ", "think"],
    reasoning_signature: "U0lH",
    calls: [{ id: "toolu_1", name: "look", arguments: "{}" }],
  });
  await using room = await TestRoom.with([testSource("anthropic", server.url, { thinking: true })]);
  const { tool_calls } = answered((await room.ask("anthropic")).outcome);
  const [call] = tool_calls!;
  await room.ask("anthropic", request({ messages: followUp(call!) }));
  const { body } = server.requests[1]!;
  assert.deepEqual(body.messages[1].content[0], { type: "thinking", thinking: "let me think", signature: "U0lH" });
  assert.deepEqual([body.thinking, body.max_tokens], [{ type: "enabled", budget_tokens: 1024 }, 2024]);
  assert.equal("temperature" in body, false);
  const { signature: _, ...foreign } = call!;
  await room.ask("anthropic", request({ messages: followUp(foreign) }));
  assert.equal("thinking" in server.requests[2]!.body, false);
});

Deno.test("gemini: contents of parts, results by name, a schema it can read", async () => {
  const { body, path, headers } = await sent("gemini", { model: "gemini-2.5-flash" });
  assert.equal(path, "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
  assert.equal(headers.get("x-goog-api-key"), "sk-secret-of-the-test");
  assert.equal(headers.get("authorization"), null);
  assert.deepEqual(body.systemInstruction, { parts: [{ text: "Be kind." }] });
  const image = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } };
  assert.deepEqual(body.contents, [
    { role: "user", parts: [{ text: "what is this?" }, image] },
    {
      role: "model",
      parts: [
        { functionCall: { name: "look", args: { city: "上海" } }, thoughtSignature: "c2ln" },
        { functionCall: { name: "look", args: {} } },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { name: "look", response: { sky: "blue" } } },
        image,
        { functionResponse: { name: "look", response: { result: "broken arguments" } } },
        { text: "and now?" },
        { text: "hello?" },
      ],
    },
  ]);
  assert.deepEqual(body.tools[0].functionDeclarations[0].parameters, {
    type: "object",
    properties: {
      city: { type: "string", nullable: true, description: "where" },
      n: { type: "integer", minimum: 0 },
    },
    required: ["city"],
  });
  assert.deepEqual(body.generationConfig, { temperature: 0.7, maxOutputTokens: 1000 });
});

Deno.test("gemini: a thought signature goes back unchanged, on its part", async () => {
  await using server = startLlmServer("gemini");
  const part = (part: unknown, finish = "") =>
    `data: ${
      JSON.stringify({ candidates: [{ content: { parts: [part] }, ...(finish && { finishReason: finish }) }] })
    }\r\n\r\n`;
  server.say(
    { calls: [{ name: "look", arguments: "{}", signature: "T25DYWxs" }, { name: "look", arguments: "{}" }] },
    {
      raw: part({ text: "", thoughtSignature: "T3du" }) + part({ functionCall: { name: "look", args: {} } }) +
        part({ text: "" }, "STOP"),
    },
  );
  await using room = await TestRoom.with([testSource("gemini", server.url)]);
  const ask = async () => answered((await room.ask("gemini")).outcome).tool_calls!;
  const first = await ask();
  assert.deepEqual(first.map((call) => call.signature), ["T25DYWxs", undefined]);
  assert.equal(new Set(first.map((call) => call.id)).size, 2);
  const [second] = await ask();
  await room.ask("gemini", request({ messages: followUp(first[0]!) }));
  await room.ask("gemini", request({ messages: followUp(second!) }));
  assert.deepEqual(server.requests[2]!.body.contents[1].parts, [
    { functionCall: { name: "look", args: {} }, thoughtSignature: "T25DYWxs" },
  ]);
  assert.deepEqual(server.requests[3]!.body.contents[1].parts, [
    { text: "", thoughtSignature: "T3du" },
    { functionCall: { name: "look", args: {} } },
  ]);
});

Deno.test("gemini: a blocked prompt and a blocked answer are answers that say so", async () => {
  await using server = startLlmServer("gemini");
  server.say(
    { raw: 'data: {"promptFeedback":{"blockReason":"SAFETY"}}\n\n' },
    { text: [], finish: "SAFETY", usage: { prompt: 3, completion: 0 } },
  );
  await using room = await TestRoom.with([testSource("gemini", server.url)]);
  for (let i = 0; i < 2; i++) {
    assert.equal(answered((await room.ask("gemini")).outcome).finish_reason, "content_filter");
  }
});

Deno.test("ollama: pictures beside the text, arguments as objects, the window in its options", async () => {
  const { body, path, headers } = await sent("ollama", {}, { context_window: 16384, api_key: "" });
  assert.equal(path, "/api/chat");
  assert.equal(headers.get("authorization"), null);
  assert.deepEqual(body.messages[1], { role: "user", content: "what is this?", images: ["iVBORw0KGgo="] });
  assert.deepEqual(body.messages[2].tool_calls, [
    { function: { name: "look", arguments: { city: "上海" } } },
    { function: { name: "look", arguments: {} } },
  ]);
  assert.deepEqual(body.messages[3], {
    role: "tool",
    content: '{"sky":"blue"}',
    images: ["iVBORw0KGgo="],
    tool_name: "look",
  });
  assert.deepEqual(body.options, { temperature: 0.7, num_predict: 1000, num_ctx: 16384 });
  assert.deepEqual(body.tools, [TOOL]);
});

Deno.test("sound goes to the models that hear", async () => {
  const messages: ChatMessage[] = [{
    role: "user",
    content: [{ type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } }],
  }];
  const part = async (adapter: AdapterName) => (await sent(adapter, { messages })).body;
  const audio = { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } };
  assert.deepEqual((await part("openai")).messages[0].content, [audio]);
  assert.deepEqual((await part("mistral")).messages[0].content, [{ type: "input_audio", input_audio: "UklGRg==" }]);
  assert.deepEqual((await part("gemini")).contents[0].parts, [{
    inlineData: { mimeType: "audio/wav", data: "UklGRg==" },
  }]);
  assert.match((await part("anthropic")).messages[0].content[0].text, /cannot hear/);
});

Deno.test("no half of a character leaves", async () => {
  const { body } = await sent("openai", { messages: [{ role: "user", content: "a\ud83d b" }] });
  assert.equal(body.messages[0].content, "a\ufffd b");
});

import assert from "node:assert/strict";
import { createLog, type LogRecord } from "../../core/base/log.ts";
import { startLlmServer } from "../kit/llm_servers/mod.ts";
import { answered, request, TestRoom, testSource } from "./room_kit.ts";

/** A script as they were written before this project: it hands on what it does not know, and decodes under pcall. */
const OLD = `
local adapter = {}
adapter.name = "old"
adapter.version = "2.0.0"
adapter.endpoint = "/chat/completions"
adapter.headers = { ["X-Model"] = "{model}", ["X-Key"] = "{api_key}" }

function adapter.transform_request(raw_body)
  local ok, req = pcall(json.decode, raw_body)
  if not ok then return raw_body end
  req.disable_thinking = nil
  for _, msg in ipairs(req.messages) do msg.reasoning_content = nil end
  return json.encode(req)
end

function adapter.transform_response(raw_body)
  local ok, resp = pcall(json.decode, raw_body)
  if not ok or resp == nil then return raw_body end
  log("info", "answered by " .. tostring(resp.model))
  local unified = { content = "", finish_reason = "", token_usage = { prompt = 0, completion = 0, total = 0 } }
  local choice = resp.choices[1]
  unified.content = choice.message.content or ""
  unified.finish_reason = choice.finish_reason or ""
  local calls = {}
  for _, call in ipairs(choice.message.tool_calls or {}) do
    local ok2, args = pcall(json.decode, call["function"].arguments)
    table.insert(calls, { id = call.id, type = "function", name = call["function"].name, arguments = ok2 and args or {} })
  end
  unified.tool_calls = calls
  return json.encode(unified)
end
`;

const STREAMING = `
function adapter.transform_stream_chunk(raw)
  local ok, chunk = pcall(json.decode, raw)
  if not ok then return "" end
  if not chunk.choices or #chunk.choices == 0 then return "" end
  local delta = chunk.choices[1].delta or {}
  local unified = { content = delta.content or "", done = chunk.choices[1].finish_reason ~= nil }
  if delta.tool_calls then unified.tool_calls = delta.tool_calls end
  return json.encode(unified)
end
`;

Deno.test("a script with only transform_request and transform_response runs, without streaming", async () => {
  await using server = startLlmServer("openai");
  server.say({ text: "whole", calls: [{ id: "c", name: "f", arguments: '{"a":[1,null]}' }] });
  const records: LogRecord[] = [];
  await using room = await TestRoom.with([testSource("old", server.url, { script: `${OLD} return adapter` })], {
    log: createLog("lua", (record) => records.push(record)),
  });
  const { outcome } = await room.ask(
    "old",
    request({
      thinking: true,
      context_window: 1000,
      messages: [
        { role: "user", content: "hi" },
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" }, signature: "s" }],
        },
        { role: "tool", tool_call_id: "c", name: "f", content: "r" },
      ],
    }),
  );
  const response = answered(outcome);
  assert.equal(response.content, "whole");
  assert.equal(response.finish_reason, "tool_calls");
  assert.deepEqual(response.tool_calls, [{ id: "c", type: "function", name: "f", arguments: '{"a":[1,null]}' }]);
  const { body, headers } = server.requests[0]!;
  assert.deepEqual(body, {
    messages: [
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", content: "r" },
    ],
    temperature: 0.7,
    max_tokens: 1000,
    model: "m",
    stream: false,
  });
  assert.equal(headers.get("x-model"), "m");
  assert.equal(headers.get("x-key"), "sk-secret-of-the-test");
  assert.deepEqual(records.map(({ level, text }) => [level, text]), [["info", "answered by scripted"]]);
});

Deno.test("a streaming one runs too: tool calls handed on as they come, no usage, empty finish", async () => {
  await using server = startLlmServer("openai");
  server.say(
    { text: ["a", "b"], calls: [{ id: "c", name: "f", arguments: '{"a":1}' }] },
    { text: ["only text"] },
  );
  await using room = await TestRoom.with([
    testSource("old", server.url, { script: `${OLD}${STREAMING} return adapter` }),
  ]);
  const first = await room.ask("old");
  assert.equal(answered(first.outcome).content, "ab");
  assert.deepEqual(first.deltas.map(({ text }) => text), ["a", "b"]);
  assert.deepEqual(answered(first.outcome).tool_calls, [{
    id: "c",
    type: "function",
    name: "f",
    arguments: '{"a":1}',
  }]);
  assert.equal(answered((await room.ask("old")).outcome).finish_reason, "stop");
});

Deno.test("a script may define its functions as globals and return nothing", async () => {
  await using server = startLlmServer("openai");
  const script = `endpoint = "/chat/completions"
    function transform_request(text) return text end
    function transform_response(text) return json.encode({ content = json.decode(text).choices[1].message.content }) end`;
  await using room = await TestRoom.with([testSource("bare", server.url, { script })]);
  assert.equal(answered((await room.ask("bare")).outcome).content, "ok");
});

import assert from "node:assert/strict";
import { readLuaWasm } from "../../adapters/wasm.ts";
import type { LuaMethods } from "../../core/wire/kernel.ts";
import type { CompletionDelta } from "../../core/wire/llm.ts";
import { Peer } from "../../core/wire/peer.ts";
import { portTransport } from "../../core/wire/transport.ts";
import { startLlmServer } from "../kit/llm_servers/mod.ts";
import { request, testSource } from "./room_kit.ts";

/** The real worker, with the network permission of these hosts and nothing else. */
function startWorker(net: string[]) {
  const worker = new Worker(new URL("../../adapters/worker.ts", import.meta.url), {
    type: "module",
    deno: {
      permissions: { net, read: false, write: false, env: false, run: false, ffi: false, sys: false, import: false },
    },
  });
  const logged: string[] = [];
  const peer = new Peer<LuaMethods>(portTransport(worker), { name: "the lua worker", onProblem: (t) => logged.push(t) })
    .serve({ log: ({ record }) => logged.push(record.text) }).open();
  return {
    peer,
    logged,
    [Symbol.dispose]() {
      peer.close();
      worker.terminate();
    },
  };
}

Deno.test("the lua worker streams an answer with a tool call, with no permission but its host", async () => {
  await using server = startLlmServer("openai");
  server.say({
    text: ["Let me ", "look."],
    calls: [{ id: "call_1", name: "memory_recall", arguments: '{"query":"天气"}' }],
    usage: { prompt: 30, completion: 12 },
  });
  using lua = startWorker([server.host]);
  await lua.peer.call("lua.wasm", { bytes: readLuaWasm() });
  const { problems } = await lua.peer.call("lua.configure", { sources: [testSource("openai", server.url)] });
  assert.deepEqual(problems, []);
  const deltas: CompletionDelta[] = [];
  const outcome = await lua.peer.call("llm.complete", { source: "openai", request: request() }, {
    onEvent: (method, params) => {
      assert.equal(method, "llm.delta");
      deltas.push(params.delta as CompletionDelta);
    },
  });
  assert.deepEqual(outcome, {
    kind: "answered",
    response: {
      content: "Let me look.",
      finish_reason: "tool_calls",
      token_usage: { prompt: 30, completion: 12, total: 42 },
      tool_calls: [{ id: "call_1", type: "function", name: "memory_recall", arguments: '{"query":"天气"}' }],
    },
  });
  assert.deepEqual(deltas, [{ kind: "text", text: "Let me " }, { kind: "text", text: "look." }]);
  assert.equal(server.requests[0]!.headers.get("authorization"), "Bearer sk-secret-of-the-test");
  assert.deepEqual(server.requests[0]!.body.stream_options, { include_usage: true });
});

Deno.test("the lua worker reaches no other host, neither for a source nor for a script", async () => {
  await using allowed = startLlmServer("openai");
  await using other = startLlmServer("openai");
  using lua = startWorker([allowed.host]);
  await lua.peer.call("lua.wasm", { bytes: readLuaWasm() });
  const script = `return {
    endpoint = "/chat/completions",
    transform_request = function(text) return json.encode({ said = http_get("http://${other.host}/x") }) end,
    transform_response = function(text) return text end,
  }`;
  await lua.peer.call("lua.configure", {
    sources: [
      testSource("openai", other.url, { name: "outside" }),
      testSource("own", allowed.url, { script }),
    ],
  });
  const outside = await lua.peer.call("llm.complete", { source: "outside", request: request() });
  assert.equal(outside.kind === "failed" && outside.failure.kind, "network");
  await lua.peer.call("llm.complete", { source: "own", request: request() });
  const said = JSON.parse(allowed.requests[0]!.body.said);
  assert.match(said.error, /net access/);
  assert.equal(other.requests.length, 0);
});

Deno.test("cancelling a call closes the connection at the server", async () => {
  await using server = startLlmServer("openai");
  server.say({ text: "half an answer", faults: { stallAt: 200 } });
  using lua = startWorker([server.host]);
  await lua.peer.call("lua.wasm", { bytes: readLuaWasm() });
  await lua.peer.call("lua.configure", { sources: [testSource("openai", server.url)] });
  const controller = new AbortController();
  const call = lua.peer.call("llm.complete", { source: "openai", request: request() }, { signal: controller.signal });
  const { ended } = await server.arrived(1);
  controller.abort(new Error("enough"));
  await assert.rejects(call, /enough/);
  assert.equal(await ended, "client gone");
});

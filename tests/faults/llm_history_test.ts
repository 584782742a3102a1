import assert from "node:assert/strict";
import { type Client, connect, type Daemon, serve } from "../kit/homed.ts";
import { type LlmServer, type ScriptedReply, startLlmServer, WIRE_FORMATS } from "../kit/llm_servers/mod.ts";
import { streamText } from "../kit/llm_servers/mod.ts";
import { refusal } from "../kit/sendable.ts";
import { tempFolder } from "../kit/temp_folder.ts";

/** What a model does in one turn, reply after reply. What is asked beyond the script is answered with "fine". */
type Fault = (server: LlmServer) => ScriptedReply[];

const recall = (id: string | undefined, args = '{"query":"tea"}') => ({
  ...(id !== undefined && { id }),
  name: "memory_recall",
  arguments: args,
});

const FAULTS: Record<string, Fault> = {
  "cut in a text, twice": ({ format }) => {
    const reply: ScriptedReply = { text: ["Das 茶 ", "ist 🍵 gut"] };
    const cutAt = Math.floor(new TextEncoder().encode(streamText(format, reply)).length / 2);
    return [{ ...reply, faults: { cutAt } }, { ...reply, faults: { cutAt: cutAt + 7, cut: "broken" } }];
  },
  "cut in a call's arguments": ({ format }) => {
    const reply: ScriptedReply = { text: "Let me see", calls: [recall("c1")] };
    const cutAt = Math.floor(new TextEncoder().encode(streamText(format, reply)).length * 0.7);
    return [{ ...reply, faults: { cutAt } }, { ...reply, faults: { cutAt, cut: "broken" } }];
  },
  "stalls": () => [{ text: ["And ", "then"], faults: { stallAt: 120 } }, { text: "x", faults: { stallAt: 90 } }],
  "an error in mid-stream": () => [
    { text: ["one ", "two ", "three"], faults: { errorAfter: 3 } },
    { text: "x", faults: { errorAfter: 1 } },
  ],
  "400": () => [{ status: 400, body: { error: { message: "bad request" } } }],
  "401": () => [{ status: 401, body: { error: { message: "bad key" } } }],
  "403": () => [{ status: 403, body: "<html>forbidden</html>" }],
  "429 with Retry-After":
    () => [{ status: 429, headers: { "retry-after": "2" }, body: { error: { message: "slow" } } }],
  "500": () => [{ status: 500, body: "" }],
  "503 with a page": () => [{ status: 503, body: "<html>\ud83d</html>" }],
  "a 200 that is no answer": () => [{ raw: "hello\n\n" }, { raw: "hello\n\n" }],
  "a 200 with nothing": () => [{ raw: "" }, { raw: "" }],
  "a call, then a failure": () => [{ calls: [recall("c1")] }, { status: 500, body: {} }],
  "a text and a call, then a cut": () => [
    { text: "Looking", calls: [recall("c1")] },
    { text: "found", faults: { cutAt: 60 } },
    { text: "found", faults: { cutAt: 61 } },
  ],
  "malformed arguments": ({ format }) => {
    // Gemini and Ollama send values, not texts: theirs are at least JSON.
    const texts = format === "gemini" || format === "ollama" ? ["[1]", "null", '"tea"'] : ['{"query": "te', "[1]", "x"];
    return [{ calls: texts.map((text, at) => recall(`c${at}`, text)) }];
  },
  "unknown tools": () => [{
    calls: [{ id: "c1", name: "no_such_tool", arguments: "{}" }, { id: "c2", name: "", arguments: "{}" }],
  }],
  "parallel calls with one id and no ids": () => [
    { calls: [recall("same"), recall("same", '{"query":"milk"}'), recall(undefined, '{"query":"sugar"}')] },
    { calls: [recall("same", '{"query":"salt"}')] },
  ],
  "parallel calls, interleaved": () => [
    { calls: [recall("a"), recall("b", '{"query":"milk"}'), recall("c", '{"query":"sugar"}')], interleave: true },
  ],
  "no answer in time": () => [{ text: "late", faults: { wait: 3000 } }],
  "an empty reply, twice": () => [{ text: "" }, { text: "" }],
  "white space alone": () => [{ text: " \n" }, { text: "\n\n" }],
  "half a character": () => [
    { text: "lone \ud83d end", calls: [recall("c1", '{"query":"\\ud83d"}')] },
    { text: "x \udc00" },
  ],
  "the same call for ever": () => Array.from({ length: 12 }, () => ({ calls: [recall("again")] })),
  "other calls for ever": () =>
    Array.from({ length: 14 }, (_, n) => ({ calls: [recall(`c${n}`, JSON.stringify({ query: `thing ${n}` }))] })),
  "too much context, twice": ({ format }) => {
    const body = {
      openai: { error: { message: "maximum context length is 10 tokens", code: "context_length_exceeded" } },
      anthropic: { type: "error", error: { type: "invalid_request_error", message: "prompt is too long: 9 > 8" } },
      gemini: {
        error: { code: 400, status: "INVALID_ARGUMENT", message: "The input token count exceeds the maximum" },
      },
      ollama: { error: "the input exceeds the context length" },
    }[format];
    return [{ status: 400, body }, { status: 400, body }];
  },
};

for (const format of WIRE_FORMATS) {
  Deno.test(`${format}: after every fault of a source the stored history can be sent, by this process and by the next`, async (t) => {
    await using folder = await tempFolder();
    const home = `${folder.path}/home`;
    await using server = startLlmServer(format);
    server.otherwise(() => ({ text: "fine" }));
    const prefix = `HOMED_CORE__LLM__SOURCES__${format.toUpperCase()}`;
    const env = {
      [`${prefix}__ENABLED`]: "true",
      [`${prefix}__BASE_URL`]: server.url,
      [`${prefix}__API_KEY`]: "sk-test-0123456789abcdef",
      [`${prefix}__MODEL`]: "scripted",
      HOMED_CORE__LLM__IDLE_TIMEOUT: "1s",
      HOMED_CORE__LLM__TIMEOUT: "2s",
    };
    let priority = 10;
    let daemon: Daemon | undefined;
    let client: Client | undefined;
    try {
      for (const [name, fault] of Object.entries(FAULTS)) {
        await t.step(name, async () => {
          daemon ??= await serve({ home, env });
          client ??= await connect(home);
          server.drop().say(...fault(server));
          let failure: unknown;
          const sent = await client.peer.call("chat.send", { text: `What about tea? (${name}) \ud83d` }).catch(
            (error) => {
              failure = error;
            },
          );
          if (sent) {
            assert.notEqual(sent.reply.trim(), "", "an empty reply");
            assert.ok(sent.reply.isWellFormed());
            assert.doesNotMatch(sent.reply, /\n\s+at /);
          } else assert.match(String((failure as Error).message), new RegExp(`${format}|context|too large`, "i"));
          server.drop();
          // A source that is paused or out is asked again when its settings change.
          await client.peer.call("config.set", { key: `core.llm.sources.${format}.priority`, value: ++priority });
          assert.equal((await client.peer.call("chat.send", { text: "and now?" })).reply, "fine");
          for (const [at, { body }] of server.requests.entries()) {
            assert.equal(
              refusal(format, body),
              null,
              `request ${at} after ${name}: ${JSON.stringify(body).slice(-1500)}`,
            );
          }
          server.requests.length = 0;
        });
        // Not after each: a start costs more than the turns.
        if (priority % 6 !== 0) continue;
        await client?.[Symbol.asyncDispose]();
        daemon?.kill("SIGKILL");
        await daemon?.exited;
        client = undefined;
        daemon = undefined;
      }
    } finally {
      await client?.[Symbol.asyncDispose]();
      await daemon?.[Symbol.asyncDispose]();
    }
  });
}

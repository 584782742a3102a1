import assert from "node:assert/strict";
import { connect, homed, serve } from "../kit/homed.ts";
import { startLlmServer, WIRE_FORMATS } from "../kit/llm_servers/mod.ts";
import { tempFolder } from "../kit/temp_folder.ts";

/** Keys that nothing but config.db, the environment and the request's own header may hold. */
const STORED = "sk-stored-4f9a1c77e2b84d06";
const GIVEN = "gk-environment-91d3b5e8a7c2f604";

async function* filesBelow(folder: string): AsyncGenerator<{ path: string; bytes: string }> {
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) yield* filesBelow(path);
    else if (entry.isFile) yield { path, bytes: new TextDecoder("latin1").decode(await Deno.readFile(path)) };
  }
}

const holds = (text: string) => [STORED, GIVEN].some((key) => text.includes(key));

for (const format of WIRE_FORMATS) {
  Deno.test(`${format}: keys appear in no file but config.db, on no output and in no answer, also when servers echo them`, async () => {
    await using folder = await tempFolder();
    const home = `${folder.path}/home`;
    await using server = startLlmServer(format);
    const env = {
      [`HOMED_CORE__LLM__SOURCES__${format.toUpperCase()}__ENABLED`]: "true",
      HOMED_CORE__LLM__SOURCES__GROQ__API_KEY: GIVEN,
      HOMED_CORE__LLM__SOURCES__GROQ__BASE_URL: server.url,
      HOMED_CORE__LLM__SOURCES__GROQ__PRIORITY: "1",
      HOMED_CORE__LLM__SOURCES__GROQ__ENABLED: format === "openai" ? "true" : "false",
      HOMED_CORE__DAEMON__LOG_LEVEL: "debug",
    };
    const said: string[] = [];
    const run = async (...args: string[]) => {
      const ran = await homed(args, { home, env });
      said.push(ran.stdout, ran.stderr);
    };
    const prefix = `core.llm.sources.${format}`;
    await run("config", "set", `${prefix}.base_url`, server.url);
    await run("config", "set", `${prefix}.api_key`, STORED);
    await run("config", "set", `${prefix}.model`, "scripted");
    // A server can echo what it was sent.
    const both = format === "openai" ? `${STORED} ${GIVEN}` : STORED;
    const echoes = [
      { status: 401, body: { error: { message: `Incorrect API key ${both}`, type: "invalid" } } },
      { status: 400, body: `bad request: ${both}` },
      { status: 500, body: { error: both } },
      { status: 429, headers: { "retry-after": "0" }, body: { error: { message: both } } },
      { text: ["So ", "far"], faults: { errorAfter: 3, error: { error: { message: both, code: 500 } } } },
      { raw: `data: {"broken": "${both}\n\n` },
      { raw: both },
    ];
    {
      await using daemon = await serve({ home, env });
      await using client = await connect(home, { event: (event) => void said.push(JSON.stringify(event)) });
      await client.peer.call("events.subscribe", {});
      const ask = async (method: string, params: Record<string, unknown>) => {
        const onEvent = (_: string, event: unknown) => void said.push(JSON.stringify(event));
        await client.peer.call(method, params, { onEvent }).then(
          (result) => said.push(JSON.stringify(result)),
          (error) => said.push(String(error), JSON.stringify(error.data ?? {})),
        );
      };
      let priority = 50;
      for (const echo of echoes) {
        server.drop().say(echo, echo, echo, echo);
        await ask("chat.send", { text: "hello?" });
        server.drop();
        await ask("config.set", { key: `${prefix}.priority`, value: ++priority });
        await ask("chat.send", { text: "and now?" });
        await ask("status", {});
      }
      server.otherwise(() => ({ status: 503, body: { error: { message: both } } }));
      for (const [method, params] of [["doctor", { online: true }], ["config.list", {}], ["tools.list", {}]] as const) {
        await ask(method, params);
      }
      await ask("config.get", { key: `${prefix}.api_key` });
      await ask("config.set", { key: "core.agent.max_tool_turns", value: STORED });
      await run("doctor", "--json", "--online");
      await run("status", "--json");
      await run("config", "list", "--json");
      await run("chat", "hello");
      said.push(daemon.output());
    }
    await run("chat", "hello");
    await run("config", "list");
    assert.ok(
      server.requests.some(({ headers, path }) => holds([...headers].join() + path)),
      "the key reached the server",
    );
    assert.ok(said.join("").length > 20_000, "everything was listened to");
    for (const text of said) {
      const at = text.indexOf(STORED) === -1 ? text.indexOf(GIVEN) : text.indexOf(STORED);
      assert.equal(at, -1, text.slice(Math.max(0, at - 200), at + 100));
    }
    for (const { body } of server.requests) assert.ok(!holds(JSON.stringify(body ?? null)), "a prompt holds a key");
    let count = 0;
    for await (const { path, bytes } of filesBelow(home)) {
      count++;
      if (/\/config\.db(\.bak|-wal)?$/.test(path)) assert.ok(!bytes.includes(GIVEN), path);
      else assert.ok(!holds(bytes), `${path} holds a key`);
    }
    assert.ok(count > 8, "the home was read");
  });
}

import assert from "node:assert/strict";
import { RPC_CODES, RpcError } from "../../../../core/wire/rpc.ts";
import { FakeSession } from "./fake_session.ts";
import { settle, Stage } from "./kit.ts";

const source = (part: string, name = "openai") => `core.llm.sources.${name}.${part}`;

async function start(): Promise<{ session: FakeSession; stage: Stage }> {
  const session = new FakeSession();
  session.define(source("enabled"), true, { type: "bool" });
  session.define(source("base_url"), "https://api.openai.com/v1");
  session.define(source("api_key"), "", { secret: true });
  session.define(source("model"), "gpt-x");
  session.define(source("base_url", "ollama"), "http://127.0.0.1:11434");
  session.define(source("model", "ollama"), "");
  const stage = new Stage(session, { columns: 110, height: 60 });
  await settle();
  return { session, stage };
}

const changes = (session: FakeSession) =>
  session.called.filter(({ method }) => method === "config.set" || method === "config.unset").map(
    ({ method, params }) => {
      const { key, value } = params as { key: string; value?: string };
      return method === "config.set" ? `${key}=${value}` : `unset ${key}`;
    },
  );

/** Answers one question after the other. */
async function answer(stage: Stage, ...answers: string[]): Promise<void> {
  for (const one of answers) await stage.type(`${one}\r`);
}

Deno.test("/setup walks through name, key and model, tries the source and says that it is saved", async () => {
  const { session, stage } = await start();
  await answer(stage, "/setup", "2", "sk-topsecret", "gpt-y");
  assert.deepEqual(changes(session), [`${source("api_key")}=sk-topsecret`, `${source("model")}=gpt-y`]);
  assert.deepEqual(session.called.find(({ method }) => method === "llm.complete")?.params, {
    prompt: "Reply with the one word: ready",
    source: "openai",
    now: true,
  });
  assert.match(stage.terminal.screen, /openai answers: ready\nSaved\. From the next message on it is used\.\n›$/);
  assert.doesNotMatch(stage.output + stage.history.text, /topsecret/);
  await stage.leave();
});

Deno.test("/setup says why a source did not answer, and lets one paste another key", async () => {
  const { session, stage } = await start();
  let calls = 0;
  session.answers["llm.complete"] = () => {
    if (++calls === 1) {
      throw new RpcError(RPC_CODES.noSource, "No LLM source answered. openai: 401", {
        data: { fix: "paste a valid key" },
      });
    }
    return { text: "Ready!" };
  };
  await answer(stage, "/setup", "openai", "wrong", "");
  assert.match(
    stage.terminal.screen,
    /openai did not answer: openai: 401\nWhat to do: paste a valid key\nr = try again/,
  );
  await answer(stage, "perhaps");
  assert.equal(calls, 1, "what is no answer asks nothing");
  await answer(stage, "k", "right");
  assert.deepEqual(changes(session), [`${source("api_key")}=wrong`, `${source("api_key")}=right`]);
  assert.match(stage.terminal.screen, /openai answers: Ready!/);
  await stage.leave();
});

Deno.test("/setup discarded puts back what was before; a key that was replaced is told to be lost", async () => {
  const { session, stage } = await start();
  session.answers["llm.complete"] = () => {
    throw new RpcError(RPC_CODES.noSource, "no");
  };
  await answer(stage, "/setup", "openai", "sk", "gpt-y", "d");
  assert.deepEqual(changes(session).slice(2), [`unset ${source("model")}`, `unset ${source("api_key")}`]);
  assert.match(stage.terminal.screen, /Discarded: the settings are as before\.\n›$/);
  session.settings.set(source("api_key"), { ...session.settings.get(source("api_key"))!, value: "••••" });
  session.settings.set(source("model"), { ...session.settings.get(source("model"))!, value: "mine" });
  session.called.length = 0;
  await answer(stage, "/setup", "openai", "sk2", "other");
  await stage.type("\x03");
  assert.deepEqual(changes(session).slice(2), [`${source("model")}=mine`, `unset ${source("api_key")}`]);
  assert.match(stage.terminal.screen, /the earlier key of openai cannot be brought back/);
  await stage.leave();
});

Deno.test("Ctrl-C in /setup before anything was set changes nothing and comes back to the prompt", async () => {
  const { session, stage } = await start();
  await answer(stage, "/setup", "Bad Name!");
  assert.match(stage.terminal.screen, /A name has small letters/);
  await stage.type("openai\r");
  await stage.type("half a key\x03");
  assert.deepEqual(changes(session), []);
  assert.match(stage.terminal.screen, /Nothing was changed\.\n›$/);
  await stage.leave();
});

Deno.test("/setup asks Ollama for no key, and a source of one's own for its API and address", async () => {
  const { session, stage } = await start();
  await answer(stage, "/setup", "ollama", "", "qwen3");
  assert.match(stage.terminal.screen, /The name of a model is needed\./);
  assert.deepEqual(changes(session), [`${source("model", "ollama")}=qwen3`, `${source("enabled", "ollama")}=true`]);
  session.called.length = 0;
  await answer(stage, "/setup", "mine", "", "not an address", "https://llm.example/v1", "key1", "big");
  assert.deepEqual(changes(session), [
    `${source("adapter", "mine")}=openai`,
    `${source("base_url", "mine")}=https://llm.example/v1`,
    `${source("api_key", "mine")}=key1`,
    `${source("model", "mine")}=big`,
    `${source("enabled", "mine")}=true`,
  ]);
  await stage.leave();
});

import assert from "node:assert/strict";
import { denoReplIo } from "../../../../core/cli/repl/deno_io.ts";
import { History, withoutSecret } from "../../../../core/cli/repl/history.ts";
import { MemoryHistory } from "./kit.ts";

Deno.test("history comes back in the next run, lines and all, without what a crash cut off", async () => {
  const store = new MemoryHistory();
  const first = new History(store);
  await first.add("one");
  await first.add("two\nlines 你好");
  await first.add("two\nlines 你好");
  store.text += '"cut of';
  const second = new History(store);
  await second.load();
  assert.deepEqual(second.entries, ["one", "two\nlines 你好"]);
});

Deno.test("history never stores a secret, nor what begins with a space", async () => {
  const store = new MemoryHistory();
  const history = new History(store);
  await history.add("/config core.llm.sources.openai.api_key sk-verysecret");
  await history.add(" my private question");
  await history.add("   ");
  assert.deepEqual(history.entries, ["/config core.llm.sources.openai.api_key"]);
  assert.doesNotMatch(store.text, /verysecret|private/);
  assert.equal(withoutSecret("/config plugin.x.TOKEN\tabc"), "/config plugin.x.TOKEN");
  assert.equal(withoutSecret("/config core.agent.workdir /srv"), "/config core.agent.workdir /srv");
});

Deno.test("a history file that grew is written anew with the newest entries", async () => {
  const store = new MemoryHistory(Array.from({ length: 5000 }, (_, i) => `"entry ${i}"\n`).join(""));
  await new History(store).load();
  const lines = store.text.trimEnd().split("\n");
  assert.equal(lines.length, 2000);
  assert.equal(lines.at(-1), '"entry 4999"');
});

Deno.test("the history file is its owner's alone", { ignore: Deno.build.os === "windows" }, async () => {
  const home = await Deno.makeTempDir();
  try {
    const path = `${home}/run/history`;
    const { history } = denoReplIo({ lang: "en", historyFile: path, env: {} });
    assert.equal(await history.load(), "");
    await history.append('"one"\n');
    await history.append('"two"\n');
    assert.equal(await history.load(), '"one"\n"two"\n');
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    assert.equal((await Deno.stat(`${home}/run`)).mode! & 0o777, 0o700);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});

import assert from "node:assert/strict";
import { connect, homed, serve } from "../kit/homed.ts";
import { tempFolder } from "../kit/temp_folder.ts";

/** Files below a folder with one of these words in their names or bytes, in any capitals. */
function filesWith(folder: string, words: string[]): string[] {
  const latin = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes).toLowerCase();
  const wanted = words.map((word) => latin(new TextEncoder().encode(word.toLowerCase())));
  return [...Deno.readDirSync(folder)].flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) return filesWith(path, words);
    const text = entry.isFile ? latin(Deno.readFileSync(path)) : "";
    const isNamed = words.some((word) => entry.name.toLowerCase().includes(word));
    return isNamed || wanted.some((word) => text.includes(word)) ? [path] : [];
  });
}

/** A model that answers after a while, with a name in its answer. */
function slowModel(text: string) {
  const asked = Promise.withResolvers<void>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    await request.text();
    asked.resolve();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const chunk = { choices: [{ index: 0, delta: { content: text }, finish_reason: "stop" }] };
    return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
      headers: { "content-type": "text/event-stream" },
    });
  });
  return { server, asked: asked.promise };
}

Deno.test("forget while a turn runs waits for its reply, and leaves nobody's name in any file of the home, also as an alias", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  const model = slowModel("Mirabelle lives in Lyon, says 米拉.");
  await using _server = model.server;
  const prefix = "HOMED_CORE__LLM__SOURCES__OPENAI__";
  const env = {
    [`${prefix}ENABLED`]: "true",
    [`${prefix}BASE_URL`]: `http://127.0.0.1:${model.server.addr.port}`,
    [`${prefix}API_KEY`]: "sk-test-0123456789abcdef",
    [`${prefix}MODEL`]: "scripted",
  };
  {
    // Without a model the rules note what is said, and set a timer.
    await using _daemon = await serve({ home });
    for (
      const text of [
        "My sister Mirabelle lives in Lyon",
        "Mirabelle's nickname is 米拉",
        "Remind me in 3 hours to call Mirabelle",
        "I like tea",
      ]
    ) assert.equal((await homed(["chat", text], { home })).code, 0);
  }
  await using daemon = await serve({ home, env });
  await using client = await connect(home);
  const dry = JSON.parse(
    (await homed(["memory", "forget", "Mirabelle", "--yes", "--json"], { home: `${home}-none` })).stdout,
  );
  assert.ok(Object.values(dry.counts).every((count) => count === 0));
  const reply = client.peer.call("chat.send", { text: "Where does Mirabelle live?" });
  await model.asked;
  const ran = await homed(["memory", "forget", "Mirabelle", "--yes", "--json"], { home });
  assert.equal(ran.code, 0, ran.stderr);
  assert.match((await reply).reply, /Mirabelle/, "the turn was not cut");
  const { counts, names } = JSON.parse(ran.stdout);
  assert.ok(counts.relations > 0 && counts.messages > 0 && counts.timers === 1, ran.stdout);
  assert.ok(names.includes("米拉"));
  assert.deepEqual(filesWith(home, ["mirabelle", "米拉"]), [], "while it runs");
  assert.match((await homed(["memory", "recall", "tea"], { home })).stdout, /tea/);
  daemon.kill("SIGTERM");
  await daemon.exited;
  assert.deepEqual(filesWith(home, ["mirabelle", "米拉"]), [], "after its end");
});

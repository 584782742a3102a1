/** Memory, social, knowledge and media through the model's tools, from the outside, with a scripted model. @module */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type Client, connect, homed, serve } from "../kit/homed.ts";
import { type LlmServer, startLlmServer } from "../kit/llm_servers/mod.ts";
import { tempFolder } from "../kit/temp_folder.ts";

/** A PNG of one pixel, and another. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const OTHER_PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
const digestOf = (base64: string) => createHash("sha256").update(bytesOf(base64)).digest("hex");

function source(name: string, server: LlmServer, more: Record<string, string> = {}): Record<string, string> {
  const prefix = `HOMED_CORE__LLM__SOURCES__${name.toUpperCase()}__`;
  const settings = { ENABLED: "true", BASE_URL: server.url, API_KEY: "sk-test-0123456789abcdef", MODEL: "scripted" };
  return Object.fromEntries(Object.entries({ ...settings, ...more }).map(([key, value]) => [prefix + key, value]));
}

// deno-lint-ignore no-explicit-any
type Message = { role: string; content: any };

const textOf = ({ content }: Message): string => typeof content === "string" ? content : JSON.stringify(content);

/** Says something, and has the model use one tool before it answers. The tool's answer as the model got it. */
async function use(
  to: { client: Client; server: LlmServer },
  call: { tool: string; args: unknown; say?: string },
): Promise<string> {
  const { tool, args, say = `please use ${tool}` } = call;
  const before = to.server.requests.length;
  to.server.say({ calls: [{ id: "c1", name: tool, arguments: JSON.stringify(args) }] }, { text: "Done." });
  const { tools } = await to.client.peer.call("chat.send", { text: say });
  assert.deepEqual(tools, [tool]);
  const messages = to.server.requests[before + 1]!.body.messages as Message[];
  return textOf(messages.findLast(({ role }) => role === "tool")!);
}

Deno.test("each tool of memory, documents, persons and knowledge does what it says, and what it did can be taken back", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using server = startLlmServer("openai");
  await using _daemon = await serve({ home, env: source("openai", server) });
  await using client = await connect(home);
  const run = (tool: string, args: unknown) => use({ client, server }, { tool, args });

  await run("memory_commit", {
    triples: [{ subject: "Ingeborg", predicate: "lives in", object: "Tromsø", subject_type: "person" }],
    sentence_text: "Ingeborg lives in Tromsø.",
  });
  const moved = await run("memory_commit", {
    triples: [{ subject: "Ingeborg", predicate: "lives in", object: "Narvik" }],
    sentence_text: "Ingeborg moved to Narvik.",
  });
  assert.match(moved, /Tromsø/, "what is no longer true is told");
  const recalled = await run("memory_recall", { query: "Where does Ingeborg live?" });
  assert.match(recalled, /Narvik/);
  assert.match(recalled, /Tromsø/);
  const { hits } = await client.peer.call("memory.recall", { query: "Where does Ingeborg live?" });
  assert.match(hits[0].text, /Narvik/);

  await run("person_set_trait", { name: "Ingeborg", trait: "birthday", value: "9 May" });
  await run("person_relate", { from: "Ingeborg", relation: "sister", to: "Halvard" });
  const person = await run("person_query", { name: "Ingeborg" });
  assert.match(person, /9 May/);
  assert.match(person, /Halvard/);
  assert.match(await run("person_query", {}), /Ingeborg/);

  await run("doc_commit", { title: "Sauna", content: "The sauna stove is lit with birch, never with spruce." });
  const consumed = await run("doc_query", { query: "sauna stove birch" });
  assert.match(consumed, /birch/);
  const stats = await client.peer.call("memory.stats", {});
  assert.equal(stats.documents, 0, "doc_query moves the document into the conversation");
  server.say({ text: "ok" });
  await client.peer.call("chat.send", { text: "and now?" });
  const shown = server.requests.at(-1)!.body.messages as Message[];
  assert.ok(shown.some((message) => /never with spruce/.test(textOf(message))));

  await run("knowledge_create", { name: "boat", content: "The boat is moored at pier 14 B." });
  assert.match(await run("knowledge_list", {}), /boat/);
  assert.match(await run("knowledge_search", { query: "Where is the boat moored?" }), /pier 14 B/);
  assert.match((await homed(["knowledge", "list"], { home })).stdout, /boat/);
  assert.match((await homed(["knowledge", "search", "boat pier"], { home })).stdout, /14 B/);
  const note = `${folder.path}/note.md`;
  await Deno.writeTextFile(note, "The cabin's key hangs behind the third log.");
  assert.equal((await homed(["knowledge", "add", "cabin", note], { home })).code, 0);
  assert.match(await run("knowledge_search", { query: "cabin key" }), /third log/);

  await run("memory_commit", { triples: [{ subject: "Inge", predicate: "likes", object: "cloudberries" }] });
  await run("memory_merge", { from: "Inge", into: "Ingeborg" });
  assert.match(await run("memory_recall", { query: "What does Ingeborg like?" }), /cloudberries/);
  assert.equal((await homed(["memory", "undo"], { home })).code, 0);
  assert.match(await run("memory_introspect", {}), /relations/);

  const found = await client.peer.call("memory.recall", { query: "Inge cloudberries" });
  const id = found.hits.find(({ kind }: { kind: string }) => kind === "relation").id;
  await run("memory_edit", { id, set: { object: "lingonberries" } });
  assert.match(await run("memory_recall", { query: "Inge likes" }), /lingonberries/);
  await run("memory_delete_entity", { name: "Inge" });
  await run("memory_purge", { name: "Halvard" });
  const gone = await client.peer.call("memory.recall", { query: "Halvard" });
  assert.equal(gone.hits.some(({ kind }: { kind: string }) => kind === "relation"), false);
  assert.equal((await homed(["memory", "undo"], { home })).code, 0);
  assert.match(await run("person_query", { name: "Halvard" }), /Ingeborg/);
});

Deno.test("an export taken into a fresh home gives the same export", async () => {
  await using folder = await tempFolder();
  const [home, fresh] = [`${folder.path}/home`, `${folder.path}/fresh`];
  await homed(["chat", "My name is Siv. My sister Runa is a beekeeper."], { home });
  const note = `${folder.path}/note.md`;
  await Deno.writeTextFile(note, "The heat pump's filter is washed every three months.");
  await homed(["knowledge", "add", "pump", note], { home });
  const [first, second] = [`${folder.path}/one.jsonl`, `${folder.path}/two.jsonl`];
  assert.equal((await homed(["memory", "export", first], { home })).code, 0);
  assert.equal((await homed(["memory", "import", first], { home: fresh })).code, 0);
  assert.equal((await homed(["memory", "export", second], { home: fresh })).code, 0);
  const lines = async (path: string) =>
    (await Deno.readTextFile(path)).trim().split("\n").map((line) => {
      const { source: _, ...rest } = JSON.parse(line);
      return JSON.stringify(rest);
    }).sort();
  assert.ok((await lines(first)).length >= 4);
  assert.deepEqual(await lines(second), await lines(first));
  assert.match((await homed(["memory", "recall", "What does Runa do?"], { home: fresh })).stdout, /beekeeper/);
});

Deno.test("persona.md takes the place of the setting, also when it changes", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using server = startLlmServer("openai");
  const env = source("openai", server);
  await homed(["version"], { home, env });
  await Deno.mkdir(home, { recursive: true });
  await Deno.writeTextFile(`${home}/persona.md`, "You are Grette, a dry-witted lighthouse keeper.");
  server.say({ text: "Aye." });
  assert.equal((await homed(["chat", "hello"], { home, env })).code, 0);
  assert.match(textOf(server.requests[0]!.body.messages[0]), /Grette, a dry-witted lighthouse keeper/);
});

Deno.test("a picture reaches a model that sees, is bound to facts by its mark, and can be looked at again", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using server = startLlmServer("openai");
  const env = source("openai", server, { VISION: "true" });
  await using _daemon = await serve({ home, env });
  await using client = await connect(home);
  const file = `${folder.path}/cat.png`;
  await Deno.writeFile(file, bytesOf(PNG));
  const digest = digestOf(PNG);
  const mark = `[image/png ${digest.slice(0, 12)}]`;
  server.say(
    {
      calls: [{
        id: "c1",
        name: "memory_commit",
        arguments: JSON.stringify({
          triples: [{ subject: "Pelle", predicate: "is a", object: "red cat" }],
          media_digests: [digest.slice(0, 12)],
        }),
      }],
    },
    { text: "That is Pelle." },
  );
  const chat = await homed(["chat", "--attach", file, "This is Pelle"], { home, env });
  assert.equal(chat.code, 0, chat.stderr);
  const sent = JSON.stringify(server.requests[0]!.body.messages);
  assert.ok(sent.includes(PNG), "the picture itself is in the request");
  assert.ok(sent.includes(mark), "and its mark");

  const { hits } = await client.peer.call("memory.recall", { query: "Pelle" });
  const relation = hits.find(({ kind }: { kind: string }) => kind === "relation");
  assert.ok(relation.text.includes("Pelle is a red cat"), relation.text);
  assert.ok(relation.text.includes(mark), `the sentence is made of the triple, with the mark: ${relation.text}`);

  await use({ client, server }, {
    tool: "media_describe",
    args: { digest: digest.slice(0, 12), description: "a red cat on a stove" },
  });
  await use({ client, server }, { tool: "media_view", args: { digest: digest.slice(0, 12) } });
  assert.ok(JSON.stringify(server.requests.at(-1)!.body.messages).includes(PNG), "seen again");
  assert.match(JSON.stringify(server.requests.at(-1)!.body.messages), /a red cat on a stove/);
});

Deno.test("for a model that cannot see the fallback source describes the picture; with media off it is plain text", async () => {
  await using folder = await tempFolder();
  await using server = startLlmServer("openai");
  await using eyes = startLlmServer("anthropic").otherwise(() => ({ text: "A white dog in the snow." }));
  const file = `${folder.path}/dog.png`;
  await Deno.writeFile(file, bytesOf(OTHER_PNG));
  const env = {
    ...source("openai", server, { PRIORITY: "90", VISION: "false" }),
    ...source("anthropic", eyes, { PRIORITY: "10", VISION: "true" }),
    HOMED_CORE__INPUT_PROCESSING__IMAGE__FALLBACK_SOURCE: "anthropic",
  };
  server.say({ text: "A dog!" }, { text: "Nothing to see." });
  const described = await homed(["chat", "--attach", file, "look"], { home: `${folder.path}/home`, env });
  assert.equal(described.code, 0, described.stderr);
  assert.equal(described.stdout.trim(), "A dog!");
  assert.equal(eyes.requests.length, 1);
  assert.ok(JSON.stringify(eyes.requests[0]!.body).includes(OTHER_PNG));
  const sent = JSON.stringify(server.requests[0]!.body.messages);
  assert.ok(!sent.includes(OTHER_PNG));
  assert.match(sent, new RegExp(`\\[image/png ${digestOf(OTHER_PNG).slice(0, 12)}\\] A white dog in the snow`));

  const off = { ...env, HOMED_CORE__MEMORY__MEDIA__ENABLED: "false" };
  const plain = await homed(["chat", "--attach", file, "look"], { home: `${folder.path}/off`, env: off });
  assert.equal(plain.code, 0, plain.stderr);
  assert.equal(plain.stderr, "");
  assert.equal(eyes.requests.length, 1, "nobody is asked");
  assert.ok(!JSON.stringify(server.requests[1]!.body.messages).includes("image/png"));
});

Deno.test("beyond media.max_bytes the oldest pictures go and their descriptions stay", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using server = startLlmServer("openai");
  const env = {
    ...source("openai", server, { VISION: "true" }),
    HOMED_CORE__MEMORY__MEDIA__MIN_AGE: "1s",
    HOMED_CORE__MEMORY__MEDIA__MAX_BYTES: String(1 << 20),
  };
  await using _daemon = await serve({ home, env });
  await using client = await connect(home);
  const noise = crypto.getRandomValues(new Uint8Array(60_000));
  for (let i = 0; i < 14; i++) {
    const picture = new Uint8Array([...bytesOf(PNG), i, ...noise, ...noise.slice(0, 30_000)]);
    let text = "";
    for (const byte of picture) text += String.fromCharCode(byte);
    server.say({ text: "seen" });
    await client.peer.call("chat.send", { text: `picture ${i}`, media: [{ mime: "image/png", data: btoa(text) }] });
    if (i === 0) {
      const digest = createHash("sha256").update(picture).digest("hex");
      await use({ client, server }, { tool: "media_describe", args: { digest, description: "the first of all" } });
    }
  }
  const before = (await client.peer.call("memory.stats", {})).media;
  assert.ok(before.bytes > 1 << 20, JSON.stringify(before));
  await new Promise((resolve) => setTimeout(resolve, 1100));
  await client.peer.call("memory.tick", { loop: "media" });
  await client.peer.call("memory.tick", { loop: "media" });
  const after = (await client.peer.call("memory.stats", {})).media;
  assert.ok(after.bytes <= 1 << 20, JSON.stringify(after));
  assert.equal(after.items, before.items, "what they showed is still known");
});

import assert from "node:assert/strict";
import { connect, type Daemon, homed, serve } from "../kit/homed.ts";
import { tempFolder } from "../kit/temp_folder.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const dial = (home: string) => Deno.connect({ transport: "unix", path: `${home}/run/homed.sock` });

/** What the socket answers to `sent` until it has no more to say. The client closes its half at once, as `nc` does. */
async function answersTo(home: string, sent: string): Promise<Record<string, unknown>[]> {
  const connection = await dial(home) as Deno.UnixConn;
  const written = (async () => {
    for (let rest = bytes(sent); rest.length > 0;) rest = rest.subarray(await connection.write(rest));
    await connection.closeWrite();
  })();
  const text = await new Response(connection.readable).text();
  await written.catch(() => {}); // The other side may have closed before all was said.
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

Deno.test("a client that closes its half gets the whole answer, also to a last line without its end", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using _daemon = await serve({ home });
  const request = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "chat.send", params: { text: "My name is Bo" } });
  for (const end of ["\n", ""]) {
    const answers = await answersTo(home, request + end);
    const last = answers.at(-1)!;
    assert.equal(last.id, 7, JSON.stringify(last));
    assert.match(JSON.stringify(last.result), /Bo/);
  }
});

Deno.test("whatever is asked wrongly is answered with a sentence that fits, never with the inside of homed", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using _daemon = await serve({ home });
  const wrong: unknown[] = [undefined, null, 5, -1, 1.5, true, "", [], {}, [5], { a: 1 }, "\ud800", "x".repeat(5000)];
  const fields: Record<string, string[]> = {
    "chat.send": ["text", "channel", "source", "media"],
    "chat.interrupt": ["text"],
    "chat.cancel": ["turn"],
    "chat.listen": ["channel"],
    "approval.answer": ["id", "allow"],
    "events.subscribe": ["types"],
    "config.list": ["prefix", "language"],
    "config.get": ["key"],
    "config.set": ["key", "value"],
    "config.unset": ["key"],
    "memory.recall": ["query", "top"],
    "memory.export": ["path"],
    "memory.import": ["path"],
    "memory.forget": ["name"],
    "memory.undo": ["id"],
    "knowledge.add": ["name", "content"],
    "knowledge.search": ["query", "top"],
    "llm.complete": ["prompt"],
    "llm.switch": ["source"],
    "backup": ["path"],
    "plugin.install": ["path"],
    "plugin.enable": ["name"],
    "plugin.logs": ["name"],
    "no.such.method": ["x"],
    "__proto__": ["x"],
  };
  const good: Record<string, unknown> = { text: "hi", name: "x1", content: "x", query: "x", key: "core.nothing" };
  let id = 0;
  const frames: string[] = [];
  for (const [method, names] of Object.entries(fields)) {
    for (const name of names) {
      for (const value of wrong) {
        // These are right, and would act.
        if (method === "chat.send" && name !== "media") continue;
        if (typeof value === "string" && value !== "" && !["top", "media", "types"].includes(name)) continue;
        const others = Object.fromEntries(
          names.filter((other) => other !== name && other in good).map((n) => [n, good[n]]),
        );
        frames.push(JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params: { ...others, [name]: value } }));
      }
    }
  }
  frames.push(
    "garbage",
    "[]",
    "5",
    '"x"',
    '{"jsonrpc":"2.0"',
    "[".repeat(50_000),
    '{"jsonrpc":"2.0","id":[],"method":"x"}',
  );
  const answers = (await answersTo(home, frames.join("\n") + "\n")).filter((answer) => "id" in answer);
  const answered = new Set(answers.map((answer) => answer.id));
  for (let n = 1; n <= id; n++) assert.ok(answered.has(n), `${frames[n - 1]} was not answered`);
  for (const answer of answers) {
    const text = JSON.stringify(answer.error ?? {});
    const asked = frames[Number(answer.id) - 1] ?? "";
    assert.doesNotMatch(
      text,
      /is not a function|Cannot read prop|undefined|\[object|\n\s+at |garbage/,
      `${asked}: ${text}`,
    );
  }
  assert.match((await homed(["chat", "hello"], { home })).stdout, /homed/);
});

Deno.test("clients that never read, flood or break off in the middle cost no memory without end and disturb nobody", async () => {
  await using folder = await tempFolder();
  const home = `${folder.path}/home`;
  await using daemon = await serve({ home });
  await using other = await connect(home);
  const before = await resident(daemon);
  const flood = bytes('{"jsonrpc":"2.0","id":1,"method":"config.list"}\n'.repeat(500));
  const clients = await Promise.all(Array.from({ length: 4 }, () => dial(home)));
  const writing = clients.map(async (client) => {
    for (let n = 0; n < 200; n++) await client.write(flood);
  });
  for (const one of writing) one.catch(() => {}); // Let go by the other side, or closed below.
  for (let n = 0; n < 100; n++) {
    await other.peer.call("version", {});
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const grown = await resident(daemon) - before;
  assert.ok(grown < 300, `four clients that do not read cost ${grown} MB`);
  // Reading at last ends it on both sides.
  await Promise.all(clients.map(async (client) => {
    const rest = new Uint8Array(1 << 20);
    while (await client.read(rest).catch(() => null) !== null);
  }));
  await Promise.allSettled(writing);
  for (const client of clients) client.close();
  // A line that never ends, a client that is gone in mid-line, many at once.
  const endless = await dial(home);
  await (async () => {
    const piece = new Uint8Array(1 << 20).fill(120);
    for (let n = 0; n < 20; n++) await endless.write(piece);
  })().catch(() => {}); // Closed by the other side, as it should be.
  endless.close();
  const many = await Promise.allSettled(Array.from({ length: 1500 }, async (_, n) => {
    const client = await dial(home);
    try {
      await client.write(bytes(n % 2 === 0 ? '{"jsonrpc":"2.0","id":1,"method":"version"}\n' : '{"jsonrpc":'));
      if (n % 2 === 0) await client.read(new Uint8Array(1000));
    } finally {
      client.close();
    }
  }));
  assert.ok(many.some(({ status }) => status === "fulfilled"));
  assert.equal((await other.peer.call("chat.send", { text: "My name is Ada" })).reply.includes("Ada"), true);
  for (let n = 0; n < 100 && (await other.peer.call("status", {})).clients > 1; n++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.equal((await other.peer.call("status", {})).clients, 1);
});

/** Megabytes of the daemon's process. */
async function resident(daemon: Daemon): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${daemon.pid}/status`);
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
}

import assert from "node:assert/strict";
import { joinDaemon } from "../../../core/daemon/mod.ts";
import { Home, prepareHome } from "../../../core/daemon/home.ts";
import { MAX_LINE } from "../../../core/daemon/socket_server.ts";
import { standInDaemon } from "../../kit/stand_in_daemon.ts";
import { tempFolder } from "../../kit/temp_folder.ts";
import { tempHome } from "../../kit/temp_home.ts";
import { until } from "../../kit/until.ts";

/** Sends lines as they are, and reads what comes back until the other side closes or `count` lines have come. */
async function exchange(path: string, lines: (string | Uint8Array)[], count: number): Promise<unknown[]> {
  const socket = await Deno.connect({ transport: "unix", path });
  const writer = socket.writable.getWriter();
  const answers: unknown[] = [];
  const writing = (async () => {
    for (const line of lines) {
      await writer.write(typeof line === "string" ? new TextEncoder().encode(line + "\n") : line);
    }
  })().catch(() => {
    // The daemon has hung up in the middle, as it should on too long a line.
  });
  let rest = "";
  for await (
    const text of socket.readable.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
  ) {
    const parts = (rest + text).split("\n");
    rest = parts.pop()!;
    answers.push(...parts.map((part) => JSON.parse(part)));
    if (answers.length >= count) break;
  }
  await writing;
  await writer.close().catch(() => {
    // It is closed already.
  });
  return answers;
}

Deno.test("requests that are none are answered with an error each, and the connection goes on", async () => {
  await using home = await tempHome();
  await using _daemon = await standInDaemon(home);
  const answers = await exchange(home.socket, [
    "this is no JSON",
    "[]",
    '{"jsonrpc":"1.0","id":1,"method":"status"}',
    '{"jsonrpc":"2.0","id":2,"method":"no.such"}',
    '{"jsonrpc":"2.0","id":3,"method":"status","params":[1]}',
    '{"jsonrpc":"2.0","id":4,"method":"chat.send","params":{"text":7}}',
    '{"jsonrpc":"2.0","id":5,"method":"chat.send","params":{}}',
    '{"jsonrpc":"2.0","id":6,"method":"events.subscribe","params":{"types":["nonsense"]}}',
    '{"jsonrpc":"2.0","id":7,"method":"config.set","params":{"key":"core.nothing","value":1}}',
    '{"jsonrpc":"2.0","id":8,"method":"version"}',
  ], 10) as { id: number | null; error?: { code: number; message: string }; result?: { core: string } }[];
  const by = (id: number) => answers.find((answer) => answer.id === id)!;
  assert.deepEqual(answers.filter(({ id }) => id === null).map(({ error }) => error!.code), [-32700, -32600]);
  assert.equal(by(1).error!.code, -32600);
  assert.equal(by(2).error!.code, -32601);
  assert.equal(by(3).error!.code, -32600);
  for (const id of [4, 5, 6]) assert.equal(by(id).error!.code, -32602, String(id));
  assert.match(by(7).error!.message, /There is no setting/);
  assert.match(by(8).result!.core, /^\d+\./);
});

Deno.test("a line over the limit is answered with an error and the connection is closed; others are not disturbed", async () => {
  await using home = await tempHome();
  await using _daemon = await standInDaemon(home);
  const bystander = (await joinDaemon(home))!;
  const answers = await exchange(home.socket, [new Uint8Array(MAX_LINE + 2).fill(97)], Infinity) as {
    error: { code: number };
  }[];
  assert.deepEqual(answers.map(({ error }) => error.code), [-32006]);
  assert.equal((await bystander.call("chat.send", { text: "still there" })).reply, "still there");
  await bystander.close();
});

Deno.test("the socket is its owner's alone; one that a crash left is replaced", async () => {
  await using home = await tempHome();
  Deno.listen({ transport: "unix", path: home.socket }).close();
  Deno.writeTextFileSync(home.socket.replace("sock", "left"), "");
  {
    await using daemon = await standInDaemon(home);
    assert.equal(Deno.statSync(home.socket).mode! & 0o777, 0o600);
    assert.equal(daemon.socketPlace, home.socket);
  }
  assert.throws(() => Deno.statSync(home.socket), Deno.errors.NotFound);
  assert.equal(await joinDaemon(home), undefined);
});

Deno.test("where the path is too long for a socket, a loopback port with a token takes its place", async () => {
  await using folder = await tempFolder();
  const home = new Home(`${folder.path}/${"long".repeat(30)}`);
  prepareHome(home);
  await using daemon = await standInDaemon(home);
  assert.match(daemon.socketPlace, /^127\.0\.0\.1:\d+$/);
  assert.equal(Deno.statSync(home.address).mode! & 0o777, 0o600);
  const client = (await joinDaemon(home))!;
  assert.equal((await client.call("chat.send", { text: "hi" })).reply, "hi");
  await client.close();
  // Whoever can reach the port and does not know the token gets nothing.
  const { port } = JSON.parse(Deno.readTextFileSync(home.address)) as { port: number };
  Deno.writeTextFileSync(home.address, JSON.stringify({ port, token: "0".repeat(48) }));
  assert.equal(await joinDaemon(home), undefined);
});

Deno.test("clients beyond the limit are told so and let go", async () => {
  await using home = await tempHome();
  await using _daemon = await standInDaemon(home, { env: { HOMED_CORE__DAEMON__MAX_CLIENTS: "1" } });
  const first = (await joinDaemon(home))!;
  await first.call("version", {});
  const answers = await exchange(home.socket, [], Infinity) as { error: { message: string } }[];
  assert.match(answers[0]!.error.message, /1 clients already/);
  await first.close();
});

Deno.test("a client that goes takes its subscriptions with it", async () => {
  await using home = await tempHome();
  await using daemon = await standInDaemon(home);
  const client = (await joinDaemon(home))!;
  const seen: unknown[] = [];
  client.onNote("event", (event) => void seen.push(event));
  await client.call("events.subscribe", { types: ["config_changed"] });
  await client.call("chat.listen", {});
  await client.call("config.set", { key: "core.agent.max_tool_turns", value: 4 });
  assert.deepEqual(seen.map((event) => (event as { payload: unknown }).payload), [{
    key: "core.agent.max_tool_turns",
    value: 4,
  }]);
  assert.equal(
    daemon.outputs.deliver({ owner: "cli", channel: "cli", payload: "x", meta: {}, type: "text" }).status,
    "delivered",
  );
  await client.close();
  while (daemon.clients > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const { status } = daemon.outputs.deliver({ owner: "cli", channel: "cli", payload: "x", meta: {}, type: "text" });
  assert.match(status, /nobody is listening/);
});

Deno.test("a socket at another place is found by clients", async () => {
  await using folder = await tempFolder();
  await using home = await tempHome();
  {
    const path = `${folder.path}/elsewhere.sock`;
    await using daemon = await standInDaemon(home, { env: { HOMED_CORE__DAEMON__SOCKET: path } });
    assert.equal(daemon.socketPlace, path);
    const client = (await joinDaemon(home))!;
    assert.equal((await client.call("chat.send", { text: "hi" })).reply, "hi");
    await client.close();
  }
  await using _daemon = await standInDaemon(home);
  const client = (await joinDaemon(home))!;
  await client.close();
});

Deno.test("a client that does not read is let go before it costs memory without end", async () => {
  await using home = await tempHome();
  await using daemon = await standInDaemon(home);
  const socket = await Deno.connect({ transport: "unix", path: home.socket });
  await socket.write(new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"method":"events.subscribe","params":{}}\n'));
  await until("it is subscribed", () => {
    daemon.bus.publish({ type: "timer", source: "test", payload: { text: "x".repeat(1000) } });
    return daemon.clients === 1;
  });
  for (let i = 0; i < 30_000 && daemon.clients > 0; i++) {
    daemon.bus.publish({ type: "timer", source: "test", payload: { text: "x".repeat(1000) } });
    if (i % 1000 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await until("it was let go", () => daemon.clients === 0);
  socket.close();
  // The write that waited for it fails now, and with it the other end is closed.
  await new Promise((resolve) => setTimeout(resolve, 100));
});

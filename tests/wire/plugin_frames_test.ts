import assert from "node:assert/strict";
import { MAX_FRAME_BYTES, Peer, PluginManifest, RPC_CODES, type RpcFrame } from "../../core/wire/mod.ts";
import { type FrameOptions, frameTransport } from "../../plugins/host/frames.ts";

/** A transport whose input a test writes and whose output it reads. */
function line(options: FrameOptions = {}) {
  const input = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 64 }, { highWaterMark: 64 });
  const output = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 64 }, { highWaterMark: 64 });
  const writer = input.writable.getWriter();
  const transport = frameTransport({ readable: input.readable, writable: output.writable }, options);
  const got: unknown[] = [], garbage: number[] = [];
  const closed = Promise.withResolvers<string>();
  return {
    transport,
    got,
    garbage,
    closed: closed.promise,
    output: output.readable,
    write: (data: string | Uint8Array) =>
      writer.write(typeof data === "string" ? new TextEncoder().encode(data) : data),
    end: () => writer.close(),
    open: () =>
      transport.open({
        message: (value) => got.push(value),
        garbage: (code) => garbage.push(code),
        closed: closed.resolve,
      }),
  };
}

const frame = (id: number, text = "x"): RpcFrame => ({ jsonrpc: "2.0", id, method: "m", params: { text } });

Deno.test("frames cut at every byte arrive whole, whatever is printed between them", async () => {
  const bytes = new TextEncoder().encode(
    `hello\n${JSON.stringify(frame(1, "día 日 🎉"))}\r\n\n{"broken\n[1]\n42\nno line feed${JSON.stringify(frame(2))}\n`,
  );
  for (let cut = 0; cut <= bytes.length; cut++) {
    const printed: string[] = [];
    const test = line({ onText: (text) => printed.push(text) });
    test.open();
    await test.write(bytes.slice(0, cut));
    await test.write(bytes.slice(cut));
    await test.end();
    assert.equal(await test.closed, "the other side closed the stream");
    assert.deepEqual(test.got, [frame(1, "día 日 🎉"), frame(2)]);
    assert.deepEqual(printed, ["hello", '{"broken', "[1]", "42", "no line feed"]);
  }
});

Deno.test("a long frame goes in parts of at most a mebibyte and comes out whole", async () => {
  const there = line(), here = line();
  there.open();
  here.open();
  const long = frame(1, '\u0000日"\\🎉'.repeat(300_000));
  const sent = here.transport.send(long);
  const pump = (async () => {
    const reader = here.output.getReader();
    let rest = 0;
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const { value } = next;
      for (const byte of value) {
        if (byte === 10) rest = 0;
        else assert.ok(++rest <= MAX_FRAME_BYTES);
      }
      await there.write(value);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    reader.releaseLock();
  })();
  await sent;
  here.transport.close();
  await pump;
  await there.end();
  await there.closed;
  assert.deepEqual(there.got, [long]);
});

Deno.test("parts out of order, of the wrong kind or without end are refused", async () => {
  const test = line();
  test.open();
  await test.write(
    '{"part": 2, "of": 2, "data": "x"}\n{"part": 1, "of": 2, "data": 5}\n{"part": 1, "of": 1, "data": "nonsense"}\n',
  );
  await test.write(
    '{"part": 1, "of": 2, "data": "a"}\n{"part": 1, "of": 3, "data": "b"}\n{"part": 3, "of": 3, "data": "c"}\n',
  );
  await test.write(`${JSON.stringify(frame(9))}\n`);
  await test.end();
  await test.closed;
  assert.deepEqual(test.garbage, [RPC_CODES.tooLarge, RPC_CODES.tooLarge, RPC_CODES.parseError, RPC_CODES.tooLarge]);
  assert.deepEqual(test.got, [frame(9)]);
});

Deno.test("a line over a mebibyte is answered with −32006 and dropped", async () => {
  const test = line();
  const peer = new Peer(test.transport, { name: "plugin", answerGarbage: true }).open();
  const reader = test.output.getReader();
  const writing = (async () => {
    const block = new Uint8Array(1 << 18).fill(120);
    for (let i = 0; i < 5; i++) await test.write(block);
    await test.write("\n");
  })();
  const { value } = await reader.read();
  await writing;
  assert.equal(JSON.parse(new TextDecoder().decode(value)).error.code, -32006);
  reader.releaseLock();
  // Reading rests for a moment after so much that was no frame.
  await new Promise((resolve) => setTimeout(resolve, 50));
  peer.close();
});

Deno.test("reading pauses while too many requests are open, and goes on when they are answered", async () => {
  const test = line({ maxOpen: 3 });
  test.open();
  for (let id = 1; id <= 5; id++) await test.write(`${JSON.stringify(frame(id))}\n`);
  const settle = () => new Promise((resolve) => setTimeout(resolve, 10));
  await settle();
  assert.equal(test.got.length, 3);
  const sent = test.transport.send({ jsonrpc: "2.0", id: 1, result: {} });
  await settle();
  assert.equal(test.got.length, 4);
  await test.output.cancel();
  await Promise.resolve(sent).catch(() => {/* the reader is gone */});
  test.transport.close();
});

Deno.test("a side that does not read is told once, and memory is bounded", async () => {
  let stalls = 0;
  const test = line({ maxQueued: 1000, onStall: () => stalls++ });
  test.open();
  const sent: Promise<void>[] = [];
  let refused = 0;
  for (let i = 0; i < 200; i++) {
    try {
      sent.push(Promise.resolve(test.transport.send(frame(i, "y".repeat(100)))));
    } catch {
      // The queue is full: that is what is counted.
      refused++;
    }
  }
  assert.equal(stalls, 1);
  assert.ok(refused > 100, String(refused));
  await test.output.cancel();
  test.transport.close();
  await Promise.allSettled(sent);
});

Deno.test("PluginManifest takes what it should and refuses the rest by field", () => {
  const good = { name: "weather", version: "1.0.0", description: "x", entry: "main.js" };
  assert.ok(PluginManifest.safeParse({ ...good, more: "is ignored" }).success);
  const bad: [Record<string, unknown>, string][] = [
    [{ name: "Weather" }, "name"],
    [{ name: "w" }, "name"],
    [{ name: "a_b" }, "name"],
    [{ name: "timer" }, "name"],
    [{ name: "memory" }, "name"],
    [{ version: "1" }, "version"],
    [{ description: "" }, "description"],
    [{ entry: "../x" }, "entry"],
    [{ entry: "/x" }, "entry"],
    [{ entry: "a/../b" }, "entry"],
    [{ entry: "C:x" }, "entry"],
    [{ platforms: ["beos"] }, "platforms"],
    [{ capabilities: ["everything"] }, "capabilities"],
    [{ permissions: { net: ["http://x"] } }, "permissions"],
    [{ permissions: { env: ["A=B"] } }, "permissions"],
    [{ config: [{ key: "Bad Key", type: "string" }] }, "config"],
  ];
  for (const [change, field] of bad) {
    const parsed = PluginManifest.safeParse({ ...good, ...change });
    assert.equal(parsed.error?.issues[0]?.path[0], field, JSON.stringify(change));
  }
});

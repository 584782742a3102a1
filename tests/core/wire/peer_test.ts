import assert from "node:assert/strict";
import { CANCEL_METHOD, Peer } from "../../../core/wire/peer.ts";
import { RPC_CODES, RpcError, type RpcFrame } from "../../../core/wire/rpc.ts";
import { memoryPair, ndjsonTransport, portTransport, type Transport } from "../../../core/wire/transport.ts";

interface Echo {
  echo: { params: Record<string, unknown>; result: Record<string, unknown> };
  fail: { params: { code?: number }; result: never };
  slow: { params: Record<never, never>; result: { aborted: boolean } };
  story: { params: { lines: string[] }; result: { told: number } };
}

/** The same suite for every transport: a maker of two joined ends. */
const TRANSPORTS: Record<string, () => [Transport, Transport]> = {
  "an in-memory pair": memoryPair,
  "a MessagePort": () => {
    const { port1, port2 } = new MessageChannel();
    return [portTransport(port1), portTransport(port2)];
  },
  "NDJSON byte streams": () => {
    const ab = new TransformStream<Uint8Array, Uint8Array>(), ba = new TransformStream<Uint8Array, Uint8Array>();
    const options = { maxBytes: 1 << 20 };
    return [
      ndjsonTransport({ readable: ba.readable, writable: ab.writable }, options),
      ndjsonTransport({ readable: ab.readable, writable: ba.writable }, options),
    ];
  },
};

for (const [name, make] of Object.entries(TRANSPORTS)) {
  const pair = () => {
    const [a, b] = make();
    const aborted: boolean[] = [];
    const problems: string[] = [];
    const server = new Peer<Echo>(b, { name: "client", onProblem: (text) => problems.push(text) }).serve({
      echo: (params) => params,
      fail: ({ code }) => {
        throw code === undefined ? new TypeError("boom") : new RpcError(code, "told", { data: [1] });
      },
      slow: (_, { signal }) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => {
            aborted.push(true);
            resolve({ aborted: true });
          })
        ),
      story: ({ lines }: { lines: string[] }, { notify }) => {
        for (const line of lines) notify("line", { text: line });
        return { told: lines.length };
      },
    }).open();
    const client = new Peer<Echo>(a, { name: "the server" }).open();
    return { client, server, aborted, problems, [Symbol.dispose]: () => (client.close(), server.close()) };
  };

  Deno.test(`over ${name}: answers find their calls, many at once, in any language`, async () => {
    using p = pair();
    const values = Array.from({ length: 200 }, (_, i) => ({ i, text: `第${i}条 🐈 "\n"` }));
    assert.deepEqual(await Promise.all(values.map((value) => p.client.call("echo", value))), values);
  });

  Deno.test(`over ${name}: an unknown method, a thrown error and a chosen code arrive as such`, async () => {
    using p = pair();
    await assert.rejects(p.client.call("nothing" as "echo", {}), { code: RPC_CODES.methodNotFound });
    await assert.rejects(p.client.call("fail", {}), { code: RPC_CODES.internalError, message: "boom" });
    await assert.rejects(p.client.call("fail", { code: -32003 }), { code: -32003, message: "told", data: [1] });
  });

  Deno.test(`over ${name}: events of a call reach its caller in order and before the result`, async () => {
    using p = pair();
    const heard: unknown[] = [];
    const result = await p.client.call("story", { lines: ["a", "b", "c"] }, {
      onEvent: (method, params) => heard.push([method, params.text]),
    });
    assert.deepEqual(heard, [["line", "a"], ["line", "b"], ["line", "c"]]);
    assert.deepEqual(result, { told: 3 });
  });

  Deno.test(`over ${name}: cancelling and timing out abort the handler and fail the call at once`, async () => {
    using p = pair();
    const controller = new AbortController();
    const call = p.client.call("slow", {}, { signal: controller.signal });
    controller.abort(new Error("no longer wanted"));
    await assert.rejects(call, /no longer wanted/);
    await assert.rejects(p.client.call("slow", {}, { timeout: 5 }), { code: RPC_CODES.timedOut });
    await p.client.call("echo", {});
    assert.deepEqual(p.aborted, [true, true]);
    await assert.rejects(p.client.call("echo", {}, { signal: AbortSignal.abort(new Error("too late")) }), /too late/);
  });

  Deno.test(`over ${name}: when the peer goes every pending and later call fails with the reason`, async () => {
    using p = pair();
    const pending = [p.client.call("slow", {}), p.client.call("slow", {})];
    p.client.close("the worker died");
    for (const call of pending) {
      await assert.rejects(call, { code: RPC_CODES.disconnected, message: "Cannot reach the server: the worker died" });
    }
    await assert.rejects(p.client.call("echo", {}), { code: RPC_CODES.disconnected });
    assert.equal(await p.client.closed, "the worker died");
    p.client.notify("into.the.void", {});
  });
}

/** A transport whose other side is the test itself. */
function byHand() {
  const sent: RpcFrame[] = [];
  let receive: (value: unknown) => void = () => {};
  let garbage: (code: number, text: string) => void = () => {};
  const transport: Transport = {
    open: (events) => {
      receive = events.message;
      garbage = events.garbage;
    },
    send: (frame) => void sent.push(frame),
    close: () => {},
  };
  return {
    transport,
    sent,
    receive: (value: unknown) => receive(value),
    garbage: (c: number, t: string) => garbage(c, t),
  };
}

Deno.test("an answer to nothing, an unknown notification and a bad frame are reported and harm nothing", async () => {
  const problems: string[] = [];
  const hand = byHand();
  const peer = new Peer<Echo>(hand.transport, { name: "it", onProblem: (text) => problems.push(text) }).open();
  hand.receive({ jsonrpc: "2.0", id: 77, result: 1 });
  hand.receive({ jsonrpc: "2.0", method: "what" });
  hand.receive({ id: 1 });
  hand.garbage(RPC_CODES.parseError, "}{");
  assert.equal(problems.length, 4);
  assert.deepEqual(hand.sent, []);
  const call = peer.call("echo", { x: 1 });
  hand.receive({ jsonrpc: "2.0", id: 1, result: { x: 1 } });
  assert.deepEqual(await call, { x: 1 });
  // The late answer to a call that was given up on is nothing to report; a second one is.
  await assert.rejects(peer.call("echo", {}, { timeout: 1 }), { code: RPC_CODES.timedOut });
  hand.receive({ jsonrpc: "2.0", id: 2, result: {} });
  assert.equal(problems.length, 4);
  hand.receive({ jsonrpc: "2.0", id: 2, result: {} });
  assert.equal(problems.length, 5);
});

Deno.test("a server answers garbage where it was told to, and never runs one id twice at a time", async () => {
  const hand = byHand();
  const gate = Promise.withResolvers<void>();
  new Peer<Echo>(hand.transport, { name: "it", answerGarbage: true })
    .serve({ echo: async (params: unknown) => (await gate.promise, params) }).open();
  hand.receive([1]);
  hand.garbage(RPC_CODES.tooLarge, "A line has more than 8 bytes");
  hand.receive({ jsonrpc: "2.0", id: 5, method: "echo" });
  hand.receive({ jsonrpc: "2.0", id: 5, method: "echo" });
  gate.resolve();
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.deepEqual(
    hand.sent.map((frame) => "error" in frame ? [frame.id, frame.error.code] : [(frame as { id: number }).id]),
    [
      [null, RPC_CODES.invalidRequest],
      [null, RPC_CODES.tooLarge],
      [5, RPC_CODES.invalidRequest],
      [5],
    ],
  );
});

Deno.test("a result that cannot be sent still gets an answer", async () => {
  const [a, b] = memoryPair();
  using server = new Peer<Echo>(b, { name: "client" }).serve({ echo: () => ({ f: () => {} }) }).open();
  using client = new Peer<Echo>(a, { name: "server" }).open();
  await assert.rejects(client.call("echo", {}), { code: RPC_CODES.internalError });
  assert.equal(server.isClosed, false);
});

Deno.test("an NDJSON stream that ends, also in mid-line, closes the peer; blank lines are nothing", async () => {
  const up = new TransformStream<Uint8Array, Uint8Array>(), down = new TransformStream<Uint8Array, Uint8Array>();
  const problems: string[] = [];
  const peer = new Peer<Echo>(
    ndjsonTransport({ readable: up.readable, writable: down.writable }, { maxBytes: 100 }),
    { name: "it", onProblem: (text) => problems.push(text) },
  ).open();
  const writer = up.writable.getWriter();
  void down.readable.cancel();
  await writer.write(new TextEncoder().encode(`\n\r\nnot json\n${"y".repeat(200)}\n{"jsonrpc":"2.0","met`));
  await writer.close();
  assert.match(await peer.closed, /closed the stream/);
  assert.equal(problems.length, 2);
  assert.match(problems[1]!, /more than 100 bytes/);
});

Deno.test("the cancel notification keeps its name", () => assert.equal(CANCEL_METHOD, "rpc.cancel"));

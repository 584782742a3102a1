import assert from "node:assert/strict";
import { decodeFrame, RPC_CODES, RpcError } from "../../core/wire/rpc.ts";
import { HomedError } from "../../core/base/errors.ts";

const ACCEPTED: unknown[] = [
  { jsonrpc: "2.0", id: 1, method: "a" },
  { jsonrpc: "2.0", id: "x", method: "a", params: {} },
  { jsonrpc: "2.0", method: "note", params: { deep: [1, { two: null }] } },
  { jsonrpc: "2.0", id: 0, result: null },
  { jsonrpc: "2.0", id: 1, result: { any: 1 } },
  { jsonrpc: "2.0", id: null, error: { code: -32700, message: "bad" } },
  { jsonrpc: "2.0", id: 1, error: { code: -32001, message: "no", data: { x: 1 } } },
  { jsonrpc: "2.0", id: 1, method: "with.unknown.fields", extra: true },
];

const REJECTED: [unknown, RegExp][] = [
  [null, /must be a JSON object/],
  [42, /must be a JSON object/],
  ["text", /must be a JSON object/],
  [[{ jsonrpc: "2.0", id: 1, method: "a" }], /Batches/],
  [{}, /"jsonrpc": "2.0"/],
  [{ jsonrpc: "1.0", id: 1, method: "a" }, /"jsonrpc": "2.0"/],
  [{ jsonrpc: "2.0", id: 1, method: 7 }, /`method` must be a string/],
  [{ jsonrpc: "2.0", id: 1, method: "a", params: [1] }, /`params` must be an object/],
  [{ jsonrpc: "2.0", id: 1, method: "a", params: "x" }, /`params` must be an object/],
  [{ jsonrpc: "2.0", id: null, method: "a" }, /`id` must be/],
  [{ jsonrpc: "2.0", id: {}, method: "a" }, /`id` must be/],
  [{ jsonrpc: "2.0", id: NaN, method: "a" }, /`id` must be/],
  [{ jsonrpc: "2.0", id: 1 }, /either `result` or `error`/],
  [{ jsonrpc: "2.0", id: 1, result: 1, error: { code: 1, message: "" } }, /either `result` or `error`/],
  [{ jsonrpc: "2.0", id: null, result: 1 }, /must have an `id`/],
  [{ jsonrpc: "2.0", result: 1 }, /must have an `id`/],
  [{ jsonrpc: "2.0", id: 1, error: "boom" }, /whole `code`/],
  [{ jsonrpc: "2.0", id: 1, error: { code: "E", message: "x" } }, /whole `code`/],
  [{ jsonrpc: "2.0", id: 1, error: { code: 1.5, message: "x" } }, /whole `code`/],
  [{ jsonrpc: "2.0", id: 1, error: { code: 1 } }, /whole `code`/],
];

Deno.test("every frame of JSON-RPC 2.0 is accepted as it is", () => {
  for (const frame of ACCEPTED) {
    const decoded = decodeFrame(frame);
    assert.equal(decoded.kind, "frame", JSON.stringify(frame));
    assert.equal((decoded as { frame: unknown }).frame, frame);
  }
});

Deno.test("what is no frame is refused with the reason, and with the id where there is one", () => {
  for (const [frame, reason] of REJECTED) {
    const decoded = decodeFrame(frame);
    assert.ok(decoded.kind === "bad", JSON.stringify(frame));
    assert.equal(decoded.error.code, RPC_CODES.invalidRequest);
    assert.match(decoded.error.message, reason);
  }
  const decoded = decodeFrame({ jsonrpc: "2.0", id: 9, method: 7 });
  assert.ok(decoded.kind === "bad" && decoded.id === 9);
});

Deno.test("the error codes that others rely on do not change", () => {
  assert.deepEqual(RPC_CODES, {
    parseError: -32700,
    invalidRequest: -32600,
    methodNotFound: -32601,
    invalidParams: -32602,
    internalError: -32603,
    capabilityMissing: -32001,
    notFound: -32002,
    conflict: -32003,
    timedOut: -32004,
    refusedByStage: -32005,
    tooLarge: -32006,
    shuttingDown: -32007,
    cancelled: -32008,
    disconnected: -32009,
    noSource: -32010,
  });
});

Deno.test("an error survives the crossing: code, message, data; a home error takes its fix along", () => {
  const error = RpcError.fromBody(new RpcError(-32003, "stale", { data: { version: 3 } }).toBody());
  assert.deepEqual([error.code, error.message, error.data], [-32003, "stale", { version: 3 }]);
  const home = RpcError.from(new HomedError("disk_full", "The disk is full", { fix: "Free some room" }));
  assert.deepEqual(home.toBody(), {
    code: RPC_CODES.internalError,
    message: "The disk is full",
    data: { code: "disk_full", fix: "Free some room" },
  });
  assert.equal(RpcError.from("a thrown string").message, "a thrown string");
});

import assert from "node:assert/strict";
import { EMPTY_SETTINGS } from "../../../core/kernel/kernel.ts";
import type { KernelMethods } from "../../../core/wire/kernel.ts";
import { type Handler, Peer } from "../../../core/wire/peer.ts";
import { portTransport } from "../../../core/wire/transport.ts";
import { FakeMemory } from "../../kit/fake_memory.ts";

const ENTRY = new URL("../../../core/kernel/worker.ts", import.meta.url);
const METHODS = [
  "context.load",
  "context.append",
  "memory.brief",
  "memory.embed",
  "graph.recall",
  "graph.commit",
  "knowledge.search",
  "doc.consume",
] as const;

/** The kernel in its worker without any permission, and memory that can be exchanged. */
function startWorker() {
  const worker = new Worker(ENTRY, { type: "module", deno: { permissions: "none" } });
  const events: { type: string }[] = [];
  const peer = new Peer<KernelMethods>(portTransport(worker), { name: "the kernel" }).serve({
    event: ({ event }) => void events.push(event),
    log: () => {},
  }).open();
  const lines: Peer<Record<never, never>>[] = [];
  const attach = async (memory: FakeMemory) => {
    const { port1, port2 } = new MessageChannel();
    const handlers: Record<string, Handler> = Object.fromEntries(
      METHODS.map((method) => [method, (params: unknown) => memory.call(method, params as never)]),
    );
    const line = new Peer<Record<never, never>>(portTransport(port2), { name: "kernel" }).serve(handlers).open();
    lines.push(line);
    await peer.call("attach", { part: "memory", port: port1 }, { transfer: [port1] });
    return line;
  };
  return {
    peer,
    events,
    attach,
    [Symbol.dispose]() {
      for (const line of lines) line.close();
      worker.terminate();
    },
  };
}

Deno.test("the kernel's worker, without permissions, answers offline and remembers through memory", async () => {
  using home = startWorker();
  const memory = new FakeMemory();
  await home.attach(memory);
  await home.peer.call("kernel.start", { settings: EMPTY_SETTINGS });
  const types: unknown[] = [];
  const reply = await home.peer.call("chat.send", { text: "hello", trusted: true }, {
    onEvent: (method, params) => types.push(method, params.type),
  });
  assert.equal(reply.source, "offline");
  assert.notEqual(reply.reply, "");
  assert.deepEqual(types.slice(0, 2), ["chat.event", "started"]);
  assert.deepEqual(types.slice(-2), ["chat.event", "reply"]);
  assert.deepEqual(memory.events.map(({ kind }) => kind), ["user", "agent"]);
  assert.ok(home.events.some(({ type }) => type === "response"));
});

Deno.test("a call whose line to memory went is made once more on the next line", async () => {
  using home = startWorker();
  const lost = new FakeMemory(), found = new FakeMemory();
  await home.attach(lost);
  await home.peer.call("kernel.start", { settings: EMPTY_SETTINGS });
  const asked = Promise.withResolvers<void>();
  lost.on["context.append"] = () => (asked.resolve(), new Promise<never>(() => {}));
  const reply = home.peer.call("chat.send", { text: "hello", trusted: true });
  await asked.promise;
  await home.attach(found);
  assert.notEqual((await reply).reply, "");
  assert.deepEqual(found.events.map(({ kind }) => kind), ["user", "agent"]);
});

Deno.test("events that left the context by memory's own doing leave the window", async () => {
  using home = startWorker();
  const memory = new FakeMemory();
  const event = { kind: "user" as const, turn: "t", source: "cli", channel: "cli" };
  memory.events.push({ ...event, id: "a", at: 1, input: "keep" }, { ...event, id: "b", at: 2, input: "forget" });
  const line = await home.attach(memory);
  await home.peer.call("kernel.start", { settings: EMPTY_SETTINGS });
  assert.equal((await home.peer.call("kernel.status", {})).context_events, 2);
  line.notify("context.left", { ids: ["b"] });
  while ((await home.peer.call("kernel.status", {})).context_events !== 1) await new Promise((r) => setTimeout(r, 5));
});

Deno.test("the kernel's worker may do nothing that its row does not list", async () => {
  using home = startWorker();
  const found = await home.peer.call("probe", { read: [Deno.cwd()], write: [Deno.cwd()], net: ["127.0.0.1:9"] });
  for (const [kind, permission] of Object.entries(found)) assert.equal(permission, "denied", kind);
});

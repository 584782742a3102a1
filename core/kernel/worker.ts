/** The kernel's worker. It has no permissions at all: everything it does outside goes through `main`, `memory` and
 * `lua`. @module */
import { systemClock } from "../base/clock.ts";
import { createLog } from "../base/log.ts";
import { probe } from "../base/probe.ts";
import { LuaProvider } from "../llm/lua_source.ts";
import { OfflineProvider } from "../llm/offline.ts";
import { Sources } from "../llm/sources.ts";
import type { KernelMethods, LuaMethods, MainMethods, PartMethods } from "../wire/kernel.ts";
import type { MemoryAsks, MemoryMethods } from "../wire/memory.ts";
import { type Handlers, Peer } from "../wire/peer.ts";
import { RPC_CODES, RpcError } from "../wire/rpc.ts";
import { portTransport, type WorkerPort } from "../wire/transport.ts";
import { createKernel, EMPTY_SETTINGS } from "./kernel.ts";
import { Line } from "./line.ts";

const main = new Peer<MainMethods>(portTransport(self as unknown as WorkerPort), {
  name: "main",
  onProblem: (text) => log.warn(text),
});
const log = createLog("kernel", (record) => main.notify("log", { record: { ...record } }));
const memory = new Line<MemoryMethods>("the memory worker", systemClock);
const lua = new Line<LuaMethods>("the LLM worker", systemClock);

const offline = new OfflineProvider();
const sources = new Sources({
  clock: systemClock,
  makeProvider: (info) => new LuaProvider(info, () => lua.peer),
  offline,
});

const kernel = createKernel({
  memory,
  host: main,
  llm: sources,
  clock: systemClock,
  log,
  emit: (event) => main.notify("event", { event }),
}, EMPTY_SETTINGS);

const asks: Handlers<MemoryAsks> = {
  "self.decide": async ({ prompt }) => ({ text: await kernel.loop.decide(prompt) }),
};

/** Memory's own movements: events that have left the context by its loops, or were forgotten. */
const notes = { "context.left": ({ ids }: { ids: string[] }) => kernel.context.remove(ids) };

const part: Handlers<PartMethods> = {
  attach: ({ part, port }) => {
    const options = { name: `the ${part} worker`, onProblem: (text: string) => log.warn(text) };
    if (part === "memory") {
      memory.attach(new Peer<MemoryMethods>(portTransport(port), options).serve(asks).serve(notes).open());
    } else if (part === "lua") {
      lua.attach(new Peer<LuaMethods>(portTransport(port), options).serve({}).open());
    } else throw new RpcError(RPC_CODES.invalidParams, `The kernel has no line to "${part}"`);
    return {};
  },
  ping: () => ({}),
  probe: (plan) => probe(plan),
};

const methods: Handlers<KernelMethods> = {
  ...part,
  ...kernel.handlers(),
  "kernel.prepare": () => {
    if (sources.first() === offline.info) void offline.prepare(systemClock);
    return {};
  },
};
main.serve(methods).open();

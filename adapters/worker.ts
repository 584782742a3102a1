/** The `lua` worker: the LLM sources with their scripts, and the HTTP calls they shape. Its only permission is the
 * network, and of that the sources' hosts. It serves `LuaMethods`. @module */
import { createLog } from "../core/base/log.ts";
import { probe } from "../core/base/probe.ts";
import type { LuaMethods } from "../core/wire/kernel.ts";
import { type Handlers, Peer } from "../core/wire/peer.ts";
import { portTransport, type WorkerPort } from "../core/wire/transport.ts";
import { SourceRoom } from "./source_room.ts";

const peer = new Peer<Record<never, never>>(portTransport(self as unknown as WorkerPort), {
  name: "main",
  onProblem: (text) => log.warn(text),
});
const log = createLog("lua", (record) => peer.notify("log", { record }));
const room = new SourceRoom({ log, fetch });
const lines = new Map<string, Peer<Record<never, never>>>();

const handlers: Handlers<LuaMethods> = {
  "lua.wasm": ({ bytes }) => {
    room.setWasm(bytes);
    return {};
  },
  "lua.configure": async ({ sources }) => ({ problems: await room.configure(sources) }),
  "llm.complete": ({ source, request }, context) =>
    room.complete(source, request, {
      signal: context.signal,
      onDelta: (delta) => context.notify("llm.delta", { delta }),
    }),
  attach: ({ part, port }) => {
    lines.get(part)?.close("another line to the same part took its place");
    lines.set(
      part,
      new Peer<Record<never, never>>(portTransport(port), { name: part, onProblem: (text) => log.warn(text) })
        .serve(handlers).open(),
    );
    return {};
  },
  ping: () => ({}),
  probe: (plan) => probe(plan),
};

peer.serve(handlers).open();

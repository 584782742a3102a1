/** A stand-in for any of the three workers: it answers what `main` asks, and breaks when it is told to. A message says
 * how: "die" throws where nobody catches, "deaf" answers no heartbeat from then on, "slow" waits, anything else is echoed. */
import { probe } from "../../../core/base/probe.ts";
import { type CallContext, type Handler, Peer } from "../../../core/wire/peer.ts";
import { portTransport, type WorkerPort } from "../../../core/wire/transport.ts";

const main = new Peer<Record<never, never>>(portTransport(self as unknown as WorkerPort), { name: "main" });
const registered: { tools?: { name: string }[]; channel?: { name: string } }[] = [];
let sources: { name: string }[] = [];
let turns = 0;
let busy = false;
let deaf = false;

const handlers: Record<string, Handler> = {
  ping: () => deaf ? new Promise(() => {}) : {},
  probe: (plan) => probe(plan),
  attach: () => ({}),
  "kernel.start": () => ({ notices: [] }),
  "kernel.configure": ({ settings }) => {
    sources = settings.sources;
    return {};
  },
  "kernel.stop": () => ({}),
  "kernel.status": () => ({
    busy,
    turn: null,
    queued: 0,
    turns,
    context_events: 0,
    sources: sources.map(({ name }) => ({ name, model: "", state: "ready" })),
    tools: registered.length,
  }),
  "channels.register": (params: { channel: { name: string } }) => {
    registered.push(params);
    return {};
  },
  "tools.register": (params: { tools: { name: string }[] }) => {
    registered.push(params);
    return { rejected: [] };
  },
  "tools.list": () => ({ tools: registered.flatMap(({ tools, channel }) => tools ?? [{ name: channel!.name }]) }),
  "chat.send": async ({ text }: { text: string }, { notify }: CallContext) => {
    const turn = `t${++turns}`;
    if (text === "die early") await die();
    busy = true;
    notify("chat.event", { turn, seq: 1, type: "started" });
    if (text === "die") await die();
    if (text === "deaf") deaf = true;
    if (text === "slow") await new Promise((resolve) => setTimeout(resolve, 300));
    busy = false;
    notify("chat.event", { turn, seq: 2, type: "reply", text });
    return { turn, reply: text, tools: [], usage: { prompt: 0, completion: 0, total: 0 }, source: "offline" };
  },
  "memory.open": () => ({ notices: [] }),
  "memory.configure": () => ({}),
  "memory.close": () => ({}),
  "memory.stats": () => ({ entities: 0, current_relations: 0, documents: 0, embedder: { name: "tfidf", pending: 0 } }),
  "memory.import": ({ path }) => ({ counts: { bytes: Deno.readFileSync(path).length }, rejected: [] }),
  "memory.export": ({ path }) => {
    Deno.writeTextFileSync(path, "{}\n");
    return { counts: { relation: 1 } };
  },
  "memory.forget": ({ name }) => ({ counts: { relation: 2 }, names: [name] }),
  "lua.wasm": () => ({}),
  "lua.configure": () => ({ problems: [] }),
  "llm.complete": () => ({ text: "ok", source: "offline" }),
  "chat.interrupt": () => ({ turn: null }),
  "chat.cancel": () => ({ cancelled: false }),
};

function die(): Promise<never> {
  setTimeout(() => {
    throw new Error("it broke");
  }, 0);
  return new Promise(() => {});
}

main.serve(handlers).open();

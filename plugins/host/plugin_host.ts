/** homed re-run as the host of one JS or Lua plugin: `__plugin-host JSON`. The plugin runs in a worker with its
 * manifest's permissions; this thread carries its frames, and does for it what needs the segment. @module */
import { messageOf } from "../../core/base/mod.ts";
import {
  Peer,
  PLUGIN_PROTOCOL,
  type PluginMethods,
  type PluginPermissions,
  type RpcFrame,
  type Transport,
  type TransportEvents,
} from "../../core/wire/mod.ts";
import { SDK_VERSION } from "../sdk/connect.ts";
import { frameTransport } from "./frames.ts";
import { workerPermissions } from "./sandbox.ts";
import { LUA_WASM } from "./script/lua_wasm.ts";
import { checkScript } from "./script/js_check.ts";
import { EVENTS_READ } from "./event_batch.ts";
import type { ScriptSetup } from "./script/worker.ts";
import { type Lines, SegmentSide } from "./segment_side.ts";

/** What the host is told on its command line. */
export interface HostArgument {
  name: string;
  kind: "js" | "lua";
  dir: string;
  entry: string;
  dataDir: string;
  permissions: PluginPermissions;
  userHome: string | undefined;
}

/** The hidden verb `__plugin-host`. Runs until homed closes the line; ends the process with status 1 when the plugin's
 * code fails outside of any call. */
export async function runPluginHost(args: string[]): Promise<number> {
  const argument = JSON.parse(args[0] ?? "null") as HostArgument | null;
  if (!argument) {
    console.error("homed: __plugin-host is for homed itself");
    return 2;
  }
  const line = frameTransport({ readable: Deno.stdin.readable, writable: Deno.stdout.writable });
  let worker: Worker;
  try {
    worker = await startWorker(argument);
  } catch (error) {
    return await refuse(line, messageOf(error));
  }
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    console.error(`The plugin failed: ${event.message}`);
    Deno.exit(1);
  });
  const done = Promise.withResolvers<string>();
  const side = new SegmentSide();
  const toHomed = (frame: RpcFrame) => {
    const sent = line.send(frame);
    if (sent) sent.catch((error) => done.resolve(messageOf(error)));
  };
  const lines: Lines = {
    toHomed,
    toPlugin: (frame) => worker.postMessage(frame),
    eventsToPlugin: (events) => worker.postMessage(events, [events.packed.buffer]),
  };
  worker.addEventListener("message", ({ data }) => {
    if (data === EVENTS_READ) side.eventsRead(lines);
    else side.fromPlugin(data as RpcFrame, lines);
  });
  const events: TransportEvents = {
    message: (value) => side.fromHomed(value as RpcFrame, lines),
    garbage: (_code, message) => console.error(`homed sent what is no frame: ${message}`),
    closed: (reason) => done.resolve(reason),
  };
  line.open(events);
  await done.promise;
  return 0;
}

/** Starts the worker and waits until the plugin's code is loaded.
 * @throws {Error} a sentence, when it does not load */
async function startWorker(argument: HostArgument): Promise<Worker> {
  const { name, kind, dir, entry, permissions } = argument;
  const text = await Deno.readTextFile(`${dir}/${entry}`);
  if (kind === "js") checkScript(text);
  const setup: ScriptSetup = { name, kind, text, ...(kind === "lua" && { lua: await readLua() }) };
  const worker = new Worker(new URL("./script/worker.ts", import.meta.url), {
    type: "module",
    name: `plugin ${name}`,
    deno: { permissions: workerPermissions(permissions, argument) },
  });
  const first = Promise.withResolvers<{ ready?: true; failed?: string }>();
  const onError = (event: ErrorEvent) => {
    event.preventDefault();
    first.reject(new Error(event.message));
  };
  worker.addEventListener("error", onError);
  worker.addEventListener("message", ({ data }) => first.resolve(data), { once: true });
  worker.postMessage(setup);
  const { failed } = await first.promise;
  worker.removeEventListener("error", onError);
  if (failed !== undefined) throw new Error(failed);
  return worker;
}

async function readLua(): Promise<{ wasm: Uint8Array; prelude: string }> {
  const [wasm, prelude] = await Promise.all([
    Deno.readFile(LUA_WASM),
    Deno.readTextFile(new URL("../sdk/lua/prelude.lua", import.meta.url)),
  ]);
  return { wasm, prelude };
}

/** Answers the handshake with the reason why the plugin cannot start. */
async function refuse(line: Transport, reason: string): Promise<number> {
  const peer = new Peer<PluginMethods>(line, { name: "homed" });
  peer.serve({
    handshake: () => {
      throw new Error(reason);
    },
  }).open();
  await peer.closed;
  return 1;
}

/** What the script host answers to a handshake. */
export const HOST_HANDSHAKE = { protocol: PLUGIN_PROTOCOL, sdk_version: SDK_VERSION };

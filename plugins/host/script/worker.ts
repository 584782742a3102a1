/** Where a JS or Lua plugin runs: a worker with the permissions of its manifest, inside homed re-run as plugin host. The
 * first message brings the plugin's text; it answers `{ready: true}` or `{failed}`, and from then on messages are frames.
 * @module */
import { type Params, portTransport, type RpcFrame, type Transport, type WorkerPort } from "../../../core/wire/mod.ts";
import { connectPlugin } from "../../sdk/connect.ts";
import type { Plugin } from "../../sdk/plugin.ts";
import { EVENTS_READ, type PackedEvents, unpackEvents } from "../event_batch.ts";
import { largeFields } from "../payload.ts";
import { explainDenial } from "./denial.ts";
import { harden } from "./harden.ts";
import { luaPlugin } from "./lua.ts";

/** The first message. */
export interface ScriptSetup {
  name: string;
  kind: "js" | "lua";
  text: string;
  /** The Lua machine, and the text that runs in it before the plugin. */
  lua?: { wasm: Uint8Array; prelude: string };
}

const scope = self as unknown as WorkerPort & { postMessage(message: unknown): void };

async function load({ kind, name, text, lua }: ScriptSetup): Promise<Plugin> {
  if (kind === "lua") return await luaPlugin({ name, text, ...lua! });
  harden();
  const url = `data:text/javascript;charset=utf-8,${encodeURIComponent(text)}`;
  const module = await import(url) as { default?: unknown };
  const plugin = module.default as Plugin | undefined;
  if (typeof plugin?.start !== "function") {
    throw new Error("its entry must have a default export with a function `start`");
  }
  return plugin;
}

scope.addEventListener("message", function first(event: MessageEvent) {
  scope.removeEventListener("message", first);
  const setup = event.data as ScriptSetup;
  void (async () => {
    try {
      const plugin = await load(setup);
      const peer = connectPlugin(plugin, handingOver(unpacking(portTransport(scope))), {
        explain: (error) => explainDenial(error, setup.name),
        onProblem: (text) => console.error(text),
      });
      for (const level of ["debug", "info", "warn", "error"] as const) {
        console[level] = (...values: unknown[]) => peer.notify("core.log", { level, text: printed(values) });
      }
      console.log = console.info;
      scope.postMessage({ ready: true });
    } catch (error) {
      const told = explainDenial(error, setup.name);
      scope.postMessage({ failed: told instanceof Error ? told.message : String(told) });
    }
  })();
});

/** Makes `events.wake` of the batches that the host's thread posts. */
function unpacking(transport: Transport): Transport {
  return {
    ...transport,
    open(events) {
      transport.open({
        ...events,
        message(value) {
          const batch = value as Partial<PackedEvents>;
          if (!batch.packed) return events.message(value);
          const params = { events: unpackEvents(batch as PackedEvents), missed: batch.missed };
          events.message({ jsonrpc: "2.0", method: "events.wake", params });
          scope.postMessage(EVENTS_READ);
        },
      });
    },
  };
}

/** Encodes what is too large for a frame here, and moves the bytes to the host's thread. */
function handingOver(transport: Transport): Transport {
  return {
    ...transport,
    send(frame, transfer) {
      const fields = "method" in frame ? frame.params : "result" in frame ? frame.result : undefined;
      const large = typeof fields === "object" && fields !== null ? largeFields(fields as Params) : [];
      if (large.length === 0) return transport.send(frame, transfer);
      const refs = Object.fromEntries(large.map((field) => [field.name, { $large: field }]));
      const given = { ...fields as Params, ...refs };
      return transport.send(
        ("method" in frame ? { ...frame, params: given } : { ...frame, result: given }) as RpcFrame,
        [...transfer ?? [], ...large.flatMap(({ bytes, encoding }) => encoding === "bytes" ? [] : [bytes.buffer])],
      );
    },
  };
}

function printed(values: unknown[]): string {
  return values.map((value) => typeof value === "string" ? value : Deno.inspect(value)).join(" ");
}

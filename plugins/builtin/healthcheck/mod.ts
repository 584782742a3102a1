/** The built-in plugin `healthcheck`: looks after plugins, sources, disk and its own scheduler, says when the state
 * changes, and starts again what it may. @module */
import { statfs } from "node:fs/promises";
import { messageOf } from "../../../core/base/errors.ts";
import type { BuiltinPlugin, Sdk } from "../../sdk/mod.ts";
import { type Check, judge, overall } from "./checks.ts";

const INTERVAL = 60_000;
/** A plugin that gave up is started again at most this often. Milliseconds. */
const RESTART_PAUSE = 3_600_000;

export const healthcheck: BuiltinPlugin = {
  name: "healthcheck",
  description: "Watches plugins, LLM sources, the disk and the scheduler, and restarts what it may",
  capabilities: ["llm", "plugin_mgr", "host"],
  settings: [{
    key: "restart",
    type: "bool",
    default: true,
    title: { en: "Start broken plugins again", zh: "重新启动出错的插件" },
    help: {
      en: "Once an hour, a plugin that crashed too often is started again.",
      zh: "每小时一次，重新启动因频繁崩溃而停止的插件。",
    },
  }],
  create({ clock }) {
    const stopping = new AbortController();
    let running: Promise<void> | undefined;
    return {
      async start(sdk) {
        const restarted = new Map<string, number>();
        let due = clock.monotonic() + INTERVAL;
        let last: Check["state"] = "green";
        const look = async (): Promise<Check[]> => {
          const { plugins } = await sdk.call("core.host.list", {});
          const { sources } = await sdk.llm.listSources();
          const disk = await freeSpace(sdk.dataDir);
          return judge({ plugins, sources, disk, late: Math.max(0, clock.monotonic() - due) });
        };
        const round = async () => {
          const checks = await look();
          const state = overall(checks);
          if (state !== last) {
            last = state;
            await sdk.call("core.events.publish", { type: "health", payload: { state, checks } });
            if (state !== "green") sdk.log.warn(`Health is ${state}`, { checks });
          }
          if (await sdk.settings.get("restart") !== false) await revive(sdk, restarted, clock.now());
        };
        await sdk.registerTool({
          name: "healthcheck_status",
          description: "Says how homed is: plugins, LLM sources, disk, scheduler.",
          parameters: { type: "object", properties: {} },
        }, async () => {
          const checks = await look();
          return { state: overall(checks), checks };
        });
        running = (async () => {
          while (!stopping.signal.aborted) {
            try {
              await clock.sleep(due - clock.monotonic(), { signal: stopping.signal });
            } catch {
              return; // stopped
            }
            await round().catch((error) => sdk.log.error(`The health check failed: ${messageOf(error)}`));
            due = clock.monotonic() + INTERVAL;
          }
        })();
      },
      async stop() {
        stopping.abort(new Error("the plugin stops"));
        await running;
      },
    };
  },
};

/** Starts a quarantined plugin again, each at most once in `RESTART_PAUSE`. */
async function revive(sdk: Sdk, restarted: Map<string, number>, now: number): Promise<void> {
  const { plugins } = await sdk.call("core.host.list", {});
  for (const { name, state } of plugins) {
    if (state !== "quarantined" || now - (restarted.get(name) ?? -Infinity) < RESTART_PAUSE) continue;
    restarted.set(name, now);
    sdk.log.info(`Starting ${name} again`);
    await sdk.plugins.reloadOne(name).catch((error) => sdk.log.warn(`${name} does not start: ${messageOf(error)}`));
  }
}

async function freeSpace(folder: string): Promise<{ free: number; total: number } | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { free: bavail * bsize, total: blocks * bsize };
  } catch {
    return undefined; // no such call on this system: the check says so
  }
}

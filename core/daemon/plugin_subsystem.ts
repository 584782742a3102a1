import { PluginHost } from "../../plugins/host/host.ts";
import type { HostLimits, SettingsPort } from "../../plugins/host/ports.ts";
import { ownCommand } from "../../plugins/host/reexec.ts";
import { BUILTINS } from "../../plugins/builtin/mod.ts";
import type { BuiltinWorker } from "../../plugins/sdk/builtin.ts";
import type { Plugin } from "../../plugins/sdk/plugin.ts";
import { connectPlugin } from "../../plugins/sdk/connect.ts";
import type { PackageReport } from "../../plugins/host/package.ts";
import { systemClock } from "../base/clock.ts";
import { messageOf } from "../base/errors.ts";
import type { Registry } from "../config/mod.ts";
import type { PluginInfo } from "../wire/plugin.ts";
import type { PluginRow } from "../wire/owner.ts";
import { type MainMethods, memoryPair, RPC_CODES, RpcError } from "../wire/mod.ts";
import type { Handler } from "../wire/peer.ts";
import type { PluginSubsystem, PluginSurroundings } from "./plugins.ts";
import { VERSION } from "./version.ts";

/** The plugin host in the daemon: what it needs of the home and the kernel, the built-in plugins, and `plugin.*`. */
export function pluginSubsystem(surroundings: PluginSurroundings): PluginSubsystem {
  const { home, registry, bus, log, env, kernel, memory } = surroundings;
  const host = new PluginHost({
    kernel,
    memory,
    settings: settingsPort(registry),
    bus,
    log: log.named("plugins"),
    clock: systemClock,
    folders: {
      home: home.root,
      plugins: home.path(registry.text("core.plugin.dir")),
      data: home.path("plugin-data"),
      skills: home.path("skills"),
      run: home.path("run"),
      logs: home.path("logs"),
    },
    limits: () => limits(registry),
    command: ownCommand([]),
    version: VERSION,
    env: { ...env },
  });
  const workers = new Set<BuiltinWorker>();
  const note = (worker: BuiltinWorker): Disposable => {
    workers.add(worker);
    return { [Symbol.dispose]: () => void workers.delete(worker) };
  };
  const running = new Map<string, Plugin>();
  for (const plugin of BUILTINS) {
    const { name, description, capabilities, settings } = plugin;
    if (settings.length > 0) registry.define(name, settings);
    host.addBuiltin({
      name,
      description,
      capabilities,
      settings,
      version: VERSION,
      connect: () => {
        const [near, far] = memoryPair();
        const onProblem = (text: string) => log.named(name).warn(text);
        const made = plugin.create({ clock: systemClock, workers: note });
        running.set(name, made);
        connectPlugin(made, far, { onProblem });
        return near;
      },
    });
  }
  const known = () => JSON.stringify(skills(host));
  let told = "[]";
  const tellSkills = () => {
    if (known() === told) return;
    told = known();
    surroundings.skillsChanged();
  };
  return {
    async start() {
      await host.start();
      tellSkills();
    },
    stop: () => host.stop(),
    kernelHandlers: {
      ...host.handlers() as PluginSubsystem["kernelHandlers"],
      "approval.detail": ({ owner, tool, args }) => approvalDetail(host, { owner, tool, args }),
    },
    ownerMethods: ownerMethods(host, tellSkills),
    list: () => host.list().map(toRow),
    async forget(mentions, options) {
      const counts: Record<string, number> = {};
      for (const plugin of running.values()) Object.assign(counts, await plugin.forget?.(mentions, options));
      return counts;
    },
    workers: () => [...workers],
    skills: () => skills(host),
  };
}

const skills = (host: PluginHost) => host.skills.list().map(({ name, description }) => ({ name, description }));

/** `plugin.*` as on the command line. `dry_run` asks what would be done. */
function ownerMethods(host: PluginHost, changed: () => void): Record<string, Handler> {
  const named =
    (work: (name: string, params: Record<string, unknown>) => Promise<unknown>): Handler => async (params) => {
      if (typeof params.name !== "string" || params.name === "") {
        throw new RpcError(RPC_CODES.invalidParams, "`name` must be a plugin's name");
      }
      const result = await work(params.name, params);
      changed();
      return result;
    };
  return {
    "plugin.list": () => ({ plugins: host.list().map(toRow) }),
    "plugin.install": async ({ path, dry_run, sha256 }) => {
      if (typeof path !== "string" || path === "") throw new RpcError(RPC_CODES.invalidParams, "`path` must be a file");
      const report = await host.inspect(path);
      if (dry_run) return { asks: installQuestion(report), sha256: report.sha256, report };
      const { name, state } = await host.install(path, { sha256: typeof sha256 === "string" ? sha256 : report.sha256 });
      changed();
      return { name, state, text: `${name} is installed and ${state}` };
    },
    "plugin.remove": named(async (name, { dry_run, data }) => {
      host.requireChangeable(name);
      if (dry_run) return { asks: `Remove ${name}` };
      const all = data === true;
      await host.remove(name, { data: all, settings: all });
      const text = all
        ? `${name} is removed; its settings and data too`
        : `${name} is removed; its settings and data stay`;
      return { text };
    }),
    "plugin.enable": named(async (name) => {
      await host.enable(name);
      const { state, reason } = host.list().find((plugin) => plugin.name === name)!;
      const isUp = state === "running" || state === "loaded";
      return {
        state,
        text: isUp ? `${name} is enabled` : `${name} is enabled, and ${state}: ${reason ?? "it may yet start"}`,
      };
    }),
    "plugin.disable": named(async (name) => {
      await host.disable(name);
      return { text: `${name} is disabled` };
    }),
    "plugin.reload": named(async (name) => {
      const { state } = await host.reload(name);
      return { state, text: `${name} is ${state}` };
    }),
    "plugin.logs": named(async (name, { lines }) => {
      const found = await host.logs(name, typeof lines === "number" ? lines : 100);
      return { lines: found, text: found.join("\n") };
    }),
  };
}

/** What the owner is asked before a package is installed: what it wants, and what holds it to that here. */
function installQuestion({ name, version, description, asks, enforcement }: PackageReport): string {
  const held = enforcement.map(({ what, enforced, detail }) =>
    `  ${enforced ? "✓" : "✗ not held to:"} ${what} (${detail})`
  );
  return [`${name} ${version}: ${description}`, ...asks.map((one) => `  - ${one}`), ...held].join("\n");
}

/** What the owner should know before a tool acts: of an install, what the package asks for. */
async function approvalDetail(
  host: PluginHost,
  { owner, tool, args }: MainMethods["approval.detail"]["params"],
): Promise<MainMethods["approval.detail"]["result"]> {
  if (owner !== "pluginmgr" || tool !== "pluginmgr_install") return {};
  try {
    const report = await host.inspect(String(args.file));
    const changed = report.sha256 === args.sha256 ? "" : "\n  ✗ it is not the package that was inspected";
    return { detail: installQuestion(report) + changed };
  } catch (error) {
    return { detail: messageOf(error) };
  }
}

const toRow = ({ name, version, kind, state, description, reason }: PluginInfo): PluginRow => ({
  name,
  version,
  kind,
  state,
  description,
  ...(reason !== undefined && { detail: reason }),
});

/** The settings as the host asks for them. Secrets of the core are never in clear. */
function settingsPort(registry: Registry): SettingsPort {
  const isKnown = (key: string) => registry.keys().includes(key) || !key.startsWith("plugin.");
  return {
    get: (key) => !isKnown(key) ? undefined : key.startsWith("core.") ? registry.shown(key) : registry.get(key),
    set: (key, value, actor) => void registry.set(key, value, actor.kind === "host" ? "owner" : `plugin:${actor.name}`),
    unset: (key, actor) => void registry.unset(key, actor.kind === "host" ? "owner" : `plugin:${actor.name}`),
    list: (prefix) =>
      registry.list(prefix).filter(({ key }) => key.startsWith(prefix)).map(({ key, value, type, secret, owner }) => ({
        key,
        value,
        type,
        secret,
        owner,
      })),
    define: (plugin, def) => void registry.define(plugin, [def]),
    undefine: (plugin, options) => registry.undefine(plugin, options),
  };
}

function limits(registry: Registry): HostLimits {
  return {
    restart_max: registry.number("core.plugin.restart_max"),
    restart_window: registry.duration("core.plugin.restart_window"),
    restart_backoff: registry.duration("core.plugin.restart_backoff"),
    start_timeout: registry.duration("core.plugin.start_timeout"),
    stop_grace: registry.duration("core.plugin.stop_grace"),
    cancel_grace: 1000,
    stage_timeout: 10_000,
  };
}

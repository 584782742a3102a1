import { HomedError, messageOf } from "../../core/base/mod.ts";
import { LineDecoder, PLUGIN_PROTOCOL, RPC_CODES, RpcError, type SegmentInfo } from "../../core/wire/mod.ts";
import { type ConnectionOptions, PluginConnection } from "./connection.ts";
import { frameTransport } from "./frames.ts";
import { landlockVersion } from "./landlock.ts";
import type { Ledger } from "./ledger.ts";
import type { InstalledPlugin } from "./manifest.ts";
import type { PluginLog } from "./plugin_log.ts";
import type { HostArgument } from "./plugin_host.ts";
import type { HostLimits, HostPorts } from "./ports.ts";
import { type ExitInfo, PluginProcess } from "./process.ts";
import { programFor } from "./program.ts";
import { sandboxFor } from "./sandbox.ts";
import type { Segment } from "./segment.ts";
import type { Watchdog } from "./watchdog.ts";

export interface InstanceOptions {
  plugin: InstalledPlugin;
  ports: HostPorts;
  limits: HostLimits;
  log: PluginLog;
  watchdog: Watchdog;
  ledger: Ledger;
  segment: Segment | undefined;
  dataDir: string;
  slot: number;
  connection: Pick<ConnectionOptions, "host" | "room" | "channelOwner">;
  signal?: AbortSignal;
}

/** One process of a plugin, from its spawn to its end. It has answered `plugin.start` when `start` returns; the kernel
 * knows nothing of it until `connection.publish()`. */
export class PluginInstance {
  readonly connection: PluginConnection;
  readonly exited: Promise<ExitInfo>;
  readonly #process: PluginProcess;
  readonly #options: InstanceOptions;
  #ending: Promise<void> | undefined;
  #killed: string | undefined;

  private constructor(process: PluginProcess, connection: PluginConnection, options: InstanceOptions) {
    this.#process = process;
    this.connection = connection;
    this.#options = options;
    this.exited = process.exited.then((info) => {
      connection.close(`its process ended (${describeExit(info)})`);
      return info;
    });
  }

  /** Starts the process and sees it through handshake, init and start.
   * @throws {HomedError} `start`, with the phase and the reason; the process is gone by then */
  static async start(options: InstanceOptions): Promise<PluginInstance> {
    const { plugin, ports, log, dataDir, segment } = options;
    const { name } = plugin.manifest;
    const process = await spawn(options);
    readStderr(process.stderr, log);
    let instance: PluginInstance | undefined = undefined as PluginInstance | undefined;
    const kill = async (reason: string): Promise<void> => await instance?.kill(reason);
    const transport = frameTransport(process, {
      onText: (text) => log.write("stdout", text),
      onEnd: () => whyEnded(process, kill),
      onStall: () => void kill("it does not read what it is sent"),
    });
    const connection = new PluginConnection({
      ...options.connection,
      owner: name,
      capabilities: new Set(plugin.manifest.capabilities ?? []),
      settings: plugin.manifest.config ?? [],
      dataDir,
      transport,
      ports,
      slot: options.slot,
      segment: segment && { slices: segment.slices, doorbell: segment.events },
      writeLog: (level, text, fields) => log.write(level, text, fields),
      lockedIn: plugin.kind === "native" && landlockVersion() > 0,
      kill,
    });
    const made = new PluginInstance(process, connection, options);
    instance = made;
    const progress = { phase: "handshake" };
    const failed = made.exited.then((info): never => {
      throw new HomedError("start", `it ended during ${progress.phase} (${describeExit(info)})`);
    });
    failed.catch(() => {/* told by the race below, or no news after it */});
    try {
      await Promise.race([greet(connection, { ...options, shm: segment?.info ?? null, progress }), failed]);
      return made;
    } catch (error) {
      const lost = error instanceof RpcError && error.code === RPC_CODES.disconnected;
      // The line ends with the process: how that ended says more.
      const cause = lost ? await failed.catch((why: unknown) => why) : error;
      await made.kill("it did not start");
      const code = cause instanceof RpcError && cause.code !== RPC_CODES.timedOut ? "rejected" : "start";
      const text = `Cannot start plugin "${name}" (${progress.phase}): ${messageOf(cause)}`;
      log.write("error", text);
      throw new HomedError(code, text, { cause });
    }
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Why homed ended it, if it did. */
  get killed(): string | undefined {
    return this.#killed;
  }

  /** Asks it to stop, and ends what does not. */
  stop(reason: string): Promise<void> {
    this.#ending ??= this.#stop(reason);
    return this.#ending;
  }

  /** Ends it at once, grandchildren included. */
  async kill(reason: string): Promise<void> {
    this.#killed ??= reason;
    this.#process.killGroup("SIGKILL");
    await this.exited;
  }

  async #stop(reason: string): Promise<void> {
    const { limits, log } = this.#options;
    try {
      await Promise.race([
        this.connection.peer.call("plugin.stop", { reason }, { timeout: limits.stop_grace }),
        this.exited,
      ]);
    } catch (error) {
      log.write("warn", `plugin.stop was not answered: ${messageOf(error)}`);
    }
    this.connection.close("homed stopped it");
    await this.#process.end(Math.min(limits.stop_grace, 2000));
    await this.exited;
  }
}

export interface GreetOptions {
  limits: Pick<HostLimits, "start_timeout">;
  dataDir: string;
  shm: SegmentInfo | null;
  /** Says how far it has come. */
  progress: { phase: string };
  signal?: AbortSignal;
}

/** Handshake, init and start over a new connection, of any kind.
 * @throws when the plugin refuses one of them, is too slow, or speaks another protocol */
export async function greet(connection: PluginConnection, options: GreetOptions): Promise<void> {
  const { limits, dataDir, shm, progress, signal } = options;
  const { peer, owner, ports } = connection;
  const timeout = { timeout: limits.start_timeout, ...(signal && { signal }) };
  const hello = await peer.call("handshake", {
    protocol: PLUGIN_PROTOCOL,
    core_version: ports.version,
    plugin_name: owner,
    shm,
  }, timeout);
  if (hello?.protocol !== PLUGIN_PROTOCOL) {
    throw new HomedError("start", `its protocol is ${hello?.protocol}: this homed speaks ${PLUGIN_PROTOCOL}`);
  }
  connection.shared = hello.shm === true;
  progress.phase = "plugin.init";
  const prefix = `plugin.${owner}.`;
  const config = Object.fromEntries(
    ports.settings.list(prefix).map(({ key, value }) => [key.slice(prefix.length), value]),
  );
  await peer.call("plugin.init", { name: owner, config, data_dir: dataDir }, timeout);
  progress.phase = "plugin.start";
  await peer.call("plugin.start", {}, timeout);
}

async function spawn(options: InstanceOptions): Promise<PluginProcess> {
  const { plugin, ports, dataDir, segment, watchdog, ledger } = options;
  const { manifest, dir, kind } = plugin;
  await Deno.mkdir(`${dataDir}/tmp`, { recursive: true, mode: 0o700 });
  const argument: HostArgument = {
    name: manifest.name,
    kind: kind === "lua" ? "lua" : "js",
    dir,
    entry: manifest.entry,
    dataDir,
    permissions: manifest.permissions ?? {},
    userHome: ports.env.HOME,
  };
  const program = await programFor({
    plugin,
    homed: ports.command,
    hostArgument: JSON.stringify(argument),
    env: ports.env,
  });
  const sandbox = sandboxFor({ manifest, dir, dataDir, segment: segment?.info.path, program, env: ports.env });
  return await PluginProcess.spawn({
    homed: ports.command,
    spec: { parent: Deno.pid, lock: sandbox.lock },
    command: program.command,
    args: program.args,
    cwd: kind === "native" ? dir : dataDir,
    env: { ...sandbox.env, ...program.env, ...sourceEnv(ports) },
    watchdog,
    ledger,
  });
}

/** What homed itself needs to start from source, before it becomes the plugin's program. */
function sourceEnv({ command, env }: HostPorts): Record<string, string> {
  if (command.length === 1) return {};
  const cache = env.DENO_DIR ?? (env.HOME && `${env.XDG_CACHE_HOME ?? `${env.HOME}/.cache`}/deno`);
  return { DENO_NO_UPDATE_CHECK: "1", ...(cache && Deno.build.os === "linux" && { DENO_DIR: cache }) };
}

/** How long a process that has closed its output may live on. */
const CLOSED_GRACE_MS = 1000;

/** Why a plugin's output has ended: its process has, or it is ended as nothing can be heard of it any more. */
async function whyEnded(process: PluginProcess, kill: (reason: string) => Promise<void>): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const closed = new Promise<undefined>((resolve) => timer = setTimeout(() => resolve(undefined), CLOSED_GRACE_MS));
  const info = await Promise.race([process.exited, closed]);
  clearTimeout(timer);
  if (info) return `its process ended (${describeExit(info)})`;
  void kill("it closed its output");
  return "it closed its output";
}

/** Lines of a plugin's stderr, for its log. */
function readStderr(stream: ReadableStream<Uint8Array>, log: PluginLog): void {
  void (async () => {
    const lines = new LineDecoder(64 << 10);
    try {
      for await (const chunk of stream) {
        for (const line of lines.push(chunk)) log.write("stderr", line.kind === "line" ? line.text : "(a long line)");
      }
      for (const line of lines.end()) if (line.kind === "line") log.write("stderr", line.text);
    } catch (error) {
      log.write("warn", `stderr cannot be read: ${messageOf(error)}`);
    }
  })();
}

/** How a process ended, in words. */
export function describeExit({ code, signal }: ExitInfo): string {
  return signal ? `signal ${signal}` : `exit status ${code}`;
}

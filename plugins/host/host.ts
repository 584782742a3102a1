import { removeFolder } from "../../core/base/files.ts";
import { HomedError, messageOf, reasonOf } from "../../core/base/mod.ts";
import { nearest } from "../../core/base/nearest.ts";
import {
  type Capability,
  type PluginInfo,
  PluginName,
  RPC_CODES,
  RpcError,
  type Transport,
} from "../../core/wire/mod.ts";
import { Builtin, type BuiltinSpec } from "./builtin.ts";
import type { HostApi } from "./caller.ts";
import { PluginConnection } from "./connection.ts";
import { PluginInstance } from "./instance.ts";
import { kernelCalls } from "./kernel_calls.ts";
import { Ledger } from "./ledger.ts";
import { checkManifest, type InstalledPlugin, readPlugin } from "./manifest.ts";
import { openPackage, type PackageReport } from "./package.ts";
import { PluginFolder } from "./plugin_folder.ts";
import { PluginLog } from "./plugin_log.ts";
import { DEFAULT_LIMITS, type HostLimits, type HostPorts } from "./ports.ts";
import { createSegment, type Segment } from "./segment.ts";
import { Skills } from "./skills.ts";
import { Stages } from "./stages.ts";
import { Supervised } from "./supervised.ts";
import { Watchdog } from "./watchdog.ts";

/** All plugins of this homed: built-in ones, processes, scripts and skills. Lives in `main`. */
export class PluginHost implements HostApi {
  readonly skills: Skills;
  readonly #ports: HostPorts;
  readonly #limits: () => HostLimits;
  readonly #plugins = new Map<string, Supervised>();
  readonly #builtins = new Map<string, Builtin>();
  /** Plugins that cannot be loaded, with the reason. */
  readonly #broken = new Map<string, PluginInfo>();
  readonly #logs = new Map<string, PluginLog>();
  readonly #folder: PluginFolder;
  readonly #stages: Stages;
  readonly #watchdog: Watchdog;
  readonly #ledger: Ledger;
  #segment: Segment | undefined;
  #slot = 0;
  #stopping = false;

  constructor(ports: HostPorts) {
    this.#ports = ports;
    this.#limits = ports.limits ?? (() => DEFAULT_LIMITS);
    this.skills = new Skills(ports.log.named("skills"));
    this.#folder = new PluginFolder(ports.folders.plugins, ports.log);
    this.#watchdog = new Watchdog((text) => ports.log.warn(text));
    this.#ledger = new Ledger(`${ports.folders.run}/plugins.json`);
    this.#stages = new Stages({
      limits: this.#limits,
      connectionOf: (owner) => this.#connectionOf(owner),
      shared: () => this.#segment?.context,
    });
  }

  /** Ends what a crash left behind, then starts every plugin that is switched on. Never throws for one plugin's sake. */
  async start(): Promise<void> {
    const { folders, log } = this.#ports;
    for (const folder of [folders.run, `${folders.logs}/plugins`, folders.data, folders.plugins]) {
      await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    }
    const left = await this.#ledger.endLeftovers();
    if (left > 0) log.warn(`Ended ${left} plugin processes that an earlier homed had left behind`);
    await this.#openSegment();
    await Promise.all([...this.#builtins.values()].map((builtin) => builtin.start()));
    for (const name of await this.#folder.names()) await this.#load(name);
    await this.#scanSkills();
    await Promise.all([...this.#plugins.values()].map((plugin) => this.#startIfEnabled(plugin)));
  }

  /** Adds a plugin that comes with homed. Before `start`. */
  addBuiltin(spec: BuiltinSpec): void {
    const { folders } = this.#ports;
    this.#builtins.set(
      spec.name,
      new Builtin(spec, {
        ports: this.#ports,
        limits: this.#limits,
        dataDir: `${folders.data}/${spec.name}`,
        wire: (about) => this.#wireBuiltin(spec, about),
        dropped: (connection) => this.#stages.drop(connection),
        changed: (plugin) => this.#tell(plugin.info()),
      }),
    );
  }

  /** Stops every plugin, then gives the segment back. */
  async stop(reason = "homed is stopping"): Promise<void> {
    this.#stopping = true;
    await Promise.all([...this.#plugins.values()].map((plugin) => plugin.stop(reason)));
    await Promise.all([...this.#builtins.values()].map((builtin) => builtin.stop(reason)));
    this.#segment?.close();
    this.#segment = undefined;
    await this.#watchdog.close();
    await Promise.all([...this.#logs.values()].map((log) => log.flush()));
  }

  /** What `main` serves to the kernel. */
  handlers(): ReturnType<typeof kernelCalls> {
    return kernelCalls({
      stages: this.#stages,
      skills: this.skills,
      limits: this.#limits,
      connectionOf: (owner) => this.#connectionOf(owner),
      reload: (name) => this.reload(name),
    });
  }

  list(): PluginInfo[] {
    return [
      ...[...this.#builtins.values()].map((builtin) => builtin.info()),
      ...[...this.#plugins.values()].map((plugin) => plugin.info()),
      ...this.#broken.values(),
    ].sort((a, b) => a.name < b.name ? -1 : 1);
  }

  /** Reads the plugin's folder anew and replaces its process; when the new one does not start the old one stays.
   * @throws {HomedError} why not */
  async reload(name: string): Promise<{ state: string }> {
    const builtin = this.#builtins.get(name);
    if (builtin) {
      await builtin.stop("it is being reloaded");
      await builtin.start();
      return { state: builtin.info().state };
    }
    this.#mayChange();
    // One that was just put into the folder is not known yet.
    if (!PluginName.safeParse(name).success || !this.#folder.has(name)) throw this.#notThere(name);
    const installed = await this.#read(name);
    const known = this.#plugins.get(name);
    if (installed.kind === "skill" || !known || known.plugin.kind === "skill") {
      await known?.stop("it is being reloaded");
      this.#plugins.delete(name);
      await this.#load(name);
      await this.#scanSkills();
      const fresh = this.#plugins.get(name);
      if (!fresh) throw new HomedError("start", this.#broken.get(name)?.reason ?? "It cannot be loaded");
      await this.#startIfEnabled(fresh);
      return { state: fresh.state };
    }
    await known.reload(installed);
    await this.#defineSettings(installed);
    return { state: known.state };
  }

  /** What a package is and asks for.
   * @throws {HomedError} why it is refused */
  async inspect(file: string): Promise<PackageReport> {
    return (await openPackage(file, this.#packageContext())).report;
  }

  /** Installs the package whose report was shown and confirmed, or upgrades to it: a running plugin is replaced by a new
   * process first, and when that does not start, everything stays as it was.
   * @throws {HomedError} why not; nothing is left behind then */
  async install(file: string, confirm: { sha256: string }): Promise<{ name: string; state: string }> {
    this.#mayChange();
    const opened = await openPackage(file, this.#packageContext());
    if (opened.report.sha256 !== confirm.sha256) {
      throw new HomedError("package", "The package is not the one that was confirmed: look at it again");
    }
    const { name } = opened.manifest;
    const use = async (isUpgrade: boolean) => {
      if (!isUpgrade) await this.#startNew(name);
      else if (this.#plugins.get(name)?.state !== "disabled") await this.reload(name);
      else await this.#load(name);
    };
    const revert = async (isUpgrade: boolean) => {
      if (isUpgrade && !this.#plugins.has(name)) await this.#load(name);
      if (isUpgrade) return;
      this.#plugins.delete(name);
      this.#broken.delete(name);
      await this.#ports.settings.undefine(name, { values: true });
    };
    try {
      await this.#folder.put(opened, { use, revert });
    } catch (error) {
      throw new HomedError("package", `Plugin "${name}" is not installed: ${reasonOf(error)}`, { cause: error });
    }
    await this.#scanSkills();
    return { name, state: this.list().find((one) => one.name === name)?.state ?? "stopped" };
  }

  /** @throws when there is no plugin of this name, or it comes with homed */
  requireChangeable(name: string): void {
    this.#external(name);
  }

  async remove(name: string, { data, settings }: { data: boolean; settings: boolean }): Promise<void> {
    this.#mayChange();
    const plugin = this.#external(name);
    await plugin?.stop("it is being removed");
    this.#plugins.delete(name);
    this.#broken.delete(name);
    const { folders } = this.#ports;
    await this.#folder.remove(name);
    if (data) await removeFolder(`${folders.data}/${name}`);
    await this.#ports.settings.undefine(name, { values: settings });
    await this.#scanSkills();
  }

  async enable(name: string): Promise<void> {
    this.#mayChange();
    const plugin = this.#external(name);
    await this.#ports.settings.set(`plugin.${name}.enabled`, true, { kind: "host" });
    if (plugin) await this.#startIfEnabled(plugin);
    await this.#scanSkills();
  }

  async disable(name: string): Promise<void> {
    this.#mayChange();
    const plugin = this.#external(name);
    await this.#ports.settings.set(`plugin.${name}.enabled`, false, { kind: "host" });
    await plugin?.stop("it was switched off", "disabled");
    await this.#scanSkills();
  }

  /** The last lines of a plugin's log. */
  async logs(name: string, lines = 100): Promise<string[]> {
    if (!this.list().some((one) => one.name === name)) throw this.#notThere(name);
    return await this.#log(name).tail(lines);
  }

  async #startNew(name: string): Promise<void> {
    await this.#load(name);
    const plugin = this.#plugins.get(name);
    if (!plugin) throw new HomedError("start", this.#broken.get(name)?.reason ?? "it cannot be loaded");
    await this.#startIfEnabled(plugin);
    const { state, reason } = plugin.info();
    if (state === "failed" || state === "quarantined" || state === "backoff") {
      await plugin.stop("it did not start");
      throw new HomedError("start", reason ?? "it does not start");
    }
  }

  async #openSegment(): Promise<void> {
    const { folders, bus, segment = Deno.build.os !== "windows", log } = this.#ports;
    if (!segment) return;
    try {
      this.#segment = await createSegment({ run: folders.run, bus });
    } catch (error) {
      log.warn(`There is no shared segment, so plugins get everything inline: ${messageOf(error)}`);
    }
  }

  #packageContext() {
    const { version, folders, env } = this.#ports;
    return { version, home: folders.home, data: folders.data, userHome: env.HOME };
  }

  #external(name: string): Supervised | undefined {
    if (this.#builtins.has(name)) {
      throw new HomedError("builtin", `"${name}" comes with homed and cannot be removed or switched off`, {
        fix: `its tools are denied with homed config set "core.approval.${name}_*" deny`,
      });
    }
    const plugin = this.#plugins.get(name);
    if (!plugin && !this.#broken.has(name)) throw this.#notThere(name);
    return plugin;
  }

  #notThere(name: string): RpcError {
    const near = nearest(name, this.list().map((one) => one.name));
    return new RpcError(RPC_CODES.notFound, `There is no plugin "${name}"`, {
      data: { fix: near === undefined ? "homed plugin list shows every plugin" : `did you mean ${near}?` },
    });
  }

  #mayChange(): void {
    if (this.#stopping) throw new RpcError(RPC_CODES.shuttingDown, "homed is stopping");
  }

  async #connectionOf(owner: string): Promise<PluginConnection> {
    const builtin = this.#builtins.get(owner);
    if (builtin) return await builtin.ensure();
    const plugin = this.#plugins.get(owner);
    if (!plugin) throw this.#notThere(owner);
    const { connection } = plugin;
    if (connection) return connection;
    const { state, reason } = plugin.info();
    throw new RpcError(
      RPC_CODES.disconnected,
      `Plugin "${owner}" is not running: it is ${state}${reason ? ` as ${reason}` : ""}`,
    );
  }

  async #read(name: string): Promise<InstalledPlugin> {
    const { folders, version, env } = this.#ports;
    const plugin = await readPlugin(this.#folder.place(name));
    if (plugin.manifest.name !== name) {
      throw new HomedError("manifest", `The folder "${name}" holds a plugin with the name "${plugin.manifest.name}"`);
    }
    const about = { version, home: folders.home, dataDir: `${folders.data}/${name}` };
    checkManifest(plugin.manifest, { ...about, ...(env.HOME && { userHome: env.HOME }) });
    return plugin;
  }

  async #load(name: string): Promise<void> {
    this.#broken.delete(name);
    try {
      const plugin = await this.#read(name);
      await this.#defineSettings(plugin);
      this.#plugins.set(
        name,
        new Supervised(plugin, {
          ports: this.#ports,
          limits: this.#limits,
          spawn: (which, signal) => this.#spawn(which, signal),
          dropped: (connection) => this.#stages.drop(connection),
          changed: (supervised) => this.#tell(supervised.info()),
        }),
      );
    } catch (error) {
      const about = { version: "", kind: "native", description: "", tools: [], restarts: 0, capabilities: [] } as const;
      const info: PluginInfo = { name, ...about, tools: [], state: "failed", reason: messageOf(error) };
      this.#broken.set(name, info);
      this.#tell(info);
    }
  }

  async #defineSettings({ manifest }: InstalledPlugin): Promise<void> {
    await this.#ports.settings.define(manifest.name, {
      key: "enabled",
      type: "bool",
      default: true,
      owner: true,
      title: { en: "In use", zh: "启用" },
    });
    for (const def of manifest.config ?? []) await this.#ports.settings.define(manifest.name, def);
  }

  async #startIfEnabled(plugin: Supervised): Promise<void> {
    if (this.#ports.settings.get(`plugin.${plugin.name}.enabled`) === false) {
      return await plugin.stop("it is switched off", "disabled");
    }
    if (plugin.plugin.kind !== "skill") await plugin.start();
  }

  async #scanSkills(): Promise<void> {
    const { folders, settings } = this.#ports;
    const own = [...this.#plugins.values()].filter(({ plugin, name }) =>
      plugin.kind === "skill" && settings.get(`plugin.${name}.enabled`) !== false
    );
    await this.skills.scan([folders.skills, ...own.map(({ plugin }) => plugin.dir)]);
  }

  #spawn(plugin: InstalledPlugin, signal: AbortSignal): Promise<PluginInstance> {
    const { name } = plugin.manifest;
    return PluginInstance.start({
      plugin,
      ports: this.#ports,
      limits: this.#limits(),
      log: this.#log(name),
      watchdog: this.#watchdog,
      ledger: this.#ledger,
      segment: this.#segment,
      dataDir: `${this.#ports.folders.data}/${name}`,
      slot: ++this.#slot,
      connection: this.#surroundings(),
      signal,
    });
  }

  #wireBuiltin(
    spec: BuiltinSpec,
    about: { owner: string; capabilities: ReadonlySet<Capability>; transport: Transport },
  ): PluginConnection {
    const log = this.#ports.log.named(spec.name);
    return new PluginConnection({
      ...about,
      ...this.#surroundings(),
      dataDir: `${this.#ports.folders.data}/${spec.name}`,
      settings: spec.settings ?? [],
      ports: this.#ports,
      slot: ++this.#slot,
      segment: undefined,
      writeLog: (level, text, fields) => {
        const write = level === "debug" || level === "warn" || level === "error" ? log[level] : log.info;
        write(text, fields);
      },
    });
  }

  #surroundings() {
    return {
      host: this,
      room: (seq: number) => this.#stages.room(seq),
      channelOwner: (name: string) => this.#channelOwner(name),
    };
  }

  #channelOwner(name: string): string | undefined {
    for (const plugin of [...this.#builtins.values(), ...this.#plugins.values()]) {
      if (plugin.connection?.outputs().includes(name)) return plugin.connection.owner;
    }
  }

  #log(name: string): PluginLog {
    const known = this.#logs.get(name);
    if (known) return known;
    const log = new PluginLog(`${this.#ports.folders.logs}/plugins/${name}.log`, () => this.#ports.clock.now());
    this.#logs.set(name, log);
    return log;
  }

  #tell({ name, state, reason }: PluginInfo): void {
    const { bus, log } = this.#ports;
    bus.publish({ type: "plugin_state", source: name, payload: { name, state, ...(reason && { reason }) } });
    if (state === "failed" || state === "quarantined") log.warn(`Plugin "${name}" is ${state}: ${reason ?? ""}`);
    else if (state === "backoff") log.info(`Plugin "${name}" will be started again: ${reason ?? ""}`);
  }
}

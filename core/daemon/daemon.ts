import { HomedError, messageOf } from "../base/errors.ts";
import { readIfThere } from "../base/files.ts";
import { createLog, type Log, type LogLevel, type LogRecord } from "../base/log.ts";
import { progressOf } from "../base/progress.ts";
import { EventBus } from "../bus/mod.ts";
import { configuredSources, mayFindOllama, Registry, type SettingChange, type SettingWarning } from "../config/mod.ts";
import type { ChatReply, InputParams, NewEvent, PluginCall, SourceSecrets } from "../wire/mod.ts";
import { RPC_CODES, RpcError } from "../wire/mod.ts";
import type { Handler } from "../wire/peer.ts";
import type { Params } from "../wire/rpc.ts";
import { scriptFinder } from "./adapter_scripts.ts";
import { CONVERSATION_OWNER, ConversationOutputs } from "./conversation_outputs.ts";
import { mentionOf, textsIn } from "../../memory/mention.ts";
import { forgetInLogs } from "./forget_logs.ts";
import { type Home, prepareHome } from "./home.ts";
import { HomeLock } from "./lock.ts";
import { LongWork } from "./long_work.ts";
import { LogFile } from "./log_file.ts";
import { type PartEntries, Parts } from "./parts.ts";
import { KernelDoor } from "./kernel_door.ts";
import type { BuiltinWorker } from "../../plugins/sdk/builtin.ts";
import type { PluginSubsystem, PluginSubsystemFactory, PluginSurroundings } from "./plugins.ts";
import { bringToSchema } from "./schema.ts";
import { serveOwner } from "./serve_owner.ts";
import { settingWarnings } from "./setting_warnings.ts";
import { SocketServer } from "./socket_server.ts";
import type { PluginRow } from "../wire/owner.ts";
import { SCHEMA, VERSION } from "./version.ts";

/** What the daemon takes from the room of the adapters. */
export interface AdapterRoom {
  /** The text of a built-in adapter. */
  builtinScript(name: string): string | undefined;
  readLuaWasm(): Promise<Uint8Array>;
  /** The models of an Ollama on this machine; undefined when there is none. */
  findOllama(base_url: string): Promise<{ base_url: string; model: string } | undefined>;
}

export interface DaemonOptions {
  home: Home;
  env: Readonly<Record<string, string>>;
  entries: PartEntries;
  adapters: AdapterRoom;
  /** Makes what runs the plugins; without it there are none. */
  plugins?: PluginSubsystemFactory;
  /** Gets every log line besides the file. Must not throw. */
  onLog?: (record: LogRecord) => void;
  /** `stop` was called over the socket. Must not throw. */
  onStop?: () => void;
  /** So many threads hang for good that the process should be begun anew. Must not throw. */
  onExhausted?: () => void;
}

/** How long plugins may keep the start waiting. */
const PLUGINS_WAIT = 2000;
/** What must be done between two turns waits this long for the running one, and looks this often. Milliseconds. */
const LONGEST_TURN = 120_000;
const LOOK = 100;

/** A running homed: it holds the home, owns the workers and serves the socket. */
export class Daemon {
  readonly home: Home;
  readonly registry: Registry;
  readonly bus: EventBus;
  readonly log: Log;
  readonly parts: Parts;
  readonly kernel: KernelDoor;
  readonly outputs = new ConversationOutputs();
  readonly since = new Date().toISOString();
  readonly notices: string[] = [];
  readonly work = new LongWork();
  readonly options: DaemonOptions;
  /** Address of the web page, when it is on. */
  page: string | null = null;
  readonly #lock: HomeLock;
  readonly #logFile: LogFile;
  #sources: SourceSecrets[] = [];
  #brokenSources: { source: string; message: string }[] = [];
  #socket: SocketServer | undefined;
  #applying: Promise<void> = Promise.resolve();
  /** Messages wait here while the home is being copied. */
  #gate: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;
  #plugins: PluginSubsystem | undefined;

  private constructor(options: DaemonOptions, held: { lock: HomeLock; registry: Registry; logFile: LogFile }) {
    const { home, onLog } = options;
    this.options = options;
    this.home = home;
    this.registry = held.registry;
    this.#lock = held.lock;
    this.#logFile = held.logFile;
    this.log = createLog("main", (record) => this.#write(record, onLog));
    this.bus = new EventBus({ onProblem: (text) => this.log.warn(text) });
    this.kernel = new KernelDoor(() => this.parts.kernel.peer);
    const common = this.#commonHandlers();
    this.parts = new Parts({
      home,
      registry: this.registry,
      log: this.log,
      entries: options.entries,
      handlers: { kernel: { ...common, ...this.#kernelHandlers() }, memory: common, lua: common },
      sources: () => this.#sources,
      brokenSources: () => this.#brokenSources,
      skills: () => this.#plugins?.skills() ?? [],
      readLuaWasm: () => options.adapters.readLuaWasm(),
      onKernel: () => this.kernel.replay(this.parts.kernel.peer),
      onNotice: (text, level) => this.notice(text, level),
      onExhausted: () => options.onExhausted?.(),
    });
  }

  /** Takes the home and starts everything; ready to talk when it resolves.
   * @throws {HomedError} codes `home`, `locked`, `newer_home`, `migration` */
  static async start(options: DaemonOptions): Promise<Daemon> {
    const { home, env } = options;
    prepareHome(home);
    using stack = new DisposableStack();
    const lock = stack.use(HomeLock.take(home.lock));
    const migrated = bringToSchema(home.root, { schema: SCHEMA, version: VERSION });
    const registry = stack.use(Registry.open(home.config, { env }));
    const logFile = new LogFile(home.log, {
      level: registry.text("core.daemon.log_level") as LogLevel,
      maxBytes: registry.number("core.log.max_bytes"),
      keep: registry.number("core.log.keep"),
      scrub: (text) => registry.scrub(text),
    });
    stack.defer(() => logFile.close());
    const daemon = new Daemon(options, { lock, registry, logFile });
    for (const text of [migrated, ...registry.notices, ...registry.problems()]) if (text) daemon.notice(text, "warn");
    try {
      await daemon.#begin();
    } catch (error) {
      await daemon.#plugins?.stop();
      for (const part of daemon.parts.all) part.end("homed could not start");
      await daemon.#socket?.close();
      throw error;
    }
    stack.move();
    return daemon;
  }

  /** Where clients find it. */
  get socketPlace(): string {
    return this.#socket?.place ?? "";
  }

  get clients(): number {
    return this.#socket?.clients ?? 0;
  }

  /** The sources that can be asked now. */
  get sources(): readonly SourceSecrets[] {
    return this.#sources;
  }

  /** Sources that somebody set up and that cannot be asked, each with the reason. */
  get brokenSources(): readonly { source: string; message: string }[] {
    return this.#brokenSources;
  }

  /** Settings that name what is not there now, with what is used instead and what to do. */
  get warnings(): SettingWarning[] {
    return settingWarnings(this);
  }

  /** The threads of built-in plugins. */
  get pluginWorkers(): BuiltinWorker[] {
    return this.#plugins?.workers() ?? [];
  }

  /** Every plugin and how it is. */
  get plugins(): PluginRow[] {
    return this.#plugins?.list() ?? [];
  }

  /** The methods of one client, over the socket or in the process. */
  methodsFor(client: { notify(method: string, params: Params): void; closing: AbortSignal }): Record<string, Handler> {
    void this.#prepare();
    return { ...serveOwner(this, client), ...this.#plugins?.ownerMethods };
  }

  /** Runs a turn. A message that no kernel had begun on when its kernel was lost goes to the next one, but not for ever:
   * it may be what the kernels die of. */
  async send(params: InputParams, onEvent: (params: Params) => void): Promise<ChatReply> {
    for (let lost = 0;; lost++) {
      await this.#gate;
      await this.parts.ready;
      let begun = false;
      using stack = new DisposableStack();
      try {
        return await this.parts.kernel.peer.call("chat.send", params, {
          onEvent: (method, event) => {
            if (method !== "chat.event") return;
            if (!begun && typeof event.turn === "string") stack.use(this.outputs.awaiting(event.turn));
            begun = true;
            onEvent(event);
          },
        });
      } catch (error) {
        if (!(error instanceof RpcError) || error.code !== RPC_CODES.disconnected || this.#stopped) throw error;
        if (begun || lost >= 2) {
          throw new RpcError(RPC_CODES.disconnected, "The kernel was lost while it worked on this message", {
            data: { fix: "the message is kept; ask again, or say that it should go on" },
            cause: error,
          });
        }
        await this.parts.ready;
      }
    }
  }

  /** Resolves when every change of settings so far is in force. */
  settled(): Promise<void> {
    return this.#applying;
  }

  /** Runs `work` while nothing writes to the home's memory; messages wait meanwhile. */
  async whileQuiet<R>(work: () => Promise<R>): Promise<R> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#gate;
    this.#gate = before.then(() => promise);
    await before;
    try {
      return await this.parts.withMemoryClosed(work);
    } finally {
      resolve();
    }
  }

  /** Reads settings and persona again. */
  async reload(): Promise<void> {
    this.registry.reload(this.options.env);
    this.#apply([]);
    await this.settled();
  }

  /** Runs `work` while no turn runs; messages wait meanwhile.
   * @throws RpcError when the running turn does not end in time */
  async betweenTurns<R>(work: () => Promise<R>): Promise<R> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#gate;
    this.#gate = before.then(() => promise);
    await before;
    try {
      for (let waited = 0; (await this.kernel.call("kernel.status", {})).busy; waited += LOOK) {
        if (waited >= LONGEST_TURN) {
          throw new RpcError(RPC_CODES.timedOut, "A turn has been running for too long: nothing was changed", {
            data: { fix: "interrupt it, or wait for its end, and try again" },
          });
        }
        await new Promise((done) => setTimeout(done, LOOK));
      }
      return await work();
    } finally {
      resolve();
    }
  }

  /** Takes what names someone out of what is kept beside the memory: the logs, also the file that is open, and what
   * built-in plugins keep; `dryRun` only counts. `named_in`: the person's own texts that still name them. */
  async forgetElsewhere(
    names: string[],
    options: { dryRun: boolean },
  ): Promise<{ counts: Record<string, number>; named_in: string[] }> {
    const mentions = mentionOf(names);
    const plugins = await this.#plugins?.forget(mentions, options) ?? {};
    if (!options.dryRun) this.#logFile.close();
    const settings = this.registry.list("core.agent.").filter(({ value }) => mentions(textsIn(value)));
    const persona = readIfThere(this.home.path("persona.md"));
    return {
      counts: { ...plugins, log_lines: forgetInLogs(this.home, mentions, options) },
      named_in: [
        ...settings.map(({ key }) => key),
        ...(persona !== undefined && mentions(persona) ? ["persona.md"] : []),
      ],
    };
  }

  notice(text: string, level: "info" | "warn" | "error" = "warn"): void {
    const clean = this.registry.scrub(text);
    this.log[level](clean);
    if (level === "info") return;
    this.notices.push(clean);
    if (this.notices.length > 100) this.notices.shift();
    this.bus.publish({ type: level === "error" ? "error" : "health", source: "main", payload: { text: clean } });
  }

  /** Takes everything down in order and gives the home back. */
  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Who connects is about to ask something. A part may be closed at the moment: it prepares itself when asked. */
  async #prepare(): Promise<void> {
    try {
      await this.parts.kernel.peer.call("kernel.prepare", {});
      await this.parts.memory.peer.call("memory.prepare", {});
    } catch (error) {
      this.log.debug(`Nothing is prepared: ${messageOf(error)}`);
    }
  }

  async #begin(): Promise<void> {
    this.log.info(`homed ${VERSION} starts`, { home: this.home.root, pid: Deno.pid });
    await this.#findSources();
    // The plugins' code is loaded while the workers start.
    const made = this.options.plugins?.(this.#surroundings());
    const [plugins] = await Promise.all([made, this.parts.start()]);
    this.#plugins = plugins;
    await this.kernel.call("channels.register", { owner: CONVERSATION_OWNER, channel: this.outputs.channel });
    await this.#startPlugins();
    const path = this.registry.text("core.daemon.socket");
    this.#socket = new SocketServer({
      home: this.home,
      ...(path !== "" && { path: this.home.path(path) }),
      log: this.log.named("socket"),
      maxClients: this.registry.number("core.daemon.max_clients"),
      methods: (client) => this.methodsFor(client),
    });
    this.registry.onChange((changes) => this.#apply(changes));
    for (const { text, fix } of this.warnings) this.log.warn(`${text}: ${fix}`);
    this.log.info("homed is ready", { socket: this.socketPlace });
  }

  /** Starts the plugins. One that is slow to start does not keep the others, or a conversation, waiting. */
  async #startPlugins(): Promise<void> {
    if (!this.#plugins) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => timer = setTimeout(resolve, PLUGINS_WAIT));
    const started = this.#plugins.start().catch((error) => this.notice(`Plugins: ${messageOf(error)}`, "error"));
    await Promise.race([started, late]);
    clearTimeout(timer);
  }

  async #end(): Promise<void> {
    this.log.info("homed stops");
    this.#socket?.stopAccepting();
    await this.#plugins?.stop();
    await this.parts.stop(this.registry.duration("core.daemon.stop_grace"));
    await this.#socket?.close();
    this.log.info("homed has stopped");
    this.#logFile.close();
    this.registry.close();
    this.#lock.release();
  }

  /** The sources of the settings; with none at all, an Ollama that runs on this machine. */
  async #findSources(): Promise<void> {
    const { adapters } = this.options;
    const find = scriptFinder(this.home, (name) => adapters.builtinScript(name));
    const { sources, problems } = await configuredSources(this.registry, find);
    for (const { message } of problems) this.notice(message, "warn");
    this.#sources = sources;
    this.#brokenSources = problems;
    if (sources.length > 0 || problems.length > 0 || !mayFindOllama(this.registry)) return;
    const ollama = await adapters.findOllama(this.registry.text("core.llm.sources.ollama.base_url"));
    if (!ollama) return;
    const found = await configuredSources(this.registry, find, { ollama });
    this.#sources = found.sources;
    if (found.sources.length > 0) this.log.info(`An Ollama was found on this machine; ${ollama.model} answers`);
  }

  #apply(changes: SettingChange[]): void {
    for (const { key, value } of changes) {
      this.bus.publish({ type: "config_changed", source: "main", payload: { key, value } });
    }
    // Plugins look at their own settings themselves.
    if (changes.length > 0 && changes.every(({ key }) => key.startsWith("plugin."))) return;
    this.#applying = this.#applying.then(async () => {
      this.#logFile.configure({
        level: this.registry.text("core.daemon.log_level") as LogLevel,
        maxBytes: this.registry.number("core.log.max_bytes"),
        keep: this.registry.number("core.log.keep"),
      });
      await this.#findSources();
      await this.parts.configure();
    }).catch((error) => this.notice(`A change of settings is not in force: ${messageOf(error)}`, "error"));
  }

  #commonHandlers(): Record<string, Handler> {
    return {
      "log": ({ record }: { record: LogRecord }) => {
        if (record.fields?.notice === true) this.notice(record.text, "warn");
        else this.#write(record, this.options.onLog);
        return {};
      },
      "event": ({ event }: { event: NewEvent }) => {
        this.bus.publish(event);
        return {};
      },
    };
  }

  #kernelHandlers(): Record<string, Handler> {
    const none = (params: { owner?: string; name?: string }) => {
      throw new RpcError(RPC_CODES.notFound, `There is no plugin or skill "${params.owner ?? params.name}"`);
    };
    const toPlugins = (call: PluginCall): Handler => (params, context) => {
      const handler = this.#plugins?.kernelHandlers[call] as Handler | undefined;
      return (handler ?? none)(params, context);
    };
    return {
      "tool.invoke": toPlugins("tool.invoke"),
      "stage.invoke": toPlugins("stage.invoke"),
      "output.invoke": (params, context) =>
        params.owner === CONVERSATION_OWNER
          ? this.outputs.deliver(params)
          : toPlugins("output.invoke")(params, context),
      "cleaner.invoke": toPlugins("cleaner.invoke"),
      "plugin.reload": toPlugins("plugin.reload"),
      "skill.activate": toPlugins("skill.activate"),
      "skill.file": toPlugins("skill.file"),
      "approval.detail": toPlugins("approval.detail"),
      "approval.remember": ({ tool, policy }: { tool: string; policy: "allow" | "deny" }) => {
        this.registry.set(`core.approval.${tool}`, policy, "owner");
        return {};
      },
    };
  }

  #surroundings(): PluginSurroundings {
    return {
      home: this.home,
      registry: this.registry,
      bus: this.bus,
      log: this.log,
      env: this.options.env,
      kernel: this.kernel,
      memory: { call: (method, params, options) => this.parts.memory.peer.call(method, params, options) },
      send: (params) => this.send({ ...params, trusted: false }, () => {}),
      skillsChanged: () => this.#apply([]),
    };
  }

  #write(record: LogRecord, also: ((record: LogRecord) => void) | undefined): void {
    this.#logFile.write(record);
    const progress = progressOf(record.fields);
    if (progress) this.work.tell(progress);
    also?.(JSON.parse(this.registry.scrub(JSON.stringify(record))) as LogRecord);
  }
}

/** Whether an error says that another process holds the home. */
export function isLocked(error: unknown): error is HomedError {
  return error instanceof HomedError && error.code === "locked";
}

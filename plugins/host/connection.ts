import { messageOf } from "../../core/base/mod.ts";
import {
  type Capability,
  type ChannelDef,
  type CoreMethods,
  type EventType,
  type InputDef,
  Peer,
  type PluginMethods,
  type PluginSetting,
  RPC_CODES,
  RpcError,
  type ToolDef,
  type Transport,
} from "../../core/wire/mod.ts";
import type { CoreCaller, HostApi } from "./caller.ts";
import { type Doorbell, EventFeed } from "./event_feed.ts";
import { coreHandlers } from "./methods.ts";
import { packFields, type SliceStore, unpackFields } from "./payload.ts";
import type { HostPorts } from "./ports.ts";
import { checkQuota } from "./quota.ts";
import type { Participant, StageRoom } from "./stage_room.ts";

type Params<M extends keyof CoreMethods> = CoreMethods[M]["params"];

export interface ConnectionOptions {
  owner: string;
  capabilities: ReadonlySet<Capability>;
  dataDir: string;
  settings: readonly PluginSetting[];
  transport: Transport;
  ports: HostPorts;
  host: HostApi;
  /** A small number of its own, for the lock word. */
  slot: number;
  /** Which running plugin has this output channel. */
  channelOwner(name: string): string | undefined;
  /** The stage that is running under this number. */
  room(seq: number): StageRoom | undefined;
  /** The segment's slices and ring, while there is one; used once the plugin has said that it maps it. */
  segment: { slices: SliceStore; doorbell: Doorbell } | undefined;
  writeLog(level: string, text: string, fields?: Record<string, unknown>): void;
  /** A program that the system itself holds to the manifest. */
  lockedIn?: boolean;
  /** Ends the plugin's process; absent for what cannot be ended (in this process). */
  kill?: (reason: string) => Promise<void>;
}

/** How a call of a plugin's method may end early. */
export interface InvokeOptions {
  signal?: AbortSignal;
  /** Milliseconds it may take. */
  timeout: number;
  /** Milliseconds it may go on after it was cancelled, before its process is ended. */
  grace: number;
  /** Named in the error: `tool "weather_today"`. */
  what: string;
}

/** Channels through which the owner is spoken to: no plugin from outside stands in for them. */
const OWN_CHANNELS: ReadonlySet<string> = new Set(["cli", "web", "webui", "timer", "agentcli", "_consolidation_"]);

/** How programs say that the system refused them something. */
const REFUSED_BY_SYSTEM = /permission ?denied|operation not permitted|EACCES|EPERM|NotCapable/i;

/** A cancelled call that has used up its grace. */
const OVERDUE = Symbol("overdue");

/** homed's end of the line to one plugin, of any kind: its registrations, its calls in both directions, and what it may
 * do. The plugin is known by this connection, whatever names it sends. */
export class PluginConnection implements CoreCaller, Participant {
  readonly owner: string;
  readonly capabilities: ReadonlySet<Capability>;
  readonly dataDir: string;
  readonly ports: HostPorts;
  readonly host: HostApi;
  readonly slot: number;
  readonly peer: Peer<PluginMethods>;
  readonly #options: ConnectionOptions;
  readonly #tools = new Map<string, ToolDef>();
  readonly #stages = new Map<string, Params<"core.stage.register">>();
  readonly #outputs = new Map<string, ChannelDef>();
  readonly #inputs = new Map<string, InputDef>();
  readonly #apis: Params<"core.api.register">[] = [];
  readonly #defs: PluginSetting[];
  readonly #feed: EventFeed;
  #shared = false;
  #published = false;
  #autoRestart = true;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.owner = options.owner;
    this.capabilities = options.capabilities;
    this.dataDir = options.dataDir;
    this.ports = options.ports;
    this.host = options.host;
    this.slot = options.slot;
    this.#defs = [...options.settings];
    this.peer = new Peer<PluginMethods>(options.transport, {
      name: `plugin "${options.owner}"`,
      answerGarbage: true,
      onProblem: (text) => options.writeLog("warn", text),
    });
    this.#feed = new EventFeed({
      bus: options.ports.bus,
      notify: (params) => this.peer.notify("events.wake", params),
    });
    const handlers = Object.entries(coreHandlers(this)).map(([method, handler]) =>
      [method, async (params: unknown, context: Parameters<typeof handler>[1]) => {
        const result = await handler(this.#unpack(params as Record<string, unknown>), context);
        return result;
      }] as const
    );
    this.peer.serve(Object.fromEntries(handlers));
    this.peer.open();
    void this.peer.closed.then(() => this.#feed.close());
  }

  /** Says that the plugin maps the segment. */
  set shared(shared: boolean) {
    this.#shared = shared && this.#options.segment !== undefined;
    if (this.#shared) this.#feed.useRing(this.#options.segment!.doorbell);
  }

  get shared(): boolean {
    return this.#shared;
  }

  get autoRestart(): boolean {
    return this.#autoRestart;
  }

  get tools(): string[] {
    return [...this.#tools.keys()];
  }

  /** HTTP routes it asked for. */
  get apis(): readonly Params<"core.api.register">[] {
    return this.#apis;
  }

  /** Tells the kernel all that was registered so far, and from now on each registration as it comes.
   * @throws when the kernel refuses one */
  async publish(): Promise<void> {
    const { kernel } = this.ports;
    const { owner } = this;
    if (this.#tools.size > 0) {
      const { rejected } = await kernel.call("tools.register", { owner, tools: [...this.#tools.values()] });
      if (rejected.length > 0) throw refusedTool(rejected[0]!);
    }
    for (const channel of this.#outputs.values()) await kernel.call("channels.register", { owner, channel });
    for (const input of this.#inputs.values()) await kernel.call("inputs.register", { owner, input });
    for (const { stage, scope } of this.#stages.values()) {
      await kernel.call("stages.register", { owner, stage, ...(scope && { scope }) });
    }
    this.#published = true;
  }

  /** Calls the plugin; when it does not end in time, or after it was cancelled, its process is ended. Settles only when
   * the work is over, or says that it is not.
   * @throws {RpcError} −32004 on a timeout; the signal's reason when cancelled; what the plugin answered */
  async invoke<M extends keyof PluginMethods>(
    method: M,
    params: PluginMethods[M]["params"],
    { signal, timeout, grace, what }: InvokeOptions,
  ): Promise<PluginMethods[M]["result"]> {
    signal?.throwIfAborted();
    const { packed, release } = this.#pack(params as Record<string, unknown>);
    const overdue = Promise.withResolvers<typeof OVERDUE>();
    let cancel: (reason: unknown) => void = () => {};
    let stopped: { reason: unknown } | undefined;
    let graceTimer: ReturnType<typeof setTimeout> | undefined;
    const stop = (reason: unknown) => {
      if (stopped) return;
      stopped = { reason };
      graceTimer = setTimeout(() => overdue.resolve(OVERDUE), grace);
      cancel(reason);
    };
    const onAbort = () => stop(signal!.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    const timer = setTimeout(() => {
      const text = `The ${what} of plugin "${this.owner}" did not end in ${timeout} ms and was stopped`;
      stop(new RpcError(RPC_CODES.timedOut, text));
    }, Math.max(0, timeout));
    const call = this.peer.call(method, packed as PluginMethods[M]["params"], {
      patient: true,
      onOpen: (given) => cancel = given,
    });
    try {
      const outcome = await Promise.race([call, overdue.promise]).catch((error: unknown) => {
        throw stopped ? (stopped as { reason: unknown }).reason : this.#explain(error);
      });
      if (outcome === OVERDUE) {
        call.catch(() => {/* told below */});
        await this.#endWork(what);
      }
      if (stopped) throw (stopped as { reason: unknown }).reason;
      return this.#unpack(outcome as Record<string, unknown>) as PluginMethods[M]["result"];
    } finally {
      clearTimeout(timer);
      clearTimeout(graceTimer);
      signal?.removeEventListener("abort", onAbort);
      release();
    }
  }

  close(reason: string): void {
    this.#feed.close();
    this.#options.segment?.slices.releaseAll(this.slot);
    this.peer.close(reason);
  }

  // What the method table asks for.

  async registerTool(tool: Params<"core.tool.register">): Promise<Record<never, never>> {
    const { name } = tool;
    if (!name.startsWith(`${this.owner}_`)) {
      throw new RpcError(
        RPC_CODES.invalidParams,
        `Plugin "${this.owner}" cannot register the tool "${name}": the names of its tools begin with "${this.owner}_"`,
      );
    }
    if (this.#tools.has(name)) throw new RpcError(RPC_CODES.conflict, `The tool "${name}" is registered already`);
    checkQuota(this, "tools", this.#tools.size);
    const def = tool as ToolDef;
    this.#tools.set(name, def);
    if (this.#published) {
      const { rejected } = await this.ports.kernel.call("tools.register", { owner: this.owner, tools: [def] });
      if (rejected.length > 0) {
        this.#tools.delete(name);
        throw refusedTool(rejected[0]!);
      }
    }
    return {};
  }

  async registerStage(params: Params<"core.stage.register">): Promise<Record<never, never>> {
    const { stage, scope } = params;
    this.#stages.set(stage, params);
    if (this.#published) {
      await this.ports.kernel.call("stages.register", { owner: this.owner, stage, ...(scope && { scope }) });
    }
    return {};
  }

  async registerOutput(channel: Params<"core.output.register">): Promise<Record<never, never>> {
    const def = channel as ChannelDef;
    if (this.#outputs.has(def.name)) {
      throw new RpcError(RPC_CODES.conflict, `The channel "${def.name}" is registered already`);
    }
    if (OWN_CHANNELS.has(def.name) && !this.capabilities.has("host")) {
      throw new RpcError(RPC_CODES.conflict, `The channel "${def.name}" is homed's own: choose another name`);
    }
    const owner = this.#options.channelOwner(def.name);
    if (owner !== undefined && owner !== this.owner) {
      throw new RpcError(RPC_CODES.conflict, `The channel "${def.name}" belongs to plugin "${owner}"`);
    }
    checkQuota(this, "outputs", this.#outputs.size);
    this.#outputs.set(def.name, def);
    if (this.#published) await this.ports.kernel.call("channels.register", { owner: this.owner, channel: def });
    return {};
  }

  async registerInput(input: Params<"core.input.register">): Promise<Record<never, never>> {
    const def = input as InputDef;
    if (!this.#inputs.has(def.name)) checkQuota(this, "inputs", this.#inputs.size);
    this.#inputs.set(def.name, def);
    if (this.#published) await this.ports.kernel.call("inputs.register", { owner: this.owner, input: def });
    return {};
  }

  registerApi(route: Params<"core.api.register">): Record<never, never> {
    checkQuota(this, "apis", this.#apis.length);
    this.#apis.push(route);
    return {};
  }

  outputs(): string[] {
    return [...this.#outputs.keys()];
  }

  lockStage(
    { seq, have }: Params<"core.stage.lock">,
    signal: AbortSignal,
  ): Promise<CoreMethods["core.stage.lock"]["result"]> {
    return this.#room(seq).lock(this, { signal, ...(have !== undefined && { have }) });
  }

  unlockStage(params: Params<"core.stage.unlock">): CoreMethods["core.stage.unlock"]["result"] {
    const { seq, ...given } = params;
    return this.#room(seq).unlock(this, given);
  }

  allocSlice(size: number): { offset: number } {
    const slices = this.#shared ? this.#options.segment?.slices : undefined;
    const offset = slices?.alloc(size, this.slot);
    if (offset === undefined) {
      throw new RpcError(RPC_CODES.tooLarge, `There is no room for a slice of ${size} bytes: send it in parts`);
    }
    return { offset };
  }

  freeSlice(offset: number): void {
    this.#options.segment?.slices.free(offset, this.slot);
  }

  setAutoRestart(enabled: boolean): void {
    this.#autoRestart = enabled;
  }

  settingDefs(): PluginSetting[] {
    return [...this.#defs];
  }

  async registerDef(def: PluginSetting): Promise<void> {
    const at = this.#defs.findIndex(({ key }) => key === def.key);
    if (at === -1) checkQuota(this, "settings", this.#defs.length);
    await this.ports.settings.define(this.owner, def);
    if (at === -1) this.#defs.push(def);
    else this.#defs[at] = def;
  }

  writeLog(level: string, text: string, fields?: Record<string, unknown>): void {
    this.#options.writeLog(level, text, fields);
  }

  subscribe(types: EventType[]): { cursor: number } {
    return { cursor: this.#feed.subscribe(types) };
  }

  unsubscribe(types?: EventType[]): void {
    this.#feed.unsubscribe(types);
  }

  #room(seq: number): StageRoom {
    const room = this.#options.room(seq);
    if (!room) throw new RpcError(RPC_CODES.notFound, `There is no stage ${seq} running`);
    return room;
  }

  /** A native plugin only knows that the system refused it something: what would allow that is said here. */
  #explain(error: unknown): unknown {
    if (!this.#options.lockedIn || !(error instanceof RpcError) || !REFUSED_BY_SYSTEM.test(error.message)) return error;
    const message =
      `${error.message} (homed holds plugin "${this.owner}" to its plugin.json: what it may touch outside ` +
      `its own folders stands in "permissions.read", "permissions.write", "permissions.net" and "permissions.run")`;
    return new RpcError(error.code, message, { data: error.data, cause: error });
  }

  async #endWork(what: string): Promise<void> {
    const { kill } = this.#options;
    if (!kill) {
      throw new RpcError(
        RPC_CODES.timedOut,
        `The ${what} of "${this.owner}" was told to stop and has not: it is still running`,
      );
    }
    try {
      await kill(`its ${what} did not stop`);
    } catch (error) {
      throw new RpcError(RPC_CODES.timedOut, `The ${what} of "${this.owner}" could not be ended: ${messageOf(error)}`);
    }
  }

  #pack(fields: Record<string, unknown>): { packed: Record<string, unknown>; release: () => void } {
    const slices = this.#shared ? this.#options.segment?.slices : undefined;
    if (!slices) return { packed: fields, release: () => {} };
    const offsets: number[] = [];
    const packed = packFields(fields, {
      write(bytes) {
        const offset = slices.alloc(bytes.length, 0);
        if (offset === undefined) return undefined;
        slices.write(offset, bytes);
        offsets.push(offset);
        return offset;
      },
    });
    return { packed, release: () => offsets.forEach((offset) => slices.free(offset, 0)) };
  }

  #unpack(fields: Record<string, unknown>): Record<string, unknown> {
    const slices = this.#shared ? this.#options.segment?.slices : undefined;
    if (!slices) return fields;
    const read: number[] = [];
    try {
      return unpackFields(fields, {
        read: (offset, length) => {
          read.push(offset);
          return slices.read(offset, length, this.slot);
        },
      });
    } finally {
      for (const offset of read) slices.free(offset, this.slot);
    }
  }
}

function refusedTool({ name, reason }: { name: string; reason: string }): RpcError {
  return new RpcError(RPC_CODES.conflict, `Cannot register the tool "${name}": ${reason}`);
}

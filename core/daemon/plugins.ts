import { RPC_CODES, RpcError } from "../wire/mod.ts";
import type { Handler } from "../wire/peer.ts";
import type { ChannelDef, InputDef, KernelMethods, MainMethods, ToolDef } from "../wire/kernel.ts";
import type { Peer } from "../wire/peer.ts";
import type { Stage } from "../wire/stage.ts";

/** What a running plugin offers, whatever its kind: its registrations as data, and who carries them out. */
export interface PluginOwner {
  name: string;
  tools?: ToolDef[];
  channels?: ChannelDef[];
  inputs?: InputDef[];
  stages?: { stage: Stage; scope?: "global" | "own-tools" }[];
  invokeTool?(params: MainMethods["tool.invoke"]["params"], signal: AbortSignal): Promise<{ result: unknown }>;
  invokeStage?(params: MainMethods["stage.invoke"]["params"]): Promise<MainMethods["stage.invoke"]["result"]["patch"]>;
  invokeOutput?(params: MainMethods["output.invoke"]["params"]): Promise<{ status: string; id?: string }>;
  clean?(name: string, text: string): Promise<string>;
}

/** Everything that is a plugin, as the daemon sees it. */
export interface PluginSubsystem {
  /** Starts what is installed and enabled. Trouble of one plugin is its own: it comes back as a notice. */
  start(): Promise<{ notices: string[] }>;
  /** Registers everything with a kernel that was just started. */
  registerWith(kernel: Peer<KernelMethods>): Promise<void>;
  /** What the kernel asks of plugins. */
  readonly kernelHandlers: Record<string, Handler>;
  /** `plugin.*` of the local socket. */
  readonly ownerMethods: Record<string, Handler>;
  skills(): { name: string; description: string }[];
  stop(): Promise<void>;
}

/** Makes the plugin subsystem of a daemon. */
export type PluginSubsystemFactory = (daemon: PluginDaemon) => PluginSubsystem;

/** What the daemon gives the plugin subsystem. */
export interface PluginDaemon {
  /** Registers an owner with the running kernel, and with every later one. */
  register(owner: PluginOwner): Promise<void>;
  /** Takes everything of an owner back. */
  detach(name: string, reason: string): Promise<void>;
}

/** The owners that are running, and the way from a kernel's call to the one it is for. */
export class PluginOwners {
  readonly #owners = new Map<string, PluginOwner>();
  readonly #kernel: () => Peer<KernelMethods> | undefined;

  constructor(kernel: () => Peer<KernelMethods> | undefined) {
    this.#kernel = kernel;
  }

  /** Adds an owner, at once known to the kernel.
   * @throws {RpcError} −32003 when there is one of that name; −32602 when the kernel refuses one of its tools */
  async register(owner: PluginOwner): Promise<void> {
    if (this.#owners.has(owner.name)) {
      throw new RpcError(RPC_CODES.conflict, `There is already a plugin "${owner.name}"`);
    }
    this.#owners.set(owner.name, owner);
    const kernel = this.#kernel();
    if (kernel) await announce(owner, kernel);
  }

  async detach(name: string, reason: string): Promise<void> {
    if (this.#owners.delete(name)) await this.#kernel()?.call("owner.detach", { owner: name, reason });
  }

  /** Tells a kernel that was just started of everyone. */
  async registerWith(kernel: Peer<KernelMethods>): Promise<void> {
    for (const owner of this.#owners.values()) await announce(owner, kernel);
  }

  get names(): string[] {
    return [...this.#owners.keys()];
  }

  /** The kernel's calls that are for a plugin. */
  readonly kernelHandlers: Record<string, Handler> = {
    "tool.invoke": (params: MainMethods["tool.invoke"]["params"], { signal }) => {
      const owner = this.#owner(params.owner);
      if (!owner.invokeTool) throw missing(owner.name, `tool "${params.name}"`);
      return owner.invokeTool(params, signal);
    },
    "stage.invoke": async (params: MainMethods["stage.invoke"]["params"]) => {
      const errors: { owner: string; message: string }[] = [];
      const patches = await Promise.all(params.owners.map(async (name) => {
        try {
          return await this.#owner(name).invokeStage?.(params) ?? {};
        } catch (error) {
          errors.push({ owner: name, message: RpcError.from(error).message });
          return {};
        }
      }));
      return { patch: Object.assign({}, ...patches), errors };
    },
    "output.invoke": (params: MainMethods["output.invoke"]["params"]) => {
      const owner = this.#owner(params.owner);
      if (!owner.invokeOutput) throw missing(owner.name, `channel "${params.channel}"`);
      return owner.invokeOutput(params);
    },
    "cleaner.invoke": async ({ owner, name, text }: MainMethods["cleaner.invoke"]["params"]) => ({
      text: await this.#owner(owner).clean?.(name, text) ?? text,
    }),
  };

  #owner(name: string): PluginOwner {
    const owner = this.#owners.get(name);
    if (!owner) throw new RpcError(RPC_CODES.notFound, `The plugin "${name}" is not running`);
    return owner;
  }
}

async function announce(owner: PluginOwner, kernel: Peer<KernelMethods>): Promise<void> {
  for (const channel of owner.channels ?? []) await kernel.call("channels.register", { owner: owner.name, channel });
  for (const input of owner.inputs ?? []) await kernel.call("inputs.register", { owner: owner.name, input });
  for (const stage of owner.stages ?? []) await kernel.call("stages.register", { owner: owner.name, ...stage });
  if (!owner.tools?.length) return;
  const { rejected } = await kernel.call("tools.register", { owner: owner.name, tools: owner.tools });
  const first = rejected[0];
  if (first) {
    throw new RpcError(RPC_CODES.invalidParams, `Cannot register the tool "${first.name}": ${first.reason}`);
  }
}

const missing = (owner: string, what: string) =>
  new RpcError(RPC_CODES.notFound, `The plugin "${owner}" does not carry out its ${what}`);

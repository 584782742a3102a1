import { messageOf } from "../../core/base/mod.ts";
import {
  CAPABILITIES,
  type Capability,
  type PluginInfo,
  type PluginSetting,
  type PluginState,
  type ToolDef,
  type Transport,
} from "../../core/wire/mod.ts";
import type { PluginConnection } from "./connection.ts";
import { greet } from "./instance.ts";
import type { HostLimits, HostPorts } from "./ports.ts";

/** A plugin that comes with homed and runs in one of its threads. */
export interface BuiltinSpec {
  name: string;
  version: string;
  description: string;
  /** Everything, unless limited. */
  capabilities?: readonly Capability[];
  settings?: readonly PluginSetting[];
  /** The far end speaks through `connectPlugin`. Called at the start, or with `tools` at the first use. */
  connect: () => Promise<Transport> | Transport;
  /** What it offers, as data: it is connected when one of these is used for the first time. */
  tools?: readonly ToolDef[];
}

export interface BuiltinOptions {
  ports: HostPorts;
  limits: () => HostLimits;
  dataDir: string;
  wire: (about: { owner: string; capabilities: ReadonlySet<Capability>; transport: Transport }) => PluginConnection;
  dropped: (connection: PluginConnection) => void;
  changed: (plugin: Builtin) => void;
}

/** A built-in plugin over the life of homed: the same protocol and the same table as any other, over a port. */
export class Builtin {
  readonly spec: BuiltinSpec;
  readonly #options: BuiltinOptions;
  #connecting: Promise<PluginConnection> | undefined;
  #connection: PluginConnection | undefined;
  #state: PluginState = "stopped";
  #reason: string | undefined;

  constructor(spec: BuiltinSpec, options: BuiltinOptions) {
    this.spec = spec;
    this.#options = options;
  }

  get connection(): PluginConnection | undefined {
    return this.#connection;
  }

  info(): PluginInfo {
    const { name, version, description, capabilities = CAPABILITIES, tools } = this.spec;
    return {
      name,
      version,
      kind: "builtin",
      description,
      state: this.#state,
      ...(this.#reason !== undefined && { reason: this.#reason }),
      tools: this.#connection?.tools ?? tools?.map((tool) => tool.name) ?? [],
      restarts: 0,
      capabilities,
    };
  }

  /** Connects it, or only tells the kernel what it offers when it is to be connected at the first use. Never throws. */
  async start(): Promise<void> {
    const { name, tools } = this.spec;
    try {
      if (tools) {
        await this.#options.ports.kernel.call("tools.register", { owner: name, tools: [...tools] });
        this.#become("loaded");
      } else await this.ensure();
    } catch (error) {
      this.#become("failed", messageOf(error));
    }
  }

  /** Its line, connected if it was not.
   * @throws why it cannot be had */
  async ensure(): Promise<PluginConnection> {
    if (this.#connection && !this.#connection.peer.isClosed) return this.#connection;
    this.#connecting ??= this.#connect().finally(() => this.#connecting = undefined);
    return await this.#connecting;
  }

  async stop(reason: string, state: "stopped" | "disabled" = "stopped"): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    const { ports, limits, dropped } = this.#options;
    if (connection && !connection.peer.isClosed) {
      dropped(connection);
      try {
        await connection.peer.call("plugin.stop", { reason }, { timeout: limits().stop_grace });
      } catch (error) {
        ports.log.warn(`The built-in plugin "${this.spec.name}" did not stop in order: ${messageOf(error)}`);
      }
      connection.close(reason);
    }
    this.#become(state);
  }

  async #connect(): Promise<PluginConnection> {
    const { name, capabilities = CAPABILITIES } = this.spec;
    const { ports, limits, dataDir, wire, dropped } = this.#options;
    this.#become("starting");
    try {
      await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
      const transport = await this.spec.connect();
      const connection = wire({ owner: name, capabilities: new Set(capabilities), transport });
      try {
        await greet(connection, { limits: limits(), dataDir, shm: null, progress: { phase: "" } });
        await connection.publish();
      } catch (error) {
        connection.close(messageOf(error));
        throw error;
      }
      this.#connection = connection;
      void connection.peer.closed.then((reason) => {
        if (this.#connection !== connection) return;
        this.#connection = undefined;
        dropped(connection);
        this.#become("stopped", reason);
        if (this.spec.tools === undefined) {
          ports.kernel.call("owner.detach", { owner: name, reason }).catch((error) =>
            ports.log.warn(`The kernel did not take note that "${name}" is gone: ${messageOf(error)}`)
          );
        }
      });
      this.#become("running");
      return connection;
    } catch (error) {
      this.#become("failed", messageOf(error));
      throw error;
    }
  }

  #become(state: PluginState, reason?: string): void {
    this.#state = state;
    this.#reason = reason;
    this.#options.changed(this);
  }
}

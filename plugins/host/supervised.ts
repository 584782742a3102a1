import { backoff, HomedError, messageOf } from "../../core/base/mod.ts";
import type { PluginInfo, PluginState } from "../../core/wire/mod.ts";
import type { PluginConnection } from "./connection.ts";
import { describeExit, PluginInstance } from "./instance.ts";
import type { InstalledPlugin } from "./manifest.ts";
import type { HostLimits, HostPorts } from "./ports.ts";

export interface SupervisedOptions {
  ports: HostPorts;
  limits: () => HostLimits;
  /** Starts one process; it has answered `plugin.start`. */
  spawn: (plugin: InstalledPlugin, signal: AbortSignal) => Promise<PluginInstance>;
  /** The connection is no longer to be asked anything. */
  dropped: (connection: PluginConnection) => void;
  changed: (plugin: Supervised) => void;
}

/** The longest pause before a restart. */
const MAX_PAUSE_MS = 60_000;

/** One external plugin over the life of homed: started, watched, started again with growing pauses, given up when it
 * crashes too often, replaced. What it registered is gone from the kernel before anything else happens. */
export class Supervised {
  #plugin: InstalledPlugin;
  readonly #options: SupervisedOptions;
  #state: PluginState = "stopped";
  #reason: string | undefined;
  #instance: PluginInstance | undefined;
  /** When it crashed, in monotonic milliseconds, within the window. */
  #crashes: number[] = [];
  #restarts = 0;
  #pause: AbortController | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #wanted = false;

  constructor(plugin: InstalledPlugin, options: SupervisedOptions) {
    this.#plugin = plugin;
    this.#options = options;
  }

  get name(): string {
    return this.#plugin.manifest.name;
  }

  get plugin(): InstalledPlugin {
    return this.#plugin;
  }

  get state(): PluginState {
    return this.#state;
  }

  /** Its line, while it is running. */
  get connection(): PluginConnection | undefined {
    return this.#state === "running" ? this.#instance?.connection : undefined;
  }

  info(): PluginInfo {
    const { manifest, kind } = this.#plugin;
    return {
      name: manifest.name,
      version: manifest.version,
      kind,
      description: manifest.description,
      state: this.#state,
      ...(this.#reason !== undefined && { reason: this.#reason }),
      ...(this.#instance && { pid: this.#instance.pid }),
      tools: this.#instance?.connection.tools ?? [],
      restarts: this.#restarts,
      capabilities: manifest.capabilities ?? [],
    };
  }

  /** Starts it and waits until it runs or has failed; never throws: the state says how it went. */
  start(): Promise<void> {
    this.#wanted = true;
    this.#crashes = [];
    return this.#inTurn(async () => {
      if (!this.#instance && this.#wanted) await this.#startOnce();
    });
  }

  /** Stops it for good; `state` is what it is then. */
  async stop(reason: string, state: "stopped" | "disabled" = "stopped"): Promise<void> {
    this.#wanted = false;
    this.#pause?.abort(new Error(reason));
    await this.#inTurn(async () => {
      const instance = this.#instance;
      if (instance) {
        this.#become("stopping", reason);
        await this.#detach(instance, reason);
        await instance.stop(reason);
      }
      this.#become(state, undefined);
    });
  }

  /** A new process first, then the swap: when the new one does not start, the old one stays.
   * @throws {HomedError} why the new one did not start */
  async reload(plugin: InstalledPlugin): Promise<void> {
    this.#wanted = true;
    this.#pause?.abort(new Error("it is being reloaded"));
    await this.#inTurn(async () => {
      const old = this.#instance;
      if (!old) {
        this.#plugin = plugin;
        this.#crashes = [];
        await this.#startOnce();
        if (this.#state !== "running") throw new HomedError("start", this.#reason ?? "It did not start");
        return;
      }
      const fresh = await this.#options.spawn(plugin, new AbortController().signal);
      this.#plugin = plugin;
      await this.#detach(old, "it was replaced by a new process");
      await this.#enter(fresh);
      await old.stop("a new process has taken over");
    });
  }

  async #startOnce(): Promise<void> {
    this.#become("starting", undefined);
    this.#pause = new AbortController();
    try {
      await this.#enter(await this.#options.spawn(this.#plugin, this.#pause.signal));
    } catch (error) {
      if (!this.#wanted) return this.#become("stopped", undefined);
      // What the plugin or its manifest refuses is refused the next time as well; a process that ends may not be.
      const again = error instanceof HomedError && error.code === "start";
      if (again) this.#crashed(messageOf(error));
      else this.#become("failed", messageOf(error));
    }
  }

  async #enter(instance: PluginInstance): Promise<void> {
    this.#instance = instance;
    try {
      await instance.connection.publish();
    } catch (error) {
      this.#instance = undefined;
      await this.#tellDetached(instance, messageOf(error));
      await instance.kill(messageOf(error));
      throw error;
    }
    this.#become("running", undefined);
    void instance.exited.then((info) => {
      if (this.#instance !== instance) return;
      const why = instance.killed ? `homed ended it as ${instance.killed}` : `it ended (${describeExit(info)})`;
      void this.#inTurn(async () => {
        if (this.#instance !== instance) return;
        await this.#detach(instance, why);
        if (!this.#wanted) return;
        if (!instance.connection.autoRestart && !instance.killed) {
          this.#wanted = false;
          return this.#become("stopped", `${why}, and it does not want to be started again`);
        }
        this.#crashed(why);
      });
    });
  }

  /** Counts a crash, and starts again after a pause or gives up. */
  #crashed(why: string): void {
    const { ports, limits } = this.#options;
    const { restart_max, restart_window, restart_backoff } = limits();
    const now = ports.clock.monotonic();
    this.#crashes = this.#crashes.filter((at) => now - at < restart_window);
    this.#crashes.push(now);
    if (this.#crashes.length > restart_max) {
      this.#wanted = false;
      const minutes = Math.round(restart_window / 60_000 * 10) / 10;
      return this.#become(
        "quarantined",
        `${why}; it has crashed ${this.#crashes.length} times in ${minutes} minutes and is not started again: ` +
          `look at \`homed plugin logs ${this.name}\`, then \`homed plugin reload ${this.name}\``,
      );
    }
    // The first restart is at once, so that one crash is hardly seen.
    const attempt = this.#crashes.length - 1;
    const pause = attempt === 0 ? 0 : backoff(attempt - 1, { base: restart_backoff, max: MAX_PAUSE_MS });
    this.#become("backoff", why);
    const stopped = this.#pause = new AbortController();
    void ports.clock.sleep(pause, { signal: stopped.signal }).then(
      () =>
        this.#inTurn(async () => {
          if (!this.#wanted || this.#instance || stopped.signal.aborted) return;
          this.#restarts++;
          await this.#startOnce();
        }),
      () => {/* stopped or reloaded meanwhile: whoever did that goes on from here */},
    );
  }

  async #detach(instance: PluginInstance, reason: string): Promise<void> {
    this.#instance = undefined;
    this.#options.dropped(instance.connection);
    await this.#tellDetached(instance, reason);
  }

  async #tellDetached({ connection }: PluginInstance, reason: string): Promise<void> {
    const { kernel, log } = this.#options.ports;
    try {
      await kernel.call("owner.detach", { owner: connection.owner, reason });
    } catch (error) {
      log.warn(`The kernel did not take note that plugin "${connection.owner}" is gone: ${messageOf(error)}`);
    }
  }

  #become(state: PluginState, reason: string | undefined): void {
    this.#state = state;
    this.#reason = reason;
    this.#options.changed(this);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {/* told to whoever asked for the work */});
    return done;
  }
}

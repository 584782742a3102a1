import { backoff } from "../base/backoff.ts";
import { messageOf } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { type Registry } from "../config/mod.ts";
import { RPC_CODES, RpcError } from "../wire/rpc.ts";
import type { Handler } from "../wire/peer.ts";
import type {
  KernelMethods,
  KernelSettings,
  LuaMethods,
  MemoryMethods,
  ProbePlan,
  ProbeResult,
  SourceSecrets,
} from "../wire/mod.ts";
import type { Home } from "./home.ts";
import { join, Part, type PartOptions } from "./part.ts";
import { type PartName, type PartRights, rightsOf } from "./permissions.ts";
import { EmbedPart } from "./embed_part.ts";
import { ModelDownloads } from "./models/model_downloads.ts";
import { settingHere } from "./models/places.ts";
import { kernelSettings, memorySettings } from "./settings.ts";

/** The modules of the workers. */
export type PartEntries = Record<PartName, URL>;

export interface PartsOptions {
  home: Home;
  registry: Registry;
  log: Log;
  entries: PartEntries;
  handlers: Record<PartName, Record<string, Handler>>;
  /** The sources that can be asked now, and skills for the prompt. */
  sources(): SourceSecrets[];
  /** Sources that somebody set up and that cannot be asked. */
  brokenSources(): { source: string; message: string }[];
  skills(): KernelSettings["skills"];
  readLuaWasm(): Promise<Uint8Array>;
  /** A kernel was started and knows no plugins yet. */
  onKernel(): Promise<void>;
  /** For the person: a part was lost or is back, something was found while opening. Must not throw. */
  onNotice(text: string, level: "info" | "warn" | "error"): void;
  /** So many threads hang for good that the process should be begun anew. Must not throw. */
  onExhausted(): void;
}

/** The three workers and the lines between them: starts them, watches them, and replaces one that was lost. */
export class Parts {
  readonly kernel: Part<KernelMethods>;
  readonly memory: Part<MemoryMethods>;
  readonly lua: Part<LuaMethods>;
  readonly embed: EmbedPart;
  readonly downloads: ModelDownloads;
  readonly #options: PartsOptions;
  readonly #stopping = new AbortController();
  #beating: Promise<void> | undefined;
  #hung = 0;
  #started = false;
  /** What was told while opening: the kernel is told the same. */
  readonly #told = new Set<string>();
  /** Replacements and changes of rights, one after another. */
  #work: Promise<void> = Promise.resolve();
  #ready = Promise.withResolvers<void>();

  constructor(options: PartsOptions) {
    this.#options = options;
    this.embed = new EmbedPart(options.log.named("embed"));
    this.downloads = new ModelDownloads({
      home: options.home,
      log: options.log.named("models"),
      onNotice: options.onNotice,
      onHere: () => this.configure().catch((error) => options.log.warn(messageOf(error))),
    });
    this.kernel = new Part(this.#partOptions("kernel"));
    this.memory = new Part(this.#partOptions("memory"));
    this.lua = new Part(this.#partOptions("lua"));
  }

  get all(): Part<never>[] {
    return [this.kernel, this.memory, this.lua] as unknown as Part<never>[];
  }

  /** Resolves while everything is up; waits while a part is being replaced. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  rights(part: PartName): PartRights {
    const { home, registry, sources } = this.#options;
    return rightsOf(part, home, registry, sources());
  }

  async start(): Promise<void> {
    const opened = this.memory.start(this.rights("memory")).then(() => this.#openMemory());
    await Promise.all([opened, this.kernel.start(this.rights("kernel")), this.#startLua()]);
    await this.#startKernel();
    await this.#followModel();
    this.#started = true;
    this.#ready.resolve();
    this.#beating = this.#beat();
  }

  /** Probes a part. One that is not needed now is started for it, with the rights it would have. */
  async probe(part: Part<never>, plan: ProbePlan): Promise<ProbeResult> {
    if (part.isUp) return await part.probe(plan);
    const trial = new Part<Record<never, never>>({ ...this.#partOptions(part.name), onLost: () => {} });
    try {
      await trial.start(this.rights(part.name));
      return await trial.probe(plan);
    } finally {
      trial.end("it was started to be probed");
    }
  }

  /** Brings the parts in line with the settings as they are now. A part whose rights changed is started anew. */
  configure(): Promise<void> {
    return this.#queue(async () => {
      const { home, registry } = this.#options;
      if (differ(this.memory.rights, this.rights("memory"))) await this.#restartMemory();
      else await this.memory.peer.call("memory.configure", memorySettings(home, registry));
      await this.#followModel();
      const wanted = this.rights("lua");
      if (this.lua.isUp && wanted.net.length > 0 && !differ(this.lua.rights, wanted)) {
        await this.#configureLua();
      } else if (this.lua.isUp || wanted.net.length > 0) {
        await this.#idle(10_000);
        await this.#startLua();
        if (this.lua.isUp) await join(this.kernel, this.lua);
      }
      await this.kernel.peer.call("kernel.configure", { settings: this.#kernelSettings() });
    });
  }

  /** Runs `work` while the memory is closed and nothing is written below its folders. */
  withMemoryClosed<R>(work: () => Promise<R>): Promise<R> {
    return this.#queue(async () => {
      await this.#idle(60_000);
      await this.memory.peer.call("memory.close", {}, { timeout: 30_000 });
      this.memory.end("its files are being copied");
      try {
        return await work();
      } finally {
        await this.#restartMemory();
      }
    });
  }

  async stop(grace: number): Promise<void> {
    this.#stopping.abort();
    await this.downloads.stop();
    await this.#work.catch(() => {});
    await this.#beating;
    const { log } = this.#options;
    const quietly = async (what: string, call: () => Promise<unknown>) => {
      try {
        await call();
      } catch (error) {
        log.warn(`${what}: ${messageOf(error)}`);
      }
    };
    if (this.kernel.isUp) {
      await quietly(
        "The kernel did not stop by itself",
        () => this.kernel.peer.call("kernel.stop", { grace }, { timeout: grace + 5000 }),
      );
    }
    if (this.memory.isUp) {
      await quietly(
        "The memory did not close by itself",
        () => this.memory.peer.call("memory.close", {}, { timeout: 15_000 }),
      );
    }
    this.embed.end("homed is stopping");
    for (const part of this.all) part.end("homed is stopping");
    this.#ready.promise.catch(() => {});
    this.#ready.reject(new RpcError(RPC_CODES.shuttingDown, "homed is stopping"));
  }

  #partOptions(name: PartName): PartOptions {
    const { entries, log, handlers } = this.#options;
    return {
      name,
      entry: entries[name],
      log: log.named(name),
      handlers: handlers[name],
      onLost: (reason, how) => this.#lost(name, reason, how),
    };
  }

  async #openMemory(): Promise<void> {
    const { home, registry, onNotice } = this.#options;
    const { notices } = await this.memory.peer.call("memory.open", memorySettings(home, registry));
    for (const notice of notices) {
      this.#told.add(notice);
      onNotice(notice, "warn");
    }
  }

  /** The Lua machine is there only while there is a source to ask. */
  async #startLua(): Promise<void> {
    const rights = this.rights("lua");
    if (rights.net.length === 0) return this.lua.end("no source is configured");
    await this.lua.start(rights);
    await this.lua.peer.call("lua.wasm", { bytes: await this.#options.readLuaWasm() });
    await this.#configureLua();
  }

  async #configureLua(): Promise<void> {
    const { problems } = await this.lua.peer.call("lua.configure", { sources: this.#options.sources() });
    for (const { source, message } of problems) {
      this.#options.onNotice(`The source ${source} cannot be used: ${message}`, "warn");
    }
  }

  async #startKernel(): Promise<void> {
    await join(this.kernel, this.memory);
    if (this.lua.isUp) await join(this.kernel, this.lua);
    const { notices } = await this.kernel.peer.call("kernel.start", { settings: this.#kernelSettings() });
    for (const notice of notices) if (!this.#told.has(notice)) this.#options.onNotice(notice, "warn");
    await this.#options.onKernel();
  }

  async #restartMemory(): Promise<void> {
    if (this.memory.isUp) {
      await this.#idle(10_000);
      await this.memory.peer.call("memory.close", {}, { timeout: 30_000 });
    }
    await this.memory.start(this.rights("memory"));
    await this.#openMemory();
    await join(this.kernel, this.memory);
    await this.#followModel();
  }

  #followModel(): Promise<void> {
    const { registry, home } = this.#options;
    const setting = registry.text("core.agent.embedding_model_path");
    this.downloads.follow(setting);
    return this.embed.follow(settingHere(setting, home), this.memory);
  }

  #kernelSettings(): KernelSettings {
    const { home, registry, sources, brokenSources, skills } = this.#options;
    return kernelSettings(home, registry, { sources: sources(), broken_sources: brokenSources(), skills: skills() });
  }

  /** Waits until no turn runs, so that an exchange cuts none off; for at most so long. */
  async #idle(limit: number): Promise<void> {
    const until = performance.now() + limit;
    while (this.kernel.isUp && performance.now() < until) {
      const { busy } = await this.kernel.peer.call("kernel.status", {}, { timeout: 5000 });
      if (!busy) return;
      await pause(50, this.#stopping.signal);
    }
  }

  #lost(name: PartName, reason: string, how: "died" | "hung"): void {
    // While starting, the call that waits for the worker fails and tells.
    if (this.#stopping.signal.aborted || !this.#started) return;
    this.#options.onNotice(`The ${name} worker was lost and is being replaced: ${reason}`, "error");
    this.#ready.promise.catch(() => {});
    this.#ready = Promise.withResolvers();
    if (how === "hung" && ++this.#hung >= 2) this.#options.onExhausted();
    const ready = this.#ready;
    void this.#queue(async () => {
      for (let attempt = 0; !this.#stopping.signal.aborted; attempt++) {
        try {
          await this.#replace(name);
          this.#options.onNotice(`The ${name} worker is back`, "info");
          return ready.resolve();
        } catch (error) {
          this.#options.onNotice(`Cannot replace the ${name} worker: ${messageOf(error)}`, "error");
          await pause(backoff(attempt, { base: 500, max: 30_000 }), this.#stopping.signal);
        }
      }
    });
  }

  async #replace(name: PartName): Promise<void> {
    switch (name) {
      case "kernel":
        await this.kernel.start(this.rights("kernel"));
        return await this.#startKernel();
      case "memory":
        return await this.#restartMemory();
      case "lua":
        await this.#startLua();
        if (this.lua.isUp) await join(this.kernel, this.lua);
        return;
      default:
        return name satisfies never;
    }
  }

  async #beat(): Promise<void> {
    const { registry } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const interval = registry.duration("core.daemon.heartbeat_interval");
      await pause(interval, signal);
      if (signal.aborted) return;
      const misses = registry.number("core.daemon.heartbeat_misses");
      await Promise.all(this.all.map((part) => part.beat(interval, misses)));
    }
  }

  #queue<R>(work: () => Promise<R>): Promise<R> {
    const done = this.#work.then(work);
    this.#work = done.then(() => {}, () => {});
    return done;
  }
}

const differ = (a: PartRights, b: PartRights) => JSON.stringify(a) !== JSON.stringify(b);

/** Waits; a stop ends the wait early. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}

import {
  type BusEvent,
  type CallContext,
  type ContentPart,
  type CoreMethods,
  type EventType,
  type Handler,
  type Handlers,
  Peer,
  PLUGIN_PROTOCOL,
  type PluginMethods,
  RPC_CODES,
  RpcError,
  type StagePatch,
  type Transport,
} from "../../core/wire/mod.ts";
import type { OutputHandler, Plugin, Sdk, StageCallInfo, StageHandler, ToolHandler } from "./plugin.ts";
import { changesOf, copyJson, diffContext, withChanges } from "./stage_merge.ts";

/** Version of the TypeScript SDK, told in the handshake. */
export const SDK_VERSION = "0.1.0";

/** What the surroundings of a connected plugin are told, and what they add. */
export interface ConnectOptions {
  /** For what the connection cannot tell anyone else. Must not throw. */
  onProblem?: (text: string) => void;
  /** Puts what a handler threw into words, where the plugin's surroundings know more about it. */
  explain?: (error: unknown) => unknown;
}

/** Joins a plugin to homed over `transport`: answers the handshake, starts it when told, and carries its calls. It takes
 * every stage context inline. Resolves its peer's `closed` when homed goes. */
export function connectPlugin(plugin: Plugin, transport: Transport, options: ConnectOptions = {}): Peer<CoreMethods> {
  const { onProblem } = options;
  const peer = new Peer<CoreMethods>(transport, { name: "homed", ...(onProblem && { onProblem }) });
  const session = new Session(plugin, peer, onProblem ?? (() => {}));
  const { explain = (error: unknown) => error } = options;
  for (const [method, handler] of Object.entries(session.handlers()) as [string, Handler][]) {
    peer.serve({
      [method]: async (params, context) => {
        try {
          return await handler(params, context);
        } catch (error) {
          throw explain(error);
        }
      },
    });
  }
  peer.serve({ "events.wake": (params) => session.wake(params) });
  return peer.open();
}

class Session {
  readonly #plugin: Plugin;
  readonly #peer: Peer<CoreMethods>;
  readonly #problem: (text: string) => void;
  readonly #tools = new Map<string, ToolHandler>();
  readonly #cleaners = new Map<string, (text: string) => string>();
  readonly #stages = new Map<string, StageHandler[]>();
  readonly #outputs = new Map<string, OutputHandler>();
  readonly #listeners = new Set<{ types: Set<string>; listener: (event: BusEvent & { missed: number }) => void }>();
  #name = "";
  #dataDir = "";
  #config: Record<string, unknown> = {};

  constructor(plugin: Plugin, peer: Peer<CoreMethods>, problem: (text: string) => void) {
    this.#plugin = plugin;
    this.#peer = peer;
    this.#problem = problem;
  }

  handlers(): Handlers<PluginMethods> {
    return {
      handshake: ({ protocol }) => {
        if (protocol !== PLUGIN_PROTOCOL) {
          throw new Error(`Cannot work with homed as its protocol is ${protocol}: this SDK speaks ${PLUGIN_PROTOCOL}`);
        }
        return { protocol: PLUGIN_PROTOCOL, sdk_version: SDK_VERSION, shm: false };
      },
      "plugin.init": ({ name, config, data_dir }) => {
        this.#name = name;
        this.#config = config;
        this.#dataDir = data_dir;
        return {};
      },
      "plugin.start": async () => {
        await this.#plugin.start(this.#sdk());
        return {};
      },
      "plugin.stop": async ({ reason }) => {
        await this.#plugin.stop?.(reason);
        return {};
      },
      "tool.invoke": async ({ name, args, turn, deadline_ms }, { signal }) => {
        const handler = this.#tools.get(name);
        if (!handler) throw new RpcError(RPC_CODES.notFound, `This plugin has no tool "${name}"`);
        let blocks: ContentPart[] | undefined;
        const result = await handler(args, {
          turn,
          signal,
          deadlineMs: deadline_ms,
          setBlocks: (given) => void (blocks = given),
        });
        return { result: result ?? null, ...(blocks && { blocks }) };
      },
      "stage.invoke": (params, context) => this.#runStage(params, context),
      "output.invoke": async ({ channel, payload, meta, type }, { signal }) => {
        const handler = this.#outputs.get(channel);
        if (!handler) throw new RpcError(RPC_CODES.notFound, `This plugin has no channel "${channel}"`);
        return await handler({ channel, payload, meta, type }, signal);
      },
      "cleaner.invoke": ({ name, text }) => ({ text: this.#cleaners.get(name)?.(text) ?? text }),
    };
  }

  async #runStage(params: PluginMethods["stage.invoke"]["params"], { signal }: CallContext) {
    const { stage, seq, version, ctx } = params;
    if (!ctx) throw new RpcError(RPC_CODES.invalidParams, "This plugin takes the stage context inline");
    let base = copyJson(ctx);
    let from = version;
    const info: StageCallInfo = {
      stage,
      signal,
      update: async (change) => {
        const locked = await this.#peer.call("core.stage.lock", { seq, have: from });
        const newest = locked.ctx ?? withChanges(base, locked.changes ?? {});
        const edited = copyJson(newest);
        try {
          await change(edited);
        } catch (error) {
          await this.#peer.call("core.stage.unlock", { seq, dirty: [] });
          throw error;
        }
        const { set: patch, append } = changesOf(newest, edited);
        const given = { seq, dirty: Object.keys(patch), patch, append };
        from = (await this.#peer.call("core.stage.unlock", given)).version;
        // What the handler changed outside `update` so far stays changed: it is laid over the newest context.
        const pending = diffContext(base, ctx);
        base = copyJson(edited);
        Object.assign(ctx, edited, pending);
      },
    };
    for (const handler of this.#stages.get(stage) ?? []) {
      const answered: void | StagePatch = await handler(ctx, info);
      if (answered && answered !== ctx) Object.assign(ctx, answered);
    }
    const patch = diffContext(base, ctx);
    return Object.keys(patch).length === 0 ? {} : { patch, version: from };
  }

  wake(params: { events?: BusEvent[]; missed?: number }): void {
    let missed = params.missed ?? 0;
    const alone = this.#listeners.size === 1;
    for (const event of params.events ?? []) {
      for (const { types, listener } of this.#listeners) {
        if (!types.has(event.type)) continue;
        try {
          // Nobody else has the event: it is not copied.
          listener(alone ? Object.assign(event, { missed }) : { ...event, missed });
        } catch (error) {
          this.#problem(`An event listener failed: ${error instanceof Error ? error.stack : error}`);
        }
      }
      missed = 0;
    }
  }

  #sdk(): Sdk {
    const call: Sdk["call"] = (method, params) => this.#peer.call(method, params);
    const done = async (promise: Promise<unknown>) => void await promise;
    const say = (level: "debug" | "info" | "warn" | "error") => (text: string, fields?: Record<string, unknown>) =>
      this.#peer.notify("core.log", { level, text: String(text), ...(fields && { fields }) });
    return {
      name: this.#name,
      dataDir: this.#dataDir,
      config: this.#config,
      call,
      log: { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") },
      registerTool: async (tool, handler, { cleaner } = {}) => {
        await call("core.tool.register", { ...tool, ...(cleaner && { cleaner: true }) });
        this.#tools.set(tool.name, handler);
        if (cleaner) this.#cleaners.set(tool.name, cleaner);
      },
      registerStage: async (stage, handler, { scope } = {}) => {
        const earlier = this.#stages.get(stage);
        this.#stages.set(stage, [...(earlier ?? []), handler]);
        if (!earlier) await call("core.stage.register", { stage, ...(scope && { scope }) });
      },
      registerOutput: async (channel, handler) => {
        await call("core.output.register", channel);
        this.#outputs.set(channel.name, handler);
      },
      registerInput: async (input, { cleaner } = {}) => {
        await call("core.input.register", { ...input, ...(cleaner && { cleaner: true }) });
        if (cleaner) this.#cleaners.set(input.name, cleaner);
      },
      settings: {
        get: async (key) => (await call("core.settings.get", { key })).value,
        set: (key, value) => done(call("core.settings.set", { key, value })),
        list: async () =>
          Object.fromEntries((await call("core.settings.list", {})).settings.map(({ key, value }) => [key, value])),
        defs: async () => (await call("core.settings.defs", {})).defs,
        registerDef: (def) => done(call("core.settings.registerDef", def)),
      },
      lifecycle: { autoRestart: (enabled) => done(call("core.lifecycle.autoRestart", { enabled })) },
      io: {
        injectText: (params) => call("core.io.injectText", params),
        injectTextNoMem: (params) => call("core.io.injectTextNoMem", params),
        injectInputSync: (params) => call("core.io.injectInputSync", params),
        injectInterrupt: (params) => call("core.io.injectInterrupt", params),
        injectMedia: (params) => call("core.io.injectMedia", params),
        injectMediaSync: (params) => call("core.io.injectMediaSync", params),
        injectInterruptMedia: (params) => call("core.io.injectInterruptMedia", params),
      },
      memory: {
        recall: (params) => call("core.memory.recall", params),
        commit: (params) => call("core.memory.commit", params),
        introspect: () => call("core.memory.introspect", {}),
        merge: (from, into) => call("core.memory.merge", { from, into }),
        purge: (name) => call("core.memory.purge", { name }),
      },
      docs: {
        query: async (query, top) => (await call("core.doc.query", { query, ...(top && { top }) })).hits,
        insert: (params) => call("core.doc.insert", params),
        insertMedia: (params) => call("core.doc.insertMedia", params),
        remove: async (id) => (await call("core.doc.remove", { id })).removed,
        stats: () => call("core.doc.stats", {}),
      },
      knowledge: {
        search: async (query, top) => (await call("core.knowledge.search", { query, ...(top && { top }) })).hits,
        add: (params) => call("core.knowledge.add", params),
        list: () => call("core.knowledge.list", {}),
      },
      textMemory: { append: (params) => done(call("core.textmemory.append", params)) },
      llm: {
        listSources: () => call("core.llm.listSources", {}),
        setSource: (source) => done(call("core.llm.setSource", { source })),
        currentSource: async () => (await call("core.llm.currentSource", {})).source,
        complete: (params) => call("core.llm.complete", params),
      },
      social: {
        getPerson: (name) => call("core.social.getPerson", { name }),
        getTrait: async (name, trait) => (await call("core.social.getTrait", { name, trait })).value,
        getRelations: (name) => call("core.social.getRelations", { name }),
        getNetwork: (name, depth) => call("core.social.getNetwork", { name, ...(depth && { depth }) }),
        listPersons: async () => (await call("core.social.listPersons", {})).persons,
      },
      events: { subscribe: (types, listener) => this.#subscribe(types, listener) },
      plugins: {
        reloadOne: (name) => call("core.plugin.reloadOne", { name }),
        listLoaded: () => call("core.plugin.listLoaded", {}),
        isDisabled: async (name) => (await call("core.plugin.isDisabled", { name })).disabled,
      },
    };
  }

  async #subscribe(types: EventType[], listener: (event: BusEvent & { missed: number }) => void) {
    const entry = { types: new Set<string>(types), listener };
    this.#listeners.add(entry);
    await this.#peer.call("core.events.subscribe", { types });
    return () => {
      this.#listeners.delete(entry);
      const wanted = new Set([...this.#listeners].flatMap(({ types }) => [...types]));
      const unused = types.filter((type) => !wanted.has(type));
      if (unused.length > 0) this.#peer.notify("core.events.unsubscribe", { types: unused });
    };
  }
}

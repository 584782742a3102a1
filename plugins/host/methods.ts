/** The capability table: one row for each `core.*` method. Dispatch, permission check, `docs/protocol.md` and the
 * coverage test are made from these rows. @module */
import { messageOf } from "../../core/base/mod.ts";
import {
  type CallContext,
  type Capability,
  type CoreMethod,
  type CoreMethods,
  CoreParams,
  type Handler,
  type MediaInput,
  RPC_CODES,
  RpcError,
} from "../../core/wire/mod.ts";
import { issueText } from "./issue.ts";
import type { CoreCaller } from "./caller.ts";
import { isOwnerKey } from "./owner_keys.ts";
import { checkRate, takeTurn } from "./quota.ts";

/** One method that homed serves to plugins. */
export interface MethodRow<M extends CoreMethod = CoreMethod> {
  method: M;
  /** What the manifest must name; null: always allowed. */
  capability: Capability | null;
  description: string;
  /** Params of a call that works, as the documentation shows it. */
  example: CoreMethods[M]["params"];
  run(
    caller: CoreCaller,
    params: CoreMethods[M]["params"],
    context: CallContext,
  ): CoreMethods[M]["result"] | Promise<CoreMethods[M]["result"]>;
}

const rows: MethodRow[] = [];

function row<M extends CoreMethod>(
  method: M,
  capability: Capability | null,
  description: string,
  example: CoreMethods[M]["params"],
  run: MethodRow<M>["run"],
): void {
  rows.push({ method, capability, description, example, run } as unknown as MethodRow);
}

row("core.tool.register", null, "Registers a tool. Its name begins with the plugin's name and `_`.", {
  name: "weather_today",
  description: "Today's weather at a place",
  parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
}, (caller, tool) => caller.registerTool(tool));
row(
  "core.stage.register",
  null,
  "Registers this plugin for a stage; `own-tools` limits tool-call stages to its own tools.",
  { stage: "before_output" },
  (caller, params) => caller.registerStage(params),
);
row(
  "core.output.register",
  null,
  "Registers an output channel; the model gets `output_send__<name>`.",
  { name: "file", caps: 1, description: "Appends to a file" },
  (caller, channel) => caller.registerOutput(channel),
);
row(
  "core.input.register",
  null,
  "Declares an input: whether it is remembered, and whether the plugin cleans its text.",
  { name: "sensor", no_memory: true },
  (caller, input) => caller.registerInput(input),
);
row(
  "core.api.register",
  null,
  "Registers an HTTP route for the web page.",
  { name: "status", method: "GET", path: "/status" },
  (caller, route) => caller.registerApi(route),
);
row(
  "core.stage.lock",
  null,
  "Waits for the running stage's context and holds it; inline plugins get it as `ctx`. With `have`, a version that the " +
    "plugin knows, the answer is what changed since, where that is known.",
  { seq: 7 },
  (caller, params, { signal }) => caller.lockStage(params, signal),
);
row(
  "core.stage.unlock",
  null,
  "Gives the context back. `dirty` names the changed fields; inline plugins send them in `patch`. `append` has items for " +
    "the ends of lists.",
  { seq: 7, dirty: ["extra"], patch: { extra: { seen: true } } },
  (caller, params) => caller.unlockStage(params),
);
row(
  "core.segment.alloc",
  null,
  "Reserves a slice of the shared segment for a large field; homed frees it when it has read it.",
  { size: 65536 },
  (caller, { size }) => caller.allocSlice(size),
);
row("core.segment.free", null, "Gives back a slice that was not sent.", { offset: 8388608 }, (caller, { offset }) => {
  caller.freeSlice(offset);
  return {};
});
row(
  "core.io.setToolBlocks",
  null,
  "Media that the next tool message of this turn carries.",
  { turn: "01", blocks: [{ type: "text", text: "see below" }] },
  async (caller, params) => {
    await caller.ports.kernel.call("tool.blocks", params);
    return {};
  },
);
row(
  "core.lifecycle.autoRestart",
  null,
  "Whether homed starts this plugin again when it ends by itself.",
  { enabled: false },
  (caller, { enabled }) => {
    caller.setAutoRestart(enabled);
    return {};
  },
);
row("core.settings.get", null, "One setting of this plugin.", { key: "city" }, (caller, { key }) => ({
  value: caller.ports.settings.get(`plugin.${caller.owner}.${key}`) ?? null,
}));
row("core.settings.set", null, "Changes one setting of this plugin.", { key: "city", value: "Kunming" }, async (
  caller,
  { key, value },
) => await setKey(caller, `plugin.${caller.owner}.${key}`, value));
row("core.settings.list", null, "All settings of this plugin.", {}, (caller) => ({
  settings: caller.ports.settings.list(`plugin.${caller.owner}.`).map(({ key, value }) => ({
    key: key.slice(`plugin.${caller.owner}.`.length),
    value,
  })),
}));
row("core.settings.defs", null, "The definitions of this plugin's settings.", {}, (caller) => ({
  defs: caller.settingDefs(),
}));
row(
  "core.settings.registerDef",
  null,
  "Defines a setting beside those of the manifest.",
  { key: "unit", type: "select", options: ["C", "F"], default: "C" },
  async (caller, def) => {
    await caller.registerDef({ ...def });
    return {};
  },
);
row("core.settings.dataDir", null, "The folder for the plugin's own files.", {}, (caller) => ({
  path: caller.dataDir,
}));
row("core.log", null, "A line for the plugin's log.", { level: "info", text: "ready" }, (caller, record) => {
  caller.writeLog(record.level, record.text, record.fields);
  return {};
});

const text = { channel: "sensor", text: "The door opened" };
const media = { ...text, media: [{ mime: "image/png", data: "iVBORw0KGgo=" }] };
row(
  "core.io.injectText",
  "io",
  "Starts a turn with a text, without waiting for it.",
  text,
  (caller, params) => inject(caller, params, {}),
);
row(
  "core.io.injectTextNoMem",
  "io",
  "The same, kept out of what is learned.",
  text,
  (caller, params) => inject(caller, params, { no_memory: true }),
);
row(
  "core.io.injectInputSync",
  "io",
  "Starts a turn and waits for its reply.",
  text,
  (caller, params, context) => injectSync(caller, params, context),
);
row("core.io.injectInterrupt", "io", "Interrupts the running turn, or starts one when idle.", text, async (
  caller,
  { text, channel, source },
) => {
  checkRate(caller, "interrupts");
  return await caller.ports.kernel.call("chat.interrupt", { text, ...address(caller, { source, channel }) });
});
row(
  "core.io.injectMedia",
  "io",
  "Starts a turn that carries media.",
  media,
  (caller, params) => inject(caller, params, {}),
);
row(
  "core.io.injectMediaSync",
  "io",
  "The same, and waits for its reply.",
  media,
  (caller, params, context) => injectSync(caller, params, context),
);
row(
  "core.io.injectInterruptMedia",
  "io",
  "An interrupt that carries media.",
  media,
  (caller, params) => inject(caller, params, { interrupt: true }),
);

row("core.memory.recall", "memory", "Looks into the graph; nothing is consumed.", { query: "birthday", top: 5 }, async (
  { ports },
  params,
) => await ports.memory.call("graph.recall", params as { query?: string }));
row("core.memory.commit", "memory", "Stores facts.", {
  triples: [{ subject: "Li", predicate: "lives in", object: "Kunming" }],
}, async ({ ports, owner }, params) => {
  const { triples, ...rest } = params;
  const { committed } = await ports.memory.call("graph.commit", {
    triples: triples as never,
    ...rest as Record<never, never>,
    source: owner,
  });
  return { committed };
});
row(
  "core.memory.introspect",
  "memory",
  "How much is stored.",
  {},
  ({ ports }) => ports.memory.call("memory.introspect", {}),
);
row(
  "core.memory.merge",
  "memory",
  "Makes two entities one.",
  { from: "Bob", into: "Robert" },
  ({ ports }, params) => ports.memory.call("graph.merge", params),
);
row(
  "core.memory.purge",
  "memory",
  "Deletes an entity and its relations.",
  { name: "Test" },
  ({ ports }, params) => ports.memory.call("graph.purge", params),
);
row("core.doc.query", "doc_memory", "Searches documents; nothing is consumed.", { query: "invoice" }, (
  { ports },
  { query, top },
) => ports.memory.call("doc.query", { query, ...(top !== undefined && { top }) }));
row("core.doc.insert", "doc_memory", "Adds a document.", { title: "Note", content: "Buy milk" }, (
  { ports, owner },
  params,
) => ports.memory.call("doc.commit", { ...params as { content: string }, source: params.source ?? owner }));
row("core.doc.insertMedia", "doc_memory", "Adds a document with files; one with a `digest` is stored already.", {
  content: "The receipt",
  attachments: [{ mime: "image/png", data: "iVBORw0KGgo=" }],
}, async ({ ports, owner }, { attachments, ...doc }) => {
  const digests: string[] = [...doc.media_digests ?? []];
  for (const item of attachments) {
    if ("digest" in item) digests.push(item.digest);
    else {
      const stored = await ports.memory.call("media.put", { mime: item.mime, data: fromBase64(item.data) });
      digests.push(stored.digest);
    }
  }
  const params = { ...doc as { content: string }, source: doc.source ?? owner, media_digests: digests };
  const { id } = await ports.memory.call("doc.commit", params);
  return { id, digests };
});
row(
  "core.doc.remove",
  "doc_memory",
  "Deletes a document.",
  { id: "01j" },
  ({ ports }, params) => ports.memory.call("doc.remove", params),
);
row(
  "core.doc.stats",
  "doc_memory",
  "How many documents there are.",
  {},
  ({ ports }) => ports.memory.call("doc.stats", {}),
);
row("core.knowledge.search", "knowledge", "Searches the knowledge base.", { query: "router" }, (
  { ports },
  { query, top },
) => ports.memory.call("knowledge.search", { query, ...(top !== undefined && { top }) }));
row("core.knowledge.add", "knowledge", "Adds an entry.", { name: "router", content: "# Router\n…" }, (
  { ports },
  params,
) => ports.memory.call("knowledge.add", params as { name: string; content: string }));
row(
  "core.knowledge.list",
  "knowledge",
  "Lists the entries.",
  {},
  ({ ports }) => ports.memory.call("knowledge.list", {}),
);
row("core.textmemory.append", "text_memory", "Appends to the text log.", { role: "user", text: "Hello" }, async (
  { ports, owner },
  { role, text, channel = owner },
) => {
  const record = { role, text, channel, source: owner, at: ports.clock.now(), untrusted: true };
  await ports.memory.call("text.append", { record });
  return {};
});

row("core.llm.listSources", "llm", "The configured LLM sources, without keys and addresses.", {}, async ({ ports }) => {
  const { sources } = await ports.kernel.call("kernel.status", {});
  return { sources: sources.map(({ name, model, state }) => ({ name, model, state })) };
});
row("core.llm.setSource", "llm", "Chooses a source, or `auto`.", { source: "auto" }, async ({ ports }, { source }) => {
  await ports.kernel.call("llm.switch", { source });
  return {};
});
row("core.llm.currentSource", "llm", "The source that would be asked first.", {}, async ({ ports }) => {
  const { sources } = await ports.kernel.call("kernel.status", {});
  return { source: sources.find(({ state }) => state === "ready")?.name ?? "offline" };
});
row("core.llm.complete", "llm", "One completion, without tools and history.", { prompt: "Say yes" }, (
  { ports },
  params,
  { signal },
) => ports.kernel.call("llm.complete", params as { prompt: string }, { signal }));

row(
  "core.social.getPerson",
  "social",
  "What is known of a person.",
  { name: "Li" },
  ({ ports }, params) => ports.memory.call("social.get_person", params),
);
row("core.social.getTrait", "social", "One trait of a person.", { name: "Li", trait: "birthday" }, async (
  { ports },
  { name, trait },
) => ({ value: (await ports.memory.call("social.get_person", { name })).person?.traits[trait] ?? null }));
row("core.social.getRelations", "social", "A person's relations.", { name: "Li" }, async ({ ports }, params) => ({
  relations: (await ports.memory.call("social.get_person", params)).person?.relations ?? [],
}));
row("core.social.getNetwork", "social", "Relations around a person.", { name: "Li", depth: 2 }, (
  { ports },
  { name, depth },
) => ports.memory.call("social.network", { name, ...(depth !== undefined && { depth }) }));
row(
  "core.social.listPersons",
  "social",
  "Everyone who is known.",
  {},
  ({ ports }) => ports.memory.call("social.list", {}),
);

row("core.events.subscribe", "events", "Sends events of these types from now on.", { types: ["response"] }, (
  caller,
  { types },
) => caller.subscribe(types));
row("core.events.unsubscribe", "events", "Stops these types, or all.", { types: ["response"] }, (caller, { types }) => {
  caller.unsubscribe(types);
  return {};
});

row("core.plugin.reloadOne", "plugin_mgr", "Replaces a running plugin by a new process.", { name: "weather" }, async (
  caller,
  { name },
) => {
  if (name === caller.owner) {
    throw new RpcError(RPC_CODES.invalidParams, "A plugin cannot reload itself: its call would never be answered");
  }
  return await caller.host.reload(name);
});
row("core.plugin.listLoaded", "plugin_mgr", "The plugins that are running.", {}, ({ host }) => ({
  plugins: host.list().filter(({ state }) => state === "running" || state === "loaded")
    .map(({ name, version, kind, state }) => ({ name, version, kind, state })),
}));
row("core.plugin.isDisabled", "plugin_mgr", "Whether a plugin is switched off.", { name: "weather" }, (
  { host },
  { name },
) => {
  const info = host.list().find((one) => one.name === name);
  if (!info) throw new RpcError(RPC_CODES.notFound, `There is no plugin "${name}"`);
  return { disabled: info.state === "disabled" };
});

row("core.settings.getCore", "settings_cross", "One core setting; secrets are masked.", {
  key: "core.agent.max_tool_turns",
}, (caller, { key }) => ({ value: readKey(caller, within(key, "core.")) }));
row("core.settings.setCore", "settings_cross", "Changes a core setting that is not the owner's alone.", {
  key: "core.agent.max_tool_turns",
  value: 12,
}, (caller, { key, value }) => setKey(caller, within(key, "core."), value));
row("core.settings.listCore", "settings_cross", "Core settings; secrets are masked.", { prefix: "core.agent." }, (
  caller,
  { prefix = "core." },
) => ({ settings: listKeys(caller, within(prefix, "core.")) }));
row("core.settings.getPlugin", "settings_cross", "One setting of a plugin; secrets are masked.", {
  plugin: "weather",
  key: "city",
}, (caller, { plugin, key }) => ({ value: readKey(caller, `plugin.${plugin}.${key}`) }));
row("core.settings.setPlugin", "settings_cross", "Changes a setting of a plugin.", {
  plugin: "weather",
  key: "city",
  value: "Dali",
}, (caller, { plugin, key, value }) => setKey(caller, `plugin.${plugin}.${key}`, value));
row("core.settings.listPlugin", "settings_cross", "A plugin's settings; secrets are masked.", { plugin: "weather" }, (
  caller,
  { plugin },
) => ({ settings: listKeys(caller, `plugin.${plugin}.`) }));
row("core.settings.dump", "settings_cross", "Every setting; secrets are masked.", {}, (caller) => ({
  settings: listKeys(caller, ""),
}));
row("core.settings.plugins", "settings_cross", "Plugins that have settings.", {}, ({ ports }) => ({
  plugins: [...new Set(ports.settings.list("plugin.").map(({ key }) => key.split(".")[1]!))].sort(),
}));

row("core.events.publish", "host", "Publishes an event.", { type: "timer", payload: { id: "1" } }, (
  { ports, owner },
  event,
) => {
  ports.bus.publish({ ...event, source: owner });
  return {};
});
row("core.social.setTrait", "host", "Sets a trait of a person.", {
  name: "Li",
  trait: "birthday",
  value: "2 May",
}, async ({ ports }, params) => {
  await ports.memory.call("social.set_trait", params);
  return {};
});
row("core.social.relate", "host", "Relates two persons.", { from: "Li", relation: "friend", to: "Wang" }, async (
  { ports },
  params,
) => {
  await ports.memory.call("social.relate", params);
  return {};
});
row("core.host.list", "host", "Every plugin and its state.", {}, ({ host }) => ({ plugins: host.list() }));
row("core.host.inspect", "host", "What a package asks for.", { file: "/tmp/weather.hmap" }, async (
  { host },
  { file },
) => ({ report: { ...await host.inspect(file) } }));
row("core.host.install", "host", "Installs the package whose report was confirmed.", {
  file: "/tmp/weather.hmap",
  sha256: "ab…",
}, async ({ host }, { file, sha256 }) => await host.install(file, { sha256 }));
row("core.host.remove", "host", "Removes a plugin; with `data` what it kept too.", { name: "weather" }, async (
  { host },
  { name, data = false },
) => {
  await host.remove(name, { data, settings: data });
  return {};
});
row("core.host.enable", "host", "Switches a plugin on.", { name: "weather" }, async ({ host }, { name }) => {
  await host.enable(name);
  return {};
});
row("core.host.disable", "host", "Switches a plugin off.", { name: "weather" }, async ({ host }, { name }) => {
  await host.disable(name);
  return {};
});
row("core.host.logs", "host", "The last lines of a plugin's log.", { name: "weather", lines: 50 }, async (
  { host },
  { name, lines },
) => ({ lines: await host.logs(name, lines) }));

/** Every `core.*` method, in the order of the documentation. */
export const METHODS: readonly MethodRow[] = rows;

/** The table as handlers for one plugin's connection: capability and params are checked before a row runs. */
export function coreHandlers(caller: CoreCaller): Record<string, Handler> {
  return Object.fromEntries(METHODS.map((entry) => [entry.method, handlerOf(entry, caller)]));
}

function handlerOf(entry: MethodRow, caller: CoreCaller): Handler {
  return async (raw: unknown, context) => {
    const { method, capability } = entry;
    if (capability !== null && !caller.capabilities.has(capability)) throw missing(caller.owner, method, capability);
    const parsed = CoreParams[method].safeParse(raw);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      const where = issue && issue.path.length > 0 ? `\`${issue.path.join(".")}\`: ` : "";
      throw new RpcError(
        RPC_CODES.invalidParams,
        `Cannot call ${method}: ${where}${issueText(issue?.message ?? "bad params")}`,
      );
    }
    try {
      return await entry.run(caller, parsed.data as never, context);
    } catch (error) {
      if (error instanceof RpcError) throw error;
      throw new RpcError(RPC_CODES.internalError, `Cannot do ${method}: ${messageOf(error)}`, { cause: error });
    }
  };
}

function missing(owner: string, method: string, capability: Capability): RpcError {
  const where = capability === "host"
    ? "it is for homed's built-in plugins alone"
    : `add "${capability}" to "capabilities" in ${owner}'s plugin.json and install it again`;
  return new RpcError(
    RPC_CODES.capabilityMissing,
    `Plugin "${owner}" may not call ${method} as it lacks the capability "${capability}": ${where}`,
    { data: { method, capability, declare: "plugin.json: capabilities" } },
  );
}

/** Who speaks and where the reply goes: a plugin speaks in its own name only. */
function address(caller: CoreCaller, given: { source?: string | undefined; channel?: string | undefined }) {
  const { owner } = caller;
  const source = given.source === undefined || given.source === owner ? owner : `${owner}/${given.source}`;
  return { source, channel: given.channel ?? caller.outputs()[0] ?? owner };
}

interface Injected {
  text: string;
  source?: string;
  channel?: string;
  media?: MediaInput[] | unknown;
}

function sendParams(caller: CoreCaller, params: Injected) {
  const media = params.media as MediaInput[] | undefined;
  return { text: params.text, ...address(caller, params), trusted: false, ...(media && { media }) };
}

/** How long an injection waits to be told its turn; behind a long queue it is answered without one. */
const TURN_WAIT_MS = 250;

async function inject(
  caller: CoreCaller,
  params: Injected,
  flags: { no_memory?: boolean; interrupt?: boolean },
): Promise<{ turn: string | null }> {
  const { kernel, log } = caller.ports;
  if (flags.interrupt) checkRate(caller, "interrupts");
  const place = takeTurn(caller);
  const started = Promise.withResolvers<string | null>();
  const turn = kernel.call("chat.send", { ...sendParams(caller, params), ...flags }, {
    onEvent: (_method, event) => started.resolve(typeof event.turn === "string" ? event.turn : null),
  });
  turn.then(
    (reply) => started.resolve(reply.turn),
    (error) => {
      started.reject(error);
      log.warn(`The turn that plugin "${caller.owner}" started failed: ${messageOf(error)}`);
    },
  ).finally(() => place[Symbol.dispose]());
  const timer = setTimeout(() => started.resolve(null), TURN_WAIT_MS);
  try {
    return { turn: await started.promise };
  } finally {
    clearTimeout(timer);
  }
}

async function injectSync(caller: CoreCaller, params: Injected, { signal }: CallContext) {
  using _place = takeTurn(caller);
  const { turn, reply } = await caller.ports.kernel.call("chat.send", sendParams(caller, params), { signal });
  return { turn, reply };
}

function within(key: string, prefix: string): string {
  if (key.startsWith(prefix)) return key;
  throw new RpcError(RPC_CODES.invalidParams, `The key must begin with "${prefix}"`);
}

const mask = (value: unknown): unknown => {
  const secret = typeof value === "string" ? value : "";
  if (secret === "") return "";
  return secret.length >= 12 ? `••••${secret.slice(-4)}` : "••••";
};

function listKeys(caller: CoreCaller, prefix: string): { key: string; value: unknown }[] {
  checkRate(caller, "listings");
  return caller.ports.settings.list(prefix)
    .map(({ key, value, secret }) => ({ key, value: secret ? mask(value) : value }));
}

function readKey(caller: CoreCaller, key: string): unknown {
  const found = caller.ports.settings.list(key).find((one) => one.key === key);
  if (!found) throw new RpcError(RPC_CODES.notFound, `There is no setting "${key}"`);
  return found.secret ? mask(found.value) : found.value ?? null;
}

/** Characters of a setting that a plugin makes. */
const MAX_SETTING = 256 << 10;

async function setKey(caller: CoreCaller, key: string, value: unknown): Promise<Record<never, never>> {
  checkRate(caller, "changes");
  const bytes = typeof value === "string" ? value.length : JSON.stringify(value ?? null).length;
  if (bytes > MAX_SETTING) {
    throw new RpcError(
      RPC_CODES.tooLarge,
      `A setting may have ${MAX_SETTING} characters, "${key}" would have ${bytes}: keep it in a file of the data folder`,
    );
  }
  const owned = caller.ports.settings.list(key).some((one) => one.key === key && one.owner);
  if (owned || isOwnerKey(key)) {
    throw new RpcError(
      RPC_CODES.capabilityMissing,
      `Cannot set "${key}" from a plugin: only the owner changes it, with \`homed config set ${key} …\` or on the ` +
        "settings page",
      { data: { key, owner: true } },
    );
  }
  await caller.ports.settings.set(key, value, { kind: "plugin", name: caller.owner });
  return {};
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

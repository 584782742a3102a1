/** Between homed and a plugin (CONTRACT 7): the methods of both sides. homed speaks first
 * (`handshake`); both sides may call after `plugin.init`; every request is answered. The same methods run over NDJSON
 * (plugin processes) and over a `MessagePort` (built-in plugins). The handlers of `core.*`, with the capability each
 * needs, are the rows in `plugins/host/methods.ts`. @module */
import * as z from "zod";
import type { BusEvent } from "./event.ts";
import { EVENT_TYPES } from "./event.ts";
import type { Ok } from "./kernel.ts";
import type { ContentPart } from "./llm.ts";
import type { PluginKind } from "./manifest.ts";
import type { Hit, MemoryMethods, MemoryStats, Person } from "./memory.ts";
import { type PluginSetting, SettingSchema } from "./plugin_setting.ts";
import type { Stage, StageContext, StagePatch } from "./stage.ts";
import { STAGES } from "./stage.ts";

/** Version of this protocol. A plugin that speaks another is not started. */
export const PLUGIN_PROTOCOL = 1;
/** Bytes in one frame on stdio. */
export const MAX_FRAME_BYTES = 1 << 20;
/** A field of params or result above this travels as a slice of the shared segment, where there is one. */
export const SLICE_BYTES = 4096;
/** Bytes that the parts of one frame may have together. */
export const MAX_PARTS_BYTES = 64 << 20;

/** Where the shared segment is; the layout is a table in `docs/protocol.md`. */
export interface SegmentInfo {
  /** A file to map; `size` bytes, not to be made longer. */
  path: string;
  /** Bytes. */
  size: number;
  /** Of the layout; a plugin that knows another works inline. */
  version: number;
}

/** In place of a field that travels through the segment. `text` and `json` are UTF-8, `bytes` are as they are. */
export interface SliceRef {
  /** `offset` and `length` in bytes, from the beginning of the segment. */
  $slice: { offset: number; length: number; encoding: "text" | "json" | "bytes" };
}

/** What every plugin serves to homed. */
export interface PluginMethods {
  /** Comes first. `shm` is null where there is no segment; in the result it says whether the plugin mapped it. */
  handshake: {
    params: { protocol: number; core_version: string; plugin_name: string; shm: SegmentInfo | null };
    result: { protocol: number; sdk_version: string; shm: boolean };
  };
  /** Once, before `plugin.start`. `config`: its settings without prefix; `data_dir` is kept over upgrades. */
  "plugin.init": { params: { name: string; config: Record<string, unknown>; data_dir: string }; result: Ok };
  /** Registrations happen until this is answered, and may happen later. */
  "plugin.start": { params: Ok; result: Ok };
  /** Ends what it began; the process is ended after `core.plugin.stop_grace`. */
  "plugin.stop": { params: { reason: string }; result: Ok };
  /** `deadline_ms`: milliseconds left. An error is told to the model as the tool's failure. */
  "tool.invoke": {
    params: { name: string; args: Record<string, unknown>; turn: string; deadline_ms: number };
    result: { result: unknown; blocks?: ContentPart[] };
  };
  /** `ctx` for inline plugins; without it the context lies in the segment. `version`: what the patch was made from. */
  "stage.invoke": {
    params: { stage: Stage; seq: number; version: number; ctx?: StageContext };
    result: { patch?: StagePatch; version?: number };
  };
  /** Sends a message and says how that really went: "sent", or why not. */
  "output.invoke": {
    params: { channel: string; payload: string; meta: Record<string, unknown>; type: string };
    result: { status: string; id?: string };
  };
  /** The text without its noise, for vectors and distilling only; `name` is the tool's or input's. */
  "cleaner.invoke": { params: { name: string; text: string }; result: { text: string } };
}

/** Notifications homed sends to a plugin. */
export interface PluginNotes {
  /** With the segment: there are events up to `head`. Inline: here they are, and how many were missed before them. */
  "events.wake": { head: number } | { events: BusEvent[]; missed: number };
}

const ToolParams = z.object({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "a tool's name is 1 to 64 of A-Z, a-z, 0-9, _ and -"),
  description: z.string().max(8000),
  parameters: z.record(z.string(), z.unknown()),
  no_memory: z.boolean().exactOptional(),
  cleaner: z.boolean().exactOptional(),
  acts: z.boolean().exactOptional(),
});
const Media = z.object({ mime: z.string(), data: z.string(), name: z.string().exactOptional() });
const Injection = z.object({
  source: z.string().max(200).exactOptional(),
  channel: z.string().max(200).exactOptional(),
  text: z.string(),
});
const MediaInjection = Injection.extend({ media: z.array(Media).max(16) });
const TripleParams = z.object({
  subject: z.string().min(1),
  predicate: z.string().min(1),
  object: z.string().min(1),
  confidence: z.number().min(0).max(1).exactOptional(),
  subject_type: z.string().exactOptional(),
  object_type: z.string().exactOptional(),
  valid_from: z.string().exactOptional(),
  valid_to: z.string().exactOptional(),
});
const Digests = z.array(z.string().regex(/^[0-9a-f]{12,64}$/)).max(100);
const Part = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image_url"), image_url: z.object({ url: z.string() }) }),
  z.object({ type: z.literal("input_audio"), input_audio: z.object({ data: z.string(), format: z.string() }) }),
]);
const Top = z.int().min(1).max(200).exactOptional();
const Key = z.string().min(1).max(200);
const DocParams = z.object({
  title: z.string().exactOptional(),
  content: z.string().min(1),
  source: z.string().exactOptional(),
  media_digests: Digests.exactOptional(),
});
const None = z.object({});
const Named = z.object({ name: z.string().min(1) });

/** Params of every `core.*` method, as a plugin sends them. */
export const CoreParams = {
  "core.tool.register": ToolParams,
  "core.stage.register": z.object({
    stage: z.enum(STAGES),
    scope: z.enum(["global", "own-tools"]).exactOptional(),
  }),
  "core.output.register": z.object({
    name: z.string().regex(/^[A-Za-z0-9_-]{1,40}$/),
    caps: z.int().min(1).max(31),
    description: z.string().max(8000),
    max_length: z.int().min(1).exactOptional(),
  }),
  "core.input.register": z.object({
    name: z.string().min(1).max(64),
    no_memory: z.boolean().exactOptional(),
    cleaner: z.boolean().exactOptional(),
  }),
  "core.api.register": z.object({ name: z.string(), method: z.string(), path: z.string() }),
  "core.stage.lock": z.object({ seq: z.int(), have: z.int().exactOptional() }),
  "core.stage.unlock": z.object({
    seq: z.int(),
    dirty: z.array(z.string()).max(32),
    patch: z.record(z.string(), z.unknown()).exactOptional(),
    append: z.record(z.string(), z.array(z.unknown())).exactOptional(),
  }),
  "core.segment.alloc": z.object({ size: z.int().min(1) }),
  "core.segment.free": z.object({ offset: z.int().min(0) }),
  "core.io.setToolBlocks": z.object({ turn: z.string(), blocks: z.array(Part).max(32) }),
  "core.lifecycle.autoRestart": z.object({ enabled: z.boolean() }),
  "core.settings.get": z.object({ key: Key }),
  "core.settings.set": z.object({ key: Key, value: z.unknown() }),
  "core.settings.list": None,
  "core.settings.defs": None,
  "core.settings.registerDef": SettingSchema,
  "core.settings.dataDir": None,
  "core.log": z.object({
    level: z.enum(["debug", "info", "warn", "error"]),
    text: z.string(),
    fields: z.record(z.string(), z.unknown()).exactOptional(),
  }),
  "core.io.injectText": Injection,
  "core.io.injectTextNoMem": Injection,
  "core.io.injectInputSync": Injection,
  "core.io.injectInterrupt": Injection,
  "core.io.injectMedia": MediaInjection,
  "core.io.injectMediaSync": MediaInjection,
  "core.io.injectInterruptMedia": MediaInjection,
  "core.memory.recall": z.object({
    query: z.string().exactOptional(),
    keywords: z.array(z.string()).exactOptional(),
    depth: z.int().min(0).max(6).exactOptional(),
    top: Top,
  }),
  "core.memory.commit": z.object({
    triples: z.array(TripleParams).min(1).max(200),
    sentence_text: z.string().exactOptional(),
    media_digests: Digests.exactOptional(),
  }),
  "core.memory.introspect": None,
  "core.memory.merge": z.object({ from: z.string().min(1), into: z.string().min(1) }),
  "core.memory.purge": Named,
  "core.doc.query": z.object({ query: z.string(), top: Top }),
  "core.doc.insert": DocParams,
  "core.doc.insertMedia": DocParams.extend({
    attachments: z.array(z.union([Media, z.object({ digest: z.string() })])).min(1).max(16),
  }),
  "core.doc.remove": z.object({ id: z.string().min(1) }),
  "core.doc.stats": None,
  "core.knowledge.search": z.object({ query: z.string(), top: Top }),
  "core.knowledge.add": z.object({
    name: z.string().min(1),
    content: z.string(),
    replace: z.boolean().exactOptional(),
  }),
  "core.knowledge.list": None,
  "core.textmemory.append": z.object({
    role: z.enum(["user", "agent", "system", "tool"]),
    text: z.string(),
    channel: z.string().exactOptional(),
  }),
  "core.llm.listSources": None,
  "core.llm.setSource": z.object({ source: z.string() }),
  "core.llm.currentSource": None,
  "core.llm.complete": z.object({
    prompt: z.string(),
    system: z.string().exactOptional(),
    source: z.string().exactOptional(),
  }),
  "core.social.getPerson": Named,
  "core.social.getTrait": z.object({ name: z.string(), trait: z.string() }),
  "core.social.getRelations": Named,
  "core.social.getNetwork": z.object({ name: z.string(), depth: z.int().min(1).max(4).exactOptional() }),
  "core.social.listPersons": None,
  "core.events.subscribe": z.object({ types: z.array(z.enum(EVENT_TYPES)).min(1) }),
  "core.events.unsubscribe": z.object({ types: z.array(z.enum(EVENT_TYPES)).exactOptional() }),
  "core.plugin.reloadOne": Named,
  "core.plugin.listLoaded": None,
  "core.plugin.isDisabled": Named,
  "core.settings.getCore": z.object({ key: Key }),
  "core.settings.setCore": z.object({ key: Key, value: z.unknown() }),
  "core.settings.listCore": z.object({ prefix: z.string().exactOptional() }),
  "core.settings.getPlugin": z.object({ plugin: z.string(), key: Key }),
  "core.settings.setPlugin": z.object({ plugin: z.string(), key: Key, value: z.unknown() }),
  "core.settings.listPlugin": z.object({ plugin: z.string() }),
  "core.settings.dump": None,
  "core.settings.plugins": None,
  "core.events.publish": z.object({ type: z.enum(EVENT_TYPES), payload: z.record(z.string(), z.unknown()) }),
  "core.social.setTrait": z.object({ name: z.string(), trait: z.string(), value: z.string() }),
  "core.social.relate": z.object({ from: z.string(), relation: z.string(), to: z.string() }),
  "core.host.list": None,
  "core.host.inspect": z.object({ file: z.string() }),
  "core.host.install": z.object({ file: z.string(), sha256: z.string() }),
  "core.host.remove": z.object({ name: z.string(), data: z.boolean().exactOptional() }),
  "core.host.enable": Named,
  "core.host.disable": Named,
  "core.host.logs": z.object({ name: z.string(), lines: z.int().min(1).max(2000).exactOptional() }),
} as const;

/** A method that a plugin may call, given the capability. */
export type CoreMethod = keyof typeof CoreParams;

/** A setting as plugins see it. */
export interface SettingValue {
  /** In full; a plugin's own (`core.settings.list`) without the prefix `plugin.<name>.`. */
  key: string;
  /** In force now; secrets are masked except a plugin's own. */
  value: unknown;
}

/** One plugin as lists show it. */
export interface PluginInfo {
  /** As in its manifest. */
  name: string;
  /** As in its manifest. */
  version: string;
  /** Decided by its entry. */
  kind: PluginKind;
  /** As in its manifest. */
  description: string;
  /** At the moment of asking. */
  state: PluginState;
  /** Why it is not running, in a sentence. */
  reason?: string;
  /** Of its process; absent when none runs. */
  pid?: number;
  /** Names of those it registered. */
  tools: string[];
  /** Starts after crashes, since homed started. */
  restarts: number;
  /** As in its manifest. */
  capabilities: readonly string[];
}

/** - `backoff`: crashed, waiting to be started again · `quarantined`: crashed too often, not started again by itself
 * - `failed`: its manifest or its start is wrong · `loaded`: a skill, which has no process */
export type PluginState =
  | "disabled"
  | "starting"
  | "running"
  | "backoff"
  | "quarantined"
  | "failed"
  | "stopping"
  | "stopped"
  | "loaded";

/** What became of a stage context since a version that the plugin has: whole fields, and items that lists grew by. */
export interface StageChanges {
  /** Fields with their new values. */
  set?: StagePatch;
  /** Items to put at the end of lists, by field. */
  append?: Record<string, unknown[]>;
}

/** Results of the `core.*` methods that answer more than `{}`; what each means is said in `docs/protocol.md`. */
export type CoreResults = {
  "core.stage.lock": { version: number; ctx?: StageContext; changes?: StageChanges };
  "core.stage.unlock": { version: number };
  "core.segment.alloc": { offset: number };
  "core.settings.get": { value: unknown };
  "core.settings.list": { settings: SettingValue[] };
  "core.settings.defs": { defs: PluginSetting[] };
  "core.settings.dataDir": { path: string };
  "core.io.injectText": { turn: string | null };
  "core.io.injectTextNoMem": { turn: string | null };
  "core.io.injectInputSync": { turn: string; reply: string };
  "core.io.injectInterrupt": { turn: string | null };
  "core.io.injectMedia": { turn: string | null };
  "core.io.injectMediaSync": { turn: string; reply: string };
  "core.io.injectInterruptMedia": { turn: string | null };
  "core.memory.recall": MemoryMethods["graph.recall"]["result"];
  "core.memory.commit": { committed: number };
  "core.memory.introspect": MemoryStats;
  "core.memory.merge": { moved: number };
  "core.memory.purge": { entities: number; relations: number };
  "core.doc.query": { hits: Hit[] };
  "core.doc.insert": { id: string };
  "core.doc.insertMedia": { id: string; digests: string[] };
  "core.doc.remove": { removed: boolean };
  "core.doc.stats": { documents: number; bytes: number };
  "core.knowledge.search": { hits: Hit[] };
  "core.knowledge.add": { name: string };
  "core.knowledge.list": { items: { name: string; bytes: number; title: string }[] };
  "core.llm.listSources": { sources: { name: string; model: string; state: string }[] };
  "core.llm.currentSource": { source: string };
  "core.llm.complete": { text: string; source: string };
  "core.social.getPerson": { person: Person | null };
  "core.social.getTrait": { value: string | null };
  "core.social.getRelations": { relations: { relation: string; to: string }[] };
  "core.social.getNetwork": { relations: { from: string; relation: string; to: string }[] };
  "core.social.listPersons": { persons: string[] };
  "core.events.subscribe": { cursor: number };
  "core.plugin.reloadOne": { state: string };
  "core.plugin.listLoaded": { plugins: { name: string; version: string; kind: string; state: string }[] };
  "core.plugin.isDisabled": { disabled: boolean };
  "core.settings.getCore": { value: unknown };
  "core.settings.listCore": { settings: SettingValue[] };
  "core.settings.getPlugin": { value: unknown };
  "core.settings.listPlugin": { settings: SettingValue[] };
  "core.settings.dump": { settings: SettingValue[] };
  "core.settings.plugins": { plugins: string[] };
  "core.host.list": { plugins: PluginInfo[] };
  "core.host.inspect": { report: Record<string, unknown> };
  "core.host.install": { name: string; state: string };
  "core.host.logs": { lines: string[] };
};

/** What homed serves to a plugin. */
export type CoreMethods = {
  [M in CoreMethod]: {
    params: (typeof CoreParams)[M]["_zod"]["input"];
    result: M extends keyof CoreResults ? CoreResults[M] : Ok;
  };
};

import { join, resolve, sep as SEPARATOR } from "node:path";
import { newId } from "../base/ids.ts";
import { HomedError } from "../base/errors.ts";
import { EVENT_TYPES, type EventType } from "../wire/event.ts";
import type { KernelMethods, MemoryMethods } from "../wire/mod.ts";
import { RPC_CODES, RpcError } from "../wire/mod.ts";
import type { Handler, Handlers } from "../wire/peer.ts";
import type { Params } from "../wire/rpc.ts";
import { backUp } from "./backup.ts";
import type { Daemon } from "./daemon.ts";
import { examine } from "./doctor.ts";
import { type Home, realPathOf } from "./home.ts";
import { reasonOf } from "../base/system_error.ts";
import { removeIfThere } from "../base/files.ts";
import type { OwnerMethods } from "../wire/owner.ts";
import { pluginNotices } from "./plugins.ts";
import { approvalWarnings } from "./setting_warnings.ts";
import { VERSION, versionInfo } from "./version.ts";

/** The client that a table of methods is made for. */
export interface ServedClient {
  notify(method: string, params: Params): void;
  /** Aborted when the client goes. */
  closing: AbortSignal;
}

/** What the owner may ask of a running homed. Everything that comes in is checked here; what a call is refused for is a
 * sentence for the person. */
export function serveOwner(daemon: Daemon, client: ServedClient): Record<string, Handler> {
  const { registry, parts } = daemon;
  const kernel = <M extends keyof KernelMethods & string>(method: M) => async (params: KernelMethods[M]["params"]) => {
    await parts.ready;
    return await parts.kernel.peer.call(method, params);
  };
  const memory = <M extends keyof MemoryMethods & string>(method: M) => async (params: MemoryMethods[M]["params"]) => {
    await parts.ready;
    return await parts.memory.peer.call(method, params);
  };
  let subscription: Disposable | undefined;
  const unsubscribe = () => {
    subscription?.[Symbol.dispose]();
    subscription = undefined;
  };
  const whenGone = (resource: Disposable) =>
    client.closing.addEventListener("abort", () => resource[Symbol.dispose](), { once: true });

  const handlers: Handlers<OwnerMethods> = {
    "status": async () => {
      await parts.ready;
      return {
        version: VERSION,
        home: daemon.home.root,
        pid: Deno.pid,
        since: daemon.since,
        socket: daemon.socketPlace,
        page: daemon.page,
        kernel: await parts.kernel.peer.call("kernel.status", {}),
        parts: parts.all.map(({ name, isUp, starts }) => ({ name, up: isUp, starts })),
        clients: daemon.clients,
        ...(parts.downloads.state && { download: parts.downloads.state }),
        notices: [
          ...daemon.notices,
          ...daemon.warnings.map(({ text, fix }) => `${text}: ${fix}`),
          ...pluginNotices(daemon.plugins),
        ],
      };
    },
    "version": () => versionInfo(),
    "stop": () => {
      setTimeout(() => daemon.options.onStop?.(), 0);
      return { pid: Deno.pid };
    },
    "chat.send": (params, context) => {
      const { text, channel = "cli", source = "cli", media, no_memory } = params;
      requireText("text", text);
      requireText("channel", channel);
      requireText("source", source);
      if (media !== undefined && !(Array.isArray(media) && media.every(isMedia))) {
        throw invalid("`media` must be a list of {mime, data}, with the data in base64");
      }
      const input = { text, channel, source, trusted: true, ...(media && { media }), ...(no_memory && { no_memory }) };
      return daemon.send(input, ({ request: _kernels, ...event }) => context.notify("chat.event", event));
    },
    "chat.interrupt": (params) => {
      requireText("text", params.text);
      return kernel("chat.interrupt")({ source: "cli", channel: "cli", ...params });
    },
    "chat.cancel": (params) => {
      requireText("turn", params.turn);
      return kernel("chat.cancel")(params);
    },
    "chat.listen": ({ channel = "cli" }) => {
      requireText("channel", channel);
      whenGone(daemon.outputs.listen(channel, (output) => client.notify("chat.output", { ...output })));
      return {};
    },
    "progress.listen": () => {
      whenGone(daemon.work.watch((progress) => client.notify("progress", { ...progress })));
      return {};
    },
    "approval.answer": (params) => {
      requireText("id", params.id);
      if (typeof params.allow !== "boolean") throw invalid("`allow` must be true or false");
      return kernel("approval.answer")(params);
    },
    "events.subscribe": ({ types }) => {
      if (types !== undefined && !Array.isArray(types)) throw invalid("`types` must be a list of event types");
      for (const type of types ?? []) {
        if (!EVENT_TYPES.includes(type)) throw invalid(`There is no event type "${type}"`);
      }
      unsubscribe();
      const seq = daemon.bus.seq;
      subscription = daemon.bus.subscribe(
        types as EventType[] | undefined,
        (event) => client.notify("event", { ...event }),
      );
      return { seq };
    },
    "events.unsubscribe": () => {
      unsubscribe();
      return {};
    },
    "config.list": ({ prefix = "", language = "en" }) => {
      if (typeof prefix !== "string") throw invalid("`prefix` must be a text");
      return registry.list(prefix, language === "zh" ? "zh" : "en");
    },
    "config.get": ({ key }) => {
      requireText("key", key);
      return { key, value: registry.shown(key) };
    },
    "config.set": async ({ key, value }) => {
      requireText("key", key);
      if (value === undefined) throw invalid("`value` is missing");
      const changes = registry.set(key, value, "owner");
      await daemon.settled();
      const also = changes.map((change) => change.key).filter((changed) => changed !== key);
      const found = key.startsWith("core.approval.")
        ? approvalWarnings(registry, (await kernel("tools.list")({})).tools)
        : daemon.warnings;
      const warnings = [registry.overridden(key) ?? [], ...found.filter((one) => key === one.key)].flat()
        .map(({ text, fix }) => `${text}: ${fix}`);
      // A source that is being set up step by step says what it still lacks.
      for (const { source, message } of daemon.brokenSources) {
        if (key.startsWith(`core.llm.sources.${source}.`)) warnings.push(message);
      }
      return { key, value: registry.shown(key), also, ...(warnings.length > 0 && { warnings }) };
    },
    "config.unset": async ({ key }) => {
      requireText("key", key);
      registry.unset(key, "owner");
      await daemon.settled();
      return { key, value: registry.shown(key) };
    },
    "memory.stats": memory("memory.stats"),
    "memory.recall": (params) => {
      requireText("query", params.query);
      requireCount("top", params.top);
      return memory("memory.recall")(params);
    },
    "memory.export": ({ path }) => throughMemory(daemon, path, "export"),
    "memory.import": ({ path }) => throughMemory(daemon, path, "import"),
    "memory.forget": async (params) => {
      requireText("name", params.name);
      const everywhere = async () => {
        const { counts, names } = await memory("memory.forget")(params);
        const elsewhere = await daemon.forgetElsewhere(names, { dryRun: params.dry_run === true });
        return { counts: { ...counts, ...elsewhere.counts }, names, named_in: elsewhere.named_in };
      };
      // A turn that runs has it in its prompt, and would bring it back with its reply.
      return params.dry_run ? await everywhere() : await daemon.betweenTurns(everywhere);
    },
    "memory.undo": (params) => {
      if (params.id !== undefined) requireText("id", params.id);
      return memory("memory.undo")(params);
    },
    "memory.undo_list": memory("memory.undo_list"),
    "memory.tick": memory("memory.tick"),
    "knowledge.list": memory("knowledge.list"),
    "knowledge.add": (params) => {
      requireText("name", params.name);
      if (!isEntryName(params.name)) {
        throw invalid(`"${params.name}" cannot name an entry: a name has no / or \\, and does not begin with a dot`);
      }
      requireText("content", params.content);
      return memory("knowledge.add")(params);
    },
    "knowledge.search": (params) => {
      requireText("query", params.query);
      requireCount("top", params.top);
      return memory("knowledge.search")(params);
    },
    "tools.list": kernel("tools.list"),
    "llm.complete": (params) => {
      requireText("prompt", params.prompt);
      return kernel("llm.complete")(params);
    },
    "llm.switch": (params) => {
      requireText("source", params.source);
      return kernel("llm.switch")(params);
    },
    "doctor": ({ online = false }) => examine(daemon, { online }),
    "backup": ({ path }) => {
      requireText("path", path);
      requireElsewhere(daemon.home, path);
      return backUp(daemon, path);
    },
    "plugin.list": () => ({ plugins: [] }),
  };
  whenGone({ [Symbol.dispose]: unsubscribe });
  return handlers as Record<string, Handler>;
}

/** The memory worker reads and writes in its own folders alone: what goes out or comes in passes through there. */
async function throughMemory(
  daemon: Daemon,
  path: string,
  way: "import",
): Promise<MemoryMethods["memory.import"]["result"]>;
async function throughMemory(
  daemon: Daemon,
  path: string,
  way: "export",
): Promise<MemoryMethods["memory.export"]["result"]>;
async function throughMemory(daemon: Daemon, path: string, way: "import" | "export"): Promise<unknown> {
  requireText("path", path);
  await daemon.parts.ready;
  const peer = daemon.parts.memory.peer;
  const between = join(daemon.home.path("memory"), `${way}-${newId()}.jsonl`);
  try {
    if (way === "import") {
      await Deno.copyFile(path, between).catch((error) => {
        throw new HomedError("no_file", `Cannot read ${path}: ${reasonOf(error)}`, {
          fix: "name a file that you can read",
          cause: error,
        });
      });
      await Deno.chmod(between, 0o600).catch(() => {
        // Windows has no modes.
      });
      return await peer.call("memory.import", { path: between });
    }
    requireElsewhere(daemon.home, path);
    const result = await peer.call("memory.export", { path: between });
    await Deno.copyFile(between, path).catch((error) => {
      throw new HomedError("export", `Cannot write ${path}: ${reasonOf(error)}`, {
        fix: "name a file in a folder that you may write, with enough room",
        cause: error,
      });
    });
    return result;
  } finally {
    removeIfThere(between);
  }
}

function requireText(name: string, value: unknown): asserts value is string {
  if (typeof value !== "string" || value === "") throw invalid(`\`${name}\` must be a text that is not empty`);
}

/** What is written for the person takes the place of nothing that is the home's; its `backups/` are the person's own. */
function requireElsewhere(home: Home, path: string): void {
  const place = realPathOf(resolve(path));
  const isIn = (folder: string) => place === folder || place.startsWith(folder + SEPARATOR);
  if (!isIn(realPathOf(home.root)) || isIn(realPathOf(home.path("backups")))) return;
  throw new HomedError("inside", `Cannot write ${path}: it is in the home folder`, {
    fix: "name a file elsewhere, or in backups/ of the home",
  });
}

function requireCount(name: string, value: unknown): void {
  if (value !== undefined && !(Number.isInteger(value) && (value as number) > 0)) {
    throw invalid(`\`${name}\` must be a whole number from 1`);
  }
}

function isMedia(one: unknown): boolean {
  if (typeof one !== "object" || one === null) return false;
  const { mime, data } = one as { mime?: unknown; data?: unknown };
  return typeof mime === "string" && typeof data === "string";
}

/** An entry's name is the name of its folder. */
const isEntryName = (name: string) => !/[/\\\p{Cc}]/u.test(name) && !name.startsWith(".") && name.length <= 200;

const invalid = (message: string) => new RpcError(RPC_CODES.invalidParams, message);

/** A plugin host with a kernel, a memory and settings that a test looks into, over real processes. */
import { createLog, type LogRecord, systemClock } from "../../../core/base/mod.ts";
import { EventBus } from "../../../core/bus/mod.ts";
import type {
  BusEvent,
  CallOptions,
  ChannelDef,
  KernelMethods,
  PluginManifest,
  PluginSetting,
  Stage,
  StageContext,
  ToolDef,
} from "../../../core/wire/mod.ts";
import { type HostLimits, type HostPorts, PluginHost, type SettingsPort } from "../../../plugins/host/mod.ts";

/** homed as plugins are started with it: from source, or the executable that `HOMED_BIN` names. */
const executable = Deno.env.get("HOMED_BIN");

export const HOMED = executable ? [executable] : [
  Deno.execPath(),
  "run",
  "-A",
  "--no-prompt",
  "--quiet",
  new URL("../../fixtures/plugins/homed.ts", import.meta.url).pathname,
];

/** What the kernel was told, and answers a test sets. */
export class KernelDouble {
  readonly tools = new Map<string, ToolDef & { owner: string }>();
  readonly stages: { owner: string; stage: Stage; scope?: string }[] = [];
  readonly channels = new Map<string, ChannelDef & { owner: string }>();
  readonly inputs: { owner: string; input: { name: string } }[] = [];
  readonly calls: { method: string; params: Record<string, unknown> }[] = [];
  readonly answers: Record<string, (params: Record<string, unknown>, options?: CallOptions) => unknown> = {};

  call = <M extends keyof KernelMethods & string>(
    method: M,
    params: KernelMethods[M]["params"],
    options?: CallOptions,
  ): Promise<KernelMethods[M]["result"]> => {
    this.calls.push({ method, params: params as unknown as Record<string, unknown> });
    return Promise.resolve(this.#answer(method, params as unknown as Record<string, unknown>, options)) as Promise<
      KernelMethods[M]["result"]
    >;
  };

  #answer(method: string, params: Record<string, unknown>, options?: CallOptions): unknown {
    const owner = params.owner as string;
    if (method === "tools.register") {
      for (const tool of params.tools as ToolDef[]) this.tools.set(tool.name, { ...tool, owner });
      return { rejected: [] };
    }
    if (method === "stages.register") this.stages.push(params as never);
    else if (method === "inputs.register") this.inputs.push(params as never);
    else if (method === "channels.register") {
      const channel = params.channel as ChannelDef;
      this.channels.set(channel.name, { ...channel, owner });
    } else if (method === "owner.detach") {
      for (const [name, tool] of this.tools) if (tool.owner === owner) this.tools.delete(name);
      for (const [name, channel] of this.channels) if (channel.owner === owner) this.channels.delete(name);
    }
    return this.answers[method]?.(params, options) ?? {};
  }
}

class SettingsDouble implements SettingsPort {
  readonly values = new Map<string, unknown>();
  readonly defs = new Map<string, PluginSetting>();
  get(key: string): unknown {
    return this.values.get(key) ?? this.defs.get(key)?.default;
  }
  set(key: string, value: unknown): void {
    this.values.set(key, value);
  }
  unset(key: string): void {
    this.values.delete(key);
  }
  list(prefix: string) {
    return [...new Set([...this.defs.keys(), ...this.values.keys()])].filter((key) => key.startsWith(prefix)).sort()
      .map((key) => {
        const def = this.defs.get(key);
        const type = def?.type ?? "string";
        return { key, value: this.get(key), type, secret: type === "secret", owner: def?.owner ?? false };
      });
  }
  define(plugin: string, def: PluginSetting): void {
    this.defs.set(`plugin.${plugin}.${def.key}`, def);
  }
  undefine(plugin: string, { values }: { values: boolean }): void {
    for (const key of [...this.defs.keys()]) if (key.startsWith(`plugin.${plugin}.`)) this.defs.delete(key);
    if (values) {
      for (const key of [...this.values.keys()]) if (key.startsWith(`plugin.${plugin}.`)) this.values.delete(key);
    }
  }
}

export interface PluginFiles {
  manifest?: Partial<PluginManifest>;
  /** Content by path; a leading `#!` makes a file executable. */
  files: Record<string, string>;
}

export interface TestHostOptions {
  plugins?: Record<string, PluginFiles>;
  limits?: Partial<HostLimits>;
  ports?: Partial<HostPorts>;
}

/** A host over a temporary home, started. Dispose of it to stop every plugin and remove the home. */
export async function testHost(options: TestHostOptions = {}) {
  const home = await Deno.makeTempDir({ prefix: "homed-plugins-" });
  for (const [name, plugin] of Object.entries(options.plugins ?? {})) await writePlugin(home, name, plugin);
  const kernel = new KernelDouble();
  const memoryCalls: { method: string; params: Record<string, unknown> }[] = [];
  const memoryAnswers: Record<string, unknown> = {};
  const settings = new SettingsDouble();
  const logged: LogRecord[] = [];
  const events: BusEvent[] = [];
  const bus = new EventBus();
  bus.subscribe(undefined, (event) => events.push(event));
  const limits: HostLimits = {
    restart_max: 5,
    restart_window: 60_000,
    restart_backoff: 20,
    start_timeout: 20_000,
    stop_grace: 2000,
    cancel_grace: 300,
    stage_timeout: 20_000,
    ...options.limits,
  };
  const host = new PluginHost({
    kernel,
    memory: {
      call: (method, params) => {
        memoryCalls.push({ method, params: params as unknown as Record<string, unknown> });
        return Promise.resolve((memoryAnswers[method] ?? {}) as never);
      },
    },
    settings,
    bus,
    log: createLog("plugins", (record) => logged.push(record)),
    clock: systemClock,
    folders: {
      home,
      plugins: `${home}/plugins`,
      data: `${home}/plugin-data`,
      skills: `${home}/skills`,
      run: `${home}/run`,
      logs: `${home}/logs`,
    },
    limits: () => limits,
    command: HOMED,
    version: "0.1.0",
    env: Deno.env.toObject(),
    ...options.ports,
  });
  await host.start();
  const handlers = host.handlers();
  const signal = new AbortController().signal;
  const context = { id: 1, signal, notify() {} };
  return {
    home,
    host,
    kernel,
    memoryCalls,
    memoryAnswers,
    settings,
    logged,
    events,
    bus,
    handlers,
    state: (name: string) => host.list().find((one) => one.name === name)?.state,
    info: (name: string) => host.list().find((one) => one.name === name)!,
    /** Invokes a tool as the kernel does. */
    tool: async (
      name: string,
      args: Record<string, unknown> = {},
      how: { deadline?: number; signal?: AbortSignal } = {},
    ) => {
      const params = { owner: name.split("_")[0]!, name, args, turn: "t1", deadline_ms: how.deadline ?? 20_000 };
      return await handlers["tool.invoke"](params, { ...context, signal: how.signal ?? signal });
    },
    stage: (stage: Stage, owners: string[], ctx: Partial<StageContext> = {}) =>
      handlers["stage.invoke"]({ stage, owners, ctx: stageContext(stage, ctx) }, context),
    context,
    async [Symbol.asyncDispose]() {
      await host.stop();
      await Deno.remove(home, { recursive: true });
    },
  };
}

export async function writePlugin(home: string, name: string, { manifest, files }: PluginFiles): Promise<void> {
  const entry = manifest?.entry ?? Object.keys(files)[0]!;
  const dir = `${home}/plugins/${name}`;
  await Deno.mkdir(dir, { recursive: true });
  const whole = { name, version: "1.0.0", description: "A test", ...manifest, entry };
  await Deno.writeTextFile(`${dir}/plugin.json`, JSON.stringify(whole));
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(`${dir}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${dir}/${path}`, text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
  }
}

export function stageContext(phase: Stage, given: Partial<StageContext> = {}): StageContext {
  return {
    raw_message: "",
    user_id: "",
    group_id: "",
    channel: "cli",
    source: "cli",
    context_msgs: [],
    llm_text: "",
    reasoning_content: "",
    token_usage: null,
    tool_calls: [],
    tool_results: [],
    final_text: "",
    response: null,
    phase,
    memory: "",
    no_memory: false,
    extra: {},
    errors: [],
    ...given,
  };
}

/** True while a process lives (zombies do not). */
export function isAlive(pid: number): boolean {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/stat`);
    return text.slice(text.lastIndexOf(")") + 2, text.lastIndexOf(")") + 3) !== "Z";
  } catch {
    // No such process, or no /proc: then signal 0 would tell, which Deno cannot send.
    return false;
  }
}

/** A JS plugin whose `start` is this text, with `sdk` in reach. */
export const js = (start: string, rest = ""): PluginFiles => ({
  files: { "main.js": `export default { async start(sdk) {\n${start}\n}, ${rest} };\n` },
});

/** A tool in the text of such a plugin. */
export const jsTool = (name: string, body: string) =>
  `await sdk.registerTool({name: ${JSON.stringify(name)}, description: "x", parameters: {type: "object"}}, ` +
  `async (args, info) => { ${body} });`;

const RAW = Deno.readTextFileSync(new URL("../../fixtures/plugins/raw.mjs", import.meta.url));

/** The native fixture `raw.mjs` under the name that says what it does wrong. */
export const raw = (permissions: PluginManifest["permissions"] = {}): PluginFiles => ({
  manifest: { permissions },
  files: { "raw.mjs": `#!${Deno.execPath()} run -A --no-prompt --quiet --no-lock --no-config --unstable-net\n${RAW}` },
});

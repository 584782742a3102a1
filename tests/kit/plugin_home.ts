/** A homed with a scripted model, into which plugins are installed as a person does. */
import assert from "node:assert/strict";
import { type Client, connect, homed, type Ran, serve } from "./homed.ts";
import { type LlmServer, startLlmServer } from "./llm_servers/mod.ts";
import { tempFolder } from "./temp_folder.ts";

const EXAMPLES = decodeURIComponent(new URL("../../docs/plugins", import.meta.url).pathname);
const PYTHON_SDK = decodeURIComponent(new URL("../../plugins/sdk/python/homed_plugin.py", import.meta.url).pathname);

/** One event of a turn. */
// deno-lint-ignore no-explicit-any
export type TurnEvent = Record<string, any>;

export interface PluginHome extends AsyncDisposable {
  folder: string;
  home: string;
  llm: LlmServer;
  env: Record<string, string>;
  run(...args: string[]): Promise<Ran>;
  /** Runs a verb that must succeed; answers what it printed. */
  done(...args: string[]): Promise<string>;
  /** Copies an example of `docs/plugins`, changes its manifest, builds it and answers the package. */
  build(example: string, change?: (manifest: TurnEvent) => void): Promise<string>;
}

/** A fresh home. What is given in `env` holds for everything that is run. */
export async function pluginHome(env: Record<string, string> = {}): Promise<PluginHome> {
  const folder = await tempFolder();
  const home = `${folder.path}/home`;
  const llm = startLlmServer("openai");
  const all = { ...scriptedModel(llm), ...env };
  const run = (...args: string[]) => homed(args, { home, env: all });
  const done = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args);
    assert.equal(code, 0, `homed ${args.join(" ")}: ${stdout}${stderr}`);
    return stdout;
  };
  return {
    folder: folder.path,
    home,
    llm,
    env: all,
    run,
    done,
    async build(example, change) {
      const place = `${folder.path}/${example}`;
      await copyFolder(`${EXAMPLES}/${example}`, place);
      const manifest = JSON.parse(await Deno.readTextFile(`${place}/plugin.json`));
      change?.(manifest);
      await Deno.writeTextFile(`${place}/plugin.json`, JSON.stringify(manifest));
      if (manifest.entry.endsWith(".py")) await Deno.copyFile(PYTHON_SDK, `${place}/homed_plugin.py`);
      await done("plugin", "build", place);
      return `${place}/${manifest.name}-${manifest.version}.hmap`;
    },
    async [Symbol.asyncDispose]() {
      await llm[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The variables that make a scripted server the one model. */
export function scriptedModel(llm: LlmServer): Record<string, string> {
  const prefix = "HOMED_CORE__LLM__SOURCES__OPENAI__";
  return {
    [`${prefix}ENABLED`]: "true",
    [`${prefix}BASE_URL`]: llm.url,
    [`${prefix}API_KEY`]: "sk-test-0123456789abcdef",
    [`${prefix}MODEL`]: "scripted",
  };
}

export interface Talk extends AsyncDisposable {
  client: Client;
  /** Lets the model call a tool, says something, and answers the tool's result as the model got it, with every event. */
  use(tool: string, args: Record<string, unknown>, how?: UseOptions): Promise<Used>;
  /** What the agent said on the channel outside of awaited turns. */
  outputs: string[];
}

export interface UseOptions {
  /** How a question about it is answered; by default it must not be asked. */
  answer?: "allow" | "deny" | "always" | "nothing";
}

export interface Used {
  result: string;
  ok: boolean;
  events: TurnEvent[];
  reply: string;
}

/** A daemon of this home and a client that listens. */
export async function talkTo(plugins: PluginHome): Promise<Talk & { daemon: Awaited<ReturnType<typeof serve>> }> {
  const daemon = await serve({ home: plugins.home, env: plugins.env });
  const outputs: string[] = [];
  const client = await connect(plugins.home, {
    "chat.output": (params) => void outputs.push((params as { text: string }).text),
  });
  await client.peer.call("chat.listen", {});
  return {
    daemon,
    client,
    outputs,
    use: (tool, args, how = {}) => useTool(plugins.llm, client, { tool, args, ...how }),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
    },
  };
}

async function useTool(
  llm: LlmServer,
  client: Client,
  { tool, args, answer }: UseOptions & { tool: string; args: Record<string, unknown> },
): Promise<Used> {
  const asked = llm.requests.length;
  llm.drop().say({ calls: [{ id: "call_1", name: tool, arguments: JSON.stringify(args) }] }, { text: "That is done." });
  const events: TurnEvent[] = [];
  const { reply } = await client.peer.call("chat.send", { text: `Please use ${tool}` }, {
    onEvent: (_, params) => {
      events.push(params);
      if (params.type !== "approval" || answer === "nothing") return;
      assert.ok(answer, `${tool} asked: ${JSON.stringify(params.args)}`);
      void client.peer.call("approval.answer", {
        id: params.id,
        allow: answer !== "deny",
        ...(answer === "always" && { always: true }),
      });
    },
  });
  const second = llm.requests[asked + 1]?.body as { messages: { role: string; content: string }[] } | undefined;
  const result = second?.messages.findLast(({ role }) => role === "tool")?.content ?? "";
  return { result, ok: events.find(({ type }) => type === "tool_result")?.ok === true, events, reply };
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const entry of Deno.readDir(from)) {
    if (entry.isDirectory) await copyFolder(`${from}/${entry.name}`, `${to}/${entry.name}`);
    else await Deno.copyFile(`${from}/${entry.name}`, `${to}/${entry.name}`);
  }
}

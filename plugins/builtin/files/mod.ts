/** The built-in plugin `files`: reads, writes and searches below the configured folders. @module */
import { Peer, portTransport } from "../../../core/wire/mod.ts";
import type { BuiltinPlugin, BuiltinPorts, Sdk } from "../../sdk/mod.ts";
import type { FilesMethods, FilesWorkerMethods } from "./methods.ts";

const path = { type: "string", description: "Relative to the first folder, or absolute below one of them" };
const text = { type: "string" };

interface Row {
  method: keyof FilesMethods;
  description: string;
  properties: Record<string, unknown>;
  required: string[];
  acts?: boolean;
}

const TOOLS: Record<string, Row> = {
  files_read: {
    method: "read",
    description: "Reads lines of a text file.",
    properties: { path, from: { type: "integer", description: "First line, from 1" }, lines: { type: "integer" } },
    required: ["path"],
  },
  files_write: {
    method: "write",
    description: "Writes a whole text file, making its folders. What was there is replaced.",
    properties: { path, content: text },
    required: ["path", "content"],
    acts: true,
  },
  files_append: {
    method: "append",
    description: "Appends text to a file, making it if it is not there.",
    properties: { path, content: text },
    required: ["path", "content"],
    acts: true,
  },
  files_edit: {
    method: "edit",
    description: "Replaces an exact piece of text in a file. It must occur exactly once, unless all is set.",
    properties: { path, find: text, replace: text, all: { type: "boolean" } },
    required: ["path", "find", "replace"],
    acts: true,
  },
  files_delete: {
    method: "delete",
    description: "Moves a file or folder into the trash of its folder (.trash), from where a person can take it back.",
    properties: { path },
    required: ["path"],
    acts: true,
  },
  files_list: {
    method: "list",
    description: "Lists a folder.",
    properties: { path, depth: { type: "integer", description: "1 (default) to 8" } },
    required: [],
  },
  files_search: {
    method: "search",
    description: "Finds lines that hold a text or match an expression (RE2), in a file or below a folder.",
    properties: {
      path,
      pattern: text,
      regex: { type: "boolean" },
      ignore_case: { type: "boolean" },
      glob: { type: "string", description: "Only files like this: *.md, notes/**/*.txt" },
      top: { type: "integer" },
    },
    required: ["pattern"],
  },
};

/** Starts the worker with exactly these folders. */
export async function startFilesWorker(
  roots: string[],
): Promise<{ peer: Peer<FilesWorkerMethods>; folders: string[]; stop(): void }> {
  // What a link among the roots leads to must be permitted too: paths are judged by where they really are.
  const real = await Promise.all(roots.map((root) => Deno.realPath(root).catch(() => root)));
  const folders = [...new Set([...roots, ...real])];
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    type: "module",
    name: "files",
    deno: { permissions: { read: folders, write: folders } },
  });
  const peer = new Peer<FilesWorkerMethods>(portTransport(worker), { name: "the files worker" }).open();
  worker.onerror = (event) => {
    event.preventDefault();
    peer.close(`it failed: ${event.message}`);
    worker.terminate();
  };
  return { peer, folders, stop: () => (peer.close("the plugin stops"), worker.terminate()) };
}

/** The worker, started at the first call and again when the folders were changed or it is gone. */
class Files {
  readonly #sdk: Sdk;
  readonly #workers: BuiltinPorts["workers"];
  #running: { key: string; worker: Awaited<ReturnType<typeof startFilesWorker>> } | undefined;

  constructor(sdk: Sdk, workers: BuiltinPorts["workers"]) {
    this.#sdk = sdk;
    this.#workers = workers;
  }

  async call(method: keyof FilesMethods, args: Record<string, unknown>, signal: AbortSignal): Promise<unknown> {
    const roots = await this.#roots();
    const key = JSON.stringify(roots);
    if (this.#running && (this.#running.key !== key || this.#running.worker.peer.isClosed)) this.stop();
    if (!this.#running) {
      this.#running = { key, worker: await startFilesWorker(roots) };
      const { peer, folders } = this.#running.worker;
      const told = this.#workers?.({
        name: "files",
        rights: { read: folders, write: folders, net: [] },
        probe: (plan) => peer.call("probe", plan, { timeout: 10_000 }),
      });
      void peer.closed.then(() => told?.[Symbol.dispose]());
      await peer.call("open", { roots });
    }
    return await this.#running.worker.peer.call(method, args as never, { signal });
  }

  stop(): void {
    this.#running?.worker.stop();
    this.#running = undefined;
  }

  async #roots(): Promise<string[]> {
    const configured = await this.#sdk.settings.get("roots");
    const roots = Array.isArray(configured) ? configured.filter((root) => typeof root === "string") : [];
    if (roots.length > 0) return roots;
    const own = `${this.#sdk.dataDir}/workspace`;
    await Deno.mkdir(own, { recursive: true, mode: 0o700 });
    return [own];
  }
}

export const files: BuiltinPlugin = {
  name: "files",
  description: "Reads, writes, edits, lists and searches files below the folders you allow",
  capabilities: [],
  settings: [{
    key: "roots",
    type: "json",
    default: [],
    owner: true,
    title: { en: "Folders", zh: "文件夹" },
    help: {
      en:
        'Folders the agent may use, as a JSON list: ["/home/me/notes"]. Empty: a folder of its own in the home folder.',
      zh: '允许使用的文件夹，JSON 列表：["/home/me/notes"]。留空则使用主目录中的专用文件夹。',
    },
  }],
  create({ workers }) {
    let running: Files | undefined;
    return {
      async start(sdk) {
        const files = running = new Files(sdk, workers);
        for (const [name, { method, description, properties, required, acts }] of Object.entries(TOOLS)) {
          await sdk.registerTool(
            { name, description, parameters: { type: "object", properties, required }, ...(acts && { acts }) },
            (args, { signal }) => files.call(method, args, signal),
          );
        }
      },
      stop: () => running?.stop(),
    };
  },
};

import { fileURLToPath } from "node:url";
import { HomedError, messageOf } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import {
  type EmbedMethods,
  type MemoryMethods,
  Peer,
  portTransport,
  type ProbePlan,
  type ProbeResult,
} from "../wire/mod.ts";
import type { Part } from "./part.ts";
import type { PartRights } from "./permissions.ts";

const ENTRY = new URL("../../memory/embed/worker.ts", import.meta.url);
/** What the worker opens beside the model: each file by its name, as they lie in no folder of their own in an executable. */
const ASSETS = [
  new URL("../../memory/embed/assets/transformers.js", import.meta.url),
  new URL("../../memory/embed/assets/ort.mjs", import.meta.url),
  new URL("../../memory/embed/assets/ort.bin", import.meta.url),
].map((file) => fileURLToPath(file));

/** The embed worker: there only while `core.agent.embedding_model_path` names a folder with a neural model. It may read
 * that folder and its own assets, and nothing else. */
export class EmbedPart {
  readonly #log: Log;
  #worker: Worker | undefined;
  #peer: Peer<EmbedMethods> | undefined;
  #folder: string | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Starts, keeps or ends the worker as the setting says, and gives the memory a line to it. What goes wrong is told in
   * the log: without the worker memory finds by words. */
  async follow(setting: string, memory: Part<MemoryMethods>): Promise<void> {
    const folder = await modelFolder(setting);
    if (folder !== this.#folder) this.end("the embedding model was changed");
    if (folder === undefined) return;
    try {
      if (!this.#worker) this.#start(folder);
      const { port1, port2 } = new MessageChannel();
      await Promise.all([
        this.#peer!.call("attach", { part: "memory", port: port1 }, { transfer: [port1], timeout: 30_000 }),
        memory.peer.call("attach", { part: "embed", port: port2 }, { transfer: [port2], timeout: 30_000 }),
      ]);
    } catch (error) {
      this.end(messageOf(error));
      this.#log.warn(`Cannot use the neural model in ${folder}: ${messageOf(error)}`);
    }
  }

  /** What it may do, while it is there. */
  get rights(): PartRights | undefined {
    return this.#folder === undefined ? undefined : { read: [this.#folder, ...ASSETS], write: [], net: [] };
  }

  /** Tries in it what it may do. */
  probe(plan: ProbePlan): Promise<ProbeResult> {
    if (!this.#peer) throw new HomedError("not_there", "The embed worker is not running");
    return this.#peer.call("probe", plan, { timeout: 30_000 });
  }

  end(reason: string): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#folder = undefined;
    this.#peer?.close(reason);
    this.#peer = undefined;
    worker?.terminate();
  }

  #start(folder: string): void {
    const worker = new Worker(ENTRY, {
      type: "module",
      name: "embed",
      deno: {
        permissions: {
          read: [folder, ...ASSETS],
          env: ["TESTING_REMOTELY"],
          write: false,
          net: false,
          run: false,
          ffi: false,
          sys: false,
          import: false,
        },
      },
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#log.warn(`The embed worker ended: ${event.message}: memory finds by words`);
      if (this.#worker === worker) this.end(event.message);
    });
    this.#peer = new Peer<EmbedMethods>(portTransport(worker), {
      name: "the embed worker",
      onProblem: (text) => this.#log.warn(text),
    }).serve({ log: ({ record }) => this.#log.debug(record.text) }).open();
    this.#worker = worker;
    this.#folder = folder;
  }
}

/** The folder that the setting names, when it is one with a neural model in it. */
async function modelFolder(setting: string): Promise<string | undefined> {
  const path = setting.trim().replace(/[/\\]+$/, "");
  if (path === "" || path.includes(",")) return undefined;
  for (const file of ["config.json", "tokenizer.json"]) {
    try {
      if (!(await Deno.stat(`${path}/${file}`)).isFile) return undefined;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
      throw error;
    }
  }
  return path;
}

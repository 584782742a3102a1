import { homedir } from "node:os";
import { resolve } from "node:path";
import {
  type CallOptions,
  Peer,
  portTransport,
  type ProbePlan,
  type ProbeResult,
  RPC_CODES,
  RpcError,
} from "../../../core/wire/mod.ts";
import type { BuiltinPorts, Sdk } from "../../sdk/mod.ts";
import type { HandsMethods } from "./methods.ts";

/** Variables a program may see: what it needs to run, nothing that is a secret of somebody else's. */
const ENVIRONMENT = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "TMPDIR",
  "TEMP",
  "TMP",
  "SYSTEMROOT",
  "COMSPEC",
  "PATHEXT",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "XDG_RUNTIME_DIR",
  "XDG_CONFIG_HOME",
];

/** What the worker serves, with what every worker of homed serves. */
interface HandsWorkerMethods extends HandsMethods {
  stop: { params: Record<never, never>; result: unknown };
  probe: { params: ProbePlan; result: ProbeResult };
}

/** The `hands` worker as one plugin uses it: started at the first call, again when it is gone. */
export class Hands {
  #worker: Worker | undefined;
  #peer: Peer<HandsWorkerMethods> | undefined;
  readonly #workers: BuiltinPorts["workers"];

  constructor({ workers }: Pick<BuiltinPorts, "workers"> = {}) {
    this.#workers = workers;
  }

  async call<M extends keyof HandsMethods>(
    method: M,
    params: HandsMethods[M]["params"],
    options?: CallOptions,
  ): Promise<HandsMethods[M]["result"]> {
    if (!this.#peer || this.#peer.isClosed) this.#start();
    return await this.#peer!.call(method, params as never, options);
  }

  get isRunning(): boolean {
    return this.#peer !== undefined && !this.#peer.isClosed;
  }

  /** Ends every terminal, then the worker. */
  async stop(): Promise<void> {
    const peer = this.#peer, worker = this.#worker;
    this.#peer = this.#worker = undefined;
    if (!peer) return;
    await peer.call("stop", {}, { timeout: 6000 }).catch((error) => {
      if (!(error instanceof RpcError) || error.code !== RPC_CODES.disconnected) throw error;
    });
    peer.close("the plugin stops");
    worker?.terminate();
  }

  #start(): void {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "hands" });
    const peer = new Peer<HandsWorkerMethods>(portTransport(worker), { name: "the hands worker" }).open();
    const told = this.#workers?.({ name: "hands", probe: (plan) => peer.call("probe", plan, { timeout: 10_000 }) });
    void peer.closed.then(() => told?.[Symbol.dispose]());
    worker.onerror = (event) => {
      event.preventDefault();
      peer.close(`it failed: ${event.message}`);
      worker.terminate();
    };
    this.#worker = worker;
    this.#peer = peer;
  }
}

/** The environment of a program that the agent runs. */
export function cleanEnvironment(): Record<string, string> {
  const pairs = ENVIRONMENT.map((name) => [name, Deno.env.get(name)] as const);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** The folder in which programs start: as asked, below the configured one, else that, else the person's own. */
export async function workingFolder(sdk: Sdk, asked: string | undefined): Promise<string> {
  const { value } = await sdk.call("core.settings.getCore", { key: "core.agent.workdir" });
  const base = typeof value === "string" && value !== "" ? value : homedir();
  const folder = asked === undefined ? base : resolve(base, asked);
  const info = await Deno.stat(folder).catch(() => undefined);
  if (!info?.isDirectory) throw new Error(`There is no folder "${folder}" to work in`);
  return folder;
}

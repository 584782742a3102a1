import type { CallOptions, KernelMethods, Peer } from "../wire/mod.ts";

/** A registration that a fresh kernel has to be told again. */
const REGISTRATIONS = ["tools.register", "stages.register", "channels.register", "inputs.register"] as const;
type Registration = typeof REGISTRATIONS[number];

/** The way to the kernel for those who register with it. It remembers what each owner registered, so that a kernel that
 * takes a lost one's place knows all of it. */
export class KernelDoor {
  readonly #peer: () => Peer<KernelMethods>;
  readonly #kept = new Map<string, { method: Registration; params: KernelMethods[Registration]["params"] }[]>();

  /** `peer` throws while there is no kernel. */
  constructor(peer: () => Peer<KernelMethods>) {
    this.#peer = peer;
  }

  /** Calls the kernel.
   * @throws {RpcError} what it answered; −32009 while there is none */
  async call<M extends keyof KernelMethods & string>(
    method: M,
    params: KernelMethods[M]["params"],
    options?: CallOptions,
  ): Promise<KernelMethods[M]["result"]> {
    const result = await this.#peer().call(method, params, options);
    if (isRegistration(method)) this.#keep(method, params as KernelMethods[Registration]["params"]);
    else if (method === "owner.detach") this.#kept.delete((params as { owner: string }).owner);
    return result;
  }

  /** Tells a fresh kernel everything that was registered. */
  async replay(peer: Peer<KernelMethods>): Promise<void> {
    for (const registrations of this.#kept.values()) {
      for (const { method, params } of registrations) await peer.call(method, params as never);
    }
  }

  #keep(method: Registration, params: KernelMethods[Registration]["params"]): void {
    const kept = this.#kept.get(params.owner) ?? [];
    const name = JSON.stringify([method, identity(params)]);
    const others = kept.filter((one) => JSON.stringify([one.method, identity(one.params)]) !== name);
    this.#kept.set(params.owner, [...others, { method, params }]);
  }
}

const isRegistration = (method: string): method is Registration =>
  (REGISTRATIONS as readonly string[]).includes(method);

/** What a later registration of the same owner takes the place of. */
function identity(params: object): unknown {
  const { tools, stage, scope, channel, input } = params as {
    tools?: { name: string }[];
    stage?: string;
    scope?: string;
    channel?: { name: string };
    input?: { name: string };
  };
  return [tools?.map(({ name }) => name), stage, scope, channel?.name, input?.name];
}

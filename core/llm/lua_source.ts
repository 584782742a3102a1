import { type Clock, systemClock } from "../base/clock.ts";
import { messageOf } from "../base/errors.ts";
import type { LuaMethods } from "../wire/kernel.ts";
import type { CompletionDelta, CompletionOutcome, CompletionRequest, SourceInfo } from "../wire/llm.ts";
import type { Peer } from "../wire/peer.ts";
import { RPC_CODES, RpcError } from "../wire/rpc.ts";
import type { AttemptOptions, Provider } from "./provider.ts";

/** How long a call waits for the `lua` worker to come back when it is being replaced. */
const REPLACEMENT_WAIT = 5000;
const REPLACEMENT_POLL = 25;

/** A source that lives in the `lua` worker. The worker may be replaced at any time (a new host changes its permissions):
 * a call that was running then is reported as cut, and the next one waits for the new worker. */
export class LuaProvider implements Provider {
  readonly info: SourceInfo;
  readonly #peer: () => Peer<LuaMethods> | undefined;
  readonly #clock: Clock;

  constructor(info: SourceInfo, peer: () => Peer<LuaMethods> | undefined, clock: Clock = systemClock) {
    this.info = info;
    this.#peer = peer;
    this.#clock = clock;
  }

  async complete(request: CompletionRequest, { signal, onDelta }: AttemptOptions): Promise<CompletionOutcome> {
    try {
      const peer = await this.#openPeer(signal);
      return await peer.call("llm.complete", { source: this.info.name, request }, {
        signal,
        onEvent: (method, params) => {
          if (method === "llm.delta") onDelta?.(params.delta as CompletionDelta);
        },
      });
    } catch (error) {
      const { name } = this.info;
      if (signal.aborted) {
        return { kind: "failed", failure: { kind: "cancelled", message: `The call of ${name} was cancelled` } };
      }
      const gone = error instanceof RpcError && error.code === RPC_CODES.disconnected;
      return {
        kind: "failed",
        failure: { kind: gone ? "cut" : "adapter", message: `${name} could not be asked: ${messageOf(error)}` },
      };
    }
  }

  async #openPeer(signal: AbortSignal): Promise<Peer<LuaMethods>> {
    const until = this.#clock.monotonic() + REPLACEMENT_WAIT;
    for (;;) {
      const peer = this.#peer();
      if (peer && !peer.isClosed) return peer;
      if (this.#clock.monotonic() >= until) {
        throw new RpcError(RPC_CODES.disconnected, "Cannot reach the lua worker: it is not running");
      }
      await this.#clock.sleep(REPLACEMENT_POLL, { signal });
    }
  }
}

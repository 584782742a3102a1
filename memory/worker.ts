/** The memory worker: the three tiers, media, text log, social and knowledge, behind `MemoryMethods`. Its permissions
 * are read and write of the memory's folders. `main` speaks first: `memory.open`, then `attach` of the kernel, and of the
 * embed worker where the setting names a neural model's folder.
 * @module */
import { systemClock } from "../core/base/clock.ts";
import { createLog } from "../core/base/log.ts";
import { probe } from "../core/base/probe.ts";
import type { PartMethods } from "../core/wire/kernel.ts";
import type { EmbedMethods, MemoryAsks } from "../core/wire/memory.ts";
import { type Handlers, Peer } from "../core/wire/peer.ts";
import { RPC_CODES, RpcError } from "../core/wire/rpc.ts";
import { portTransport, type WorkerPort } from "../core/wire/transport.ts";
import type { NeuralLine } from "./embedders/choose.ts";
import { memoryService } from "./service.ts";

const main = new Peer<Record<never, never>>(portTransport(self as unknown as WorkerPort), {
  name: "main",
  onProblem: (text) => log.warn(text),
});
const log = createLog("memory", (record) => main.notify("log", { record }));
let kernel: Peer<MemoryAsks> | undefined;
const neural: NeuralLine = {};

const service = memoryService({
  clock: systemClock,
  log,
  async decide(params) {
    if (!kernel || kernel.isClosed) return null;
    const { text } = await kernel.call("self.decide", params);
    return text;
  },
  neural,
  left(ids) {
    kernel?.notify("context.left", { ids });
  },
});

const part: Handlers<PartMethods> = {
  attach({ part, port }) {
    if (part === "embed") {
      neural.peer?.close("replaced by a new line");
      neural.peer = new Peer<EmbedMethods>(portTransport(port), { name: "the embed worker", onProblem: log.warn })
        .open();
      neural.attached?.();
      return {};
    }
    if (part !== "kernel") throw new RpcError(RPC_CODES.invalidParams, `The memory has no line to "${part}"`);
    kernel?.close("replaced by a new line");
    kernel = new Peer<MemoryAsks>(portTransport(port), { name: "the kernel", onProblem: (text) => log.warn(text) })
      .serve(service).open();
    return {};
  },
  ping: () => ({}),
  probe: (plan) => probe(plan),
};

main.serve(service).serve(part).open();

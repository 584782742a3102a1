import { probe } from "../../../core/base/probe.ts";
import type { ProbePlan } from "../../../core/wire/memory.ts";

/** Probes with the plan it is sent and answers with the result. */
self.addEventListener("message", async (event: MessageEvent<ProbePlan>) => self.postMessage(await probe(event.data)));

/** The `hands` worker: runs programs for `cmd` and `agentcli`. It may do everything, since a terminal needs it; what it
 * does is decided in the plugins, by the approval policy. @module */
import { probe } from "../../../core/base/probe.ts";
import { Peer, portTransport, type ProbePlan, type WorkerPort } from "../../../core/wire/mod.ts";
import type { HandsMethods } from "./methods.ts";
import { run } from "./run.ts";
import { Terminals } from "./terminals.ts";

const terminals = new Terminals();

new Peer<Record<never, never>>(portTransport(self as unknown as WorkerPort), { name: "main" }).serve({
  "cmd.run": (params: HandsMethods["cmd.run"]["params"], { signal }) => run(params, signal),
  "pty.start": (params: HandsMethods["pty.start"]["params"]) => terminals.start(params),
  "pty.send": (params: HandsMethods["pty.send"]["params"]) => terminals.send(params),
  "pty.screen": (params: HandsMethods["pty.screen"]["params"]) => terminals.screen(params),
  "pty.resize": (params: HandsMethods["pty.resize"]["params"]) => terminals.resize(params),
  "pty.stop": (params: HandsMethods["pty.stop"]["params"]) => terminals.stop(params),
  "pty.list": () => terminals.list(),
  stop: () => terminals.stopAll(),
  ping: () => ({}),
  probe: (plan: ProbePlan) => probe(plan),
}).open();

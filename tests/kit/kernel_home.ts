import { silentLog } from "../../core/base/log.ts";
import { createKernel, EMPTY_SETTINGS, type Kernel } from "../../core/kernel/kernel.ts";
import type { TurnEvent } from "../../core/kernel/event_loop.ts";
import type { HostPort } from "../../core/kernel/ports.ts";
import type { ChatReply } from "../../core/wire/chat.ts";
import type { NewEvent } from "../../core/wire/event.ts";
import type { InputParams, KernelSettings, MainMethods } from "../../core/wire/kernel.ts";
import { RPC_CODES, RpcError } from "../../core/wire/rpc.ts";
import { FakeMemory } from "./fake_memory.ts";
import { ManualClock } from "./manual_clock.ts";
import { ScriptedLlm, type Step, testSource } from "./scripted_llm.ts";

type HostTable = {
  [M in keyof MainMethods]?: (
    params: MainMethods[M]["params"],
    signal: AbortSignal | undefined,
  ) => MainMethods[M]["result"] | Promise<MainMethods[M]["result"]>;
};

/** What a kernel calls of `main`: answered by the test's own functions. */
export class FakeHost implements HostPort {
  readonly calls: { method: string; params: Record<string, unknown> }[] = [];
  constructor(readonly on: HostTable = {}) {}

  async call<M extends keyof MainMethods & string>(
    method: M,
    params: MainMethods[M]["params"],
    options: { signal?: AbortSignal; patient?: boolean } = {},
  ): Promise<MainMethods[M]["result"]> {
    options.signal?.throwIfAborted();
    this.calls.push({ method, params: structuredClone(params) as Record<string, unknown> });
    const handler = this.on[method] as
      | ((
        params: MainMethods[M]["params"],
        signal: AbortSignal | undefined,
      ) => MainMethods[M]["result"] | Promise<MainMethods[M]["result"]>)
      | undefined;
    if (!handler) throw new RpcError(RPC_CODES.methodNotFound, `The fake main has no "${method}"`);
    const answer = Promise.resolve(handler(params, options.signal));
    if (!options.signal || options.patient) return structuredClone(await answer);
    const { promise, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(options.signal!.reason);
    options.signal.addEventListener("abort", onAbort, { once: true });
    try {
      return structuredClone(await Promise.race([answer, promise]));
    } finally {
      options.signal.removeEventListener("abort", onAbort);
    }
  }
}

/** A kernel with a scripted model, memory in arrays and a manual clock. */
export interface KernelHome {
  kernel: Kernel;
  llm: ScriptedLlm;
  memory: FakeMemory;
  host: FakeHost;
  clock: ManualClock;
  bus: NewEvent[];
  events: TurnEvent[];
  /** Runs a turn from the owner's own terminal. */
  say(text: string, more?: Partial<InputParams>): Promise<ChatReply>;
}

export async function kernelHome(
  steps: Step[],
  options: { settings?: Partial<KernelSettings>; host?: HostTable; source?: ReturnType<typeof testSource> } = {},
): Promise<KernelHome> {
  const source = options.source ?? testSource();
  const llm = new ScriptedLlm(steps, source);
  const memory = new FakeMemory();
  const host = new FakeHost(options.host);
  const clock = new ManualClock();
  const bus: NewEvent[] = [];
  const settings = { ...EMPTY_SETTINGS, sources: [source], ...options.settings };
  const ports = { llm, memory, host, clock, log: silentLog, emit: (event: NewEvent) => void bus.push(event) };
  const kernel = createKernel(ports, settings);
  await kernel.start(settings);
  const events: TurnEvent[] = [];
  return {
    kernel,
    llm,
    memory,
    host,
    clock,
    bus,
    events,
    say: (text, more = {}) => kernel.loop.send({ text, trusted: true, ...more }, (event) => events.push(event)),
  };
}

import { messageOf } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import type { Clock } from "../base/clock.ts";
import type { EventType } from "../wire/event.ts";
import type { InputParams, KernelMethods, KernelSettings, KernelStatus, PartMethods } from "../wire/kernel.ts";
import type { Handlers } from "../wire/peer.ts";
import { RPC_CODES, RpcError } from "../wire/rpc.ts";
import type { Stage } from "../wire/stage.ts";
import { Approvals } from "./approvals.ts";
import { Archive } from "./archive.ts";
import { plainMessages } from "./consolidation.ts";
import { RelevanceContext } from "./context.ts";
import { EventLoop } from "./event_loop.ts";
import { OutputChannels } from "./output.ts";
import type { HostPort, KernelPorts, MemoryPort, SourcePort } from "./ports.ts";
import { receiveMedia } from "./media.ts";
import { interruptMessage, textWithMedia } from "./prompt.ts";
import { KERNEL_OWNER, StageHost } from "./stages.ts";
import { collectTools, isReserved } from "./tools/table.ts";
import { appendEvent } from "./turn.ts";
import { texts } from "./texts.ts";
import { openTurn, type Turn } from "./turn_state.ts";

/** What the kernel serves, but for what its worker adds. */
export type KernelTable = Omit<KernelMethods, keyof PartMethods | "kernel.prepare">;

/** Skills in use at the same time; the one used longest ago goes first. */
const MAX_SKILLS = 5;
/** For so many turns hits that tools gave are not given again by the automatic recall: as long as the last ten events
 * show them. */
const RECALLED_TURNS = 5;

/** The agent: its window, tools, stages, channels and loop, over the ports it was given. */
export class Kernel {
  readonly memory: MemoryPort;
  readonly host: HostPort;
  readonly llm: SourcePort;
  readonly clock: Clock;
  readonly log: Log;
  readonly context = new RelevanceContext();
  readonly stages: StageHost;
  readonly channels: OutputChannels;
  readonly approvals: Approvals;
  readonly archive = new Archive(this);
  readonly loop: EventLoop;
  /** What runs now: the agent's own turn, and its child agents'. */
  readonly turns = new Map<string, Turn>();
  readonly skills = new Map<string, string>();
  settings: KernelSettings;
  readonly #ports: KernelPorts;
  readonly #calls = new Set<AbortController>();
  #recalled: { turn: string; ids: Set<string> }[] = [];

  constructor(ports: KernelPorts, settings: KernelSettings) {
    this.#ports = ports;
    this.memory = ports.memory;
    this.host = ports.host;
    this.llm = ports.llm;
    this.clock = ports.clock;
    this.log = ports.log;
    this.settings = settings;
    this.stages = new StageHost({ host: ports.host, log: ports.log, isReserved });
    this.channels = new OutputChannels(ports.host);
    this.approvals = new Approvals(ports.clock);
    this.loop = new EventLoop(this);
    this.#apply(settings);
  }

  /** Takes over settings; loads the window. What could not be loaded is a notice, not a failure. */
  async start(settings: KernelSettings): Promise<{ notices: string[] }> {
    this.configure(settings);
    try {
      const { events, notices } = await this.memory.call("context.load", {});
      this.context.load(events);
      return { notices };
    } catch (error) {
      const notice = `The earlier conversation could not be loaded: ${messageOf(error)}`;
      this.log.error(notice);
      return { notices: [notice] };
    }
  }

  configure(settings: KernelSettings): void {
    this.settings = settings;
    this.#apply(settings);
  }

  #apply(settings: KernelSettings): void {
    this.approvals.configure(settings.approvals, settings.approval_timeout);
    this.llm.configure(settings.sources, settings.provider, settings.broken_sources);
    const known = new Set(settings.skills.map(({ name }) => name));
    for (const name of this.skills.keys()) if (!known.has(name)) this.skills.delete(name);
  }

  /** Whether a real model is there, and not only the offline rules. */
  get hasModel(): boolean {
    return this.settings.sources.length > 0;
  }

  emit(type: EventType, payload: Record<string, unknown>): void {
    this.#ports.emit({ type, source: KERNEL_OWNER, payload });
  }

  /** Runs a stage on the turn's context. `owners`: whose tools are at hand. */
  async runStage(stage: Stage, turn: Turn, owners?: ReadonlySet<string>): Promise<void> {
    await this.stages.run(stage, turn.ctx, {
      ...(owners && { owners }),
      timeout: this.settings.tool_timeout,
      signal: turn.cancel.signal,
    });
  }

  /** A call of the model that an interrupt may cancel; closed with `closeCall`. */
  openCall(): AbortController {
    const call = new AbortController();
    this.#calls.add(call);
    return call;
  }

  closeCall(call: AbortController): void {
    this.#calls.delete(call);
  }

  /** Closes the connections of the calls that are under way. */
  cancelLLM(): void {
    for (const call of this.#calls) call.abort(new RpcError(RPC_CODES.cancelled, "A message came in"));
  }

  /** Puts what came in meanwhile before the model, marked as such, and on disk first; also what comes in while it does
   * so, for there is no call yet that could be cancelled. */
  async takeInterrupts(turn: Turn): Promise<void> {
    for (let taken = this.loop.drainInterrupts(); taken.length > 0; taken = this.loop.drainInterrupts()) {
      for (const input of taken) await this.#takeInterrupt(turn, input);
    }
  }

  async #takeInterrupt(turn: Turn, input: InputParams): Promise<void> {
    const attached = await receiveMedia(this, turn, input.media ?? []);
    const now = this.clock.now();
    await appendEvent(this, turn, {
      id: newId(now),
      kind: "interrupt",
      at: now,
      turn: turn.id,
      source: input.source ?? "cli",
      channel: input.channel ?? "cli",
      input: textWithMedia(input.text, attached),
      ...(attached.length > 0 && { media: attached.map(({ digest }) => digest) }),
      ...(input.no_memory && { no_memory: true }),
      ...(!input.trusted && { untrusted: true }),
    });
    turn.ctx.context_msgs.push(interruptMessage(input, attached));
  }

  /** A text as its owner's cleaner leaves it, for the vector; the text itself when there is no cleaner or it fails. */
  async cleaned(owner: string, def: { name: string; cleaner?: boolean }, text: string): Promise<string> {
    const inside = this.stages.tool(def.name)?.cleaner;
    try {
      if (inside) return inside(text);
      if (!def.cleaner) return text;
      return (await this.host.call("cleaner.invoke", { owner, name: def.name, text }, {
        timeout: this.settings.tool_timeout,
      })).text;
    } catch (error) {
      this.log.warn(`The cleaner of ${def.name} failed: ${messageOf(error)}`);
      return text;
    }
  }

  /** Puts a skill's text into the system prompt. */
  useSkill(name: string, text: string): void {
    this.skills.delete(name);
    this.skills.set(name, text);
    for (const oldest of this.skills.keys()) {
      if (this.skills.size <= MAX_SKILLS) break;
      this.skills.delete(oldest);
    }
  }

  /** @throws {RpcError} when there is no such source */
  switchSource(name: string): void {
    const names = this.llm.list().map((source) => source.name);
    if (name !== "auto" && !names.includes(name)) {
      const known = ["auto", ...names].join(", ");
      throw new RpcError(RPC_CODES.notFound, `There is no configured source "${name}": choose one of ${known}`);
    }
    this.llm.switch(name);
  }

  /** Ids of hits that tools gave in the last turns. */
  recalledIds(): string[] {
    return [...new Set(this.#recalled.flatMap(({ ids }) => [...ids]))];
  }

  rememberRecalled(turn: Turn): void {
    this.#recalled = [...this.#recalled, { turn: turn.id, ids: turn.recalled }].slice(-RECALLED_TURNS);
  }

  status(): KernelStatus {
    return {
      busy: this.loop.busy,
      turn: this.loop.turn?.id ?? null,
      queued: this.loop.queued,
      turns: this.loop.turns,
      context_events: this.context.events.length,
      sources: this.llm.list(),
      tools: collectTools(this, this.#idleTurn()).size,
    };
  }

  #idleTurn(): Turn {
    return openTurn({ text: "", trusted: true }, { now: this.clock.now(), say: () => {} });
  }

  /** The methods that `main` calls. */
  handlers(): Handlers<KernelTable> {
    return {
      "kernel.start": ({ settings }) => this.start(settings),
      "kernel.configure": ({ settings }) => {
        this.configure(settings);
        return {};
      },
      "kernel.stop": async ({ grace }) => {
        await this.loop.stop(grace);
        return {};
      },
      "kernel.status": () => this.status(),
      "chat.send": (input: InputParams, { notify }) => this.loop.send(input, (event) => notify("chat.event", event)),
      "chat.interrupt": (input) => ({ turn: this.loop.interrupt(input) }),
      "chat.cancel": ({ turn }) => ({ cancelled: this.loop.cancel(turn) }),
      "approval.answer": async (answer) => {
        const { known, remember } = this.approvals.answer(answer);
        if (remember) await this.host.call("approval.remember", remember);
        return { known };
      },
      "tools.list": () => ({
        tools: [...collectTools(this, this.#idleTurn()).values()].map(({ def, owner }) => ({ ...def, owner })),
      }),
      "tools.register": ({ owner, tools }) => ({ rejected: this.stages.registerTools(owner, tools) }),
      "stages.register": ({ owner, stage, scope }) => {
        this.stages.registerStage(owner, stage, scope);
        return {};
      },
      "channels.register": ({ owner, channel }) => {
        this.channels.register(owner, channel);
        return {};
      },
      "inputs.register": ({ owner, input }) => {
        this.stages.registerInput(owner, input);
        return {};
      },
      "owner.detach": ({ owner, reason }) => {
        this.stages.detach(owner, reason);
        this.channels.detach(owner);
        return {};
      },
      "llm.complete": (params, { signal }) => this.#complete(params, signal),
      "llm.switch": ({ source }) => {
        this.switchSource(source);
        return {};
      },
      "tool.blocks": ({ turn, blocks }) => {
        const running = this.turns.get(turn);
        if (!running) throw new RpcError(RPC_CODES.notFound, `The turn ${turn} is not running`);
        running.blocks.push(...blocks);
        return {};
      },
    };
  }

  async #complete(
    { prompt, system, source, now = false }: KernelMethods["llm.complete"]["params"],
    signal: AbortSignal,
  ): Promise<{ text: string; source: string }> {
    const completed = await this.llm.complete({
      messages: plainMessages(prompt, system),
      temperature: this.settings.temperature,
      max_tokens: this.settings.max_tokens,
      stream: false,
    }, { signal, evenPaused: now, ...(source !== undefined && { only: source }) });
    switch (completed.kind) {
      case "answered":
        return { text: completed.response.content, source: completed.source };
      case "cancelled":
        throw new RpcError(RPC_CODES.cancelled, "The call was cancelled");
      case "context":
        throw new RpcError(RPC_CODES.tooLarge, `The prompt is too large for ${completed.source}`);
      case "failed": {
        throw new RpcError(RPC_CODES.noSource, texts.noSource("en", completed.failures));
      }
      default:
        return completed satisfies never;
    }
  }
}

/** A kernel over these ports. It is ready after `start`. */
export function createKernel(ports: KernelPorts, settings: KernelSettings): Kernel {
  return new Kernel(ports, settings);
}

/** Settings before any are known: nothing is configured. */
export const EMPTY_SETTINGS: KernelSettings = {
  max_tool_turns: 10,
  max_context_size: 30,
  tool_timeout: 120_000,
  temperature: 0.7,
  max_tokens: 4096,
  thinking_enabled: false,
  provider: "auto",
  system_prompt: "",
  personal_prompt: "",
  persona: "",
  approval_timeout: 300_000,
  approvals: {},
  sources: [],
  image: { fallback_source: "", fallback_model: "", describe_prompt: "", ocr_prompt: "" },
  audio: { fallback_source: "", fallback_model: "", describe_prompt: "" },
  media_enabled: true,
  skills: [],
  version: "",
};

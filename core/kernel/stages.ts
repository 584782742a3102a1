import { messageOf } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { InputDef, ToolDef } from "../wire/kernel.ts";
import { RPC_CODES, RpcError } from "../wire/rpc.ts";
import type { Stage, StageContext, StagePatch } from "../wire/stage.ts";
import type { HostPort } from "./ports.ts";

/** Handles one stage on the context all handlers of the stage share. Setting `ctx.response` ends the turn with it. */
export type StageHandler = (ctx: StageContext) => void | Promise<void>;

export type StageScope = "global" | "own-tools";

/** The owner of what comes with homed itself: its names can be neither taken nor replaced. */
export const KERNEL_OWNER = "kernel";

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

interface Registration {
  owner: string;
  stage: Stage;
  scope: StageScope;
  /** Absent: the owner is outside and is reached through `main`. */
  handler?: StageHandler;
}

export interface RegisteredTool {
  def: ToolDef;
  owner: string;
  /** Cleans the tool's text before it is vectorized, for a tool in this process. */
  cleaner?: (text: string) => string;
}

/** Tools and stage handlers by owner. Who owns a tool is decided by who registered it, never by its name. */
export class StageHost {
  readonly #tools = new Map<string, RegisteredTool>();
  readonly #inputs = new Map<string, InputDef & { owner: string }>();
  #stages: Registration[] = [];
  /** One for every owner: aborted when it is detached, so that its running calls fail at once. */
  readonly #alive = new Map<string, AbortController>();
  readonly #host: HostPort;
  readonly #log: Log;
  readonly #isReserved: (name: string) => boolean;

  constructor(options: { host: HostPort; log: Log; isReserved: (name: string) => boolean }) {
    this.#host = options.host;
    this.#log = options.log;
    this.#isReserved = options.isReserved;
  }

  get tools(): RegisteredTool[] {
    return [...this.#tools.values()];
  }

  tool(name: string): RegisteredTool | undefined {
    return this.#tools.get(name);
  }

  /** Takes over an owner's tools; tells which were refused and why. Registering one's own tool again renews it. */
  registerTools(
    owner: string,
    tools: ToolDef[],
    cleaners: Record<string, (text: string) => string> = {},
  ): { name: string; reason: string }[] {
    const rejected: { name: string; reason: string }[] = [];
    for (const def of tools) {
      const reason = this.#refusal(owner, def);
      if (reason !== undefined) {
        rejected.push({ name: String(def?.name), reason });
        continue;
      }
      const cleaner = Object.hasOwn(cleaners, def.name) ? cleaners[def.name] : undefined;
      this.#tools.set(def.name, { def, owner, ...(cleaner && { cleaner }) });
    }
    return rejected;
  }

  #refusal(owner: string, def: ToolDef): string | undefined {
    if (owner === KERNEL_OWNER) return `"${KERNEL_OWNER}" cannot own tools: they would pass for built-in ones`;
    if (typeof def?.name !== "string" || !TOOL_NAME.test(def.name)) {
      return "A tool's name must have 1 to 64 letters, digits, _ or -";
    }
    if (typeof def.parameters !== "object" || def.parameters === null || Array.isArray(def.parameters)) {
      return `The parameters of "${def.name}" must be a JSON Schema object`;
    }
    if (this.#isReserved(def.name)) return `"${def.name}" is built into homed and cannot be replaced`;
    const other = this.#tools.get(def.name);
    if (other && other.owner !== owner) return `"${def.name}" is already registered by ${other.owner}`;
    return undefined;
  }

  /** Adds a handler in this process, or with none the owner outside. An owner outside counts once a stage and scope. */
  registerStage(owner: string, stage: Stage, scope: StageScope = "global", handler?: StageHandler): void {
    const same = (each: Registration) =>
      !handler && !each.handler && each.owner === owner && each.stage === stage && each.scope === scope;
    if (!this.#stages.some(same)) this.#stages.push({ owner, stage, scope, ...(handler && { handler }) });
  }

  registerInput(owner: string, input: InputDef): void {
    this.#inputs.set(input.name, { ...input, owner });
  }

  /** How an owner wants input under this channel or source name treated. */
  input(channel: string, source: string): (InputDef & { owner: string }) | undefined {
    return this.#inputs.get(channel) ?? this.#inputs.get(source);
  }

  /** Everything the owner registered is gone, and its running calls fail. */
  detach(owner: string, reason: string): void {
    for (const [name, tool] of this.#tools) if (tool.owner === owner) this.#tools.delete(name);
    for (const [name, input] of this.#inputs) if (input.owner === owner) this.#inputs.delete(name);
    this.#stages = this.#stages.filter((each) => each.owner !== owner);
    this.#alive.get(owner)?.abort(new RpcError(RPC_CODES.disconnected, `"${owner}" is gone: ${reason}`));
    this.#alive.delete(owner);
  }

  /** Aborts when the owner is detached. */
  alive(owner: string): AbortSignal {
    let controller = this.#alive.get(owner);
    if (!controller) this.#alive.set(owner, controller = new AbortController());
    return controller.signal;
  }

  /** Runs all handlers of a stage at the same time on the shared context. One that fails is reported in `ctx.errors`
   * and in the log, and the others' work stands. `owners`: whose tools are at hand, for handlers scoped to them. */
  async run(
    stage: Stage,
    ctx: StageContext,
    options: { owners?: ReadonlySet<string>; timeout: number; signal: AbortSignal },
  ): Promise<void> {
    const due = this.#stages.filter((each) =>
      each.stage === stage && (each.scope === "global" || options.owners?.has(each.owner))
    );
    if (due.length === 0) return;
    ctx.phase = stage;
    const inside = due.flatMap(({ owner, handler }) => handler ? [{ owner, handler }] : []);
    const outside = [...new Set(due.flatMap(({ owner, handler }) => handler ? [] : [owner]))];
    const report = (owner: string, message: string) => {
      ctx.errors.push(`${owner} in ${stage}: ${message}`);
      this.#log.warn(`A ${stage} handler of ${owner} failed: ${message}`);
    };
    const work: Promise<void>[] = inside.map(async ({ owner, handler }) => {
      try {
        await handler(ctx);
      } catch (error) {
        report(owner, messageOf(error));
      }
    });
    if (outside.length > 0) {
      work.push((async () => {
        try {
          const sent = structuredClone(ctx);
          const { patch, errors } = await this.#host.call("stage.invoke", { stage, ctx: sent, owners: outside }, {
            signal: options.signal,
            timeout: options.timeout,
          });
          for (const problem of applyPatch(ctx, sent, patch)) report(outside.join(", "), problem);
          for (const { owner, message } of errors) report(owner, message);
        } catch (error) {
          if (!options.signal.aborted) report(outside.join(", "), messageOf(error));
        }
      })());
    }
    await Promise.all(work);
  }
}

/** A context with every field at rest. */
export function emptyContext(fields: StagePatch = {}): StageContext {
  return {
    raw_message: "",
    user_id: "",
    group_id: "",
    channel: "",
    source: "",
    context_msgs: [],
    llm_text: "",
    reasoning_content: "",
    token_usage: null,
    tool_calls: [],
    tool_results: [],
    final_text: "",
    response: null,
    phase: "on_input",
    memory: "",
    no_memory: false,
    extra: {},
    errors: [],
    ...fields,
  };
}

/** Puts what handlers outside changed into the shared context. What was only added to a list or to `extra` is added, so
 * that what a handler in this process did meanwhile stands; a field of the wrong type is told and left alone. */
export function applyPatch(ctx: StageContext, base: StageContext, patch: StagePatch): string[] {
  const problems: string[] = [];
  const target = ctx as unknown as Record<string, unknown>;
  const before = base as unknown as Record<string, unknown>;
  for (const [field, value] of Object.entries(patch ?? {})) {
    if (field === "phase" || !Object.hasOwn(target, field)) continue;
    if (!fits(field, value)) {
      problems.push(`the field "${field}" was given a value of the wrong type`);
    } else if (Array.isArray(value)) {
      const was = before[field] as unknown[];
      const grown = value.length >= was.length && JSON.stringify(value.slice(0, was.length)) === JSON.stringify(was);
      target[field] = grown ? [...target[field] as unknown[], ...value.slice(was.length)] : value;
    } else if (field === "extra") target[field] = { ...ctx.extra, ...value as Record<string, unknown> };
    else target[field] = value;
  }
  return problems;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isMessage = (value: unknown) =>
  isRecord(value) && ["system", "user", "assistant", "tool"].includes(String(value.role)) &&
  (typeof value.content === "string" || Array.isArray(value.content));
const isCall = (value: unknown) =>
  isRecord(value) && typeof value.id === "string" && typeof value.name === "string" &&
  typeof value.arguments === "string";
const isResult = (value: unknown) =>
  isRecord(value) && typeof value.id === "string" && typeof value.content === "string" && typeof value.ok === "boolean";

function fits(field: string, value: unknown): boolean {
  switch (field) {
    case "response":
      return value === null || typeof value === "string";
    case "token_usage":
      return value === null || isRecord(value);
    case "extra":
      return isRecord(value);
    case "no_memory":
      return typeof value === "boolean";
    case "context_msgs":
      return Array.isArray(value) && value.every(isMessage);
    case "tool_calls":
      return Array.isArray(value) && value.every(isCall);
    case "tool_results":
      return Array.isArray(value) && value.every(isResult);
    case "errors":
      return Array.isArray(value) && value.every((each) => typeof each === "string");
    default:
      return typeof value === "string";
  }
}

import type { Clock } from "../base/clock.ts";
import { newId } from "../base/ids.ts";
import { fitsPattern } from "../base/pattern.ts";
import type { ApprovalAnswer, ChatEventBody } from "../wire/chat.ts";

export type ApprovalPolicy = "allow" | "ask" | "deny";

/** What came of asking. `nobody`: the turn has no owner to ask. */
export type Approval =
  | { kind: "allowed" }
  | { kind: "denied"; why: "policy" | "owner" | "timeout" | "nobody" | "cancelled" };

interface Open {
  tool: string;
  answer(allow: boolean): void;
}

/** Decides whether a tool may act: by its policy, or by asking the owner. */
export class Approvals {
  readonly #open = new Map<string, Open>();
  readonly #clock: Clock;
  #policies: Record<string, ApprovalPolicy> = {};
  #timeout = 300_000;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  configure(policies: Record<string, ApprovalPolicy>, timeout: number): void {
    this.#policies = { ...policies };
    this.#timeout = timeout;
  }

  /** The policy of the longest pattern that fits the tool's name; without one acting tools ask, others are allowed. */
  policy(tool: string, acts: boolean): ApprovalPolicy {
    let best: { pattern: string; policy: ApprovalPolicy } | undefined;
    for (const [pattern, policy] of Object.entries(this.#policies)) {
      if (fitsPattern(tool, pattern) && (!best || pattern.length > best.pattern.length)) best = { pattern, policy };
    }
    return best?.policy ?? (acts ? "ask" : "allow");
  }

  /** Whether the call may run. Only a trusted turn's owner is asked; the question is an `approval` event. */
  async decide(
    call: { tool: string; acts: boolean; args: unknown; detail?: () => Promise<string | undefined> },
    asker: { trusted: boolean; say: (event: ChatEventBody) => void; signal: AbortSignal },
  ): Promise<Approval> {
    const policy = this.policy(call.tool, call.acts);
    if (policy === "allow") return { kind: "allowed" };
    if (policy === "deny") return { kind: "denied", why: "policy" };
    if (!asker.trusted) return { kind: "denied", why: "nobody" };
    if (asker.signal.aborted) return { kind: "denied", why: "cancelled" };
    const detail = await call.detail?.();
    if (asker.signal.aborted) return { kind: "denied", why: "cancelled" };
    const id = newId(this.#clock.now());
    const { promise, resolve } = Promise.withResolvers<Approval>();
    const timer = new AbortController();
    const onAbort = () => resolve({ kind: "denied", why: "cancelled" });
    asker.signal.addEventListener("abort", onAbort, { once: true });
    this.#open.set(id, {
      tool: call.tool,
      answer: (allow) => resolve(allow ? { kind: "allowed" } : { kind: "denied", why: "owner" }),
    });
    this.#clock.sleep(this.#timeout, { signal: timer.signal }).then(
      () => resolve({ kind: "denied", why: "timeout" }),
      () => {}, // it was answered first
    );
    asker.say({
      type: "approval",
      id,
      tool: call.tool,
      args: call.args,
      expires: this.#clock.now() + this.#timeout,
      ...(detail !== undefined && { detail }),
    });
    try {
      return await promise;
    } finally {
      this.#open.delete(id);
      timer.abort();
      asker.signal.removeEventListener("abort", onAbort);
    }
  }

  /** Takes the owner's answer. The tool it was about when `always` should be stored, and whether the question is known. */
  answer(
    { id, allow, always }: ApprovalAnswer,
  ): { known: boolean; remember?: { tool: string; policy: "allow" | "deny" } } {
    const open = this.#open.get(id);
    if (!open) return { known: false };
    this.#open.delete(id);
    const policy = allow ? "allow" : "deny";
    if (always) this.#policies[open.tool] = policy;
    open.answer(allow);
    return { known: true, ...(always && { remember: { tool: open.tool, policy } }) };
  }
}

/** What the model is told of a call that may not run. */
export function explainDenial(tool: string, why: (Approval & { kind: "denied" })["why"]): string {
  switch (why) {
    case "policy":
      return `Not run: the owner's policy denies "${tool}" (core.approval.${tool}). Do not try again; say so.`;
    case "owner":
      return `Not run: the owner refused this call of "${tool}". Do not try it again without being asked to.`;
    case "timeout":
      return `Not run: "${tool}" needs the owner's approval and nobody answered in time. Say so and go on without it.`;
    case "nobody":
      return `Not run: "${tool}" needs the owner's approval, and in this turn there is nobody to ask. It can be done ` +
        `from the owner's own terminal or page, or allowed with core.approval.${tool}. Say so and go on without it.`;
    case "cancelled":
      return `Not run: the turn was stopped before "${tool}" was approved.`;
    default:
      return why satisfies never;
  }
}

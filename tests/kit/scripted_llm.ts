import type { SourcePort } from "../../core/kernel/ports.ts";
import type { Completed, CompleteOptions } from "../../core/llm/provider.ts";
import type { KernelStatus } from "../../core/wire/kernel.ts";
import type { CompletionRequest, CompletionResponse, FinishReason, SourceInfo } from "../../core/wire/llm.ts";

type Request = Omit<CompletionRequest, "model">;

/** One step of a script: what the model answers, or how asking it ends. `hang` answers only to being cancelled, after
 * having said `say`. A function sees the request and makes the step. */
export type Step =
  | { text: string; calls?: Call[]; finish?: FinishReason; reasoning?: string }
  | { calls: Call[]; text?: string; finish?: FinishReason; reasoning?: string }
  | { hang: true; say?: string }
  | { completed: Completed }
  | ((request: Request, options: CompleteOptions) => Step | Promise<Step>);

export interface Call {
  name: string;
  /** An object, or the text the model wrote. */
  args?: Record<string, unknown> | string;
  id?: string;
}

export const testSource = (name = "test", more: Partial<SourceInfo> = {}): SourceInfo => ({
  name,
  adapter: "openai",
  model: "scripted",
  priority: 0,
  context_window: 0,
  vision: false,
  audio: false,
  thinking: false,
  max_concurrent: 0,
  ...more,
});

/** A model that plays a script. When the script is over it answers `done`. */
export class ScriptedLlm implements SourcePort {
  readonly requests: Request[] = [];
  readonly options: CompleteOptions[] = [];
  readonly steps: Step[];
  info: SourceInfo;
  switched = "auto";
  configured: SourceInfo[] = [];
  /** Calls that are under way. */
  open = 0;
  #ids = 0;
  #asked: (() => void)[] = [];

  constructor(steps: Step[], info: SourceInfo = testSource()) {
    this.steps = [...steps];
    this.info = info;
  }

  configure(sources: SourceInfo[]): void {
    this.configured = sources;
  }

  first(): SourceInfo {
    return this.info;
  }

  list(): KernelStatus["sources"] {
    return [{ name: this.info.name, model: this.info.model, state: "ready" }];
  }

  switch(name: string): void {
    this.switched = name;
  }

  /** Resolves when the model has been asked `times` times in all. */
  async asked(times: number): Promise<void> {
    while (this.requests.length < times) await new Promise<void>((resolve) => this.#asked.push(resolve));
  }

  async complete(request: Request, options: CompleteOptions): Promise<Completed> {
    this.requests.push(structuredClone(request));
    this.options.push(options);
    for (const wake of this.#asked.splice(0)) wake();
    this.open++;
    try {
      await Promise.resolve();
      if (options.signal.aborted) return { kind: "cancelled" };
      let step: Step = this.steps.shift() ?? { text: "done" };
      while (typeof step === "function") step = await step(request, options);
      return await this.#play(step, options);
    } finally {
      this.open--;
    }
  }

  async #play(step: Exclude<Step, (...args: never[]) => unknown>, options: CompleteOptions): Promise<Completed> {
    if ("completed" in step) return step.completed;
    if ("hang" in step) {
      if (step.say) options.onDelta?.({ kind: "text", text: step.say });
      if (!options.signal.aborted) {
        await new Promise<void>((resolve) => options.signal.addEventListener("abort", () => resolve(), { once: true }));
      }
      return { kind: "cancelled" };
    }
    const calls = (step.calls ?? []).map((call) => ({
      id: call.id ?? `id${++this.#ids}`,
      type: "function" as const,
      name: call.name,
      arguments: typeof call.args === "string" ? call.args : JSON.stringify(call.args ?? {}),
    }));
    const content = step.text ?? "";
    for (const piece of content.match(/[\s\S]{1,7}/g) ?? []) options.onDelta?.({ kind: "text", text: piece });
    if (options.signal.aborted) return { kind: "cancelled" };
    const response: CompletionResponse = {
      content,
      ...(step.reasoning !== undefined && { reasoning_content: step.reasoning }),
      finish_reason: step.finish ?? (calls.length > 0 ? "tool_calls" : "stop"),
      token_usage: { prompt: 10, completion: 5, total: 15 },
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    return { kind: "answered", source: this.info.name, model: this.info.model, response, ms: 1 };
  }
}

import type {
  CompletionChunk,
  CompletionDelta,
  CompletionResponse,
  FinishReason,
  TokenUsage,
} from "../core/wire/llm.ts";
import { argumentText, ToolCallAssembler } from "./tool_calls.ts";

const FINISHES: Record<string, FinishReason> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
  cut: "cut",
};

export interface AssembleOptions {
  newId: () => string;
  /** Gets text as it comes. Must not throw. */
  onDelta?: (delta: CompletionDelta) => void;
}

/** Puts the chunks of a stream together. It is complete when a chunk said so: a finish reason, or `done`. */
export class Assembler {
  readonly #options: AssembleOptions;
  readonly #calls = new ToolCallAssembler();
  #content = "";
  #reasoning = "";
  #signature = "";
  #usage: Partial<TokenUsage> = {};
  #finish: FinishReason | undefined;
  #done = false;
  /** A first half of a surrogate pair, kept until its second half is here. */
  #held = { text: "", reasoning: "" };

  constructor(options: AssembleOptions) {
    this.#options = options;
  }

  add(chunk: CompletionChunk): void {
    if (typeof chunk.reasoning_content === "string") {
      this.#reasoning += this.#emit("reasoning", chunk.reasoning_content);
    }
    if (typeof chunk.content === "string") this.#content += this.#emit("text", chunk.content);
    if (typeof chunk.signature === "string") this.#signature += chunk.signature;
    if (Array.isArray(chunk.tool_calls)) { for (const fragment of chunk.tool_calls) this.#calls.add(fragment); }
    this.#addUsage(chunk.token_usage);
    if (typeof chunk.finish_reason === "string" && (chunk.finish_reason as string) !== "") {
      this.#finish = FINISHES[chunk.finish_reason] ?? "stop";
    }
    if (chunk.done === true) this.#done = true;
  }

  /** The format itself said that the stream is over. */
  end(): void {
    this.#done = true;
  }

  get complete(): boolean {
    return this.#finish === undefined ? this.#done : this.#finish !== "cut";
  }

  get empty(): boolean {
    return this.#content === "" && this.#calls.size === 0;
  }

  finish(): CompletionResponse {
    this.#flush();
    const calls = this.#calls.finish(this.#options.newId);
    const first = calls[0];
    if (first && this.#signature !== "") first.signature ??= this.#signature;
    return {
      content: this.#content.toWellFormed(),
      ...(this.#reasoning !== "" && { reasoning_content: this.#reasoning.toWellFormed() }),
      finish_reason: finishOf(this.complete ? this.#finish ?? "stop" : "cut", calls.length),
      token_usage: fullUsage(this.#usage),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
  }

  #emit(kind: "text" | "reasoning", piece: string): string {
    const whole = this.#held[kind] + piece;
    const half = /[\ud800-\udbff]$/.test(whole);
    this.#held[kind] = half ? whole.slice(-1) : "";
    const text = half ? whole.slice(0, -1) : whole;
    if (text !== "") this.#options.onDelta?.({ kind, text: text.toWellFormed() });
    return text;
  }

  #flush(): void {
    for (const kind of ["text", "reasoning"] as const) {
      if (this.#held[kind] === "") continue;
      this.#held[kind] = "";
      this.#options.onDelta?.({ kind, text: "\ufffd" });
      if (kind === "text") this.#content += "\ufffd";
      else this.#reasoning += "\ufffd";
    }
  }

  /** Usage comes in pieces, later ones more exact; a zero says nothing. */
  #addUsage(usage: Partial<TokenUsage> | undefined | null): void {
    if (!usage) return;
    for (const key of ["prompt", "completion", "total", "cached"] as const) {
      const value = usage[key];
      if (typeof value === "number" && value > 0) this.#usage[key] = value;
    }
  }
}

function fullUsage(usage: Partial<TokenUsage>): TokenUsage {
  const { prompt = 0, completion = 0, total = 0, cached } = usage;
  return { prompt, completion, total: Math.max(total, prompt + completion), ...(cached !== undefined && { cached }) };
}

function finishOf(reason: FinishReason, calls: number): FinishReason {
  if (calls > 0 && reason === "stop") return "tool_calls";
  return calls === 0 && reason === "tool_calls" ? "stop" : reason;
}

/** A response that came whole, as the script returned it, in the unified shape whatever is missing or off in it. */
export function wholeResponse(value: unknown, options: AssembleOptions): CompletionResponse {
  const raw = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const assembler = new Assembler(options);
  const calls = Array.isArray(raw.tool_calls) ? raw.tool_calls as Record<string, unknown>[] : [];
  assembler.add({
    content: typeof raw.content === "string" ? raw.content : "",
    ...(typeof raw.reasoning_content === "string" && { reasoning_content: raw.reasoning_content }),
    ...(typeof raw.finish_reason === "string" && { finish_reason: raw.finish_reason as FinishReason }),
    ...(typeof raw.token_usage === "object" && { token_usage: raw.token_usage as Partial<TokenUsage> }),
    tool_calls: calls.map((call, index) => {
      const inner = (call.function ?? {}) as Record<string, unknown>;
      return {
        index,
        ...(typeof call.id === "string" && { id: call.id }),
        function: {
          name: String(call.name ?? inner.name ?? ""),
          arguments: argumentText(call.arguments ?? inner.arguments),
        },
        ...(typeof call.signature === "string" && { signature: call.signature }),
      };
    }),
    // A body that came whole is complete unless it says otherwise.
    done: true,
  });
  return assembler.finish();
}

import type { Clock } from "../base/clock.ts";
import type { CompletionOutcome, CompletionRequest, SourceInfo } from "../wire/llm.ts";
import { nextStep } from "./offline/plan.ts";
import { readTurn } from "./offline/turn.ts";
import type { AttemptOptions, Provider } from "./provider.ts";

/** Characters of a reply that one delta brings. */
const PIECE = 12;
/** One telling and one question in each language go through nearly all of the rules. */
const SAMPLES = ["My name is Ada and I live in Paris.", "What is my name?", "我叫小王，住在昆明", "我住在哪里？"];
/** Milliseconds between two, for other work. */
const PAUSE = 3;

/** Answers when no LLM source is configured: rules in English and 中文 over the same tool loop. It keeps nothing between
 * calls; what it knows it asks of memory and the knowledge base through the tools of the request. */
export class OfflineProvider implements Provider {
  readonly info: SourceInfo = {
    name: "offline",
    adapter: "offline",
    model: "rules",
    priority: 0,
    context_window: 1_000_000,
    vision: false,
    audio: false,
    thinking: false,
    max_concurrent: 0,
  };

  #isPrepared = false;

  /** Makes ready, sentence by sentence, what the first message would have to wait for: rules are compiled when they are
   * first used, and there are many. Later calls do nothing. */
  async prepare(clock: Clock): Promise<void> {
    if (this.#isPrepared) return;
    this.#isPrepared = true;
    for (const content of SAMPLES) {
      await clock.sleep(PAUSE);
      const messages = [{ role: "user" as const, content }];
      nextStep(readTurn({ model: this.info.model, messages, temperature: 0, max_tokens: 0, stream: false }));
    }
  }

  complete(request: CompletionRequest, { signal, onDelta }: AttemptOptions): Promise<CompletionOutcome> {
    if (signal.aborted) return Promise.resolve(cancelled());
    const step = nextStep(readTurn(request));
    const usage = { prompt: 0, completion: 0, total: 0 };
    if (step.kind === "call") {
      const seen = request.messages.length;
      const tool_calls = step.calls.map(({ name, args }, index) => ({
        id: `offline_${seen}_${index}`,
        type: "function" as const,
        name,
        arguments: JSON.stringify(args),
      }));
      return Promise.resolve({
        kind: "answered",
        response: { content: "", finish_reason: "tool_calls", token_usage: usage, tool_calls },
      });
    }
    return this.#stream(step.text, signal, onDelta);
  }

  async #stream(text: string, signal: AbortSignal, onDelta: AttemptOptions["onDelta"]): Promise<CompletionOutcome> {
    const characters = [...text];
    for (let at = 0; at < characters.length; at += PIECE) {
      if (signal.aborted) return cancelled();
      onDelta?.({ kind: "text", text: characters.slice(at, at + PIECE).join("") });
      await Promise.resolve();
    }
    const token_usage = { prompt: 0, completion: 0, total: 0 };
    return { kind: "answered", response: { content: text, finish_reason: "stop", token_usage } };
  }
}

function cancelled(): CompletionOutcome {
  return { kind: "failed", failure: { kind: "cancelled", message: "The answer was interrupted." } };
}

import type {
  CompletionDelta,
  CompletionOutcome,
  CompletionRequest,
  CompletionResponse,
  SourceFailure,
  SourceInfo,
} from "../wire/llm.ts";

/** One LLM source: makes one attempt at one request. Never throws: what went wrong is in the outcome. */
export interface Provider {
  readonly info: SourceInfo;
  complete(request: CompletionRequest, options: AttemptOptions): Promise<CompletionOutcome>;
}

export interface AttemptOptions {
  /** Aborting closes the connection and ends the attempt as `cancelled`. */
  signal: AbortSignal;
  /** Gets text as the model makes it. Must not throw. */
  onDelta?: (delta: CompletionDelta) => void;
}

/** What the kernel asks for a completion: any of the sources, in order. */
export interface Completer {
  /** Asks the sources in their order until one answers. Never throws. `only` asks that source alone. */
  complete(request: Omit<CompletionRequest, "model">, options: CompleteOptions): Promise<Completed>;
  /** The source that would be asked first, for what its model can see, hear and hold. */
  first(): SourceInfo;
}

export interface CompleteOptions extends AttemptOptions {
  only?: string;
  model?: string;
  /** Asks a source that is paused or out, too: somebody wants to know how it is now. */
  evenPaused?: boolean;
  /** News for the person while sources fail over. `withdraws`: the text so far was not meant. Must not throw. */
  onNotice?: (notice: { text: string; withdraws: boolean }) => void;
}

/** How asking the sources ended. `context`: the request is too large for the source that would take it; trim and ask
 * again. `failed` names every source that was asked or skipped, with its reason. */
export type Completed =
  | { kind: "answered"; source: string; model: string; response: CompletionResponse; ms: number; warning?: string }
  | { kind: "context"; source: string; window: number; message: string }
  | { kind: "cancelled" }
  | { kind: "failed"; failures: { source: string; failure: SourceFailure }[] };

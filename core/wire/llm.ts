/** The unified shapes between the kernel, the LLM sources and the Lua adapters (CONTRACT 5). The adapters see them as
 * JSON text; nothing here knows a vendor. @module */

/** One part of a message's content. `image_url.url` and `input_audio.data` hold base64 data, the former as a data URL. */
export type ContentPart =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: { url: string } }
  | { type: "input_audio"; input_audio: { data: string; format: string } };

/** A call of a tool as the model asked for it. `arguments` is JSON text, as the model wrote it. */
export interface ToolCall {
  id: string;
  type: "function";
  name: string;
  arguments: string;
  /** What the vendor wants back unchanged with this call (Gemini's thought signature); opaque to everyone else. */
  signature?: string;
}

/** A tool call inside a request's message: OpenAI's nesting, which adapters written for HomeAgent expect. */
export interface RequestToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
  signature?: string;
}

export interface ChatMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string | ContentPart[];
  tool_calls?: RequestToolCall[];
  /** On `tool` messages: which call this answers. */
  tool_call_id?: string;
  /** On `tool` messages: the tool's name (Gemini and Ollama want it). */
  name?: string;
}

/** A tool as the model is told of it. `parameters` is a JSON Schema object. */
export interface ToolSpec {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

export interface CompletionRequest {
  model: string;
  messages: ChatMessage[];
  temperature: number;
  max_tokens: number;
  stream: boolean;
  tools?: ToolSpec[];
  tool_choice?: "auto" | "none" | "required";
  /** Ask the model to think aloud where it can. */
  thinking?: boolean;
  /** Tokens the source's window holds, when known: Ollama's `num_ctx`. */
  context_window?: number;
}

export interface TokenUsage {
  prompt: number;
  completion: number;
  total: number;
  cached?: number;
}

/** Why the model stopped. `cut`: the stream ended without saying so. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "cut";

export interface CompletionResponse {
  content: string;
  reasoning_content?: string;
  finish_reason: FinishReason;
  token_usage: TokenUsage;
  tool_calls?: ToolCall[];
}

/** What `transform_stream_chunk` makes of one SSE payload or NDJSON line. Argument fragments are joined by index. */
export interface CompletionChunk {
  content?: string;
  reasoning_content?: string;
  done?: boolean;
  finish_reason?: FinishReason;
  tool_calls?: {
    index?: number;
    id?: string;
    type?: "function";
    function?: { name?: string; arguments?: string };
    signature?: string;
  }[];
  /** A piece of what the vendor wants back with this message's tool calls; the pieces, joined, become the signature of
   * the first call that has none. */
  signature?: string;
  token_usage?: Partial<TokenUsage>;
}

/** What a source sends while it answers. */
export type CompletionDelta = { kind: "text"; text: string } | { kind: "reasoning"; text: string };

/** Why one attempt at one source failed. Told apart by status and code, never by words in a text.
 * - `auth`: 401 or 403: out until its configuration changes
 * - `refused`: 400, 404, 405, 413 (unless too large), 422: this request, not the source
 * - `context`: the request is larger than the model's window
 * - `rate`: 429 · `server`: 5xx or an error inside a stream · `network`: no connection
 * - `timeout`: no answer, or no byte for the idle time · `cut`: the stream ended before it said it was complete
 * - `adapter`: the Lua script failed or made nonsense · `cancelled`: the caller aborted
 */
export type SourceFailureKind =
  | "auth"
  | "refused"
  | "context"
  | "rate"
  | "server"
  | "network"
  | "timeout"
  | "cut"
  | "adapter"
  | "cancelled";

export interface SourceFailure {
  kind: SourceFailureKind;
  /** A sentence, with every secret taken out. */
  message: string;
  status?: number;
  /** Milliseconds that the server asked us to wait. */
  retry_after?: number;
}

/** One attempt's end. */
export type CompletionOutcome =
  | { kind: "answered"; response: CompletionResponse; warning?: string }
  | { kind: "failed"; failure: SourceFailure };

/** A configured LLM source as the kernel knows it: no key, no address. */
export interface SourceInfo {
  name: string;
  adapter: string;
  model: string;
  /** Higher is asked first. */
  priority: number;
  context_window: number;
  vision: boolean;
  audio: boolean;
  thinking: boolean;
  /** Calls at the same time; 0: no limit. */
  max_concurrent: number;
  /** Changes whenever anything of the source's configuration does, its key and address too, so that a source that was
   * put out is asked again. A hash, never the key. Without it only the fields here are compared. */
  revision?: string;
}

/** The same as the `lua` worker needs it. Never logged, never sent elsewhere. */
export interface SourceSecrets extends SourceInfo {
  base_url: string;
  api_key: string;
  /** The adapter's Lua text, and a name for its errors. */
  script: string;
  /** Milliseconds for the whole call, and without any byte of a stream. */
  timeout: number;
  idle_timeout: number;
}

/** Parameters of `llm.complete` (kernel → lua worker). Deltas come as notifications `llm.delta {request, delta}`. */
export interface CompleteParams {
  source: string;
  request: CompletionRequest;
}

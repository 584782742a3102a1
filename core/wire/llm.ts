/** The unified shapes between the kernel, the LLM sources and the Lua adapters (CONTRACT 5). The adapters see them as
 * JSON text; nothing here knows a vendor. @module */

/** One part of a message's content. `image_url.url` and `input_audio.data` hold base64 data, the former as a data URL. */
export type ContentPart =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: { url: string } }
  | { type: "input_audio"; input_audio: { data: string; format: string } };

/** A call of a tool as the model asked for it. `arguments` is JSON text, as the model wrote it. */
export interface ToolCall {
  /** The vendor's own, or made by the adapter where it gives none; the result names it. */
  id: string;
  /** There is no other kind of call. */
  type: "function";
  /** As the model wrote it: perhaps of no tool that exists. */
  name: string;
  /** JSON text that may be broken; what is run is what the kernel could read of it. */
  arguments: string;
  /** What the vendor wants back unchanged with this call (Gemini's thought signature); opaque to everyone else. */
  signature?: string;
}

/** A tool call inside a request's message: OpenAI's nesting, which adapters written for HomeAgent expect. */
export interface RequestToolCall {
  /** The same as in the `tool` message that answers it. */
  id: string;
  /** There is no other kind of call. */
  type: "function";
  /** `arguments` is JSON text. */
  function: { name: string; arguments: string };
  /** As it came with the call; absent when the vendor gave none. */
  signature?: string;
}

/** One message of a request, as every adapter gets it. */
export interface ChatMessage {
  /** `tool` messages follow the `assistant` message whose calls they answer. */
  role: "system" | "user" | "assistant" | "tool";
  /** Parts only where media are in it; empty text beside tool calls. */
  content: string | ContentPart[];
  /** On `assistant` messages: each has exactly one answer right after. */
  tool_calls?: RequestToolCall[];
  /** On `tool` messages: which call this answers. */
  tool_call_id?: string;
  /** On `tool` messages: the tool's name (Gemini and Ollama want it). */
  name?: string;
}

/** A tool as the model is told of it. `parameters` is a JSON Schema object. */
export interface ToolSpec {
  /** There is no other kind of tool. */
  type: "function";
  /** What the model reads: a name of at most 64 characters, what it does, and its arguments. */
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** What an adapter makes a vendor's request of. */
export interface CompletionRequest {
  /** The vendor's name of it, from the source's settings. */
  model: string;
  /** Oldest first; the system prompt is the first. */
  messages: ChatMessage[];
  /** As the owner set it; an adapter leaves it out where a model takes none. */
  temperature: number;
  /** The most that the answer may have. */
  max_tokens: number;
  /** False: one answer at the end, no deltas. */
  stream: boolean;
  /** Absent when the model is to have none. */
  tools?: ToolSpec[];
  /** Absent: the vendor's default, which is to let the model choose. */
  tool_choice?: "auto" | "none" | "required";
  /** Ask the model to think aloud where it can. */
  thinking?: boolean;
  /** Tokens the source's window holds, when known: Ollama's `num_ctx`. */
  context_window?: number;
}

/** As the vendor counts; 0 where it does not tell. */
export interface TokenUsage {
  /** Tokens read, cached ones too. */
  prompt: number;
  /** Tokens written, reasoning too where the vendor counts it. */
  completion: number;
  /** What is paid for: at least prompt and completion together. */
  total: number;
  /** Of `prompt`, those that came from the vendor's cache; absent when it does not tell. */
  cached?: number;
}

/** Why the model stopped. `cut`: the stream ended without saying so. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "cut";

/** A whole answer, put together from the stream where there was one. */
export interface CompletionResponse {
  /** Empty when the model only called tools. */
  content: string;
  /** What it thought aloud, never part of the reply; absent when nothing came. */
  reasoning_content?: string;
  /** Never `tool_calls` without any; never `stop` with some. */
  finish_reason: FinishReason;
  /** Of this one call. */
  token_usage: TokenUsage;
  /** In the order the model made them. */
  tool_calls?: ToolCall[];
}

/** What `transform_stream_chunk` makes of one SSE payload or NDJSON line. Argument fragments are joined by index. */
export interface CompletionChunk {
  /** A piece of the answer's text. */
  content?: string;
  /** A piece of what the model thinks aloud. */
  reasoning_content?: string;
  /** True: the stream is complete, and its end is no cut. */
  done?: boolean;
  /** In the chunk in which the vendor tells it. */
  finish_reason?: FinishReason;
  /** Pieces of calls; id and name come once, `arguments` in fragments. */
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
  /** The latest of each number counts. */
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

/** Why a source gave no answer this time. */
export interface SourceFailure {
  /** Decides whether another source is asked and this one asked again. */
  kind: SourceFailureKind;
  /** A sentence, with every secret taken out. */
  message: string;
  /** Of the HTTP answer; absent when there was none. */
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
  /** The `<name>` in `core.llm.sources.<name>`. */
  name: string;
  /** Name of the Lua script that speaks for the vendor. */
  adapter: string;
  /** What is asked of the vendor unless a call names another. */
  model: string;
  /** Higher is asked first. */
  priority: number;
  /** Tokens for prompt and answer together. */
  context_window: number;
  /** Images may be sent to it; else they are described first. */
  vision: boolean;
  /** Sound may be sent to it; else it is written down first. */
  audio: boolean;
  /** It can be asked to think aloud. */
  thinking: boolean;
  /** Calls at the same time; 0: no limit. */
  max_concurrent: number;
  /** Changes whenever anything of the source's configuration does, its key and address too, so that a source that was
   * put out is asked again. A hash, never the key. Without it only the fields here are compared. */
  revision?: string;
}

/** The same as the `lua` worker needs it. Never logged, never sent elsewhere. */
export interface SourceSecrets extends SourceInfo {
  /** Where the adapter's `endpoint` is joined to. */
  base_url: string;
  /** Empty where the source needs none. */
  api_key: string;
  /** The adapter's Lua text, and a name for its errors. */
  script: string;
  /** Milliseconds for the whole call, and without any byte of a stream. */
  timeout: number;
  /** Milliseconds without any byte of a stream. */
  idle_timeout: number;
}

/** Parameters of `llm.complete` (kernel → lua worker). Deltas come as notifications `llm.delta {request, delta}`. */
export interface CompleteParams {
  /** Name of a source from the last `lua.configure`. */
  source: string;
  /** Goes to the adapter as JSON text. */
  request: CompletionRequest;
}

import { messageOf } from "../core/base/errors.ts";
import type {
  ChatMessage,
  CompletionChunk,
  CompletionDelta,
  CompletionOutcome,
  CompletionRequest,
  CompletionResponse,
  SourceFailure,
  SourceSecrets,
} from "../core/wire/llm.ts";
import type { Adapter } from "./adapter.ts";
import { headersFor, joinEndpoint } from "./address.ts";
import { Assembler, wholeResponse } from "./assemble.ts";
import { Exchange, InterruptedError } from "./exchange.ts";
import { httpFailure, scrub, streamFailure, vendorError } from "./failure.ts";
import { decoderFor, type Payload, type PayloadDecoder } from "./payloads.ts";
import { silentlyCut } from "./prompt_size.ts";
import type { AdapterTable } from "./vm.ts";
import { lastOf, unreachable } from "./unreachable.ts";

export interface AttemptOptions {
  signal: AbortSignal;
  /** Gets text as it comes. Must not throw. */
  onDelta?: (delta: CompletionDelta) => void;
  fetch: typeof fetch;
  newId: () => string;
  now: () => number;
  /** What no message may show, besides the source's own key: those of the other sources. */
  secrets?: string[];
}

const BODY_MOST = 32 * 1024 * 1024;
const ERROR_BODY_MOST = 64 * 1024;
/** How long a stream that has said it is complete may go on with its last words (usage, the end mark), and how long its
 * end mark may be followed by nothing, before the connection is closed. */
const LAST_WORDS = 2000;
const AFTER_END = 200;

/** A failure on its way up. */
class Failed extends Error {
  readonly failure: SourceFailure;
  constructor(failure: SourceFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** One attempt at one source: the request through the script, over HTTP, and the answer back through the script. Never
 * throws. */
export async function attempt(
  source: SourceSecrets,
  adapter: Adapter,
  request: CompletionRequest,
  options: AttemptOptions,
): Promise<CompletionOutcome> {
  const secrets = [source.api_key, ...options.secrets ?? []];
  const failed = (failure: SourceFailure): CompletionOutcome => ({
    kind: "failed",
    failure: { ...failure, message: scrub(failure.message, secrets) },
  });
  using exchange = new Exchange({
    fetch: options.fetch,
    signal: options.signal,
    timeout: source.timeout,
    idle: source.idle_timeout,
  });
  try {
    const table = await script(source, () => adapter.table());
    const streams = table.streams && request.stream;
    const unified = unifiedRequest(source, request, table, streams);
    const body = await script(source, () => adapter.transform("transform_request", unified));
    const fill = { model: request.model || source.model, api_key: source.api_key };
    const endpoint = (streams ? table.stream_endpoint : undefined) ?? table.endpoint ?? "";
    const url = joinEndpoint(source.base_url, endpoint, fill);
    const headers = headersFor(table.headers, endpoint, fill);
    const response = await connect(source, exchange, url, { headers, body });
    if (!response.ok) {
      const text = await exchange.text(ERROR_BODY_MOST).catch(() => "");
      return failed(httpFailure(source.name, response.status, response.headers, text, options.now()));
    }
    const answer = streams
      ? await readStream(source, adapter, exchange, response, options)
      : await readWhole(source, adapter, await exchange.text(BODY_MOST), options);
    if (isNothing(answer)) {
      return failed({ kind: "cut", message: `${source.name} answered with nothing at all`, status: response.status });
    }
    const warning = silentlyCut(source, table, request, answer.token_usage);
    return { kind: "answered", response: answer, ...(warning !== undefined && { warning: scrub(warning, secrets) }) };
  } catch (error) {
    if (error instanceof Failed) return failed(error.failure);
    if (error instanceof InterruptedError) return failed(interrupted(source, error));
    return failed({ kind: "network", message: `${source.name} broke off the connection: ${lastOf(error)}` });
  }
}

/** Runs something of the script's; what it throws becomes a failure of the adapter. */
async function script<T>(source: SourceSecrets, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new Failed({ kind: "adapter", message: `The adapter of ${source.name} failed: ${messageOf(error)}` });
  }
}

async function connect(
  source: SourceSecrets,
  exchange: Exchange,
  url: string,
  init: { headers: Headers; body: string },
): Promise<Response> {
  try {
    return await exchange.send(url, init);
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    throw new Failed({ kind: "network", message: `${source.name} cannot be reached: ${unreachable(error, url)}` });
  }
}

function interrupted(source: SourceSecrets, { why }: InterruptedError): SourceFailure {
  if (why === "cancelled") return { kind: "cancelled", message: `The call of ${source.name} was cancelled` };
  return why === "timeout"
    ? { kind: "timeout", message: `${source.name} was not done after ${source.timeout / 1000} s` }
    // Status 200: it had begun to answer.
    : { kind: "timeout", message: `${source.name} sent nothing for ${source.idle_timeout / 1000} s`, status: 200 };
}

/** The request as the script gets it: what it did not say it accepts is left out, and no half of a character stays in. */
function unifiedRequest(
  source: SourceSecrets,
  request: CompletionRequest,
  table: AdapterTable,
  stream: boolean,
): string {
  const accepts = new Set(table.accepts);
  const { thinking = source.thinking, context_window = source.context_window, ...rest } = request;
  const unified = {
    ...rest,
    messages: request.messages.map((message) => plainMessage(message, accepts)),
    model: request.model || source.model,
    stream,
    ...(accepts.has("thinking") && { thinking }),
    ...(accepts.has("context_window") && context_window > 0 && { context_window }),
  };
  const text = JSON.stringify(unified);
  // A lone surrogate is the only thing that JSON.stringify escapes so.
  return /\\ud[89a-f]/.test(text)
    ? JSON.stringify(unified, (_, value) => typeof value === "string" ? value.toWellFormed() : value)
    : text;
}

function plainMessage(message: ChatMessage, accepts: Set<string>): ChatMessage {
  const { name, ...rest } = message;
  const out: ChatMessage = name !== undefined && accepts.has("name") ? message : rest;
  if (!message.tool_calls || accepts.has("signature")) return out;
  return { ...out, tool_calls: message.tool_calls.map(({ signature: _, ...call }) => call) };
}

async function readWhole(
  source: SourceSecrets,
  adapter: Adapter,
  text: string,
  options: AttemptOptions,
): Promise<CompletionResponse> {
  const payload = parsed(text);
  if (payload === undefined) {
    throw new Failed({ kind: "cut", message: `${source.name} sent an answer that is no whole JSON`, status: 200 });
  }
  const error = vendorError(payload);
  if (error) throw new Failed(streamFailure(source.name, error));
  const unified = await script(source, () => adapter.transform("transform_response", text));
  return wholeResponse(chunkOf(source, unified), options);
}

async function readStream(
  source: SourceSecrets,
  adapter: Adapter,
  exchange: Exchange,
  response: Response,
  options: AttemptOptions,
): Promise<CompletionResponse> {
  const assembler = new Assembler(options);
  const type = response.headers.get("content-type") ?? "";
  let decoder: PayloadDecoder | undefined;
  let head = new Uint8Array();
  let marked = false;
  /** The texts of a body that is plain JSON, not a stream by its type: it may be one whole answer. */
  const plain: string[] | undefined = type.includes("event-stream") || type.includes("ndjson") ? undefined : [];

  const take = async (payloads: Payload[]) => {
    for (const payload of payloads) {
      if (marked) return;
      if (payload.data.trim() === "[DONE]") {
        assembler.end();
        marked = true;
        return;
      }
      plain?.push(payload.data);
      if (plain && parsed(payload.data) === undefined) continue;
      const chunk = await chunkFor(source, adapter, payload);
      if (chunk) assembler.add(chunk);
    }
  };

  try {
    for (;;) {
      const wait = marked ? AFTER_END : assembler.complete ? Math.min(LAST_WORDS, source.idle_timeout) : undefined;
      const bytes = await exchange.read(wait);
      if (bytes === undefined) break;
      if (decoder) {
        await take(decoder.push(bytes));
        continue;
      }
      head = joined(head, bytes);
      decoder = decoderFor(type, head);
      if (decoder) await take(decoder.push(head));
    }
    if (decoder) await take(decoder.end());
  } catch (error) {
    // It had said that it was complete: what the connection did after that is nothing to us.
    const over = assembler.complete && !(error instanceof Failed) &&
      !(error instanceof InterruptedError && error.why === "cancelled");
    if (!over) {
      if (error instanceof Failed || error instanceof InterruptedError) throw error;
      throw new Failed({
        kind: "cut",
        message: `${source.name} broke off in the middle of its answer: ${lastOf(error)}`,
        status: 200,
      });
    }
  }
  if (assembler.empty && plain && plain.length > 0) {
    const whole = plain.join("\n");
    if (parsed(whole) !== undefined) return await readWhole(source, adapter, whole, options);
  }
  if (!assembler.complete) {
    throw new Failed({
      kind: "cut",
      message: `${source.name} ended its answer without saying that it was complete`,
      status: 200,
    });
  }
  return assembler.finish();
}

/** What the script makes of one payload. An error object, which any format may send in place of an answer, is a failure
 * of the source; what is no JSON because it was cut or garbled is not the script's fault. */
async function chunkFor(
  source: SourceSecrets,
  adapter: Adapter,
  payload: Payload,
): Promise<CompletionChunk | undefined> {
  const { data } = payload;
  if (payload.unfinished && parsed(data) === undefined) return undefined;
  if (payload.event === "error" || data.includes("error")) {
    const body = parsed(data);
    const error = vendorError(body) ?? (payload.event === "error" ? { codes: [], message: data } : undefined);
    if (error) throw new Failed(streamFailure(source.name, error));
  }
  let text: string;
  try {
    text = await adapter.transform("transform_stream_chunk", data);
  } catch (error) {
    if (parsed(data) !== undefined) {
      throw new Failed({ kind: "adapter", message: `The adapter of ${source.name} failed: ${messageOf(error)}` });
    }
    throw new Failed({ kind: "server", message: `${source.name} sent what is no JSON in its stream`, status: 200 });
  }
  return text === "" ? undefined : chunkOf(source, text);
}

function chunkOf(source: SourceSecrets, text: string): CompletionChunk {
  const value = parsed(text);
  if (typeof value !== "object" || value === null) {
    throw new Failed({ kind: "adapter", message: `The adapter of ${source.name} returned what is no JSON object` });
  }
  return value as CompletionChunk;
}

/** An answer with nothing in it, not even a token, is no answer. */
function isNothing(answer: CompletionResponse): boolean {
  return answer.content === "" && !answer.tool_calls && !answer.reasoning_content && answer.finish_reason === "stop" &&
    answer.token_usage.completion === 0;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

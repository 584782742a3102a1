import type { SourceFailure, SourceFailureKind } from "../core/wire/llm.ts";

/** What a vendor said was wrong: its codes, for telling failures apart, and its sentence, for people. */
export interface VendorError {
  /** `code`, `type` and `status` as they stand in the error object, as text. */
  codes: string[];
  message: string;
  /** Milliseconds until it wants to be asked again. */
  retry_after?: number;
}

const CONTEXT_CODES = new Set([
  "context_length_exceeded",
  "context_window_exceeded",
  "model_context_window_exceeded",
  "exceed_context_size_error",
  "request_too_large",
  "tokens_limit_reached",
  "prompt_too_long",
]);

/** Anthropic, Gemini, Mistral and vLLM have no code for a prompt that is too long. Each has one sentence with two counts;
 * only a message that is that sentence and nothing else counts, so no text of a user can look like it. */
const CONTEXT_SENTENCES = [
  /^prompt is too long: \d+ tokens > \d+ maximum$/,
  /^The input token count \(?\d+\)? exceeds the maximum number of tokens allowed \(?\d+\)?\.?$/,
  /^input length and `max_tokens` exceed context limit: \d+ \+ \d+ > \d+, decrease input length or `max_tokens` and try again$/,
  /^Prompt contains \d+ tokens(?: and \d+ draft tokens)?, too large for model with \d+ maximum context length$/,
  /^This model's maximum context length is \d+ tokens\. However, you requested \d+ tokens \(\d+ in the messages, \d+ in the completion\)\. Please reduce the length of the messages or completion\.$/,
];

const RATE_CODES = new Set(["rate_limit_error", "rate_limit_exceeded", "RESOURCE_EXHAUSTED", "insufficient_quota"]);
const AUTH_CODES = new Set([
  "authentication_error",
  "permission_error",
  "invalid_api_key",
  "UNAUTHENTICATED",
  "PERMISSION_DENIED",
]);
const REFUSED_CODES = new Set(["invalid_request_error", "INVALID_ARGUMENT", "not_found_error", "NOT_FOUND"]);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The error object of a payload, wherever the vendor puts it; undefined when there is none. */
export function vendorError(payload: unknown): VendorError | undefined {
  const outer = Array.isArray(payload) ? payload[0] : payload;
  if (!isRecord(outer)) return undefined;
  const error = outer.error ?? (outer.object === "error" || outer.type === "error" ? outer : undefined);
  if (error === undefined || error === null || error === false || error === "") return undefined;
  if (!isRecord(error)) return { codes: [], message: String(error) };
  const codes = [error.code, error.type, error.status].filter((code) => code !== undefined && code !== null).map(
    String,
  );
  const message = [error.message, error.msg, error.detail, outer.message].find((text) => typeof text === "string");
  const retry = retryDelay(error.details);
  return {
    codes,
    message: typeof message === "string" ? message : JSON.stringify(error),
    ...(retry !== undefined && { retry_after: retry }),
  };
}

/** Google's `RetryInfo` in an error's details: `"retryDelay": "34s"`. */
function retryDelay(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined;
  for (const detail of details) {
    if (!isRecord(detail) || typeof detail.retryDelay !== "string") continue;
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(detail.retryDelay)?.[1];
    if (seconds !== undefined) return Number(seconds) * 1000;
  }
  return undefined;
}

/** The wait a response asks for: `retry-after-ms`, or `Retry-After` in seconds or as a date. */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const ms = headers.get("retry-after-ms");
  if (ms !== null && /^\d+(\.\d+)?$/.test(ms.trim())) return Number(ms);
  const value = headers.get("retry-after")?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The kind of failure by HTTP status and the vendor's codes. Status 200: an error inside a stream. */
export function failureKind(status: number, error: VendorError | undefined): SourceFailureKind {
  const codes = error?.codes ?? [];
  if (status === 413 || codes.some((code) => CONTEXT_CODES.has(code))) return "context";
  const refused = status === 400 || status === 422 || (status < 400 && codes.some((code) => REFUSED_CODES.has(code)));
  if (refused && CONTEXT_SENTENCES.some((sentence) => sentence.test(error?.message.trim() ?? ""))) return "context";
  if (status < 400) {
    const inner = codes.map(Number).find((code) => code >= 400 && code < 600);
    if (inner !== undefined) return failureKind(inner, error);
    if (codes.some((code) => RATE_CODES.has(code))) return "rate";
    if (codes.some((code) => AUTH_CODES.has(code))) return "auth";
    return refused ? "refused" : "server";
  }
  if (status === 401 || status === 403) return "auth";
  // 402: nothing left to pay with. It may be mended without a change here, so it is a pause.
  if (status === 429 || status === 402) return "rate";
  if (status === 408) return "timeout";
  if (status >= 500 || status === 425) return "server";
  return "refused";
}

const HOW: Partial<Record<SourceFailureKind, string>> = {
  auth: "refused the key",
  refused: "refused the request",
  context: "says that the request is too large",
  rate: "asks to be left alone for a while",
  server: "failed",
  timeout: "gave up waiting",
};

/** The failure that a response stands for. `body` is its text, `name` the source's. */
export function httpFailure(name: string, status: number, headers: Headers, body: string, now: number): SourceFailure {
  let payload: unknown;
  try {
    payload = JSON.parse(body);
  } catch {
    // Proxies and gateways answer with pages: the status alone must do.
    payload = undefined;
  }
  const error = vendorError(payload) ??
    (isRecord(payload) && (typeof payload.message === "string" || typeof payload.detail === "string")
      ? vendorError({ error: payload })
      : undefined);
  const kind = failureKind(status, error);
  const said = error?.message ?? (/^\s*</.test(body) ? "" : body.trim().slice(0, 300));
  const wait = retryAfter(headers, now) ?? error?.retry_after;
  return {
    kind,
    message: `${name} ${HOW[kind] ?? "failed"} (${status})${said === "" ? "" : `: ${said.slice(0, 500)}`}`,
    status,
    ...(wait !== undefined && { retry_after: wait }),
  };
}

/** The failure that an error object inside a stream stands for. */
export function streamFailure(name: string, error: VendorError): SourceFailure {
  const kind = failureKind(200, error);
  return {
    kind,
    message: `${name} ${HOW[kind] ?? "failed"} in the middle of its answer: ${error.message.slice(0, 500)}`,
    status: 200,
    ...(error.retry_after !== undefined && { retry_after: error.retry_after }),
  };
}

/** Takes secrets out of a text: as they are, as they stand in an address, and whatever looks like a bearer token. */
export function scrub(text: string, secrets: string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length < 4) continue;
    clean = clean.replaceAll(secret, "***").replaceAll(encodeURIComponent(secret), "***");
  }
  return clean.replace(/\b(Bearer\s+)[\w.~+/-]{8,}=*/gi, "$1***").replace(
    /([?&](?:api_?key|key)=)[^&\s"']+/gi,
    "$1***",
  );
}

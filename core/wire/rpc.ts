/** JSON-RPC 2.0, as spoken on every boundary: between threads (`MessagePort`), with plugin processes (NDJSON over stdio)
 * and on the local socket (NDJSON). Both sides may call; every request is answered exactly once, or fails when the peer
 * goes. Codecs only; the behaviour is in `peer.ts`. @module */

export type RpcId = number | string;
/** Named parameters; lists are refused. */
export type Params = Record<string, unknown>;

/** A call: the other side answers it exactly once. */
export interface RpcRequest {
  /** The version of JSON-RPC; frames with another are refused. */
  jsonrpc: "2.0";
  /** Chosen by the caller, unique among its open calls. */
  id: RpcId;
  /** A name from the receiver's method table. */
  method: string;
  /** Absent means `{}`. */
  params?: Params;
}
/** A call that is never answered, not even with an error. */
export interface RpcNotification {
  /** The version of JSON-RPC; frames with another are refused. */
  jsonrpc: "2.0";
  /** A name that the receiver knows; others are logged and dropped. */
  method: string;
  /** Absent means `{}`. `request` in it names the call that it is about. */
  params?: Params;
}
/** An error as it travels; `RpcError` is made of it again on the other side. */
export interface RpcErrorBody {
  /** A value of `RPC_CODES`; a plugin may send its own. */
  code: number;
  /** A sentence for the person who can act. */
  message: string;
  /** `{fix}` says what to do, `{code}` names the error at home; other fields are the method's own. */
  data?: unknown;
}
/** The answer to a request. `id` is null when the request could not be read. */
export type RpcResponse =
  | { jsonrpc: "2.0"; id: RpcId; result: unknown }
  | { jsonrpc: "2.0"; id: RpcId | null; error: RpcErrorBody };
/** All that may cross a boundary. */
export type RpcFrame = RpcRequest | RpcNotification | RpcResponse;

/** Every code an error may cross a boundary with. */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  capabilityMissing: -32001,
  notFound: -32002,
  conflict: -32003,
  timedOut: -32004,
  refusedByStage: -32005,
  tooLarge: -32006,
  shuttingDown: -32007,
  /** The call was cancelled by its caller. */
  cancelled: -32008,
  /** The peer went away before it answered. */
  disconnected: -32009,
  /** No LLM source answered (`chat` exits 3). */
  noSource: -32010,
} as const;

/** An error that crosses boundaries: numeric `code`, a sentence, and optional `data` (`data.fix`: what to do). */
export class RpcError extends Error {
  /** Holds also where `instanceof` cannot, as between two bundles. */
  override name = "RpcError";
  /** A value of `RPC_CODES`, or what the other side chose. */
  readonly code: number;
  /** Undefined when the error says nothing more than its message. */
  readonly data: unknown;

  /** `cause` stays on this side; code, message and data cross. */
  constructor(code: number, message: string, options: { data?: unknown; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.data = options.data;
  }

  /** Leaves out stack and cause: they are no business of the other side. */
  toBody(): RpcErrorBody {
    return { code: this.code, message: this.message, ...(this.data !== undefined && { data: this.data }) };
  }

  /** The error that the other side sent, as one to throw here. */
  static fromBody(body: RpcErrorBody): RpcError {
    return new RpcError(body.code, body.message, { data: body.data });
  }

  /** Anything thrown, as an error that may cross: what it is already, else an internal error with the message, and the
   * `fix` of a `HomedError` in `data`. */
  static from(error: unknown): RpcError {
    if (error instanceof RpcError) return error;
    const message = error instanceof Error ? error.message : String(error);
    const { fix, code } = error as { fix?: string; code?: unknown };
    const data = fix === undefined && typeof code !== "string"
      ? undefined
      : { ...(typeof code === "string" && { code }), ...(fix !== undefined && { fix }) };
    return new RpcError(RPC_CODES.internalError, message, { data, cause: error });
  }
}

/** A decoded frame, or why it is none. */
export type Decoded = { kind: "frame"; frame: RpcFrame } | { kind: "bad"; id: RpcId | null; error: RpcErrorBody };

const isId = (id: unknown): id is RpcId => typeof id === "string" || (typeof id === "number" && Number.isFinite(id));
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Checks that a value from outside is one JSON-RPC frame. Batches are refused: nobody here sends them. */
export function decodeFrame(value: unknown): Decoded {
  const bad = (message: string, id: unknown = null): Decoded => ({
    kind: "bad",
    id: isId(id) ? id : null,
    error: { code: RPC_CODES.invalidRequest, message },
  });
  if (Array.isArray(value)) return bad("Batches are not accepted: send one request a line");
  if (!isObject(value)) return bad("A frame must be a JSON object");
  if (value.jsonrpc !== "2.0") return bad('A frame must say "jsonrpc": "2.0"', value.id);
  if ("method" in value) {
    if (typeof value.method !== "string") return bad("`method` must be a string", value.id);
    if (value.params !== undefined && !isObject(value.params)) return bad("`params` must be an object", value.id);
    if ("id" in value && !isId(value.id)) return bad("`id` must be a string or a number");
    return { kind: "frame", frame: value as unknown as RpcRequest | RpcNotification };
  }
  const hasResult = "result" in value, hasError = "error" in value;
  if (hasResult === hasError) return bad("A response must have either `result` or `error`", value.id);
  if (!isId(value.id) && !(hasError && value.id === null)) return bad("A response must have an `id`");
  if (hasError) {
    const error = value.error;
    if (!isObject(error) || !Number.isInteger(error.code) || typeof error.message !== "string") {
      return bad("`error` must have a whole `code` and a `message`");
    }
  }
  return { kind: "frame", frame: value as unknown as RpcResponse };
}

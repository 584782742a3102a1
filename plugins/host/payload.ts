/** Large fields of params and results as slices of the shared segment. @module */
import { RPC_CODES, RpcError, SLICE_BYTES, type SliceRef } from "../../core/wire/mod.ts";

/** Memory for slices, seen from homed. Slot 0 is homed itself. */
export interface SliceStore {
  /** Undefined when there is no room. */
  alloc(size: number, slot: number): number | undefined;
  /** Slices of others are left alone. */
  free(offset: number, slot: number): void;
  releaseAll(slot: number): void;
  write(offset: number, bytes: Uint8Array): void;
  /** The memory itself, for as long as nobody frees it; what it holds may change while it is read. @throws {RpcError} when the slice is not this slot's, or longer than it was reserved */
  read(offset: number, length: number, slot: number): Uint8Array;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A field that is too large to travel in a frame. */
export interface LargeField {
  name: string;
  bytes: Uint8Array;
  encoding: SliceRef["$slice"]["encoding"];
}

/** The fields above 4 KiB, encoded. */
export function largeFields(fields: Record<string, unknown>): LargeField[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const large = largeField(value);
    return large ? [{ name, ...large }] : [];
  });
}

/** The same out of a worker: a frame whose large fields are encoded there, so that their bytes are moved and not copied. */
export interface LargeRef {
  $large: LargeField;
}

/** The large fields that a worker has encoded; undefined when there are none. */
export function handedOver(fields: Record<string, unknown>): LargeField[] | undefined {
  const large = Object.values(fields).flatMap((value) => {
    const field = (value as Partial<LargeRef> | null | undefined)?.$large;
    return field?.bytes instanceof Uint8Array ? [field] : [];
  });
  return large.length > 0 ? large : undefined;
}

/** `fields` with what a worker has encoded read again, for whoever has no segment. */
export function restoreFields(fields: Record<string, unknown>, large: readonly LargeField[]): Record<string, unknown> {
  const restored = { ...fields };
  for (const { name, bytes, encoding } of large) {
    restored[name] = encoding === "bytes" ? bytes : decodeText(name, bytes, encoding);
  }
  return restored;
}

/** `fields` with each field above 4 KiB replaced by a reference to what `write` stored; `write` answers undefined when it
 * has no room, and the field stays as it is. */
export function packFields(
  fields: Record<string, unknown>,
  store: { write(bytes: Uint8Array): number | undefined },
): Record<string, unknown> {
  return replaceFields(fields, largeFields(fields).map((large) => ({ large, offset: store.write(large.bytes) })));
}

/** `fields` with references to where the large ones were laid; those without an offset stay as they are. */
export function replaceFields(
  fields: Record<string, unknown>,
  laid: { large: LargeField; offset: number | undefined }[],
): Record<string, unknown> {
  let packed = fields;
  for (const { large: { name, bytes, encoding }, offset } of laid) {
    if (offset === undefined) continue;
    const ref: SliceRef = { $slice: { offset, length: bytes.length, encoding } };
    packed = { ...packed, [name]: ref };
  }
  return packed;
}

function largeField(value: unknown): { bytes: Uint8Array; encoding: SliceRef["$slice"]["encoding"] } | undefined {
  if (typeof value === "string") {
    return value.length > SLICE_BYTES ? { bytes: encoder.encode(value), encoding: "text" } : undefined;
  }
  if (value instanceof Uint8Array) return { bytes: value, encoding: "bytes" };
  if (typeof value !== "object" || value === null) return undefined;
  const text = JSON.stringify(value);
  return text.length > SLICE_BYTES ? { bytes: encoder.encode(text), encoding: "json" } : undefined;
}

/** The opposite: every reference replaced by a copy of what it refers to.
 * @throws {RpcError} −32602 when a reference makes no sense */
export function unpackFields(
  fields: Record<string, unknown>,
  store: { read(offset: number, length: number): Uint8Array },
): Record<string, unknown> {
  let unpacked = fields;
  for (const [name, value] of Object.entries(fields)) {
    const slice = (value as Partial<SliceRef> | null | undefined)?.$slice;
    if (typeof slice !== "object" || slice === null) continue;
    const { offset, length, encoding } = slice;
    if (!Number.isInteger(offset) || !Number.isInteger(length)) {
      throw new RpcError(RPC_CODES.invalidParams, `The slice of "${name}" has no whole offset and length`);
    }
    const bytes = store.read(offset, length);
    unpacked = { ...unpacked, [name]: encoding === "bytes" ? bytes.slice() : decodeText(name, bytes, encoding) };
  }
  return unpacked;
}

function decodeText(name: string, bytes: Uint8Array, encoding: "text" | "json"): unknown {
  const text = decoder.decode(bytes);
  if (encoding === "text") return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RpcError(RPC_CODES.invalidParams, `The slice of "${name}" is no JSON`, { cause: error });
  }
}

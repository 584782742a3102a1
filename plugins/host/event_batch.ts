/** Events on their way from the ring to a plugin's worker: their JSON as it was written, many in one buffer, parsed there
 * in one go. @module */
import type { BusEvent } from "../../core/wire/mod.ts";

/** What the host's thread posts instead of `events.wake`. */
export interface PackedEvents {
  /** JSON texts with commas between them. */
  packed: Uint8Array<ArrayBuffer>;
  /** Events that were lost before the first of these. */
  missed: number;
}

/** What the worker posts back when the plugin is through with one. */
export const EVENTS_READ = "events read";

const BATCH_BYTES = 256 << 10;
const COMMA = 0x2c;
/** What stands between the second comma of an event and the name of its type. */
const TYPE_FIELD = new TextEncoder().encode('"type":"');

/** Gathers records of the ring until they are taken. */
export class EventBatch {
  #bytes = new Uint8Array(BATCH_BYTES);
  #length = 0;
  missed = 0;

  get isEmpty(): boolean {
    return this.#length === 0 && this.missed === 0;
  }

  /** False when it is full: take it, and add the record then. */
  add(record: Uint8Array): boolean {
    if (this.#length + record.length + 1 > this.#bytes.length) {
      if (this.#length > 0) return false;
      this.#bytes = new Uint8Array(record.length + 1);
    }
    if (this.#length > 0) this.#bytes[this.#length++] = COMMA;
    this.#bytes.set(record, this.#length);
    this.#length += record.length;
    return true;
  }

  take(): PackedEvents {
    const taken = { packed: this.#bytes.slice(0, this.#length), missed: this.missed };
    if (this.#bytes.length !== BATCH_BYTES) this.#bytes = new Uint8Array(BATCH_BYTES);
    this.#length = this.missed = 0;
    return taken;
  }
}

/** The events again. */
export function unpackEvents({ packed }: PackedEvents): BusEvent[] {
  return JSON.parse(`[${new TextDecoder().decode(packed)}]`) as BusEvent[];
}

/** Tells from a record's bytes whether its type is wanted: homed writes `{"seq":1,"at":2,"type":"…`, so nothing needs to
 * be parsed. */
export class TypeFilter {
  readonly #types = new Map<string, Uint8Array>();

  add(type: string): void {
    this.#types.set(type, new TextEncoder().encode(`${type}"`));
  }

  delete(type: string): void {
    this.#types.delete(type);
  }

  wants(record: Uint8Array): boolean {
    let at = record.indexOf(COMMA) + 1;
    at = record.indexOf(COMMA, at) + 1;
    if (at === 0 || !startsWith(record, TYPE_FIELD, at)) return this.#types.has(typeOf(record));
    at += TYPE_FIELD.length;
    for (const type of this.#types.values()) if (startsWith(record, type, at)) return true;
    return false;
  }
}

function startsWith(bytes: Uint8Array, wanted: Uint8Array, at: number): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}

/** The slow way, for a record that is written otherwise. */
function typeOf(record: Uint8Array): string {
  return (JSON.parse(new TextDecoder().decode(record)) as BusEvent).type;
}

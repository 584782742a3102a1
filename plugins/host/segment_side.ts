import { RingReader } from "../../core/bus/event_ring.ts";
import {
  type Params,
  type PluginMethods,
  RPC_CODES,
  RpcError,
  type RpcFrame,
  type RpcId,
  type SegmentInfo,
  type StageContext,
} from "../../core/wire/mod.ts";
import { EventBatch, type PackedEvents, TypeFilter } from "./event_batch.ts";
import { Mapping } from "./mapping.ts";
import { handedOver, type LargeField, replaceFields, restoreFields, unpackFields } from "./payload.ts";
import { CTX_CAPACITY, CTX_OFFSET, RING_OFFSET, SEGMENT_MAGIC, SEGMENT_VERSION, WORD } from "./segment_layout.ts";

/** Where frames go. */
export interface Lines {
  toHomed(frame: RpcFrame): void;
  toPlugin(frame: RpcFrame): void;
  /** Events, in place of `events.wake`. */
  eventsToPlugin(events: PackedEvents): void;
}

/** Batches of events that the plugin may have before it: one that is slower misses events, and is told so. */
const OPEN_BATCHES = 4;

/** The script host's side of the shared segment: the plugin in its worker gets and gives everything inline; what lies in
 * the segment is read and written here. */
export class SegmentSide {
  readonly #handshakes = new Set<RpcId>();
  readonly #locks = new Set<RpcId>();
  readonly #allocations = new Map<RpcId, (offset: number | undefined) => void>();
  readonly #types = new TypeFilter();
  readonly #batch = new EventBatch();
  #openBatches = 0;
  #mapped: MappedView | undefined;
  #ring: RingReader | undefined;
  #lastAllocation = 0;

  fromHomed(frame: RpcFrame, lines: Lines): void {
    if (!("method" in frame)) return this.#answerOfHomed(frame, lines);
    const params = frame.params ?? {};
    if ("id" in frame && frame.method === "handshake") {
      this.#handshakes.add(frame.id);
      this.#map((params as PluginMethods["handshake"]["params"]).shm);
      return lines.toPlugin({ ...frame, params: { ...params, shm: null } });
    }
    if (!this.#mapped) return lines.toPlugin(frame);
    if (frame.method === "events.wake" && "head" in params) return this.#readEvents(lines);
    try {
      const given = this.#mapped.unpack(params);
      if (frame.method === "stage.invoke" && given.ctx === undefined) Object.assign(given, this.#mapped.context());
      lines.toPlugin({ ...frame, params: given });
    } catch (error) {
      if ("id" in frame) lines.toHomed({ jsonrpc: "2.0", id: frame.id, error: RpcError.from(error).toBody() });
    }
  }

  fromPlugin(frame: RpcFrame, lines: Lines): void {
    if ("result" in frame && this.#handshakes.delete(frame.id)) {
      return lines.toHomed({ ...frame, result: { ...frame.result as object, shm: this.#mapped !== undefined } });
    }
    if ("id" in frame && "method" in frame) this.#note(frame.id, frame.method, frame.params ?? {});
    const fields = ("method" in frame ? frame.params : "result" in frame ? frame.result : undefined) as
      | Params
      | undefined;
    const large = fields && handedOver(fields);
    if (!fields || !large) return lines.toHomed(frame);
    const send = (given: Params) =>
      lines.toHomed("method" in frame ? { ...frame, params: given } : { ...frame, result: given } as RpcFrame);
    if (!this.#mapped) return send(restoreFields(fields, large));
    void this.#lay(large, lines).then((laid) => {
      const inline = laid.filter(({ offset }) => offset === undefined).map(({ large }) => large);
      send(replaceFields(restoreFields(fields, inline), laid));
    });
  }

  #answerOfHomed(frame: Extract<RpcFrame, { result: unknown } | { error: unknown }>, lines: Lines): void {
    if (frame.id !== null && this.#allocations.has(frame.id)) {
      const settle = this.#allocations.get(frame.id)!;
      this.#allocations.delete(frame.id);
      return settle("result" in frame ? (frame.result as { offset: number }).offset : undefined);
    }
    if (frame.id !== null && this.#locks.delete(frame.id) && this.#mapped && "result" in frame) {
      const result = frame.result as { version: number; ctx?: StageContext; changes?: unknown };
      if (result.changes) return lines.toPlugin(frame);
      return lines.toPlugin({ ...frame, result: { ...this.#mapped.context(), ...result } });
    }
    lines.toPlugin(frame);
  }

  /** Keeps in mind what an answer will be about. */
  #note(id: RpcId, method: string, params: Params): void {
    if (method === "core.stage.lock") this.#locks.add(id);
    const types = params.types as string[] | undefined;
    if (method === "core.events.subscribe") {
      for (const type of types ?? []) this.#types.add(type);
      this.#ring ??= this.#mapped?.ring();
    } else if (method === "core.events.unsubscribe") { for (const type of types ?? []) this.#types.delete(type); }
  }

  #map(shm: SegmentInfo | null): void {
    if (!shm || shm.version !== SEGMENT_VERSION) return;
    try {
      this.#mapped = new MappedView(shm);
    } catch (error) {
      // Then everything comes inline.
      console.error(`The shared segment cannot be mapped: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** The plugin is through with a batch. */
  eventsRead(lines: Lines): void {
    this.#openBatches--;
    this.#readEvents(lines);
  }

  #readEvents(lines: Lines): void {
    const batch = this.#batch;
    const flush = () => {
      if (batch.isEmpty) return;
      this.#openBatches++;
      lines.eventsToPlugin(batch.take());
    };
    while (this.#openBatches < OPEN_BATCHES) {
      const next = this.#ring?.read();
      if (!next) return flush();
      if (next.kind === "missed") {
        // What is lost lies between these events and those to come.
        flush();
        batch.missed += next.count;
      } else if (this.#types.wants(next.bytes) && !batch.add(next.bytes)) {
        flush();
        batch.add(next.bytes);
      }
    }
  }

  /** Lays large fields into the segment; without room a field has no offset. */
  #lay(large: readonly LargeField[], lines: Lines): Promise<{ large: LargeField; offset: number | undefined }[]> {
    return Promise.all(large.map(async (one) => {
      const offset = await this.#alloc(one.bytes.length, lines);
      if (offset !== undefined) this.#mapped!.write(offset, one.bytes);
      return { large: one, offset };
    }));
  }

  #alloc(size: number, lines: Lines): Promise<number | undefined> {
    const id = `segment-${++this.#lastAllocation}`;
    return new Promise((resolve) => {
      this.#allocations.set(id, resolve);
      lines.toHomed({ jsonrpc: "2.0", id, method: "core.segment.alloc", params: { size } });
    });
  }
}

/** The segment as this process maps it. */
class MappedView {
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #buffer: ArrayBuffer;

  constructor({ path, size }: SegmentInfo) {
    this.#buffer = Mapping.open(path, size).buffer;
    this.#words = new Int32Array(this.#buffer, 0, 64);
    this.#bytes = new Uint8Array(this.#buffer);
    if (Atomics.load(this.#words, WORD.magic) !== SEGMENT_MAGIC) throw new Error("the file is no segment");
  }

  /** The valid context. A writer may come round while it is read: then it is read again. */
  context(): { version: number; ctx: StageContext } {
    for (let tries = 0; tries < 1000; tries++) {
      const version = Atomics.load(this.#words, WORD.ctx_version);
      const active = Atomics.load(this.#words, WORD.ctx_active) & 1;
      const length = this.#words[WORD.ctx_length_0 + active]!;
      const from = CTX_OFFSET + active * CTX_CAPACITY;
      const copy = this.#bytes.slice(from, from + length);
      const same = version !== 0 && Atomics.load(this.#words, WORD.ctx_version) === version &&
        (Atomics.load(this.#words, WORD.ctx_active) & 1) === active;
      if (same) return { version, ctx: JSON.parse(new TextDecoder().decode(copy)) as StageContext };
    }
    throw new RpcError(RPC_CODES.conflict, "The stage context changes too fast to be read");
  }

  unpack(fields: Params): Params {
    return { ...unpackFields(fields, { read: (offset, length) => this.#bytes.subarray(offset, offset + length) }) };
  }

  write(offset: number, bytes: Uint8Array): void {
    this.#bytes.set(bytes, offset);
  }

  ring(): RingReader {
    return new RingReader(this.#buffer, { offset: RING_OFFSET });
  }
}

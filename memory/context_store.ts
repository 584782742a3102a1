import type { Clock } from "../core/base/clock.ts";
import { messageOf } from "../core/base/errors.ts";
import type { ContextEvent } from "../core/wire/memory.ts";
import { AppendLog, checksum, decodeLines, encodeLine } from "./append_log.ts";
import { type FileStore, jsonBytes, keepAside, readChecked, setAside } from "./files.ts";

/** An event as it is kept: with its place among everything that was ever said, so that neighbours stay neighbours when
 * they have become documents. */
export type StoredEvent = ContextEvent & { n?: number };

/** One change of the context, as its log has it. */
type Change = { seq: number } & ({ op: "put"; event: StoredEvent } | { op: "remove"; ids: string[] });

/** `context.json`. `sum` is the checksum of the events' JSON. */
interface Snapshot {
  format: 1;
  seq: number;
  /** How many events there ever were. */
  said: number;
  sum: string;
  events: StoredEvent[];
}

/** The snapshot is written this long after a change, once for all changes since. The log has them meanwhile. */
export const SNAPSHOT_DELAY = 5_000;

/** The context tier on disk: `context.json`, and `context.log` with every change since. The files before the last
 * snapshot are kept as `.bak` with the log that lies between, so a damaged snapshot costs nothing. */
export class ContextStore {
  readonly #store: FileStore;
  readonly #path: string;
  readonly #clock: Clock;
  readonly #onProblem: (text: string) => void;
  readonly #log: AppendLog;
  readonly #events = new Map<string, StoredEvent>();
  #seq = 0;
  #said = 0;
  #saved = 0;
  #timer: AbortController | undefined;

  constructor(options: { store: FileStore; path: string; clock: Clock; onProblem: (text: string) => void }) {
    this.#store = options.store;
    this.#path = options.path;
    this.#clock = options.clock;
    this.#onProblem = options.onProblem;
    this.#log = new AppendLog(options.store, this.#logPath);
  }

  get #logPath(): string {
    return this.#path.replace(/\.json$/, "") + ".log";
  }

  /** Reads what is there. Returns sentences about what was damaged; never throws for a damaged file. */
  open(): string[] {
    const notices: string[] = [];
    const snapshot = this.#readSnapshot(notices);
    for (const event of snapshot?.events ?? []) this.#events.set(event.id, event);
    this.#seq = snapshot?.seq ?? 0;
    this.#said = snapshot?.said ?? 0;
    let damage = notices.length > 0;
    for (const path of [`${this.#logPath}.bak`, this.#logPath]) {
      const bytes = this.#store.read(path);
      if (!bytes) continue;
      const { values, torn, damaged } = decodeLines(bytes);
      for (const change of values as Change[]) if (change.seq > this.#seq) this.#apply(change);
      if (torn) this.#store.write(path, bytes.slice(0, bytes.lastIndexOf(10) + 1));
      if (damaged > 0) {
        damage = true;
        const instead = `${damaged} of its lines could not be read, the others were`;
        notices.push(keepAside(this.#store, path, { reason: "wrong checksums", now: this.#clock.now(), instead }));
      }
    }
    this.#saved = snapshot?.seq ?? 0;
    if (damage) {
      // Twice, so that the backup is whole too; then nothing needs the damaged log.
      for (let i = 0; i < 2; i++) this.#write();
      this.#store.remove(`${this.#logPath}.bak`);
    }
    return notices;
  }

  /** Events by time; of the same time, by arrival. */
  events(): StoredEvent[] {
    return [...this.#events.values()].sort((a, b) => a.at - b.at);
  }

  get(id: string): StoredEvent | undefined {
    return this.#events.get(id);
  }

  get size(): number {
    return this.#events.size;
  }

  /** Adds an event, or replaces the one with its id. Durable when it resolves; visible at once. */
  async put(event: ContextEvent): Promise<void> {
    const before = this.#events.get(event.id);
    const { vector: _, ...stored } = { ...event, n: before?.n ?? this.#said + 1 };
    try {
      await this.#record({ seq: ++this.#seq, op: "put", event: stored });
    } catch (error) {
      // Nothing that is not on disk may stay in memory, else the snapshot would bring back a refused message.
      if (before) this.#events.set(event.id, before);
      else this.#events.delete(event.id);
      throw error;
    }
  }

  /** Takes back an event that was refused after all: at once here, on disk with a line if there is room for one, else with
   * the next snapshot. */
  async retract(id: string): Promise<void> {
    if (!this.#events.has(id)) return;
    await this.#record({ seq: ++this.#seq, op: "remove", ids: [id] }).catch(() => this.#saveSoon());
  }

  /** Takes events out; ids that are not there are fine. Durable when it resolves. */
  async remove(ids: string[]): Promise<void> {
    const known = ids.flatMap((id) => this.#events.get(id) ?? []);
    if (known.length === 0) return;
    try {
      await this.#record({ seq: ++this.#seq, op: "remove", ids: known.map((event) => event.id) });
    } catch (error) {
      for (const event of known) this.#events.set(event.id, event);
      throw error;
    }
  }

  /** Writes the snapshot now if there was a change since the last. */
  async save(): Promise<void> {
    this.#timer?.abort();
    this.#timer = undefined;
    while (this.#log.busy) await this.#log.idle();
    if (this.#seq !== this.#saved) this.#write();
  }

  /** Rewrites all files so that only the present events are in any of them. */
  async scrub(): Promise<void> {
    while (this.#log.busy) await this.#log.idle();
    this.#write();
    for (const path of [`${this.#path}.bak`, `${this.#logPath}.bak`]) this.#store.remove(path);
  }

  async #record(change: Change): Promise<void> {
    this.#apply(change);
    await this.#log.append(encodeLine(change));
    this.#saveSoon();
  }

  #apply(change: Change): void {
    if (change.op === "put") {
      this.#events.set(change.event.id, change.event);
      this.#said = Math.max(this.#said, change.event.n ?? 0);
    } else for (const id of change.ids) this.#events.delete(id);
    this.#seq = Math.max(this.#seq, change.seq);
  }

  #saveSoon(): void {
    if (this.#timer) return;
    const timer = this.#timer = new AbortController();
    this.#clock.sleep(SNAPSHOT_DELAY, { signal: timer.signal }).then(
      () => this.save().catch((error) => this.#onProblem(`Cannot save the context's snapshot: ${messageOf(error)}`)),
      () => {}, // Aborted: the snapshot was written by someone else.
    );
  }

  /** In this order a kill after any step leaves a snapshot and the log since it: lines up to a snapshot's `seq` are
   * skipped when read. */
  #write(): void {
    const events = [...this.#events.values()];
    const snapshot: Snapshot = {
      format: 1,
      seq: this.#seq,
      said: this.#said,
      sum: checksum(JSON.stringify(events)),
      events,
    };
    const fresh = `${this.#path}.new`;
    this.#store.write(fresh, jsonBytes(snapshot));
    if (this.#store.read(this.#path) !== null) this.#store.rename(this.#path, `${this.#path}.bak`);
    this.#store.rename(fresh, this.#path);
    if (this.#store.read(this.#logPath) !== null) this.#store.rename(this.#logPath, `${this.#logPath}.bak`);
    this.#saved = snapshot.seq;
  }

  #readSnapshot(notices: string[]): Snapshot | undefined {
    const backup = `${this.#path}.bak`;
    for (const path of [this.#path, backup]) {
      const read = readChecked(this.#store, path, acceptSnapshot);
      if (read.kind === "sound") return read.value;
      if (read.kind === "damaged") {
        const instead = path === backup
          ? "the conversation is rebuilt from its log alone"
          : "the conversation is rebuilt from the backup and the log";
        notices.push(setAside(this.#store, path, { reason: read.reason, now: this.#clock.now(), instead }));
      }
    }
  }
}

function acceptSnapshot(value: unknown): Snapshot | undefined {
  const snapshot = value as Partial<Snapshot> | null;
  const sound = snapshot?.format === 1 && Number.isInteger(snapshot.seq) && Array.isArray(snapshot.events) &&
    checksum(JSON.stringify(snapshot.events)) === snapshot.sum;
  return sound ? snapshot as Snapshot : undefined;
}

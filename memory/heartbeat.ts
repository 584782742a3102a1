import { dirname, join } from "node:path";
import { messageOf } from "../core/base/errors.ts";
import { jsonBytes, readChecked, setAside } from "./files.ts";
import { archiveCold } from "./loops/archive.ts";
import { distillContext } from "./loops/distill.ts";
import { mergeAlike } from "./loops/merge.ts";
import { distillTextLog } from "./loops/pipeline.ts";
import { reviewRelations } from "./loops/review.ts";
import type { Memory } from "./memory.ts";
import type { TextCursor } from "./text_log.ts";

export const LOOPS = ["distill", "archive", "merge", "review", "pipeline", "media"] as const;
export type Loop = (typeof LOOPS)[number];

/** What the loops remember between beats and starts, so that nothing is asked or read twice. No names: only hashes,
 * numbers and ids, so there is nothing in it to forget. */
export interface LoopState {
  format: 1;
  /** Up to where the text log was distilled. */
  cursor: TextCursor | null;
  /** Pairs of names that were decided on. */
  decided: string[];
  /** The graph's change up to which alike names were looked for. */
  merged: number;
  /** The last change and relation that was reviewed. */
  reviewed: { change: number; id: string };
  /** Relations that a review changed: they are not reviewed for that. */
  mended: string[];
  /** The graph's change that the derived documents and the backup show. */
  snapshot: number;
  /** When it was made, and of what: the graph's change, and what sums the media store up. */
  backup: { change: number; at: number; media?: string };
}

const FRESH: LoopState = {
  format: 1,
  cursor: null,
  decided: [],
  merged: 0,
  reviewed: { change: 0, id: "" },
  mended: [],
  snapshot: 0,
  backup: { change: 0, at: 0 },
};

/** The most ids and hashes that are kept of a kind. */
const KEPT = 20_000;

/** The loops that tend the memory, each at its own interval. One beat never overlaps another; a beat that fails is told
 * and tried again at the next. When nothing happened since the last, a beat asks no model and writes nothing. */
export class Heartbeat {
  readonly #memory: Memory;
  readonly #state: LoopState;
  readonly #path: string;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  constructor(memory: Memory) {
    this.#memory = memory;
    this.#path = join(dirname(memory.settings.context), "heartbeat.json");
    const read = readChecked(memory.store, this.#path, (value) => {
      const state = value as LoopState | null;
      return state?.format === 1 && Array.isArray(state.decided) ? state : undefined;
    });
    if (read.kind === "damaged") {
      const instead = "the loops look at everything once more";
      memory.notices.push(
        setAside(memory.store, this.#path, { reason: read.reason, now: memory.ports.clock.now(), instead }),
      );
    }
    this.#state = read.kind === "sound" ? { ...FRESH, ...read.value } : structuredClone(FRESH);
    // It stands with what was learned, and is newer: else what was said would be learned again, also what somebody has
    // taken out or corrected since.
    this.#state.cursor = memory.graph.noted("text_cursor") as TextCursor | null ?? this.#state.cursor;
    this.#turnBack(memory.graph.change);
  }

  /** A graph that knows fewer changes than were seen is an older one, or a new one: what comes next is not passed over. */
  #turnBack(change: number): void {
    const state = this.#state;
    if (state.merged > change) state.merged = 0;
    if (state.snapshot > change) state.snapshot = 0;
    if (state.reviewed.change > change) state.reviewed = { change, id: "\uffff" };
    if (state.backup.change > change) state.backup = { ...state.backup, change: 0 };
  }

  /** Starts all loops. */
  start(): void {
    const { settings } = this.#memory;
    const intervals: Record<Loop, () => number> = {
      distill: () => settings.distill_interval,
      archive: () => settings.archive_interval,
      merge: () => settings.merge_interval,
      review: () => settings.review_interval,
      pipeline: () => settings.pipeline_interval,
      media: () => settings.archive_interval,
    };
    for (const loop of LOOPS) this.#running.push(this.#run(loop, intervals[loop]));
  }

  /** Where the text log was read up to. */
  get cursor(): TextCursor | null {
    return this.#state.cursor;
  }

  /** Learns what was said up to now, beside whatever beat is under way: before somebody takes facts out or corrects them,
   * else the rules would learn them again at their next beat. */
  async readText(): Promise<void> {
    await distillTextLog(this.#memory, this.#state);
  }

  /** The text log was rewritten. */
  moveCursor(cursor: TextCursor | null): void {
    this.#state.cursor = cursor;
    this.#memory.graph.note("text_cursor", cursor);
    this.#memory.store.write(this.#path, jsonBytes(this.#state));
  }

  /** One beat of a loop, now. Answers with how much it did. */
  tick(loop: Loop): Promise<number> {
    const beat = this.#turn.then(() => this.#beat(loop));
    this.#turn = beat.catch(() => {});
    return beat;
  }

  /** No further beats; resolves when the running one is over. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
    await this.#turn;
  }

  async #run(loop: Loop, interval: () => number): Promise<void> {
    const { clock, log } = this.#memory.ports;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await clock.sleep(interval(), { signal });
      } catch {
        return; // Stopped.
      }
      try {
        const did = await this.tick(loop);
        if (did > 0) log.debug(`The ${loop} loop did ${did}`, { loop, did });
      } catch (error) {
        if (!signal.aborted) log.warn(`The ${loop} loop failed: ${messageOf(error)}: it is tried again`, { loop });
      }
    }
  }

  async #beat(loop: Loop): Promise<number> {
    const before = JSON.stringify(this.#state);
    const did = await this.#work(loop);
    this.#memory.tidy();
    if (JSON.stringify(this.#state) !== before) {
      this.#state.decided = this.#state.decided.slice(-KEPT);
      this.#state.mended = this.#state.mended.slice(-KEPT);
      this.#memory.store.write(this.#path, jsonBytes(this.#state));
    }
    return did;
  }

  #work(loop: Loop): Promise<number> {
    const memory = this.#memory, state = this.#state;
    switch (loop) {
      case "distill":
        return distillContext(memory);
      case "archive":
        return archiveCold(memory, state);
      case "merge":
        return mergeAlike(memory, state);
      case "review":
        return reviewRelations(memory, state);
      case "pipeline":
        return distillTextLog(memory, state);
      case "media":
        return memory.gate.exclusive(() => tendMedia(memory));
      default:
        return loop satisfies never;
    }
  }
}

function tendMedia({ media, settings, flow }: Memory): number {
  if (!media) return 0;
  flow.reconcileReferences();
  const collected = media.collect(settings.media_min_age);
  return collected + media.evict(settings.media_max_bytes, settings.media_min_age);
}

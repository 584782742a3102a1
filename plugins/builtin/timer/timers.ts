import type { Clock } from "../../../core/base/clock.ts";
import { nextDue, type Schedule } from "./schedule.ts";
import type { Timer, TimerStore } from "./store.ts";

/** A wall clock is looked at this often at least, so that one that was set is noticed. Milliseconds. */
const LONGEST_SLEEP = 30_000;
/** A timer later than this was missed: homed was down, the machine slept, or the clock jumped. Milliseconds. */
const MISSED_AFTER = 60_000;
/** A clock that fell back by more than this was set. Milliseconds. */
const JUMP = 2_000;

export interface Firing {
  timer: Timer;
  due: number;
  /** Milliseconds behind its time. */
  late: number;
}

export interface TimersOptions {
  clock: Clock;
  store: TimerStore;
  /** Delivers one firing; what it throws is reported through `onProblem`, and the timer counts as fired. */
  fire(firing: Firing): Promise<void>;
  /** A timer that was missed and is only logged. */
  missed(firing: Firing): void;
  onProblem(text: string): void;
}

/** All timers, and the one loop that fires them. Firings come before the state is saved: after a crash between the two
 * a timer fires again rather than never. */
export class Timers {
  readonly #o: TimersOptions;
  readonly #timers = new Map<string, Timer>();
  #lastId = 0;
  #stop = new AbortController();
  #wake = new AbortController();
  #loop: Promise<void> | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(options: TimersOptions) {
    this.#o = options;
  }

  /** Loads what was saved and starts the loop. Answers a notice when the state was damaged. */
  async start(): Promise<string | undefined> {
    const { timers, last_id, notice } = await this.#o.store.load();
    this.#lastId = last_id;
    for (const timer of timers) this.#timers.set(timer.id, timer);
    this.#loop = this.#run();
    return notice;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake.abort();
    await this.#loop;
    await this.#saving;
  }

  /** Sets a timer; it is on disk when this resolves. */
  async add(options: Omit<Timer, "id" | "next" | "fired">): Promise<Timer> {
    const next = nextDue(options.schedule, this.#o.clock.now());
    if (next === null) throw new Error("That time is past: nothing was set");
    const timer: Timer = { id: `t${++this.#lastId}`, ...options, next };
    this.#timers.set(timer.id, timer);
    try {
      await this.#save();
    } catch (error) {
      this.#timers.delete(timer.id);
      throw error;
    }
    this.#wake.abort();
    return timer;
  }

  /** Cancels a timer; false when there is none of that id. */
  async cancel(id: string): Promise<boolean> {
    const timer = this.#timers.get(id);
    if (!timer) return false;
    this.#timers.delete(id);
    try {
      await this.#save();
    } catch (error) {
      this.#timers.set(id, timer);
      throw error;
    }
    return true;
  }

  /** Takes out every timer whose text `mentions` somebody, without a trace; `dryRun` only counts. Answers with how many. */
  async forget(mentions: (text: string) => boolean, options: { dryRun: boolean }): Promise<number> {
    const gone = [...this.#timers.values()].filter(({ text }) => mentions(text));
    if (options.dryRun) return gone.length;
    for (const { id } of gone) this.#timers.delete(id);
    if (gone.length > 0) await this.#save();
    await this.#o.store.forget(mentions);
    return gone.length;
  }

  /** The next due first. */
  list(): Timer[] {
    return [...this.#timers.values()].sort((a, b) => a.next - b.next);
  }

  async #run(): Promise<void> {
    const { clock } = this.#o;
    let wall = clock.now(), steady = clock.monotonic();
    while (!this.#stop.signal.aborted) {
      const fellBack = clock.monotonic() - steady - (clock.now() - wall);
      wall = clock.now();
      steady = clock.monotonic();
      if (fellBack > JUMP) this.#shift(-fellBack);
      await this.#fireDue();
      this.#wake = new AbortController();
      const soonest = Math.min(...[...this.#timers.values()].map((timer) => timer.next), Infinity);
      const wait = Math.min(soonest - clock.now(), LONGEST_SLEEP);
      if (this.#stop.signal.aborted) return;
      await clock.sleep(Math.max(0, wait), { signal: this.#wake.signal }).catch(() => {
        // woken: a timer was added, or the plugin stops
      });
    }
  }

  /** The wall clock was set back by `-by`: what counts time goes on counting, what reads the wall waits for the wall. A
   * clock that jumps forward is time that has passed, as after a sleep of the machine. */
  #shift(by: number): void {
    for (const timer of this.#timers.values()) {
      const { schedule } = timer;
      if (schedule.kind === "in") schedule.due = timer.next = timer.next + by;
      else if (schedule.kind === "every") {
        schedule.start += by;
        timer.next += by;
      } else timer.next = this.#nextOf(schedule, Math.max(this.#o.clock.now(), timer.fired ?? 0)) ?? timer.next;
    }
  }

  #nextOf(schedule: Schedule, after: number): number | null {
    try {
      return nextDue(schedule, after);
    } catch (error) {
      this.#o.onProblem(`Cannot tell when a timer is due next: ${error instanceof Error ? error.message : error}`);
      return null;
    }
  }

  async #fireDue(): Promise<void> {
    const now = this.#o.clock.now();
    const due = [...this.#timers.values()].filter((timer) => timer.next <= now).sort((a, b) => a.next - b.next);
    if (due.length === 0) return;
    for (const timer of due) {
      const firing = { timer, due: timer.next, late: now - timer.next };
      if (firing.late > MISSED_AFTER && timer.missed === "log") this.#o.missed(firing);
      else {
        await this.#o.fire(firing).catch((error) =>
          this.#o.onProblem(
            `Timer ${timer.id} could not be delivered: ${error instanceof Error ? error.message : error}`,
          )
        );
      }
      timer.fired = timer.next;
      const next = this.#nextOf(timer.schedule, Math.max(now, timer.next));
      if (next === null) this.#timers.delete(timer.id);
      else timer.next = next;
    }
    await this.#save().catch((error) => this.#o.onProblem(`The timers could not be saved: ${error}`));
  }

  #save(): Promise<void> {
    const write = () => this.#o.store.save({ last_id: this.#lastId, timers: [...this.#timers.values()] });
    const saved = this.#saving.then(write, write);
    this.#saving = saved.catch(() => {}); // whoever asked is told; the next write starts afresh
    return saved;
  }
}

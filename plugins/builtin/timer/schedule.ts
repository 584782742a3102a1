import { Cron } from "croner";

/** When a timer is due. Wall-clock schedules (`at`, `cron`) mean the clock on the wall of `timezone`: they happen once on
 * a day with 25 hours and once on a day with 23. `every` keeps its phase: due at `start` + n × `interval`. Times are
 * milliseconds since the epoch, intervals milliseconds. */
export type Schedule =
  | { kind: "at"; at: string; timezone: string }
  | { kind: "in"; due: number }
  | { kind: "every"; interval: number; start: number }
  | { kind: "cron"; pattern: string; timezone: string };

/** The first time after `after` at which the schedule is due; null when there is none any more. */
export function nextDue(schedule: Schedule, after: number): number | null {
  switch (schedule.kind) {
    case "in":
      return schedule.due > after ? schedule.due : null;
    case "every": {
      const { interval, start } = schedule;
      return start > after ? start : start + (Math.floor((after - start) / interval) + 1) * interval;
    }
    case "at":
    case "cron": {
      const pattern = schedule.kind === "at" ? schedule.at : schedule.pattern;
      return new Cron(pattern, { timezone: schedule.timezone }).nextRun(new Date(after))?.getTime() ?? null;
    }
    default:
      return schedule satisfies never;
  }
}

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds of "90s", "10m", "1h30m", "2d".
 * @throws {Error} when it is none, or zero */
export function parseDuration(text: string): number {
  const parts = [...text.replaceAll(" ", "").matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d|w)/g)];
  const whole = parts.map(([part]) => part).join("");
  const total = parts.reduce((sum, [, number, unit]) => sum + Number(number) * UNITS[unit!]!, 0);
  if (whole === "" || whole !== text.replaceAll(" ", "") || total <= 0) {
    throw new Error(`"${text}" is no duration: write it like 90s, 10m, 1h30m or 2d`);
  }
  return Math.round(total);
}

/** What the person asked for, as a tool's arguments. */
export interface ScheduleRequest {
  at?: string;
  in?: string;
  every?: string;
  cron?: string;
  timezone?: string;
}

/** The schedule that was asked for.
 * @throws {Error} a sentence for the model, when it makes no sense or is never due */
export function readSchedule(request: ScheduleRequest, now: number, localZone: string): Schedule {
  const given = (["at", "in", "every", "cron"] as const).filter((kind) => request[kind] !== undefined);
  if (given.length !== 1) {
    throw new Error(
      `Give exactly one of at, in, every and cron${given.length > 1 ? `, not ${given.join(" and ")}` : ""}`,
    );
  }
  const timezone = request.timezone ?? localZone;
  if (!isTimezone(timezone)) {
    throw new Error(`There is no time zone "${timezone}": use an IANA name such as Europe/Berlin or Asia/Shanghai`);
  }
  const schedule = build(request, now, timezone);
  if (nextDue(schedule, now) === null) throw new Error("That time is past: nothing was set");
  return schedule;
}

function build(request: ScheduleRequest, now: number, timezone: string): Schedule {
  if (request.in !== undefined) return { kind: "in", due: now + parseDuration(request.in) };
  if (request.every !== undefined) {
    const interval = parseDuration(request.every);
    if (interval < 1000) throw new Error("A timer cannot be due more often than once a second");
    return { kind: "every", interval, start: now + interval };
  }
  if (request.at !== undefined) return readAt(request.at, timezone);
  const pattern = request.cron!;
  try {
    new Cron(pattern, { timezone });
  } catch (error) {
    throw new Error(
      `"${pattern}" is no cron pattern (minute hour day month weekday): ${
        error instanceof Error ? error.message : error
      }`,
    );
  }
  return { kind: "cron", pattern, timezone };
}

/** A local date and time in `timezone`, or one with its own offset, which is then a fixed moment. */
function readAt(text: string, timezone: string): Schedule {
  const match = text.trim().match(/^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?(\.\d+)?(Z|[+-]\d{2}:?\d{2})?$/);
  const moment = match && Date.parse(`${match[1]}T${match[2]}${match[3] ?? ":00"}${match[5] ?? "Z"}`);
  if (!match || moment === null || Number.isNaN(moment)) {
    throw new Error(`"${text}" is no time: write it like 2027-03-01T08:00, with an offset if it is not local`);
  }
  if (match[5]) return { kind: "in", due: moment! };
  return { kind: "at", at: `${match[1]}T${match[2]}${match[3] ?? ":00"}`, timezone };
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false; // a RangeError: there is no such zone
  }
}

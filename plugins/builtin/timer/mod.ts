/** The built-in plugin `timer`: reminders and recurring work that outlive restarts. @module */
import type { BuiltinPlugin } from "../../sdk/mod.ts";
import { readSchedule, type ScheduleRequest } from "./schedule.ts";
import { type Timer, TimerStore } from "./store.ts";
import { type Firing, Timers } from "./timers.ts";

const SET = {
  type: "object",
  properties: {
    text: { type: "string", description: "What to say or do when it is due, as a message to yourself" },
    at: { type: "string", description: "Once, at a local time: 2027-03-01T08:00 (or with an offset: …T08:00+08:00)" },
    in: { type: "string", description: "Once, after a duration: 90s, 10m, 1h30m, 2d" },
    every: { type: "string", description: "Again and again, with this interval: 30m, 6h, 1d" },
    cron: { type: "string", description: "By the wall clock: minute hour day month weekday, such as 0 8 * * 1-5" },
    timezone: {
      type: "string",
      description: "IANA name for at and cron, such as Asia/Shanghai; this machine's by default",
    },
    missed: {
      type: "string",
      enum: ["fire", "log"],
      description: "If homed was down then: fire once afterwards (default) or only log",
    },
    interrupt: { type: "boolean", description: "Break into what is being said (default true) or wait for its end" },
    channel: { type: "string", description: "Where the message belongs; cli by default" },
  },
  required: ["text"],
};

type SetArguments = ScheduleRequest & {
  text: string;
  missed?: "fire" | "log";
  interrupt?: boolean;
  channel?: string;
};

/** A timer as tools and people see it. */
export function describe(timer: Timer): Record<string, unknown> {
  const { schedule } = timer;
  const zone = "timezone" in schedule ? schedule.timezone : localZone();
  const when = schedule.kind === "cron"
    ? { cron: schedule.pattern, timezone: schedule.timezone }
    : schedule.kind === "every"
    ? { every_seconds: schedule.interval / 1000 }
    : {};
  const local = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
  return {
    id: timer.id,
    text: timer.text,
    ...when,
    next: new Date(timer.next).toISOString(),
    next_local: `${local.format(timer.next)} ${zone}`,
    missed: timer.missed,
    channel: timer.channel,
  };
}

function localZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export const timer: BuiltinPlugin = {
  name: "timer",
  description: "Reminders and recurring tasks, by duration, interval, date or cron; they outlive restarts",
  capabilities: ["io", "host"],
  settings: [],
  create({ clock }) {
    let timers: Timers | undefined;
    return {
      async start(sdk) {
        const fire = async ({ timer, due, late }: Firing) => {
          const behind = late > 60_000 ? `, ${Math.round(late / 60_000)} minutes late` : "";
          const text = `⏰ Timer ${timer.id} (due ${new Date(due).toISOString()}${behind}): ${timer.text}`;
          await sdk.call("core.events.publish", {
            type: "timer",
            payload: { id: timer.id, text: timer.text, due, late_ms: late },
          });
          const message = { source: "timer", channel: timer.channel, text };
          await (timer.interrupt ? sdk.io.injectInterrupt(message) : sdk.io.injectText(message));
        };
        timers = new Timers({
          clock,
          store: new TimerStore(sdk.dataDir),
          fire,
          missed: ({ timer, due }) =>
            sdk.log.warn(`Timer ${timer.id} was missed and only logged`, { text: timer.text, due }),
          onProblem: (text) => sdk.log.error(text),
        });
        const running = timers;
        await sdk.registerTool({
          name: "timer_set",
          description: "Sets a timer or reminder. Give exactly one of at, in, every and cron.",
          parameters: SET,
        }, async (args) => {
          const { text, missed = "fire", interrupt = true, channel = "cli", ...request } =
            args as unknown as SetArguments;
          if (text.trim() === "") throw new Error("Say in text what the timer is for");
          const schedule = readSchedule(request, clock.now(), localZone());
          return describe(await running.add({ text, schedule, missed, interrupt, channel }));
        });
        await sdk.registerTool({
          name: "timer_list",
          description: "Lists the timers that are set, the next due first.",
          parameters: { type: "object", properties: {} },
        }, () => ({ timers: running.list().map(describe) }));
        await sdk.registerTool({
          name: "timer_cancel",
          description: "Cancels a timer by its id.",
          parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
        }, async (args) => {
          const { id } = args as { id: string };
          if (!await running.cancel(id)) throw new Error(`There is no timer "${id}": timer_list names them`);
          return { cancelled: id };
        });
        const notice = await running.start();
        if (notice) sdk.log.warn(notice);
      },
      stop: () => timers?.stop(),
      forget: async (mentions, options) => ({ timers: await timers?.forget(mentions, options) ?? 0 }),
    };
  },
};

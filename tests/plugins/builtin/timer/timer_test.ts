import assert from "node:assert/strict";
import fc from "fast-check";
import { nextDue, parseDuration, readSchedule } from "../../../../plugins/builtin/timer/schedule.ts";
import { type Timer, TimerStore } from "../../../../plugins/builtin/timer/store.ts";
import { type Firing, Timers } from "../../../../plugins/builtin/timer/timers.ts";
import { ManualClock } from "../../../kit/manual_clock.ts";
import { tempFolder } from "../../../kit/temp_folder.ts";

const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR;

/** Timers on a folder, with what they fired; `stop` and start again to see what outlives a restart. */
function running(folder: string, clock: ManualClock) {
  const fired: Firing[] = [], missed: Firing[] = [], problems: string[] = [];
  const timers = new Timers({
    clock,
    store: new TimerStore(folder),
    fire: (firing) => (fired.push({ ...firing, timer: { ...firing.timer } }), Promise.resolve()),
    missed: (firing) => missed.push({ ...firing }),
    onProblem: (text) => problems.push(text),
  });
  return { timers, fired, missed, problems };
}

const basic = { text: "tea", missed: "fire", interrupt: true, channel: "cli" } as const;

Deno.test("a daily wall-clock timer happens once on a day with 25 hours and once on a day with 23, in three zones", () => {
  const days: [string, string][] = [
    ["Europe/Berlin", "2027-03-28"],
    ["Europe/Berlin", "2027-10-31"],
    ["America/New_York", "2027-03-14"],
    ["America/New_York", "2027-11-07"],
    ["Australia/Lord_Howe", "2027-04-04"],
    ["Australia/Lord_Howe", "2027-10-03"],
  ];
  const localDay = (zone: string, at: number) => new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format(at);
  for (const [timezone, day] of days) {
    // Every quarter of an hour of the night in which the clocks change.
    for (let minute = 0; minute < 5 * 60; minute += 15) {
      const pattern = `${minute % 60} ${Math.floor(minute / 60)} * * *`;
      let at: number | null = Date.parse(`${day}T00:00:00Z`) - 2 * DAY;
      const seen: string[] = [];
      for (let i = 0; i < 5; i++) {
        at = nextDue({ kind: "cron", pattern, timezone }, at!);
        seen.push(localDay(timezone, at!));
      }
      assert.deepEqual(seen, [...new Set(seen)], `${pattern} ${timezone}: ${seen}`);
      assert.ok(seen.includes(day), `${pattern} ${timezone} skips ${day}`);
    }
  }
});

Deno.test("`every` keeps its phase whenever it is asked", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1000, max: 10 * DAY }),
      fc.nat(10 * DAY),
      fc.nat(1000 * DAY),
      (interval, start, after) => {
        const next = nextDue({ kind: "every", interval, start }, after)!;
        assert.ok(next > after || (after < start && next === start));
        assert.equal((next - start) % interval, 0);
        assert.ok(next - interval <= after || next === start);
      },
    ),
  );
});

Deno.test("durations and requests: what is meant is taken, what makes no sense is a sentence", () => {
  assert.equal(parseDuration("1h30m"), 90 * MINUTE);
  assert.equal(parseDuration("1.5 h"), 90 * MINUTE);
  for (const bad of ["", "soon", "10", "0s", "-5m", "5m later"]) assert.throws(() => parseDuration(bad), /no duration/);
  const now = Date.UTC(2027, 0, 1);
  const read = (request: Record<string, string>) => readSchedule(request, now, "Europe/Berlin");
  assert.throws(() => read({}), /exactly one/);
  assert.throws(() => read({ in: "5m", every: "5m" }), /not in and every/);
  assert.throws(() => read({ at: "tomorrow" }), /no time/);
  assert.throws(() => read({ at: "2027-13-41T08:00" }), /no time/);
  assert.throws(() => read({ at: "2020-01-01T08:00" }), /past/);
  assert.throws(() => read({ cron: "61 * * * *" }), /no cron pattern/);
  assert.throws(() => read({ cron: "0 0 31 2 *" }), /past/);
  assert.throws(() => read({ cron: "0 8 * * *", timezone: "Mars/Base" }), /no time zone "Mars\/Base"/);
  assert.throws(() => read({ every: "10ms" }), /more often/);
  assert.deepEqual(read({ at: "2027-02-03 08:00" }), {
    kind: "at",
    at: "2027-02-03T08:00:00",
    timezone: "Europe/Berlin",
  });
  assert.deepEqual(read({ at: "2027-02-03T08:00+08:00" }), { kind: "in", due: Date.UTC(2027, 1, 3) });
});

Deno.test("timers outlive a restart: the rest is not fired early, the missed once or only logged", async () => {
  await using folder = await tempFolder();
  const clock = new ManualClock();
  const first = running(folder.path, clock);
  await first.timers.start();
  await first.timers.add({ ...basic, text: "fire", schedule: { kind: "in", due: clock.now() + 10 * MINUTE } });
  await first.timers.add({
    ...basic,
    text: "log",
    missed: "log",
    schedule: { kind: "in", due: clock.now() + 10 * MINUTE },
  });
  await first.timers.add({
    ...basic,
    text: "hourly",
    schedule: { kind: "every", interval: HOUR, start: clock.now() + HOUR },
  });
  await clock.advance(5 * MINUTE);
  await first.timers.stop();
  assert.deepEqual(first.fired, []);
  clock.setWall(clock.now() + 5 * HOUR + 20 * MINUTE);
  const second = running(folder.path, clock);
  await second.timers.start();
  await clock.advance(1000);
  assert.deepEqual(second.fired.map(({ timer }) => timer.text), ["fire", "hourly"]);
  assert.deepEqual(second.missed.map(({ timer }) => timer.text), ["log"]);
  // The hourly one is due again at its own minute, not an hour after the late firing.
  const [hourly] = second.timers.list();
  assert.equal((hourly!.next - Date.UTC(2027, 0, 1)) % HOUR, 0);
  await clock.advance(HOUR);
  assert.equal(second.fired.filter(({ timer }) => timer.text === "hourly").length, 2);
  await second.timers.stop();
});

Deno.test("the clock set back: durations go on counting, and a daily timer does not happen twice", async () => {
  await using folder = await tempFolder();
  const clock = new ManualClock(Date.UTC(2027, 0, 1, 7, 59));
  const { timers, fired } = running(folder.path, clock);
  await timers.start();
  await timers.add({ ...basic, text: "daily", schedule: { kind: "cron", pattern: "0 8 * * *", timezone: "UTC" } });
  await timers.add({ ...basic, text: "in 30", schedule: { kind: "in", due: clock.now() + 30 * MINUTE } });
  await clock.advance(5 * MINUTE);
  assert.deepEqual(fired.map(({ timer }) => timer.text), ["daily"]);
  clock.setWall(clock.now() - 2 * HOUR);
  await clock.advance(26 * MINUTE);
  assert.deepEqual(fired.map(({ timer }) => timer.text), ["daily", "in 30"]);
  await clock.advance(3 * HOUR);
  assert.equal(fired.length, 2, "08:00 came round again on the same day");
  await clock.advance(DAY);
  assert.equal(fired.length, 3);
  await timers.stop();
});

Deno.test("the clock set forward: what was passed over is due now, once", async () => {
  await using folder = await tempFolder();
  const clock = new ManualClock();
  const { timers, fired } = running(folder.path, clock);
  await timers.start();
  await timers.add({ ...basic, schedule: { kind: "every", interval: HOUR, start: clock.now() + HOUR } });
  clock.setWall(clock.now() + 10 * HOUR + 30 * MINUTE);
  await clock.advance(MINUTE);
  assert.equal(fired.length, 1);
  await clock.advance(30 * MINUTE);
  assert.equal(fired.length, 2);
  await timers.stop();
});

Deno.test("a cut or zeroed file is set aside and its copy is used; it never stops the start", async () => {
  for (const damage of ["", "\0\0\0\0", '{"version":1,"tim']) {
    await using folder = await tempFolder();
    const clock = new ManualClock();
    const first = running(folder.path, clock);
    await first.timers.start();
    await first.timers.add({
      ...basic,
      text: "kept",
      schedule: { kind: "every", interval: DAY, start: clock.now() + DAY },
    });
    await first.timers.add({
      ...basic,
      text: "newest",
      schedule: { kind: "every", interval: DAY, start: clock.now() + DAY },
    });
    await first.timers.stop();
    await Deno.writeTextFile(`${folder.path}/timers.json`, damage);
    const second = running(folder.path, clock);
    assert.match((await second.timers.start())!, /damaged/);
    assert.deepEqual(second.timers.list().map((timer) => timer.text).sort(), ["kept", "newest"]);
    await second.timers.stop();
    assert.ok([...Deno.readDirSync(folder.path)].some(({ name }) => name.includes(".damaged-")));
  }
});

Deno.test("a delivery that fails is reported and the others are delivered", async () => {
  await using folder = await tempFolder();
  const clock = new ManualClock();
  const problems: string[] = [], fired: string[] = [];
  const timers = new Timers({
    clock,
    store: new TimerStore(folder.path),
    fire: ({ timer }) =>
      timer.text === "bad" ? Promise.reject(new Error("no channel")) : (fired.push(timer.text), Promise.resolve()),
    missed: () => {},
    onProblem: (text) => problems.push(text),
  });
  await timers.start();
  for (const text of ["bad", "good"]) {
    await timers.add({ ...basic, text, schedule: { kind: "in", due: clock.now() + 1000 } });
  }
  await clock.advance(2000);
  assert.deepEqual(fired, ["good"]);
  assert.match(problems[0]!, /t1 could not be delivered: no channel/);
  assert.deepEqual(timers.list(), []);
  await timers.stop();
});

Deno.test("ten thousand timers are kept, fired in order of their times, and cancelled ones never", async () => {
  await using folder = await tempFolder();
  const clock = new ManualClock();
  const many: Timer[] = Array.from({ length: 10_000 }, (_, i) => ({
    ...basic,
    id: `t${i + 1}`,
    text: `${i}`,
    schedule: { kind: "in", due: clock.now() + 1000 + ((i * 7919) % 10_000) },
    next: clock.now() + 1000 + ((i * 7919) % 10_000),
  }));
  new TimerStore(folder.path).save({ last_id: many.length, timers: many });
  const { timers, fired } = running(folder.path, clock);
  await timers.start();
  assert.equal(await timers.cancel("t5"), true);
  assert.equal(await timers.cancel("t5"), false);
  clock.setWall(clock.now() + 20_000);
  await clock.advance(31_000);
  assert.equal(fired.length, 9_999);
  assert.ok(fired.every(({ due }, i) => i === 0 || due >= fired[i - 1]!.due));
  assert.ok(!fired.some(({ timer }) => timer.id === "t5"));
  await timers.stop();
});

Deno.test("timers that name somebody who is to be forgotten go without a trace, also from the copy and from damaged files", async () => {
  await using folder = await tempFolder();
  const clock = new ManualClock();
  const { timers } = running(folder.path, clock);
  await timers.start();
  const at = { schedule: { kind: "every", interval: HOUR, start: clock.now() } } as const;
  await timers.add({ ...basic, ...at, text: "call Mirabelle" });
  await timers.add({ ...basic, ...at });
  await Deno.writeTextFile(`${folder.path}/timers.json.damaged-1`, "call Mirabelle");
  await Deno.writeTextFile(`${folder.path}/timers.json.damaged-2`, "call Otto");
  const mentions = (text: string) => text.includes("Mirabelle");
  assert.equal(await timers.forget(mentions, { dryRun: true }), 1);
  assert.equal(timers.list().length, 2);
  assert.equal(await timers.forget(mentions, { dryRun: false }), 1);
  assert.deepEqual(timers.list().map(({ text }) => text), ["tea"]);
  await timers.stop();
  const files = [...Deno.readDirSync(folder.path)].map(({ name }) => name);
  assert.ok(files.includes("timers.json.damaged-2"));
  for (const name of files) assert.doesNotMatch(await Deno.readTextFile(`${folder.path}/${name}`), /Mirabelle/, name);
});

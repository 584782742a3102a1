import assert from "node:assert/strict";
import type { Clock } from "../../../core/base/clock.ts";
import type { AttemptOptions, Completed, CompleteOptions, Provider } from "../../../core/llm/provider.ts";
import { Sources } from "../../../core/llm/sources.ts";
import type {
  CompletionOutcome,
  CompletionRequest,
  SourceFailure,
  SourceFailureKind,
  SourceInfo,
} from "../../../core/wire/llm.ts";

/** Sources only read the time: no sleeper is woken when it passes. */
class ReadClock implements Clock {
  #wall = Date.UTC(2027, 0, 1);
  #steady = 0;
  now = () => this.#wall;
  monotonic = () => this.#steady;
  sleep = () => Promise.reject(new Error("sources do not sleep"));

  advance(ms: number): void {
    this.#steady += ms;
    this.#wall += ms;
  }

  setWall(now: number): void {
    this.#wall = now;
  }
}

type Reply = CompletionOutcome | ((options: AttemptOptions) => CompletionOutcome);

const info = (name: string, more: Partial<SourceInfo> = {}): SourceInfo => ({
  name,
  adapter: "openai",
  model: `${name}-model`,
  priority: 0,
  context_window: 0,
  vision: false,
  audio: false,
  thinking: false,
  max_concurrent: 0,
  ...more,
});

const answer = (content: string): CompletionOutcome => ({
  kind: "answered",
  response: { content, finish_reason: "stop", token_usage: { prompt: 1, completion: 1, total: 2 } },
});

const fail = (kind: SourceFailureKind, more: Partial<SourceFailure> = {}): CompletionOutcome => ({
  kind: "failed",
  failure: { kind, message: `it was ${kind}`, ...more },
});

/** A reply that says some text before it ends as given. */
const after = (text: string, outcome: CompletionOutcome): Reply => ({ onDelta }) => {
  onDelta?.({ kind: "text", text });
  return outcome;
};

/** Sources whose providers answer from scripts, by name. */
class Stage {
  readonly clock = new ReadClock();
  readonly asked: string[] = [];
  readonly requests: CompletionRequest[] = [];
  readonly notices: { text: string; withdraws: boolean }[] = [];
  readonly replies = new Map<string, Reply[]>();
  readonly sources = new Sources({
    clock: this.clock,
    random: () => 0,
    makeProvider: (info) => this.#provider(info),
    offline: this.#provider(info("offline")),
  });

  constructor(infos: SourceInfo[], provider = "auto") {
    this.sources.configure(infos, provider);
  }

  say(name: string, ...replies: Reply[]): this {
    this.replies.set(name, [...(this.replies.get(name) ?? []), ...replies]);
    return this;
  }

  ask(options: Partial<CompleteOptions> = {}): Promise<Completed> {
    return this.sources.complete(
      { messages: [{ role: "user", content: "hi" }], temperature: 0, max_tokens: 1, stream: true },
      { signal: new AbortController().signal, onNotice: (notice) => this.notices.push(notice), ...options },
    );
  }

  #provider(info: SourceInfo): Provider {
    return {
      info,
      complete: (request, options) => {
        this.asked.push(info.name);
        this.requests.push(request);
        const reply = this.replies.get(info.name)?.shift() ?? answer(info.name);
        return Promise.resolve(typeof reply === "function" ? reply(options) : reply);
      },
    };
  }
}

const who = (completed: Completed) => completed.kind === "answered" ? completed.source : completed.kind;

Deno.test("sources are asked from the highest priority down, equal ones by name", async () => {
  const stage = new Stage([info("b"), info("a"), info("top", { priority: 5 })]);
  assert.deepEqual(stage.sources.list().map(({ name }) => name), ["top", "a", "b"]);
  assert.equal(stage.sources.first().name, "top");
  stage.say("top", fail("server")).say("a", fail("network"));
  const completed = await stage.ask();
  assert.equal(who(completed), "b");
  assert.deepEqual(stage.asked, ["top", "a", "b"]);
  assert.equal(completed.kind === "answered" && completed.model, "b-model");
});

Deno.test("a provider's name asks that source alone, and so does `only`", async () => {
  const stage = new Stage([info("a"), info("b")], "b");
  assert.equal(who(await stage.ask()), "b");
  assert.equal(stage.sources.first().name, "b");
  stage.say("b", fail("server"));
  const completed = await stage.ask();
  assert.deepEqual(completed.kind === "failed" && completed.failures.map(({ source }) => source), ["b"]);
  assert.equal(who(await stage.ask({ only: "a", model: "other" })), "a");
  assert.equal(stage.requests.at(-1)!.model, "other");
  const nobody = await stage.ask({ only: "nobody" });
  assert.match(nobody.kind === "failed" ? nobody.failures[0]!.failure.message : "", /no configured source "nobody"/);
});

Deno.test("switch() asks one source from now on, and refuses a name that is not configured", async () => {
  const stage = new Stage([info("a"), info("b")]);
  stage.sources.switch("b");
  assert.equal(who(await stage.ask()), "b");
  assert.throws(() => stage.sources.switch("c"), /no configured source "c"/);
  stage.sources.configure([info("a"), info("b")], "auto");
  assert.equal(stage.sources.current, "b");
  stage.sources.switch("auto");
  assert.equal(who(await stage.ask()), "a");
});

Deno.test("401 takes a source out until its configuration changes", async () => {
  const stage = new Stage([info("a", { revision: "1" }), info("b")]);
  stage.say("a", fail("auth", { status: 401 }));
  await stage.ask();
  stage.clock.advance(365 * 24 * 3600_000);
  stage.sources.configure([info("a", { revision: "1" }), info("b", { priority: -1 })], "auto");
  assert.equal(who(await stage.ask()), "b");
  assert.deepEqual(stage.asked, ["a", "b", "b"]);
  assert.equal(stage.sources.list()[0]!.state, "out");
  stage.sources.configure([info("a", { revision: "2" }), info("b")], "auto");
  assert.equal(who(await stage.ask()), "a");
});

Deno.test("a failing source costs one attempt a pause, and each pause is longer than the one before", async () => {
  for (const kind of ["server", "network", "timeout", "rate", "adapter"] as const) {
    const stage = new Stage([info("a", { priority: 1 }), info("b")]);
    stage.say("a", ...Array.from({ length: 30 }, () => fail(kind)));
    const pauses: number[] = [];
    for (let i = 0; i < 10; i++) {
      await stage.ask();
      const before = stage.asked.filter((name) => name === "a").length;
      for (let turn = 0; turn < 3; turn++) assert.equal(who(await stage.ask()), "b");
      assert.equal(stage.asked.filter((name) => name === "a").length, before);
      const { state, until } = stage.sources.list()[0]!;
      assert.equal(state, "paused");
      pauses.push(until! - stage.clock.now());
      stage.clock.advance(pauses.at(-1)!);
    }
    assert.deepEqual(pauses, [2000, 4000, 8000, 16000, 32000, 64000, 128000, 256000, 300000, 300000], kind);
  }
});

Deno.test("a success ends the growing of pauses", async () => {
  const stage = new Stage([info("a")]);
  stage.say("a", fail("server"), fail("server"), answer("back"), fail("server"));
  await stage.ask();
  stage.clock.advance(2000);
  await stage.ask();
  stage.clock.advance(4000);
  assert.equal(who(await stage.ask()), "a");
  assert.equal(stage.sources.list()[0]!.reason, undefined);
  await stage.ask();
  assert.equal(stage.sources.list()[0]!.until! - stage.clock.now(), 2000);
});

Deno.test("Retry-After is obeyed to the millisecond, and zero means at once", async () => {
  const stage = new Stage([info("a", { priority: 1 }), info("b")]);
  stage.say("a", fail("rate", { status: 429, retry_after: 7000 }), fail("rate", { status: 429, retry_after: 0 }));
  await stage.ask();
  stage.clock.advance(6999);
  assert.equal(who(await stage.ask()), "b");
  stage.clock.advance(1);
  assert.equal(who(await stage.ask()), "b");
  assert.equal(who(await stage.ask()), "a");
  assert.deepEqual(stage.asked, ["a", "b", "b", "a", "b", "a"]);
});

Deno.test("a refused request is not taken for a source that is down", async () => {
  const stage = new Stage([info("a", { priority: 1 }), info("b")]);
  stage.say("a", fail("refused", { status: 400 }));
  assert.equal(who(await stage.ask()), "b");
  const { state, reason } = stage.sources.list()[0]!;
  assert.deepEqual([state, reason], ["ready", "it was refused"]);
  assert.equal(who(await stage.ask()), "a");
});

Deno.test("cut or stalled: once more on the same source, then the next; what was said is withdrawn each time", async () => {
  for (const broken of [fail("cut", { status: 200 }), fail("timeout", { status: 200 })]) {
    const stage = new Stage([info("a", { priority: 1 }), info("b")]);
    stage.say("a", after("half", broken), after("half again", broken));
    let said = "";
    assert.equal(who(await stage.ask({ onDelta: ({ text }) => said += text })), "b");
    assert.deepEqual(stage.asked, ["a", "a", "b"]);
    assert.deepEqual(stage.notices.map(({ withdraws }) => withdraws), [true, true]);
    assert.equal(said, "halfhalf again");
    assert.equal(stage.sources.list()[0]!.state, "paused");
  }
  const stage = new Stage([info("a")]);
  stage.say("a", fail("cut"));
  assert.equal(who(await stage.ask()), "a");
  assert.deepEqual(stage.notices.map(({ withdraws }) => withdraws), [false]);
  assert.equal(stage.sources.list()[0]!.state, "ready");
});

Deno.test("text of the last source is withdrawn too when it fails", async () => {
  const stage = new Stage([info("a")]);
  stage.say("a", after("half", fail("server", { status: 200 })));
  assert.equal(who(await stage.ask()), "failed");
  assert.deepEqual(stage.notices.map(({ withdraws }) => withdraws), [true]);
});

Deno.test("all failed names every source with its reason, those that were skipped too", async () => {
  const stage = new Stage([info("a", { priority: 2 }), info("b", { priority: 1 }), info("c")]);
  stage.say("a", fail("auth")).say("b", fail("server")).say("c", fail("refused"), fail("network"));
  await stage.ask();
  const completed = await stage.ask();
  assert.equal(completed.kind, "failed");
  if (completed.kind !== "failed") return;
  assert.deepEqual(completed.failures.map(({ source, failure }) => [source, failure.kind]), [
    ["a", "auth"],
    ["b", "server"],
    ["c", "network"],
  ]);
  assert.match(completed.failures[0]!.failure.message, /until its settings change/);
  assert.match(completed.failures[1]!.failure.message, /asked again in 2 s/);
  assert.deepEqual(stage.asked, ["a", "b", "c", "c"]);
});

Deno.test("a request that is too large is the caller's to trim: no pause, no other source", async () => {
  const stage = new Stage([info("a", { priority: 1, context_window: 4096 }), info("b")]);
  stage.say("a", fail("context", { status: 400 }));
  assert.deepEqual(await stage.ask(), { kind: "context", source: "a", window: 4096, message: "it was context" });
  assert.equal(who(await stage.ask()), "a");
});

Deno.test("a cancelled call is cancelled, whatever the source made of it, and pauses nothing", async () => {
  for (const kind of ["cancelled", "network", "cut"] as const) {
    const stage = new Stage([info("a", { priority: 1 }), info("b")]);
    const controller = new AbortController();
    stage.say("a", () => {
      controller.abort();
      return fail(kind);
    });
    assert.deepEqual(await stage.ask({ signal: controller.signal }), { kind: "cancelled" });
    assert.deepEqual(stage.asked, ["a"]);
    assert.equal(stage.sources.list()[0]!.state, "ready");
  }
});

Deno.test("the offline provider answers only when no source is configured at all", async () => {
  const stage = new Stage([]);
  assert.equal(stage.sources.first().name, "offline");
  assert.equal(who(await stage.ask()), "offline");
  stage.sources.configure([info("a")], "auto");
  stage.say("a", fail("auth"));
  assert.equal(who(await stage.ask()), "failed");
  assert.equal(who(await stage.ask()), "failed");
  assert.deepEqual(stage.asked, ["offline", "a"]);
});

Deno.test("a pause does not depend on the wall clock", async () => {
  const stage = new Stage([info("a")]);
  stage.say("a", fail("server"));
  await stage.ask();
  stage.clock.setWall(stage.clock.now() - 24 * 3600_000);
  stage.clock.advance(2000);
  assert.equal(who(await stage.ask()), "a");
});

Deno.test("a source's own thinking and window go with the request", async () => {
  const stage = new Stage([info("a", { thinking: true, context_window: 9000 })]);
  await stage.ask();
  assert.deepEqual([stage.requests[0]!.thinking, stage.requests[0]!.context_window], [true, 9000]);
});

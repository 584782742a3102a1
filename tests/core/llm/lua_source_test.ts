import assert from "node:assert/strict";
import { LuaProvider } from "../../../core/llm/lua_source.ts";
import type { LuaMethods } from "../../../core/wire/kernel.ts";
import type { CompletionDelta, CompletionOutcome, CompletionRequest, SourceInfo } from "../../../core/wire/llm.ts";
import { type CallContext, Peer } from "../../../core/wire/peer.ts";
import { memoryPair } from "../../../core/wire/transport.ts";
import { ManualClock } from "../../kit/manual_clock.ts";

const INFO: SourceInfo = {
  name: "a",
  adapter: "openai",
  model: "m",
  priority: 0,
  context_window: 0,
  vision: false,
  audio: false,
  thinking: false,
  max_concurrent: 0,
};
const REQUEST: CompletionRequest = { model: "m", messages: [], temperature: 0, max_tokens: 1, stream: true };
const ANSWER: CompletionOutcome = {
  kind: "answered",
  response: { content: "hi", finish_reason: "stop", token_usage: { prompt: 1, completion: 1, total: 2 } },
};

type Serve = (context: CallContext) => CompletionOutcome | Promise<CompletionOutcome>;

/** A line to a `lua` worker that answers so. */
function line(serve: Serve) {
  const [near, far] = memoryPair();
  new Peer<Record<never, never>>(far, { name: "kernel" }).serve({ "llm.complete": (_, context) => serve(context) })
    .open();
  return new Peer<LuaMethods>(near, { name: "the lua worker" }).open();
}

Deno.test("a call goes to the worker, and its deltas come back in order", async () => {
  using peer = line((context) => {
    context.notify("llm.delta", { delta: { kind: "reasoning", text: "hm" } });
    context.notify("llm.delta", { delta: { kind: "text", text: "hi" } });
    return ANSWER;
  });
  const deltas: CompletionDelta[] = [];
  const provider = new LuaProvider(INFO, () => peer);
  const outcome = await provider.complete(REQUEST, {
    signal: new AbortController().signal,
    onDelta: (delta) => deltas.push(delta),
  });
  assert.deepEqual(outcome, ANSWER);
  assert.deepEqual(deltas, [{ kind: "reasoning", text: "hm" }, { kind: "text", text: "hi" }]);
});

Deno.test("aborting tells the worker and ends the attempt as cancelled", async () => {
  const told = Promise.withResolvers<void>();
  using peer = line(({ signal }) =>
    new Promise((resolve) =>
      signal.addEventListener("abort", () => {
        told.resolve();
        resolve(ANSWER);
      })
    )
  );
  const controller = new AbortController();
  const asked = new LuaProvider(INFO, () => peer).complete(REQUEST, { signal: controller.signal });
  await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort();
  const outcome = await asked;
  assert.equal(outcome.kind === "failed" && outcome.failure.kind, "cancelled");
  await told.promise;
});

Deno.test("a worker that goes away during a call cuts it, and the next call waits for the new worker", async () => {
  const clock = new ManualClock();
  let peer: Peer<LuaMethods> | undefined = line(() => new Promise(() => {}));
  const provider = new LuaProvider(INFO, () => peer, clock);
  const { signal } = new AbortController();
  const first = provider.complete(REQUEST, { signal });
  await clock.advance(0);
  peer.close("restarted");
  const outcome = await first;
  assert.equal(outcome.kind === "failed" && outcome.failure.kind, "cut");
  const second = provider.complete(REQUEST, { signal });
  await clock.advance(100);
  using fresh = line(() => ANSWER);
  peer = fresh;
  await clock.advance(100);
  assert.deepEqual(await second, ANSWER);
});

Deno.test("a worker that does not come back is a failure, not a wait without end", async () => {
  const clock = new ManualClock();
  const asked = new LuaProvider(INFO, () => undefined, clock).complete(REQUEST, {
    signal: new AbortController().signal,
  });
  await clock.advance(6000);
  const outcome = await asked;
  assert.equal(outcome.kind === "failed" && outcome.failure.kind, "cut");
  assert.match(outcome.kind === "failed" ? outcome.failure.message : "", /not running/);
});

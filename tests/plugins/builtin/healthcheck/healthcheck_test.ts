import assert from "node:assert/strict";
import { type Findings, judge, overall } from "../../../../plugins/builtin/healthcheck/checks.ts";
import { healthcheck } from "../../../../plugins/builtin/healthcheck/mod.ts";
import type { Sdk, ToolHandler } from "../../../../plugins/sdk/mod.ts";
import { ManualClock } from "../../../kit/manual_clock.ts";
import { tempFolder } from "../../../kit/temp_folder.ts";

const well: Findings = {
  plugins: [{ name: "timer", state: "running" }],
  sources: [{ name: "openai", state: "ready" }, { name: "groq", state: "ready" }],
  disk: { free: 10 ** 10, total: 10 ** 11 },
  late: 0,
};
const colours = (more: Partial<Findings>) =>
  Object.fromEntries(judge({ ...well, ...more }).map(({ name, state }) => [name, state]));

Deno.test("judge() is red for what does not work and amber for what somebody should look at", () => {
  assert.equal(overall(judge(well)), "green");
  assert.equal(colours({ plugins: [{ name: "a", state: "backoff" }] }).plugins, "amber");
  assert.equal(
    colours({ plugins: [{ name: "a", state: "quarantined" }, { name: "b", state: "backoff" }] }).plugins,
    "red",
  );
  assert.equal(colours({ plugins: [{ name: "a", state: "failed" }] }).plugins, "red");
  assert.equal(colours({ sources: [{ name: "a", state: "ready" }, { name: "b", state: "paused" }] }).sources, "amber");
  assert.equal(colours({ sources: [{ name: "b", state: "paused" }] }).sources, "red");
  assert.equal(colours({ sources: [] }).sources, "green");
  assert.equal(colours({ disk: { free: 1 << 20, total: 1 } }).disk, "red");
  assert.equal(colours({ disk: { free: 100 << 20, total: 1 } }).disk, "amber");
  assert.equal(colours({ disk: undefined }).disk, "green");
  assert.equal(colours({ late: 5_000 }).scheduler, "amber");
  assert.equal(colours({ late: 61_000 }).scheduler, "red");
});

/** The plugin over a double of homed. */
async function started(folder: string) {
  const clock = new ManualClock();
  const plugins = [{ name: "faller", state: "running" }];
  const published: { payload: { state: string } }[] = [];
  const reloaded: string[] = [];
  let tool: ToolHandler | undefined;
  let stuck: Promise<void> | undefined;
  const sdk = {
    dataDir: folder,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    registerTool: (_def: unknown, handler: ToolHandler) => Promise.resolve(void (tool = handler)),
    settings: { get: () => Promise.resolve(true) },
    llm: { listSources: () => Promise.resolve({ sources: [] }) },
    plugins: { reloadOne: (name: string) => Promise.resolve(void reloaded.push(name)) },
    call: async (method: string, params: never) => {
      if (method === "core.events.publish") {
        published.push(params);
        await stuck;
      }
      return { plugins: structuredClone(plugins) };
    },
  } as unknown as Sdk;
  const plugin = healthcheck.create({ clock });
  await plugin.start(sdk);
  const status = async () =>
    await tool!({}, undefined as never) as { state: string; checks: { name: string; state: string }[] };
  return { clock, plugins, published, reloaded, status, plugin, stick: (until: Promise<void>) => void (stuck = until) };
}

Deno.test("a change of health is published once, and a plugin in quarantine is started again, once an hour", async () => {
  await using folder = await tempFolder();
  const test = await started(folder.path);
  await test.clock.advance(60_000);
  assert.equal(test.published.length, 0);
  test.plugins[0]!.state = "quarantined";
  for (let minute = 0; minute < 10; minute++) await test.clock.advance(60_000);
  assert.deepEqual(test.published.map(({ payload }) => payload.state), ["red"]);
  assert.deepEqual(test.reloaded, ["faller"]);
  for (let minute = 0; minute < 60; minute++) await test.clock.advance(60_000);
  assert.deepEqual(test.reloaded, ["faller", "faller"]);
  test.plugins[0]!.state = "running";
  await test.clock.advance(60_000);
  assert.deepEqual(test.published.map(({ payload }) => payload.state), ["red", "green"]);
  await test.plugin.stop?.("over");
});

Deno.test("a scheduler that stands still turns health red", async () => {
  await using folder = await tempFolder();
  const test = await started(folder.path);
  assert.equal((await test.status()).state, "green");
  const release = Promise.withResolvers<void>();
  test.stick(release.promise);
  test.plugins[0]!.state = "backoff";
  // Its round begins and does not end.
  await test.clock.advance(60_000);
  await test.clock.advance(200_000);
  const { state, checks } = await test.status();
  assert.equal(state, "red");
  assert.equal(checks.find(({ name }) => name === "scheduler")!.state, "red");
  release.resolve();
  await test.plugin.stop?.("over");
});

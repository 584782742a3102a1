import assert from "node:assert/strict";
import { checkArguments } from "../../../core/kernel/schema.ts";
import { unfence } from "../../../core/llm/fence.ts";
import type { Hit } from "../../../core/wire/memory.ts";
import { kernelHome } from "../../kit/kernel_home.ts";
import { testSource } from "../../kit/scripted_llm.ts";

const FIXED = [
  "agent_spawn",
  "doc_commit",
  "doc_query",
  "knowledge_create",
  "knowledge_list",
  "knowledge_search",
  "llm_list_sources",
  "llm_switch_source",
  "memory_commit",
  "memory_delete_entity",
  "memory_edit",
  "memory_introspect",
  "memory_merge",
  "memory_purge",
  "memory_recall",
  "person_query",
  "person_relate",
  "person_set_trait",
  "plugin_reload",
];
const hit = (id: string): Hit => ({
  id,
  kind: "relation",
  text: `fact ${id}`,
  score: 1,
  why: ["exact"],
  at: "2026-01-01T00:00:00Z",
});
const result = (home: Awaited<ReturnType<typeof kernelHome>>, request: number) =>
  String(home.llm.requests[request]!.messages.at(-1)!.content);

Deno.test("the tools of a bare home have the names that the outside relies on", async () => {
  const { kernel } = await kernelHome([]);
  const { tools } = await kernel.handlers()["tools.list"]({}, {} as never);
  assert.deepEqual(tools.map(({ name }) => name).sort(), FIXED);
  assert.ok(tools.every(({ owner, parameters }) => owner === "kernel" && parameters.type === "object"));
});

Deno.test("a built-in tool's result is the JSON of what memory answered, fenced", async () => {
  const home = await kernelHome([{ calls: [{ name: "memory_recall", args: { query: "x" } }] }, { text: "ok" }]);
  home.memory.hits = [hit("r1")];
  await home.say("go");
  assert.match(result(home, 1), /^⟦data from memory_recall⟧/);
  assert.deepEqual(JSON.parse(unfence(result(home, 1))), { hits: [hit("r1")], entities: [], relations: [] });
});

Deno.test("memory_commit tells the model which older relations are no longer true", async () => {
  const triples = [{ subject: "我", predicate: "住在", object: "上海" }];
  const home = await kernelHome([{ calls: [{ name: "memory_commit", args: { triples } }] }, { text: "好" }]);
  home.memory.on["graph.commit"] = () => ({ committed: 1, closed: ["我 住在 北京"], ids: ["r2"] });
  await home.say("我搬到了上海");
  assert.match(result(home, 1), /"closed":\["我 住在 北京"\]/);
  assert.ok(home.events.some((event) => event.type === "tool_result" && /1 no longer true/.test(event.summary)));
  assert.deepEqual(home.bus.find(({ type }) => type === "memory_commit")!.payload.ids, ["r2"]);
});

Deno.test("what tools gave is not given again by the automatic recall, while the window shows it", async () => {
  const home = await kernelHome([{ calls: [{ name: "memory_recall", args: { query: "x" } }] }, { text: "ok" }]);
  home.memory.hits = [hit("r1")];
  home.memory.brief.index = [hit("r1"), hit("r2")];
  const system = () => String(home.llm.requests.at(-1)!.messages[0]!.content);
  await home.say("first");
  await home.say("second");
  assert.ok(!system().includes("fact r1") && system().includes("fact r2"));
  for (let n = 0; n < 5; n++) await home.say(`later ${n}`);
  assert.ok(system().includes("fact r1"));
});

Deno.test("the automatic recall does not give back what the window shows, the message at hand least of all", async () => {
  const home = await kernelHome([]);
  await home.say("first");
  await home.say("second");
  const { exclude } = home.memory.calls.findLast(({ method }) => method === "memory.brief")!.params as {
    exclude: string[];
  };
  assert.deepEqual(exclude, home.memory.events.slice(0, 3).map(({ id }) => id));
});

Deno.test("llm_switch_source changes who is asked, and refuses a source there is not", async () => {
  const home = await kernelHome([
    { calls: [{ name: "llm_switch_source", args: { source: "test" } }] },
    { calls: [{ name: "llm_switch_source", args: { source: "nobody" } }] },
    { text: "ok" },
  ]);
  await home.say("go");
  assert.equal(home.llm.switched, "test");
  assert.match(result(home, 2), /no configured source "nobody": choose one of auto, test/);
});

Deno.test("skills: tools only when there are some, instructions in the system prompt while in use", async () => {
  const skills = [{ name: "cooking", description: "How to cook" }];
  const use = { calls: [{ name: "skill_use", args: { name: "cooking" } }] };
  const home = await kernelHome([
    use,
    { calls: [{ name: "skill_read", args: { name: "cooking", path: "references/eggs.md" } }] },
    use,
    { calls: [{ name: "skill_use", args: { name: "diving" } }] },
    { text: "ok" },
  ], {
    settings: { skills },
    host: {
      "skill.activate": () => ({ text: "Boil the water first." }),
      "skill.file": () => ({ text: "Six minutes." }),
    },
  });
  await home.say("cook");
  const system = (request: number) => String(home.llm.requests[request]!.messages[0]!.content);
  assert.ok(system(0).includes("cooking: How to cook") && !system(0).includes("Boil"));
  assert.ok(system(1).includes('<skill name="cooking">\nBoil the water first.'));
  assert.match(result(home, 2), /⟦data from skill cooking\/references\/eggs.md⟧\nSix minutes/);
  assert.match(result(home, 3), /in use already/);
  assert.match(result(home, 4), /must be one of "cooking"/);
  assert.equal(home.host.calls.filter(({ method }) => method === "skill.activate").length, 1);
  home.kernel.configure({ ...home.kernel.settings, skills: [] });
  await home.say("again");
  assert.ok(
    !system(5).includes("Boil") && !home.llm.requests[5]!.tools!.some(({ function: f }) => f.name === "skill_use"),
  );
});

Deno.test("a turn that is kept out of memory has no tools that learn", async () => {
  const home = await kernelHome([{ text: "ok" }]);
  await home.say("my name is Bob", { no_memory: true });
  const names = home.llm.requests[0]!.tools!.map((tool) => tool.function.name);
  assert.deepEqual(FIXED.filter((name) => !names.includes(name)), [
    "doc_commit",
    "memory_commit",
    "person_relate",
    "person_set_trait",
  ]);
  assert.ok(home.memory.events.every(({ no_memory }) => no_memory === true));
});

Deno.test("only the owner's turn takes memory apart without being asked", async () => {
  const step = { calls: [{ name: "memory_delete_entity", args: { name: "Ann" } }] };
  const home = await kernelHome([step, { text: "ok" }, step, { text: "ok" }]);
  home.memory.on["graph.delete_entity"] = () => ({ entities: 1, relations: 2 });
  await home.say("forget Ann", { trusted: false, channel: "qq" });
  assert.match(result(home, 1), /nobody to ask/);
  await home.say("forget Ann");
  assert.match(result(home, 3), /"entities":1/);
});

Deno.test("media that a plugin sets for a turn go with its tool's message, in a child agent too", async () => {
  const block = { type: "image_url" as const, image_url: { url: "data:image/png;base64,AAAA" } };
  const home = await kernelHome([
    { calls: [{ name: "agent_spawn", args: { task: "shoot", tools: ["plug_shot"] } }] },
    { calls: [{ name: "plug_shot" }] },
    { text: "child" },
    { text: "ok" },
  ], {
    source: testSource("eyes", { vision: true }),
    host: {
      "tool.invoke": async ({ turn }) => {
        await home.kernel.handlers()["tool.blocks"]({ turn, blocks: [block] }, {} as never);
        return { result: "shot" };
      },
    },
  });
  home.kernel.stages.registerTools("plug", [{ name: "plug_shot", description: "", parameters: {} }]);
  await home.say("go");
  assert.deepEqual((home.llm.requests[2]!.messages.at(-1)!.content as unknown[])[1], block);
});

Deno.test("plugin_reload acts, and tells how the plugin stands", async () => {
  const home = await kernelHome([{ calls: [{ name: "plugin_reload", args: { name: "weather" } }] }, { text: "ok" }], {
    settings: { approvals: { plugin_reload: "allow" } },
    host: { "plugin.reload": () => ({ state: "running" }) },
  });
  await home.say("go");
  assert.match(result(home, 1), /"state":"running"/);
});

Deno.test("checkArguments() tells every problem with its place", () => {
  const schema = {
    type: "object",
    properties: {
      a: { type: "string", enum: ["x", "y"] },
      list: { type: "array", items: { type: "integer" } },
      either: { type: ["object", "string"] },
      in: { type: "object", properties: { deep: { type: "boolean" } }, required: ["deep"] },
    },
    required: ["a"],
    additionalProperties: false,
  };
  assert.deepEqual(checkArguments({ a: "x", list: [1], either: {}, in: { deep: true } }, schema), []);
  assert.deepEqual(checkArguments({}, schema), ["arguments.a is missing"]);
  assert.deepEqual(checkArguments([], schema), ["arguments must be object, but is array"]);
  assert.deepEqual(checkArguments({ a: "z", list: [1.5], either: 1, in: {}, what: 1 }, schema), [
    'arguments.a must be one of "x", "y"',
    "arguments.list[0] must be integer, but is number",
    "arguments.either must be object or string, but is number",
    "arguments.in.deep is missing",
    "arguments.what is not known: use a, list, either, in",
  ]);
  assert.deepEqual(checkArguments({ toString: 1 }, { type: "object", properties: {} }), []);
});

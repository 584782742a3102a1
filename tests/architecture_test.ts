import assert from "node:assert/strict";
import { type Module, readModule, readModules } from "./kit/modules.ts";

const modules = readModules();

/** Rooms, the longest name that fits first. */
const ROOMS = [
  "core/base",
  "core/wire",
  "core/bus",
  "core/kernel",
  "core/llm",
  "core/config",
  "core/cli",
  "core/daemon",
  "memory",
  "plugins/host",
  "plugins/sdk",
  "plugins/builtin",
  "adapters",
] as const;
type Room = (typeof ROOMS)[number];

/** What each room may import besides itself, `core/base` and `core/wire`. */
const ARROWS: Record<Room, Room[]> = {
  "core/base": [],
  "core/wire": [],
  "core/bus": [],
  "core/llm": [],
  "core/kernel": ["core/llm"],
  "core/config": [],
  "core/cli": ["core/config"],
  "core/daemon": ["core/bus", "core/config", "memory", "plugins/host", "plugins/builtin", "plugins/sdk", "adapters"],
  memory: [],
  "plugins/host": ["plugins/sdk", "core/bus"],
  "plugins/sdk": [],
  "plugins/builtin": ["plugins/sdk"],
  adapters: [],
};

const roomOf = (path: string) => ROOMS.find((room) => path.startsWith(`${room}/`));

function* closure(entry: string, seen = new Set<string>()): Generator<Module> {
  if (seen.has(entry)) return;
  seen.add(entry);
  const module = modules.get(entry);
  if (!module) return;
  yield module;
  for (const next of module.imports) yield* closure(next, seen);
}

Deno.test("the walk finds the rooms: every one has modules, and every module is in one", () => {
  assert.ok(modules.size > 100, `found only ${modules.size} modules`);
  for (const room of ROOMS) assert.ok([...modules.keys()].some((path) => roomOf(path) === room), `${room} is empty`);
  for (const path of modules.keys()) assert.ok(roomOf(path), `${path} is in no room`);
});

Deno.test("every arrow points one way", () => {
  const wrong: string[] = [];
  for (const { path, imports } of modules.values()) {
    const from = roomOf(path)!;
    for (const target of imports) {
      const to = roomOf(target);
      if (!to) {
        if (/^(core|memory|plugins|adapters|tests|benches|main\.ts|compile\.ts)/.test(target)) {
          wrong.push(`${path} → ${target}`);
        }
        continue;
      }
      const allowed = to === from || to === "core/base" || to === "core/wire" ||
        ARROWS[from].includes(to);
      if (!allowed) wrong.push(`${path} → ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("what a module imports is there", () => {
  const missing: string[] = [];
  for (const { path, imports } of modules.values()) {
    for (const target of imports) if (roomOf(target) && !modules.has(target)) missing.push(`${path} → ${target}`);
  }
  assert.deepEqual(missing, []);
});

Deno.test("only main.ts knows the daemon", () => {
  const knows = [...modules.values()].filter(({ path, imports }) =>
    roomOf(path) !== "core/daemon" && imports.some((target) => roomOf(target) === "core/daemon")
  );
  assert.deepEqual(knows.map(({ path }) => path), []);
  assert.ok(readModule("main.ts").imports.some((target) => roomOf(target) === "core/daemon"));
});

Deno.test("the kernel is pure: nothing its worker loads touches the disk, the network, Deno, Node, import() or eval", () => {
  const FORBIDDEN: [string, RegExp][] = [
    ["Deno", /\bDeno\s*[.[]/],
    ["fetch", /(?<![.\w])fetch\s*\(/],
    ["import()", /\bimport\s*\(/],
    ["eval", /(?<![.\w])eval\s*\(/],
    ["Function", /\bnew\s+Function\b|(?<![.\w])Function\s*\(/],
    ["process", /(?<![.\w"])process\s*\./],
    ["WebSocket", /\bnew\s+(WebSocket|EventSource|BroadcastChannel)\b/],
  ];
  const wrong: string[] = [];
  const loaded = [...closure("core/kernel/worker.ts")];
  assert.ok(loaded.some(({ path }) => path === "core/kernel/turn.ts"), "the walk must reach the turn");
  for (const { path, bare, imports } of loaded) {
    for (const target of imports) if (/^(node|jsr|npm|https?):/.test(target)) wrong.push(`${path} imports ${target}`);
    // The probe is there to try what must fail.
    if (path === "core/base/probe.ts") continue;
    for (const [name, pattern] of FORBIDDEN) if (pattern.test(bare)) wrong.push(`${path} uses ${name}`);
  }
  assert.deepEqual(wrong, []);
});

Deno.test("node:sqlite, Deno.Command and Deno.dlopen are used only where they belong", () => {
  const only = (what: string, test: (module: Module) => boolean, rooms: string[]) => {
    const users = [...modules.values()].filter(test).map(({ path }) => path);
    assert.ok(users.length > 0, `nobody uses ${what}`);
    const strangers = users.filter((path) => !rooms.some((room) => path.startsWith(room)));
    assert.deepEqual(strangers, [], what);
  };
  only("node:sqlite", ({ imports }) => imports.includes("node:sqlite"), ["memory/", "core/config/"]);
  // core/base/probe.ts tries both, to see them refused.
  only("Deno.Command", ({ bare }) => /\bDeno\.Command\b/.test(bare), [
    "plugins/host/",
    "plugins/builtin/",
    "core/base/probe.ts",
  ]);
  only("Deno.dlopen", ({ bare }) => /\bDeno\.dlopen\b/.test(bare), ["plugins/host/", "core/base/probe.ts"]);
});

Deno.test("every worker entry is a file named worker.ts", () => {
  const named = new Set([...modules.values()].flatMap(({ workers }) => workers));
  for (const worker of ["core/kernel/worker.ts", "memory/worker.ts", "adapters/worker.ts"]) {
    assert.ok(named.has(worker), `nobody starts ${worker}`);
  }
  for (const path of modules.keys()) {
    if (path.endsWith("/worker.ts")) assert.ok(named.has(path), `nobody starts ${path}`);
  }
});

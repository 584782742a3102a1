import assert from "node:assert/strict";
import { Registry } from "../../../core/config/mod.ts";
import { PART_ENTRIES } from "../../../core/daemon/entries.ts";
import { Home } from "../../../core/daemon/home.ts";
import { Part } from "../../../core/daemon/part.ts";
import {
  denoPermissions,
  excessOf,
  lackOf,
  netTarget,
  type PartName,
  type PartRights,
  probePlan,
  rightsOf,
} from "../../../core/daemon/permissions.ts";
import { silentLog } from "../../../core/base/log.ts";
import type { ProbeResult, SourceSecrets } from "../../../core/wire/mod.ts";
import { tempHome } from "../../kit/temp_home.ts";

const SOURCES = ["http://127.0.0.1:7/v1", "http://127.0.0.1:7/other", "http://localhost:8/"].map((base_url) =>
  ({ base_url }) as SourceSecrets
);
const PARTS: PartName[] = ["kernel", "memory", "lua"];

/** Probes a part's own worker, started with `rights`, for everything that any part may reach and more. */
async function found(name: PartName, rights: PartRights, all: PartRights[], home: Home): Promise<ProbeResult> {
  const part = new Part<Record<never, never>>({
    name,
    entry: PART_ENTRIES[name],
    log: silentLog,
    handlers: { log: () => ({}), event: () => ({}) },
    onLost: (reason) => assert.fail(reason),
  });
  try {
    await part.start(rights);
    const outside = { read: [home.root, home.config, "/usr"], write: [home.root], net: ["127.0.0.1:9"] };
    return await part.probe(probePlan(all, outside));
  } finally {
    part.end("the test is over");
  }
}

Deno.test("each worker may do exactly what its row says, as found by trying", async () => {
  await using home = await tempHome();
  using registry = Registry.open(home.config);
  const all = PARTS.map((name) => rightsOf(name, home, registry, SOURCES));
  for (const [i, name] of PARTS.entries()) {
    const result = await found(name, all[i]!, all, home);
    assert.deepEqual(excessOf(all[i]!, result), [], `${name} has more`);
    assert.deepEqual(lackOf(all[i]!, result), [], `${name} has less`);
  }
});

Deno.test("a worker that got more than its row is found out, whatever the kind", async () => {
  await using home = await tempHome();
  using registry = Registry.open(home.config);
  const all = PARTS.map((name) => rightsOf(name, home, registry, SOURCES));
  const none = all[0]!;
  for (
    const more of [{ ...none, read: [home.root] }, { ...none, write: [home.root] }, { ...none, net: ["127.0.0.1:9"] }]
  ) {
    assert.ok(excessOf(none, await found("kernel", more, all, home)).length > 0, JSON.stringify(more));
  }
  const denied: ProbeResult = {
    read: "denied",
    write: "denied",
    net: "denied",
    run: "denied",
    ffi: "denied",
    env: "denied",
    sys: "denied",
    import: "denied",
  };
  for (const kind of Object.keys(denied) as (keyof ProbeResult)[]) {
    assert.deepEqual(excessOf(all[1]!, { ...denied, [kind]: "granted" }), [`${kind} of anything`]);
  }
});

Deno.test("the rows: nothing for the kernel, its folders for the memory, the sources' hosts for lua", async () => {
  await using home = await tempHome();
  using registry = Registry.open(home.config);
  const row = (name: PartName) => rightsOf(name, home, registry, SOURCES);
  assert.deepEqual(row("kernel"), { read: [], write: [], net: [] });
  const folders = [home.path("memory"), home.path("knowledge")];
  assert.deepEqual(row("memory"), { read: folders, write: folders, net: [] });
  assert.deepEqual(row("lua"), { read: [], write: [], net: ["127.0.0.1:7", "localhost:8"] });
  await Deno.writeTextFile(home.path("models/cc.vec.gz"), "a 1\n");
  registry.set("core.agent.embedding_model_path", "models/cc.vec.gz#100000,numberbatch,/nowhere/x.vec", "owner");
  registry.set("core.memory.graph", "/srv/graph.db", "owner");
  const memory = row("memory");
  assert.deepEqual(memory.read.filter((path) => !memory.write.includes(path)), [
    home.path("models/cc.vec.gz"),
  ]);
  assert.ok(memory.write.includes("/srv/graph.db-wal") && !memory.write.includes("/srv"));
  for (const place of [".", home.root, "/", "..", "config.db"]) {
    registry.set("core.memory.documents", place, "owner");
    assert.ok(
      !row("memory").write.some((path) =>
        path === home.config || home.root.startsWith(path) || path === `${home.root}/`
      ),
      place,
    );
  }
});

Deno.test("every kind of permission is named, so that none is inherited", () => {
  const kinds = Object.keys(denoPermissions({ read: [], write: [], net: [] })).sort();
  assert.deepEqual(kinds, ["env", "ffi", "import", "net", "read", "run", "sys", "write"]);
});

Deno.test("netTarget() names host and port as the runtime does", () => {
  assert.equal(netTarget("https://api.openai.com/v1"), "api.openai.com:443");
  assert.equal(netTarget("http://10.0.0.2"), "10.0.0.2:80");
  assert.equal(netTarget("http://[::1]:11434/x"), "[::1]:11434");
});

import assert from "node:assert/strict";
import type { ProbePlan, ProbeResult } from "../../../core/wire/memory.ts";

async function probeIn(permissions: Deno.PermissionOptions, plan: ProbePlan): Promise<ProbeResult> {
  const worker = new Worker(new URL("./probe_worker.ts", import.meta.url), { type: "module", deno: { permissions } });
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = (event) => resolve(event.data);
      worker.onerror = (event) => reject(new Error(event.message));
      worker.postMessage(plan);
    });
  } finally {
    worker.terminate();
  }
}

Deno.test("probe() finds nothing in a worker without permissions", async () => {
  const plan = { read: ["/tmp"], write: ["/tmp"], net: ["127.0.0.1:2"] };
  assert.deepEqual(await probeIn("none", plan), {
    read: "denied",
    write: "denied",
    net: "denied",
    run: "denied",
    ffi: "denied",
    env: "denied",
    sys: "denied",
    import: "denied",
  });
});

Deno.test("probe() lists the targets that a scoped worker may reach, and only those", async () => {
  const dir = await Deno.makeTempDir();
  const found = await probeIn({ read: [dir], write: [dir], net: ["127.0.0.1:2"] }, {
    read: [dir, "/usr"],
    write: [dir, "/usr"],
    net: ["127.0.0.1:2", "127.0.0.1:3", "localhost:2"],
  });
  await Deno.remove(dir);
  assert.deepEqual([found.read, found.write, found.net], [[dir], [dir], ["127.0.0.1:2"]]);
});

for (const kind of ["read", "write", "net", "run", "ffi", "env", "sys", "import"] as const) {
  Deno.test(`probe() notices ${kind} when it is the one thing granted`, async () => {
    const found = await probeIn({ [kind]: true }, { read: [], write: [], net: [] });
    for (const [name, permission] of Object.entries(found)) {
      assert.equal(permission, name === kind ? "granted" : "denied", name);
    }
  });
}

Deno.test("probe() takes a host of the plan for no other place, whichever it is", async () => {
  const found = await probeIn({ net: ["127.0.0.1:1"] }, { read: [], write: [], net: ["127.0.0.1:1", "127.0.0.1:2"] });
  assert.deepEqual(found.net, ["127.0.0.1:1"]);
});

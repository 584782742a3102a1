import assert from "node:assert/strict";
import { HomedError } from "../../../core/base/errors.ts";
import { Home, homeExists, prepareHome, resolveHome } from "../../../core/daemon/home.ts";
import { tempFolder } from "../../kit/temp_folder.ts";

Deno.test("resolveHome(): --home, then HOMED_HOME, then the system's place", () => {
  const env = { HOME: "/home/ann", LOCALAPPDATA: "/l" };
  const at = (choice: Partial<Parameters<typeof resolveHome>[0]>) => resolveHome({ env, os: "linux", ...choice }).root;
  assert.equal(at({ flag: "/a", env: { ...env, HOMED_HOME: "/b" } }), "/a");
  assert.equal(at({ env: { ...env, HOMED_HOME: "/b" } }), "/b");
  assert.equal(at({ env: { ...env, XDG_DATA_HOME: "/x" } }), "/x/homed");
  assert.equal(at({ env: { ...env, XDG_DATA_HOME: "not/absolute" } }), "/home/ann/.local/share/homed");
  assert.equal(at({}), "/home/ann/.local/share/homed");
  assert.equal(
    at({ os: "darwin", env: { ...env, XDG_DATA_HOME: "/x" } }),
    "/home/ann/Library/Application Support/homed",
  );
  assert.equal(at({ os: "windows" }), "/l/homed");
  for (const os of ["linux", "darwin", "windows"] as const) {
    assert.throws(() => at({ os, env: {} }), (error: HomedError) => error.code === "no_home" && !!error.fix);
  }
});

Deno.test("prepareHome() makes folders that are their owner's alone, whatever the umask, and can be done twice", async () => {
  await using folder = await tempFolder();
  const home = new Home(`${folder.path}/deep/er/home`);
  assert.equal(homeExists(home), false);
  const before = Deno.umask(0);
  try {
    prepareHome(home);
    prepareHome(home);
    Deno.writeTextFileSync(home.path("memory/x"), "x");
    assert.equal(Deno.statSync(home.path("memory/x")).mode! & 0o777, 0o600);
    for (
      const part of ["", "memory", "knowledge", "plugins", "plugin-data", "skills", "logs", "run", "adapters", "models"]
    ) {
      assert.equal(Deno.statSync(`${home.root}/${part}`).mode! & 0o777, 0o700, part);
    }
  } finally {
    Deno.umask(before);
  }
});

Deno.test("a home folder that cannot be one is refused with what to do", async () => {
  await using folder = await tempFolder();
  Deno.writeTextFileSync(`${folder.path}/file`, "");
  for (const path of [`${folder.path}/file`, `${folder.path}/file/below`, "/proc/homed"]) {
    assert.throws(() => prepareHome(new Home(path)), (error: HomedError) => error.code === "home" && !!error.fix, path);
  }
});

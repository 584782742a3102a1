import assert from "node:assert/strict";
import { inChinese } from "../../../core/cli/chinese.ts";
import { Registry } from "../../../core/config/mod.ts";
import { tempFolder } from "../../kit/temp_folder.ts";

const KEY = "core.llm.sources.openai.api_key";

/** Damages a file as crashes and bad disks do. */
const DAMAGE: Record<string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>> = {
  "emptied": () => new Uint8Array(),
  "full of zeros": (bytes) => new Uint8Array(bytes.length),
  "cut in the middle": (bytes) => bytes.slice(0, Math.floor(bytes.length / 2)),
  "overwritten from its second page on": (bytes) => bytes.map((byte, i) => i < 4096 ? byte : 0xa5),
  "another kind of file": () => new TextEncoder().encode("these are not settings ".repeat(1000)),
};

for (const [how, damage] of Object.entries(DAMAGE)) {
  Deno.test(`settings that are ${how} are set aside, the copy takes their place, and the person is told`, async () => {
    await using folder = await tempFolder();
    const path = `${folder.path}/config.db`;
    {
      using registry = Registry.open(path);
      registry.set("core.agent.max_tool_turns", 7, "owner");
    }
    Deno.writeFileSync(path, damage(Deno.readFileSync(path)));
    using registry = Registry.open(path);
    assert.equal(registry.get("core.agent.max_tool_turns"), 7);
    assert.equal(registry.notices.length, 1);
    assert.match(registry.notices[0]!, /damaged.*config\.db\.damaged-/);
    assert.match(inChinese(registry.notices[0]!), /已损坏.*config\.db\.damaged-/);
    assert.ok([...Deno.readDirSync(folder.path)].some(({ name }) => name.startsWith("config.db.damaged-")));
    registry.set("core.agent.max_tool_turns", 8, "owner");
  });
}

Deno.test("settings whose file is gone come back from the copy; a log that is lost takes no setting along", async () => {
  for (const lost of ["config.db", "config.db-wal"]) {
    await using folder = await tempFolder();
    const path = `${folder.path}/config.db`;
    using living = Registry.open(path);
    living.set("core.agent.max_tool_turns", 7, "owner");
    // As a kill leaves it.
    await Deno.mkdir(`${folder.path}/after`);
    for (const { name, isFile } of [...Deno.readDirSync(folder.path)]) {
      if (isFile && name !== lost) await Deno.copyFile(`${folder.path}/${name}`, `${folder.path}/after/${name}`);
    }
    if (lost === "config.db-wal") await Deno.writeFile(`${folder.path}/after/${lost}`, new Uint8Array(5000).fill(7));
    using registry = Registry.open(`${folder.path}/after/config.db`);
    assert.equal(registry.get("core.agent.max_tool_turns"), 7, lost);
    assert.equal(registry.notices.length, lost === "config.db" ? 1 : 0);
  }
});

Deno.test("a folder or link beside the settings' database is named", async () => {
  for (const rest of ["-wal", "-shm"]) {
    await using folder = await tempFolder();
    const path = `${folder.path}/config.db`;
    Registry.open(path)[Symbol.dispose]();
    await Deno.symlink("/nonexistent/x", path + rest);
    assert.throws(() => Registry.open(path), new RegExp(`config\\.db${rest}: it is no file`));
  }
});

Deno.test("with file and copy damaged everything is at its default, and the start goes on", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/config.db`;
  {
    using registry = Registry.open(path);
    registry.set("core.agent.max_tool_turns", 7, "owner");
  }
  for (const file of [path, `${path}.bak`]) Deno.writeFileSync(file, new Uint8Array(20_000));
  using registry = Registry.open(path);
  assert.equal(registry.get("core.agent.max_tool_turns"), 10);
  assert.match(registry.notices[0]!, /everything is at its default/);
});

Deno.test("the files are their owner's alone, whatever the umask", async () => {
  if (Deno.build.os === "windows") return;
  await using folder = await tempFolder();
  const before = Deno.umask(0);
  try {
    using registry = Registry.open(`${folder.path}/config.db`);
    registry.set(KEY, "sk-verysecretkey1234", "owner");
    for (const { name } of Deno.readDirSync(folder.path)) {
      assert.equal(Deno.statSync(`${folder.path}/${name}`).mode! & 0o777, 0o600, name);
    }
  } finally {
    Deno.umask(before);
  }
});

Deno.test("a secret that was taken back is in no file any more", async () => {
  await using folder = await tempFolder();
  {
    using registry = Registry.open(`${folder.path}/config.db`);
    registry.set(KEY, "sk-verysecretkey1234", "owner");
    registry.unset(KEY, "owner");
  }
  for (const { name } of Deno.readDirSync(folder.path)) {
    assert.ok(!Deno.readTextFileSync(`${folder.path}/${name}`).includes("verysecret"), name);
  }
});

Deno.test("a stored value that no longer fits counts as not there, and is told of", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/config.db`;
  using registry = Registry.open(path);
  registry.define("p", [{ key: "n", type: "string", default: "x" }]);
  registry.set("plugin.p.n", "not a number", "owner");
  registry.define("p", [{ key: "n", type: "int", default: 4 }]);
  assert.equal(registry.get("plugin.p.n"), 4);
  assert.equal(registry.problems().length, 1);
});

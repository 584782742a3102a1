import assert from "node:assert/strict";
import { HomedError } from "../../../core/base/errors.ts";
import { restore } from "../../../core/daemon/mod.ts";
import { Registry } from "../../../core/config/mod.ts";
import type { Home } from "../../../core/daemon/home.ts";
import { within } from "../../../core/daemon/session.ts";
import { TAR_END, tarHeader, tarPadding } from "../../../core/daemon/tar.ts";
import { standInDaemon } from "../../kit/stand_in_daemon.ts";
import { tempHome } from "../../kit/temp_home.ts";
import { tempFolder } from "../../kit/temp_folder.ts";

async function filled(home: Home, folder: string): Promise<string> {
  Deno.mkdirSync(home.path("memory/documents/ab"), { recursive: true });
  Deno.writeTextFileSync(home.path("memory/documents/ab/记忆.json"), "kept");
  Deno.writeFileSync(home.path("memory/blob"), new Uint8Array(200_000).map((_, i) => i));
  const file = `${folder}/home.backup`;
  await using session = within(await standInDaemon(home));
  await session.client.call("config.set", { key: "core.agent.max_tool_turns", value: 7 });
  await session.client.call("backup", { path: file });
  // Memory and agent go on afterwards.
  assert.equal((await session.client.call("chat.send", { text: "still there" })).reply, "still there");
  return file;
}

Deno.test("a backup of a running homed brings everything back, in another home and over this one", async () => {
  await using folder = await tempFolder();
  await using home = await tempHome();
  await using other = await tempHome();
  const file = await filled(home, folder.path);
  assert.equal(Deno.statSync(file).mode! & 0o777, 0o600);
  Deno.writeTextFileSync(home.path("memory/later"), "after the backup");
  for (const target of [other, home]) {
    const { before } = await restore(target, file);
    assert.equal(Deno.readTextFileSync(target.path("memory/documents/ab/记忆.json")), "kept");
    assert.equal(Deno.readFileSync(target.path("memory/blob")).length, 200_000);
    using registry = Registry.open(target.config);
    assert.equal(registry.get("core.agent.max_tool_turns"), 7);
    assert.ok(before);
    if (target === home) assert.equal(Deno.readTextFileSync(`${before}/memory/later`), "after the backup");
    assert.throws(() => Deno.statSync(target.path("memory/later")), Deno.errors.NotFound);
  }
});

Deno.test("messages wait while the home is copied, and are answered", async () => {
  await using folder = await tempFolder();
  await using home = await tempHome();
  await using session = within(await standInDaemon(home));
  const { client } = session;
  const backup = client.call("backup", { path: `${folder.path}/b` });
  const replies = await Promise.all([1, 2, 3].map((n) => client.call("chat.send", { text: `message ${n}` })));
  assert.deepEqual(replies.map(({ reply }) => reply), ["message 1", "message 2", "message 3"]);
  assert.ok((await backup).files > 0);
});

Deno.test("a backup that cannot be written fails with what to do, and leaves nothing behind", async () => {
  await using home = await tempHome();
  await using session = within(await standInDaemon(home));
  await assert.rejects(
    session.client.call("backup", { path: `${home.root}-no/such/folder/b` }),
    /Cannot write the backup/,
  );
  assert.deepEqual([...Deno.readDirSync(home.path("run"))].map(({ name }) => name).sort(), ["homed.sock", "lock"]);
});

/** A forged archive: its entries, gzipped. */
async function forge(path: string, entries: [string, string][], cut = 0): Promise<void> {
  const parts = entries.flatMap(([name, text]) => {
    const bytes = new TextEncoder().encode(text);
    return [tarHeader({ path: name, kind: "file", size: bytes.length, mode: 0o600 }), bytes, tarPadding(bytes.length)];
  });
  const packed = ReadableStream.from([...parts, TAR_END] as Uint8Array<ArrayBuffer>[])
    .pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  Deno.writeFileSync(path, cut === 0 ? bytes : bytes.slice(0, -cut));
}

const MARK: [string, string] = ["homed-backup.json", '{"schema":1,"homed":"0.1.0"}'];

Deno.test("a file that is no whole backup, or reaches out of the home, is refused and nothing changes", async () => {
  await using folder = await tempFolder();
  await using home = await tempHome();
  Deno.writeTextFileSync(home.path("memory/mine"), "mine");
  const file = `${folder.path}/forged`;
  const forgeries: Record<string, () => Promise<void> | void> = {
    missing: () => {},
    "no archive": () => Deno.writeTextFileSync(file, "hello"),
    empty: () => Deno.writeTextFileSync(file, ""),
    "no mark": () => forge(file, [["memory/x", "1"]]),
    "mark later": () => forge(file, [["memory/x", "1"], MARK]),
    "way up": () => forge(file, [MARK, ["../x", "1"]]),
    "way up inside": () => forge(file, [MARK, ["memory/../../x", "1"]]),
    root: () => forge(file, [MARK, ["/etc/x", "1"]]),
    backslash: () => forge(file, [MARK, ["memory\\..\\x", "1"]]),
    twice: () => forge(file, [MARK, ["a", "1"], ["a", "2"]]),
    newer: () => forge(file, [["homed-backup.json", '{"schema":99,"homed":"9.0.0"}']]),
    cut: () => forge(file, [MARK, ["memory/x", "x".repeat(5000)]], 20),
  };
  for (const [what, make] of Object.entries(forgeries)) {
    await make();
    await assert.rejects(restore(home, file), (error: HomedError) => {
      assert.equal(error.code, "restore", what);
      assert.match(error.message, /Nothing was changed/);
      return true;
    }, what);
    assert.equal(Deno.readTextFileSync(home.path("memory/mine")), "mine");
    assert.throws(() => Deno.statSync(home.path("migration")), Deno.errors.NotFound);
    assert.deepEqual([...Deno.readDirSync(`${home.root}/..`)].map(({ name }) => name), ["home"], what);
  }
});

Deno.test("a home that is in use is not restored over", async () => {
  await using folder = await tempFolder();
  await using home = await tempHome();
  const file = await filled(home, folder.path);
  await using _daemon = await standInDaemon(home);
  await assert.rejects(restore(home, file), (error: HomedError) => error.code === "locked");
});

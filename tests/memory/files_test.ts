import assert from "node:assert/strict";
import { diskError, diskStore, readChecked } from "../../memory/files.ts";
import { HomedError } from "../../core/base/errors.ts";
import { tempFolder } from "../kit/temp_folder.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("write() replaces a file as a whole and leaves no temporary one", async () => {
  await using folder = await tempFolder();
  const store = diskStore([folder.path]);
  store.write(`${folder.path}/a/b/state.json`, bytes("one"));
  store.write(`${folder.path}/a/b/state.json`, bytes("two"));
  assert.equal(await Deno.readTextFile(`${folder.path}/a/b/state.json`), "two");
  assert.deepEqual(store.list(`${folder.path}/a/b`).map((entry) => entry.name), ["state.json"]);
});

Deno.test("files are for their owner alone", { ignore: Deno.build.os === "windows" }, async () => {
  await using folder = await tempFolder();
  const store = diskStore([`${folder.path}/memory`]);
  store.write(`${folder.path}/memory/state.json`, bytes("{}"));
  await store.append(`${folder.path}/memory/log`, bytes("x"));
  for (const [name, mode] of [["", 0o700], ["/state.json", 0o600], ["/log", 0o600]] as const) {
    assert.equal((await Deno.stat(`${folder.path}/memory${name}`)).mode! & 0o777, mode, name);
  }
});

Deno.test("a path outside, with .. or through a symbolic link out is refused", async () => {
  await using folder = await tempFolder();
  const root = `${folder.path}/memory`;
  await Deno.mkdir(`${folder.path}/elsewhere`);
  await Deno.mkdir(`${root}/in`, { recursive: true });
  await Deno.writeTextFile(`${folder.path}/elsewhere/secret`, "secret");
  await Deno.symlink(`${folder.path}/elsewhere`, `${root}/folder`);
  await Deno.symlink(`${folder.path}/elsewhere/secret`, `${root}/file`);
  const store = diskStore([root]);
  for (
    const path of [
      `${folder.path}/elsewhere/secret`,
      `${root}/../elsewhere/secret`,
      `${root}/folder/secret`,
      `${root}/file`,
    ]
  ) {
    assert.throws(() => store.read(path), HomedError, path);
    assert.throws(() => store.write(path, bytes("x")), HomedError, path);
    assert.throws(() => store.remove(path), HomedError, path);
    await assert.rejects(store.append(path, bytes("x")), HomedError, path);
  }
  assert.equal(await Deno.readTextFile(`${folder.path}/elsewhere/secret`), "secret");
  assert.deepEqual(store.list(root).map((entry) => entry.name), ["in"], "links are not listed either");
});

Deno.test("a home that is itself reached through a link works", async () => {
  await using folder = await tempFolder();
  await Deno.mkdir(`${folder.path}/real`);
  await Deno.symlink(`${folder.path}/real`, `${folder.path}/link`);
  const store = diskStore([`${folder.path}/link`]);
  store.write(`${folder.path}/link/state`, bytes("x"));
  assert.equal(await Deno.readTextFile(`${folder.path}/real/state`), "x");
});

Deno.test("a full disk is a sentence with what to do, whoever met it", () => {
  for (const error of [{ code: "ENOSPC" }, { message: "database or disk is full" }, { code: "EDQUOT", message: "" }]) {
    const told = diskError(error, "save a message") as HomedError;
    assert.equal(told.code, "disk_full");
    assert.match(told.message, /^Cannot save a message: the disk is full/);
    assert.match(told.fix!, /Make room/);
  }
  const other = new Error("something else");
  assert.equal(diskError(other, "save"), other);
});

Deno.test("a real full disk is told, and what was there stays", { ignore: Deno.build.os !== "linux" }, async () => {
  await using folder = await tempFolder();
  const store = diskStore([folder.path, "/dev"]);
  await assert.rejects(store.append("/dev/full", bytes("x")), (error: HomedError) => error.code === "disk_full");
});

Deno.test("readChecked() tells a missing, a damaged and a sound file apart", async () => {
  await using folder = await tempFolder();
  const store = diskStore([folder.path]);
  const path = `${folder.path}/state.json`;
  const accept = (value: unknown) => ((value as { n?: number }).n === 1 ? 1 : undefined);
  const kind = async (content: Uint8Array | null) => {
    if (content) await Deno.writeFile(path, content);
    return readChecked(store, path, accept).kind;
  };
  assert.equal(await kind(null), "missing");
  assert.equal(await kind(bytes('{"n":1}')), "sound");
  for (
    const damaged of [
      new Uint8Array(),
      new Uint8Array(20),
      bytes('{"n":'),
      bytes('{"n":2}'),
      new Uint8Array([0xff, 0xfe]),
    ]
  ) {
    assert.equal(await kind(damaged), "damaged");
  }
});

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { silentLog } from "../../../../core/base/log.ts";
import { download, recordOf } from "../../../../core/daemon/models/download.ts";
import { ModelDownloads } from "../../../../core/daemon/models/model_downloads.ts";
import { modelPlaces, settingHere } from "../../../../core/daemon/models/places.ts";
import { tempFolder } from "../../../kit/temp_folder.ts";
import { tempHome } from "../../../kit/temp_home.ts";
import { fileServer } from "./file_server.ts";

const BYTES = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7919) >> 3);
const SHA256 = createHash("sha256").update(BYTES).digest("hex");
const { signal } = new AbortController();

Deno.test("download() writes the file, its size and its checksum, and tells how far it is", async () => {
  await using server = fileServer();
  await using folder = await tempFolder();
  server.files.set("/m.vec", BYTES);
  const path = `${folder.path}/m.vec`;
  const told: [number, number | undefined][] = [];
  const record = await download(`${server.url}/m.vec`, path, { signal, progress: (...step) => told.push(step) });
  assert.deepEqual([record.bytes, record.sha256], [BYTES.length, SHA256]);
  assert.deepEqual(await Deno.readFile(path), BYTES);
  assert.deepEqual(recordOf(path), record);
  assert.deepEqual(told.at(-1), [BYTES.length, BYTES.length]);
  const names = [...Deno.readDirSync(folder.path)].map(({ name }) => name).sort();
  assert.deepEqual(names, ["m.vec", "m.vec.json"]);
});

Deno.test("download() goes on where it was broken off, and follows redirects", async () => {
  await using server = fileServer();
  await using folder = await tempFolder();
  server.files.set("/cdn/m.vec", BYTES);
  server.redirect = "/cdn/m.vec";
  server.cutAfter = 100_000;
  const path = `${folder.path}/m.vec`;
  await assert.rejects(download(`${server.url}/m.vec`, path, { signal }), /Cannot download/);
  assert.equal(recordOf(path), undefined);
  const { sha256 } = await download(`${server.url}/m.vec`, path, { signal });
  assert.equal(sha256, SHA256);
  const ranges = server.asked.filter(({ path }) => path === "/cdn/m.vec").map(({ range }) => range);
  assert.deepEqual(ranges, [null, "bytes=100000-"]);
});

Deno.test("download() begins anew when the file changed, or what is there is not what was noted", async () => {
  await using server = fileServer();
  await using folder = await tempFolder();
  server.files.set("/m.vec", BYTES);
  const path = `${folder.path}/m.vec`;
  const breakOff = async () => {
    server.cutAfter = 100_000;
    await assert.rejects(download(`${server.url}/m.vec`, path, { signal }));
  };
  await breakOff();
  const other = BYTES.map((byte) => byte ^ 255);
  server.files.set("/m.vec", other);
  server.tag = '"two"';
  assert.equal((await download(`${server.url}/m.vec`, path, { signal })).bytes, BYTES.length);
  assert.deepEqual(await Deno.readFile(path), other);

  await breakOff();
  const part = await Deno.readFile(`${path}.part`);
  part[50] = part[50]! ^ 1;
  await Deno.writeFile(`${path}.part`, part);
  await download(`${server.url}/m.vec`, path, { signal });
  assert.deepEqual(await Deno.readFile(path), other);
  assert.equal(server.asked.at(-1)!.range, null);
});

Deno.test("download() refuses a file that is not the one that is known", async () => {
  await using server = fileServer();
  await using folder = await tempFolder();
  server.files.set("/m.vec", BYTES);
  const path = `${folder.path}/m.vec`;
  await assert.rejects(download(`${server.url}/m.vec`, path, { signal, sha256: "0".repeat(64) }), /checksum/);
  assert.deepEqual([...Deno.readDirSync(folder.path)], []);
  await assert.rejects(download(`${server.url}/none.vec`, path, { signal }), /404/);
});

Deno.test("modelPlaces() knows paths, addresses, known names and models of the hub", async () => {
  await using home = await tempHome();
  await Deno.writeTextFile(home.path("models/own.vec"), "a 1\n");
  const kinds = modelPlaces(
    "models/own.vec, numberbatch#1000, https://example.org/x/y.vec.gz, Xenova/all-MiniLM-L6-v2, /nowhere/z.vec",
    home,
  ).map(({ setting, isHere, files }) => [setting.replace(home.root, "~"), isHere, files.length]);
  assert.deepEqual(kinds, [
    ["~/models/own.vec", true, 0],
    ["~/models/numberbatch-19.08.txt.gz#1000", false, 1],
    ["~/models/y.vec.gz", false, 1],
    ["~/models/Xenova_all-MiniLM-L6-v2", false, 6],
    ["/nowhere/z.vec", false, 0],
  ]);
  assert.equal(settingHere("numberbatch,models/own.vec", home), home.path("models/own.vec"));
});

Deno.test("modelPlaces() says why a path cannot be used, and downloads nothing in its place", async () => {
  await using home = await tempHome();
  await Deno.writeTextFile(home.path("models/empty.vec"), "");
  await Deno.mkdir(home.path("models/bare"));
  await Deno.symlink("nowhere", home.path("models/gone.vec"));
  const places = modelPlaces("typo.vec, /nowhere/z.txt.gz, models/empty.vec, models/bare, models/gone.vec", home);
  assert.deepEqual(places.map(({ problem, isHere, files }) => [problem, isHere, files.length]), [
    ["there is no such file or folder", false, 0],
    ["there is no such file or folder", false, 0],
    ["it is empty", false, 0],
    ["the folder holds no model: it lacks config.json and tokenizer.json", false, 0],
    ["there is no such file or folder", false, 0],
  ]);
  assert.equal(settingHere("typo.vec, models/bare", home), "");
});

/** Follows a setting until a model is here, or this many notices came. */
async function follow(home: Parameters<typeof settingHere>[1], setting: string, fetcher?: typeof fetch) {
  const notices: string[] = [];
  const here = Promise.withResolvers<void>();
  const downloads = new ModelDownloads({
    home,
    log: silentLog,
    onNotice: (text) => notices.push(text),
    onHere: () => here.resolve(),
    pause: 20,
    ...(fetcher && { fetch: fetcher }),
  });
  downloads.follow(setting);
  await here.promise;
  await downloads.stop();
  return notices;
}

Deno.test("a known model is told with its size, tried again after a failure, and used once it is here", async () => {
  await using home = await tempHome();
  let calls = 0;
  const notices = await follow(home, "numberbatch-en", (url) => {
    assert.match(String(url), /numberbatch-en-19\.08\.txt\.gz$/);
    if (++calls === 1) return Promise.reject(new TypeError("no route to host"));
    return Promise.resolve(new Response(BYTES));
  });
  assert.match(notices[0]!, /Numberbatch, English.*325 MB/);
  assert.match(notices[1]!, /no route to host.*finds by words.*put the file at .*numberbatch-en/s);
  assert.match(notices[2]!, /is here/);
  assert.equal(settingHere("numberbatch-en", home), home.path("models/numberbatch-en-19.08.txt.gz#600000"));
});

Deno.test("a model of the hub comes file by file: what is optional may be missing, the weights are the last", async () => {
  await using server = fileServer();
  await using home = await tempHome();
  const base = "/acme/tiny/resolve/main";
  for (const name of ["config.json", "tokenizer.json", "onnx/model.onnx"]) server.files.set(`${base}/${name}`, BYTES);
  await follow(home, `${server.url}/acme/tiny`);
  assert.equal(settingHere(`${server.url}/acme/tiny`, home), home.path("models/acme_tiny"));
  assert.equal((await Deno.stat(home.path("models/acme_tiny/onnx/model.onnx"))).size, BYTES.length);
  assert.equal(server.asked.at(-1)!.path, `${base}/onnx/model.onnx`);
});

Deno.test("follow() another setting ends the download of before", async () => {
  await using home = await tempHome();
  const downloads = new ModelDownloads({
    home,
    log: silentLog,
    onNotice() {},
    onHere: () => assert.fail("nothing came"),
    fetch: (_url, init) =>
      new Promise((_, reject) => {
        (init as { signal: AbortSignal }).signal.addEventListener("abort", () => reject(new Error("aborted")));
      }),
  });
  downloads.follow("numberbatch");
  downloads.follow("");
  await downloads.stop();
  assert.equal(downloads.state, undefined);
});

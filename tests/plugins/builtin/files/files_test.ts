import assert from "node:assert/strict";
import {
  appendText,
  editText,
  globMatcher,
  listFolder,
  readText,
  search,
  toTrash,
  writeText,
} from "../../../../plugins/builtin/files/operations.ts";
import { startFilesWorker } from "../../../../plugins/builtin/files/mod.ts";
import { Roots } from "../../../../plugins/builtin/files/paths.ts";
import { tempFolder } from "../../../kit/temp_folder.ts";

const never = new AbortController().signal;

async function workplace() {
  const folder = await tempFolder();
  const base = await Deno.realPath(folder.path);
  await Deno.mkdir(`${base}/notes`);
  await Deno.mkdir(`${base}/private`);
  await Deno.writeTextFile(`${base}/private/secret.txt`, "the secret");
  return {
    folder,
    base,
    roots: await Roots.open([`${base}/notes`]),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

Deno.test("what is written is read back; append, edit and list do what they say", async () => {
  await using w = await workplace();
  await writeText(w.roots, { path: "a/b/清单.txt", content: "milk\n茶\n" });
  await appendText(w.roots, { path: "a/b/清单.txt", content: "bread\n" });
  await appendText(w.roots, { path: "new.txt", content: "first" });
  assert.deepEqual(await editText(w.roots, { path: "a/b/清单.txt", find: "茶", replace: "绿茶" }), {
    path: "a/b/清单.txt",
    replaced: 1,
  });
  const read = await readText(w.roots, { path: "a/b/清单.txt", from: 2, lines: 2 });
  assert.deepEqual([read.text, read.first_line, read.total_lines, read.truncated], ["绿茶\nbread", 2, 4, false]);
  const { entries } = await listFolder(w.roots, { depth: 3 });
  assert.deepEqual(entries.map(({ path, kind }) => `${kind} ${path}`), [
    "folder a",
    "folder a/b",
    "file a/b/清单.txt",
    "file new.txt",
  ]);
  assert.deepEqual([...Deno.readDirSync(`${w.base}/notes`)].filter(({ name }) => name.endsWith(".tmp")), []);
});

Deno.test("an edit that is not exact, or not unique, changes nothing and says why", async () => {
  await using w = await workplace();
  await writeText(w.roots, { path: "x", content: "aa aa" });
  await assert.rejects(editText(w.roots, { path: "x", find: "zz", replace: "" }), /does not hold that text/);
  await assert.rejects(editText(w.roots, { path: "x", find: "aa", replace: "b" }), /2 times/);
  await assert.rejects(editText(w.roots, { path: "x", find: "", replace: "b" }), /empty/);
  assert.equal((await readText(w.roots, { path: "x" })).text, "aa aa");
  assert.equal((await editText(w.roots, { path: "x", find: "aa", replace: "$&", all: true })).replaced, 2);
  assert.equal((await readText(w.roots, { path: "x" })).text, "$& $&");
});

Deno.test("every way out of the folder is refused, and nothing outside is touched", async () => {
  await using w = await workplace();
  await Deno.symlink("../private", `${w.base}/notes/link`);
  await Deno.symlink("../private/secret.txt", `${w.base}/notes/file-link`);
  await Deno.symlink("../private/not-yet", `${w.base}/notes/dangling`);
  const outside = [
    "..",
    "../private/secret.txt",
    `${w.base}/private/secret.txt`,
    "link/secret.txt",
    "file-link",
    "link/new",
    "/etc/passwd",
    "a/../../private/x",
    `${w.base}/notes-evil/x`,
  ];
  for (const path of outside) {
    await assert.rejects(readText(w.roots, { path }), /outside|does not exist/, path);
    await assert.rejects(writeText(w.roots, { path, content: "owned" }), /outside/, path);
    await assert.rejects(appendText(w.roots, { path, content: "owned" }), /outside/, path);
  }
  await assert.rejects(writeText(w.roots, { path: "dangling", content: "owned" }), /leads nowhere/);
  await assert.rejects(readText(w.roots, { path: "a\0b" }), /NUL/);
  await assert.rejects(toTrash(w.roots, { path: "link/secret.txt" }), /outside/);
  await assert.rejects(toTrash(w.roots, { path: "." }), /root folder/);
  assert.equal(await Deno.readTextFile(`${w.base}/private/secret.txt`), "the secret");
  assert.deepEqual([...Deno.readDirSync(`${w.base}/private`)].map(({ name }) => name), ["secret.txt"]);
  // A search does not follow links either.
  assert.deepEqual((await search(w.roots, { pattern: "secret" }, never)).hits, []);
});

Deno.test("a link is deleted as a link, what it leads to stays; deleted things can be taken back", async () => {
  await using w = await workplace();
  await writeText(w.roots, { path: "kept.txt", content: "kept" });
  await Deno.symlink("kept.txt", `${w.base}/notes/alias`);
  await toTrash(w.roots, { path: "alias" });
  assert.equal((await readText(w.roots, { path: "kept.txt" })).text, "kept");
  const { kept_as } = await toTrash(w.roots, { path: "kept.txt" });
  await assert.rejects(readText(w.roots, { path: "kept.txt" }), /does not exist/);
  assert.equal((await readText(w.roots, { path: kept_as })).text, "kept");
  await assert.rejects(toTrash(w.roots, { path: kept_as }), /in the trash already/);
  // The trash itself must not lead out.
  await Deno.remove(`${w.base}/notes/.trash`, { recursive: true });
  await Deno.symlink("../private", `${w.base}/notes/.trash`);
  await writeText(w.roots, { path: "y", content: "y" });
  await assert.rejects(toTrash(w.roots, { path: "y" }), /outside/);
});

Deno.test("what is no text, no file or too large is refused in a sentence", async () => {
  await using w = await workplace();
  await Deno.writeFile(`${w.base}/notes/bin`, new Uint8Array([0xff, 0xfe, 0x00]));
  await Deno.writeFile(`${w.base}/notes/nul`, new Uint8Array([65, 0, 66]));
  await Deno.truncate(await Deno.makeTempFile({ dir: `${w.base}/notes`, prefix: "big" }), 17 << 20);
  await Deno.mkdir(`${w.base}/notes/folder`);
  const big = [...Deno.readDirSync(`${w.base}/notes`)].find(({ name }) => name.startsWith("big"))!.name;
  await assert.rejects(readText(w.roots, { path: "bin" }), /no text file/);
  await assert.rejects(readText(w.roots, { path: "nul" }), /no text file/);
  await assert.rejects(readText(w.roots, { path: big }), /at most 16777216/);
  await assert.rejects(readText(w.roots, { path: "." }), /no file/);
  await assert.rejects(writeText(w.roots, { path: "folder", content: "" }), /no file/);
  await assert.rejects(listFolder(w.roots, { path: "bin" }), /no folder/);
  if (Deno.build.os !== "windows") {
    await new Deno.Command("mkfifo", { args: [`${w.base}/notes/pipe`] }).output();
    await assert.rejects(readText(w.roots, { path: "pipe" }), /no file/);
  }
});

Deno.test("a long answer is cut at a line and says so; one endless line is cut within", async () => {
  await using w = await workplace();
  await writeText(w.roots, { path: "long", content: `${"x".repeat(999)}\n`.repeat(500) });
  const read = await readText(w.roots, { path: "long" });
  assert.ok(read.truncated && read.lines > 100 && read.lines < 140);
  await writeText(w.roots, { path: "line", content: "y".repeat(1 << 20) });
  const line = await readText(w.roots, { path: "line" });
  assert.ok(line.truncated && line.text.length === 128 << 10);
});

Deno.test("search: texts, cases, expressions, globs; patterns that hang others take no time to speak of", async () => {
  await using w = await workplace();
  await writeText(w.roots, { path: "a.md", content: "Port 8097\nport 22\n" });
  await writeText(w.roots, { path: "sub/b.txt", content: "PORT 8097\n" + "a".repeat(50_000) + "!" });
  const find = async (args: Parameters<typeof search>[1]) =>
    (await search(w.roots, args, never)).hits.map(({ path, line }) => `${path}:${line}`).sort();
  assert.deepEqual(await find({ pattern: "Port" }), ["a.md:1"]);
  assert.deepEqual(await find({ pattern: "port", ignore_case: true }), ["a.md:1", "a.md:2", "sub/b.txt:1"]);
  assert.deepEqual(await find({ pattern: "port \\d{4}$", regex: true, ignore_case: true }), ["a.md:1", "sub/b.txt:1"]);
  assert.deepEqual(await find({ pattern: "8097", glob: "*.txt" }), ["sub/b.txt:1"]);
  assert.deepEqual(await find({ pattern: "8097", glob: "sub/**/*.txt" }), ["sub/b.txt:1"]);
  for (const pattern of ["(a+)+$", "(a|aa)+$", "(.*a){12}$", "^(a?){50}a{50}$"]) await find({ pattern, regex: true });
  await assert.rejects(search(w.roots, { pattern: "(", regex: true }, never), /no expression/);
  await assert.rejects(search(w.roots, { pattern: "" }, never), /what to search/);
  await assert.rejects(search(w.roots, { pattern: "x" }, AbortSignal.abort(new Error("given up"))), /given up/);
});

Deno.test("globs mean what they say", () => {
  const is = (glob: string, path: string) => globMatcher(glob)(path);
  assert.ok(is("*.md", "deep/down/a.md") && !is("*.md", "a.mdx") && is("a?c", "abc") && !is("a?c", "a/c"));
  assert.ok(
    is("src/*.ts", "src/a.ts") && !is("src/*.ts", "src/x/a.ts") && is("src/**/*.ts", "src/x/y/a.ts") &&
      is("src/**/*.ts", "src/a.ts"),
  );
  assert.ok(is("a+(b)", "a+(b)") && !is("a.c", "abc"));
});

Deno.test("the worker may read and write its folders and nothing else, and works through its port", async () => {
  await using w = await workplace();
  const worker = await startFilesWorker([`${w.base}/notes`]);
  try {
    await worker.peer.call("open", { roots: [`${w.base}/notes`] });
    await worker.peer.call("write", { path: "x.txt", content: "hi" });
    assert.equal(((await worker.peer.call("read", { path: "x.txt" })) as { text: string }).text, "hi");
    await assert.rejects(worker.peer.call("read", { path: "../private/secret.txt" }), /outside/);
    const found = await worker.peer.call("probe", {
      read: [`${w.base}/notes`, `${w.base}/private`],
      write: [`${w.base}/notes`, `${w.base}/private`],
      net: ["127.0.0.1:9"],
    });
    assert.deepEqual(found.read, [`${w.base}/notes`]);
    assert.deepEqual(found.write, [`${w.base}/notes`]);
    for (const kind of ["net", "run", "ffi", "env", "sys", "import"] as const) {
      assert.equal(found[kind], "denied", kind);
    }
  } finally {
    worker.stop();
  }
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { documentPath } from "../../memory/documents/document.ts";
import { Documents, type NewDocument } from "../../memory/documents/documents.ts";
import { diskStore, type FileStore } from "../../memory/files.ts";
import { SearchIndex } from "../../memory/index/search_index.ts";

/** A folder for one test, gone after it. */
class Folder implements Disposable {
  readonly path = Deno.makeTempDirSync();
  readonly documents = `${this.path}/documents`;

  open(
    files: FileStore = diskStore([this.documents]),
    boot?: string,
  ): { documents: Documents; index: SearchIndex } & Disposable {
    const index = new SearchIndex(`${this.path}/index.db`);
    const documents = new Documents({ files, folder: this.documents, index, now: () => 1_800_000_000_000, boot });
    return { documents, index, [Symbol.dispose]: () => index[Symbol.dispose]() };
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}

class Killed extends Error {}

/** A store whose process dies at write step `at`: that step is not done, and nothing after it. */
function dying(files: FileStore, at: number): FileStore {
  let step = 0;
  const guard = () => {
    if (step++ >= at) throw new Killed();
  };
  return {
    read: (path) => files.read(path),
    list: (folder) => files.list(folder),
    write: (path, bytes) => (guard(), files.write(path, bytes)),
    append: (path, bytes) => (guard(), files.append(path, bytes)),
    rename: (from, to) => (guard(), files.rename(from, to)),
    remove: (path) => (guard(), files.remove(path)),
    draft: (path, bytes) => (guard(), files.draft!(path, bytes)),
  };
}

const batch: NewDocument[] = Array.from(
  { length: 6 },
  (_, i) => ({ id: `d${i}`, content: `第${i}号抽屉里是什么`, at: i }),
);

/** Every document's id, from the files, from the rows, and from the index's text. */
function ids({ documents, index }: { documents: Documents; index: SearchIndex }): string[][] {
  const rows = index.db.prepare("SELECT id FROM documents ORDER BY id").all() as { id: string }[];
  const units = index.many(index.postings("抽屉")).map((unit) => unit.id);
  return [[...documents.iterate()].map((d) => d.id).sort(), rows.map((r) => r.id), units.sort()];
}

Deno.test("putMany() killed at any write step leaves all of the batch or none of it", () => {
  for (let at = 0; at <= batch.length + 1; at++) {
    using folder = new Folder();
    try {
      using first = folder.open(dying(diskStore([folder.documents]), at));
      first.documents.putMany(batch);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
    using again = folder.open();
    const expected = at === 0 ? [] : batch.map((d) => d.id!);
    assert.deepEqual(ids(again), [expected, expected, expected], `killed at step ${at}`);
  }
});

Deno.test("removeMany() killed at any write step, then opened again, leaves files and index equal", () => {
  for (let at = 0; at <= 4; at++) {
    using folder = new Folder();
    {
      using first = folder.open();
      first.documents.putMany(batch);
    }
    try {
      using second = folder.open(dying(diskStore([folder.documents]), at));
      second.documents.removeMany(["d0", "d1", "d2"]);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
    using again = folder.open();
    const [files, rows, units] = ids(again);
    assert.deepEqual(rows, files);
    assert.deepEqual(units, files);
    assert.equal([3, 6].includes(files!.length), true, `killed at step ${at}: ${files}`);
  }
});

Deno.test("in one run of the machine a start writes no pending batch again but the newest, unless a file is missing", () => {
  for (const boot of ["this run", "another run"]) {
    for (const lost of [false, true]) {
      using folder = new Folder();
      const written: string[] = [];
      const files = diskStore([folder.documents]);
      const counting = {
        ...files,
        draft: (path: string, bytes: Uint8Array) => (written.push(path), files.draft!(path, bytes)),
      };
      {
        using first = folder.open(counting, "this run");
        for (let i = 0; i < 4; i++) {
          first.documents.putMany(batch.map((document) => ({ ...document, id: `${i}-${document.id}` })));
        }
        first.documents[Symbol.dispose]();
      }
      assert.equal(written.length, 24);
      if (lost) Deno.removeSync(`${folder.documents}/${documentPath("0-d3")}`);
      written.length = 0;
      using again = folder.open(counting, boot);
      const replayed = boot === "this run" ? lost ? 30 : 6 : 24;
      assert.equal(written.length, replayed, `${boot}, ${lost}`);
      const [there, rows] = ids(again);
      assert.equal(there!.length, 24);
      assert.deepEqual(rows, there);
    }
  }
});

Deno.test("a batch that is taken out again does not come back from the journal", () => {
  using folder = new Folder();
  {
    using first = folder.open();
    first.documents.putMany(batch);
    first.documents.remove("d3");
    first.documents.put({ id: "d4", content: "新的抽屉", at: 9 });
  }
  using again = folder.open();
  assert.equal(again.documents.has("d3"), false);
  assert.equal(again.documents.get("d4")!.content, "新的抽屉");
  while (again.documents.settle());
  assert.equal(again.documents.unsettled, 0);
  assert.equal(again.documents.get("d4")!.content, "新的抽屉");
  assert.equal(again.documents.has("d3"), false);
});

Deno.test("put() of the same again writes nothing, and unknown fields are kept", () => {
  using folder = new Folder();
  const document = { id: "x", content: "one", at: 1, mood: { deep: ["a"] } };
  {
    using first = folder.open();
    first.documents.put(document);
  }
  using again = folder.open(dying(diskStore([folder.documents]), 0));
  assert.equal(again.documents.put(document), "x");
  assert.deepEqual(again.documents.get("x"), document);
});

Deno.test("a document with broken JSON is set aside, and its text restored from the index; without that the others stay", () => {
  using folder = new Folder();
  {
    using first = folder.open();
    first.documents.putMany(batch);
    while (first.documents.settle());
  }
  Deno.writeTextFileSync(`${folder.documents}/${documentPath("d2")}`, '{"id":"d2","content":"cut');
  using again = folder.open();
  const { content } = batch.find((document) => document.id === "d2")!;
  assert.equal(again.documents.get("d2")!.content, content);
  assert.equal(again.documents.get("d2")!.untrusted, true, "whose words they are is not known any more");
  assert.match(again.documents.notices[0]!, /was damaged .* restored from the index/);
  Deno.writeTextFileSync(`${folder.documents}/${documentPath("d2")}`, "\0\0\0");
  again.documents.rebuild();
  assert.deepEqual(ids(again)[1], ["d0", "d1", "d3", "d4", "d5"]);
});

Deno.test("an index that is lost, cut or zeroed is made again from the files", () => {
  for (const damage of ["lost", "cut", "zeroed"]) {
    using folder = new Folder();
    {
      using first = folder.open();
      first.documents.putMany(batch);
      first.index.settle();
    }
    const path = `${folder.path}/index.db`;
    if (damage === "lost") Deno.removeSync(path);
    else if (damage === "cut") Deno.truncateSync(path, 5000);
    else Deno.writeFileSync(path, new Uint8Array(Deno.statSync(path).size));
    using again = folder.open();
    const all = batch.map((d) => d.id!);
    assert.deepEqual(ids(again), [all, all, all], damage);
  }
});

Deno.test("an index with broken pages is noticed at the start and made again", () => {
  using folder = new Folder();
  const many = Array.from(
    { length: 200 },
    (_, i) => ({ id: `m${i}`, content: `第${i}号抽屉 ${"long ".repeat(40)}`, at: i }),
  );
  {
    using first = folder.open();
    first.documents.putMany(many);
    first.index.settle();
  }
  const path = `${folder.path}/index.db`;
  const bytes = Deno.readFileSync(path);
  for (let page = 3; page * 4096 < bytes.length; page++) bytes.fill(0x5a, page * 4096, page * 4096 + 2000);
  Deno.writeFileSync(path, bytes);
  using again = folder.open();
  assert.match(again.index.notices[0]!, /was damaged/);
  assert.equal(ids(again)[2]!.length, many.length);
});

Deno.test("an index that breaks while it is in use says so, and is made again at the next start", () => {
  using folder = new Folder();
  {
    using first = folder.open();
    first.documents.putMany(batch);
    const broken = Object.assign(new Error("database disk image is malformed"), { errcode: 11 });
    assert.match(String(first.index.condemned(broken)), /Cannot search memory/);
    const other = new Error("something else");
    assert.equal(first.index.condemned(other), other);
  }
  using again = folder.open();
  assert.equal(again.index.stale, true);
  assert.equal(ids(again)[2]!.length, batch.length);
});

Deno.test("rebuild() gives the rows and terms that putting gave", () => {
  using folder = new Folder();
  using open = folder.open();
  open.documents.putMany(batch);
  open.documents.remove("d1");
  const dump = () =>
    open.index.db.prepare("SELECT kind, id, text, tokens, at FROM units ORDER BY id").all().map((row) => ({ ...row }));
  const before = [dump(), ids(open)];
  open.documents.rebuild();
  assert.deepEqual([dump(), ids(open)], before);
});

Deno.test("cold() leaves out what was used, what is new, and what is derived", () => {
  using folder = new Folder();
  using open = folder.open();
  open.documents.putMany([{ id: "a", content: "a" }, { id: "b", content: "b" }, {
    id: "c",
    content: "c",
    derived: true,
  }]);
  for (let i = 0; i < 3; i++) open.documents.touch(["b"]);
  const later = 1_800_000_000_001;
  assert.deepEqual(open.documents.cold(later, { maxAccesses: 2 }).map((d) => d.id), ["a"]);
  assert.deepEqual(open.documents.cold(later - 1, { maxAccesses: 2 }), []);
});

Deno.test("documentPath() keeps different ids apart on file systems that fold case, and never leaves its folder", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1, maxLength: 200, unit: "binary" }), { maxLength: 20 }),
      (all) => {
        const sound = [...new Set(all.map((id) => id.toWellFormed()))];
        const paths = sound.map((id) => documentPath(id));
        assert.equal(new Set(paths.map((path) => path.toLowerCase())).size, sound.length);
        for (const path of paths) assert.match(path, /^[0-9a-f]{2}\/[a-z0-9_=-]{1,100}\.json$/);
      },
    ),
  );
  for (const id of ["con", "NUL", "../../etc/passwd", "D1:1", "沈一诺"]) {
    assert.match(documentPath(id), /^[0-9a-f]{2}\/(?!con\.|nul\.)[a-z0-9_=-]+\.json$/);
  }
});

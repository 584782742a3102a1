import assert from "node:assert/strict";
import fc from "fast-check";
import { checkDatabase, openDatabase } from "../../memory/sqlite.ts";
import { scrubDatabase } from "../../memory/sqlite_scrub.ts";
import { tempFolder } from "../kit/temp_folder.ts";

Deno.test("scrubDatabase() leaves no byte of deleted rows, keeps the others, and the file stays sound", async () => {
  const change = fc.record({ id: fc.nat(200), size: fc.integer({ min: 1, max: 3000 }), keep: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 50, maxLength: 300 }), async (changes) => {
      await using folder = await tempFolder();
      const path = `${folder.path}/x.db`;
      const schema = [`CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, text TEXT); CREATE INDEX t_name ON t (name);
        CREATE TABLE w (id TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID`];
      const { db } = openDatabase(path, { schema });
      const put = db.prepare("INSERT OR REPLACE INTO t VALUES (?, ?, ?)");
      const also = db.prepare("INSERT OR REPLACE INTO w VALUES (?, ?)");
      for (const { id, size, keep } of changes) {
        const text = `${keep ? "kept" : "SECRETNAME"} ${"x".repeat(size)}`;
        put.run(id, text.slice(0, 40), text);
        also.run(`${keep ? "kept" : "SECRETNAME"} ${id}`, text);
      }
      db.exec("DELETE FROM t WHERE text LIKE 'SECRETNAME%'; DELETE FROM w WHERE text LIKE 'SECRETNAME%'");
      const before = [db.prepare("SELECT * FROM t").all(), db.prepare("SELECT * FROM w").all()];
      scrubDatabase(db, path);
      const bytes = () => new TextDecoder("latin1").decode(Deno.readFileSync(path));
      assert.ok(!bytes().includes("SECRETNAME"));
      assert.deepEqual([db.prepare("SELECT * FROM t").all(), db.prepare("SELECT * FROM w").all()], before);
      for (const { id, size } of changes.slice(0, 50)) put.run(id + 1000, "later", "y".repeat(size));
      assert.deepEqual(checkDatabase(db), []);
      db.close();
      assert.ok(!bytes().includes("SECRETNAME"), "nothing comes back from a cache");
    }),
    { numRuns: 25 },
  );
});

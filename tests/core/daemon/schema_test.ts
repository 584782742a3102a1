import assert from "node:assert/strict";
import { HomedError } from "../../../core/base/errors.ts";
import { bringToSchema, type Migration } from "../../../core/daemon/schema.ts";
import { tempFolder } from "../../kit/temp_folder.ts";

/** Everything below a folder, as path → text. */
function contents(root: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, isDirectory } of Deno.readDirSync(`${root}/${below}`)) {
    const path = below === "" ? name : `${below}/${name}`;
    if (isDirectory) Object.assign(found, contents(root, path));
    else found[path] = Deno.readTextFileSync(`${root}/${path}`);
  }
  return found;
}

async function oldHome() {
  const folder = await tempFolder();
  const root = folder.path;
  bringToSchema(root, { schema: 1, version: "0.1.0" });
  Deno.mkdirSync(`${root}/memory/documents`, { recursive: true });
  Deno.mkdirSync(`${root}/run`);
  Deno.writeTextFileSync(`${root}/config.db`, "settings");
  Deno.writeTextFileSync(`${root}/memory/documents/a.json`, "one");
  Deno.writeTextFileSync(`${root}/run/lock`, "held");
  return { root, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const STEPS: Migration[] = [
  { from: 1, run: (root) => Deno.writeTextFileSync(`${root}/memory/documents/a.json`, "two") },
  { from: 2, run: (root) => Deno.renameSync(`${root}/memory`, `${root}/remembered`) },
];

Deno.test("a new home gets the number of this schema, and keeps it", async () => {
  await using folder = await tempFolder();
  assert.equal(bringToSchema(folder.path, { schema: 1, version: "0.1.0" }), undefined);
  assert.equal(bringToSchema(folder.path, { schema: 1, version: "0.1.1" }), undefined);
  assert.deepEqual(contents(folder.path), { "schema.json": '{"schema":1,"homed":"0.1.1"}\n' });
});

Deno.test("an older home is brought up step by step, after a copy, and the person is told where it is", async () => {
  await using home = await oldHome();
  const notice = bringToSchema(home.root, { schema: 3, version: "0.3.0", migrations: STEPS });
  const now = contents(home.root);
  assert.equal(now["remembered/documents/a.json"], "two");
  assert.equal(now["run/lock"], "held");
  assert.match(now["schema.json"]!, /"schema":3/);
  const backup = /what was there is in (\S+)$/.exec(notice!)![1]!;
  assert.equal(Deno.readTextFileSync(`${backup}/memory/documents/a.json`), "one");
});

Deno.test("a step that fails leaves the old home as it was, and usable", async () => {
  await using home = await oldHome();
  const before = contents(home.root);
  const failing: Migration[] = [STEPS[0]!, {
    from: 2,
    run(root) {
      Deno.removeSync(`${root}/memory`, { recursive: true });
      throw new Error("the disk is full");
    },
  }];
  for (const migrations of [failing, [STEPS[0]!]]) {
    assert.throws(() => bringToSchema(home.root, { schema: 3, version: "0.3.0", migrations }), (error: HomedError) => {
      assert.equal(error.code, "migration");
      assert.match(error.message, /from schema 1 to 3: .*Nothing was changed/);
      return true;
    });
    assert.deepEqual(contents(home.root), before);
  }
  assert.equal(bringToSchema(home.root, { schema: 1, version: "0.1.0" }), undefined);
});

Deno.test("a home of a newer homed is refused, and the version it needs is named", async () => {
  await using home = await oldHome();
  Deno.writeTextFileSync(`${home.root}/schema.json`, '{"schema":9,"homed":"4.2.0"}');
  const before = contents(home.root);
  assert.throws(() => bringToSchema(home.root, { schema: 1, version: "0.1.0" }), (error: HomedError) => {
    assert.equal(error.code, "newer_home");
    assert.match(error.message, /homed 4\.2\.0 \(schema 9\); this homed 0\.1\.0/);
    return true;
  });
  assert.deepEqual(contents(home.root), before);
});

Deno.test("an exchange that a crash cut off at any entry is finished at the next start", async () => {
  for (let done = 0; done <= 5; done++) {
    await using home = await oldHome();
    const { root } = home;
    // As it is after the steps ran and the journal was written, with `done` renames carried out.
    const backup = `${root}/backups/schema-1`;
    Deno.mkdirSync(`${root}/migration/new/memory`, { recursive: true });
    Deno.mkdirSync(backup, { recursive: true });
    Deno.writeTextFileSync(`${root}/migration/new/memory/b.json`, "new");
    Deno.writeTextFileSync(`${root}/migration/new/config.db`, "new settings");
    Deno.writeTextFileSync(
      `${root}/migration/swap.json`,
      JSON.stringify({ backup, old: ["memory", "config.db", "gone"], schema: 2, homed: "0.2.0" }),
    );
    Deno.writeTextFileSync(`${root}/gone`, "left out by the new form");
    const renames: [string, string][] = [
      [`${root}/memory`, `${backup}/memory`],
      [`${root}/config.db`, `${backup}/config.db`],
      [`${root}/gone`, `${backup}/gone`],
      [`${root}/migration/new/memory`, `${root}/memory`],
      [`${root}/migration/new/config.db`, `${root}/config.db`],
    ];
    for (const [from, to] of renames.slice(0, done)) Deno.renameSync(from, to);
    bringToSchema(root, { schema: 2, version: "0.2.0" });
    const now = contents(root);
    assert.equal(now["memory/b.json"], "new", `after ${done}`);
    assert.equal(now["config.db"], "new settings");
    assert.equal(now["backups/schema-1/config.db"], "settings");
    assert.equal(now["backups/schema-1/memory/documents/a.json"], "one");
    assert.ok(!("migration/swap.json" in now) && !("gone" in now));
  }
});

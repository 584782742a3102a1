import assert from "node:assert/strict";
import fc from "fast-check";
import type { TextRecord } from "../../core/wire/memory.ts";
import { diskStore } from "../../memory/files.ts";
import { type TextCursor, TextLog } from "../../memory/text_log.ts";
import { tempFolder } from "../kit/temp_folder.ts";

function open(folder: string, options: { rotateBytes?: number; now?: () => number } = {}): TextLog {
  const { rotateBytes = 1 << 20, now = () => Date.UTC(2027, 0, 1) } = options;
  return new TextLog({ store: diskStore([folder]), folder, rotateBytes, now });
}

const record = (text: string, at = 1000): TextRecord => ({ role: "user", text, channel: "cli", source: "cli", at });
const texts = (log: TextLog, after: TextCursor | null = null) => [...log.read(after)].map(({ record }) => record.text);

Deno.test("records are read back in order, from any place between two, over any number of files", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: "grapheme" }), { maxLength: 30 }),
      fc.integer({ min: 40, max: 400 }),
      async (said, rotateBytes) => {
        await using folder = await tempFolder();
        const log = open(folder.path, { rotateBytes });
        for (const text of said) await log.append(record(text));
        assert.deepEqual(texts(open(folder.path)), said);
        assert.equal(log.count(), said.length);
        for (const [i, { next }] of [...log.read(null)].entries()) {
          assert.deepEqual(
            texts(log, next),
            said.slice(i + 1),
          );
        }
      },
    ),
    { numRuns: 40 },
  );
});

Deno.test("half a line, as a kill leaves it, is passed over, and writing goes on in a new file", async () => {
  await using folder = await tempFolder();
  await open(folder.path).append(record("one"));
  const [file] = [...Deno.readDirSync(folder.path)];
  await Deno.writeTextFile(`${folder.path}/${file!.name}`, '{"role":"user","te', { append: true });
  const log = open(folder.path);
  await log.append(record("two"));
  assert.deepEqual(texts(log), ["one", "two"]);
});

Deno.test("a clock that was set back puts nothing before what was said", async () => {
  await using folder = await tempFolder();
  let now = Date.UTC(2027, 0, 1);
  const log = open(folder.path, { rotateBytes: 10, now: () => now -= 60_000 });
  for (const text of ["one", "two", "three"]) await log.append(record(text));
  assert.deepEqual(texts(log), ["one", "two", "three"]);
});

Deno.test("expire() removes what is old and read, never what is not read yet or was imported", async () => {
  await using folder = await tempFolder();
  const log = open(folder.path, { rotateBytes: 10 });
  for (const [text, at] of [["old", 1], ["older import", 1], ["unread", 2], ["new", 900]] as const) {
    await log.append({ ...record(text, at), ...(text === "older import" && { id: "i1" }) });
  }
  assert.equal(log.expire(500, null), 0, "nothing was read");
  const read = [...log.read(null)];
  assert.equal(log.expire(500, read[1]!.next), 1);
  assert.deepEqual(texts(log), ["older import", "unread", "new"]);
  assert.equal(log.expire(500, read[3]!.next), 1);
  assert.deepEqual(texts(log), ["older import", "new"]);
  assert.equal(log.expire(500, read[3]!.next), 0, "and then there is nothing to do");
});

Deno.test("rewrite() takes records out of the bytes and keeps the reader's place", async () => {
  await using folder = await tempFolder();
  const log = open(folder.path);
  for (const text of ["one", "Mirabelle", "three", "four"]) await log.append(record(text));
  const place = [...log.read(null)][2]!.next;
  const { changed, cursor } = await log.rewrite((one) => (one.text === "Mirabelle" ? null : one), place);
  assert.equal(changed, 1);
  assert.deepEqual(texts(log), ["one", "three", "four"]);
  assert.deepEqual(texts(log, cursor), ["four"]);
  await log.append(record("five"));
  assert.deepEqual(texts(log, cursor), ["four", "five"]);
  for (const { name } of Deno.readDirSync(folder.path)) {
    assert.doesNotMatch(await Deno.readTextFile(`${folder.path}/${name}`), /Mirabelle/);
  }
});

Deno.test("lines and ends that are no record are told once a file, what a kill leaves is not", async () => {
  await using folder = await tempFolder();
  const told: string[] = [];
  const reopen = () =>
    new TextLog({
      store: diskStore([folder.path]),
      folder: folder.path,
      rotateBytes: 1 << 20,
      now: () => Date.UTC(2027, 0, 1),
      onProblem: (text) => told.push(text),
    });
  await reopen().appendAll([record("one"), record("two")]);
  const [{ name }] = [...Deno.readDirSync(folder.path)] as [Deno.DirEntry];
  const path = `${folder.path}/${name}`;
  const whole = await Deno.readFile(path);
  await Deno.writeFile(path, whole.slice(0, -5));
  assert.deepEqual(texts(reopen()), ["one"]);
  assert.deepEqual(told, []);
  for (const spoilt of [whole.map((byte, i) => i > 5 && i < 20 ? 0 : byte), new Uint8Array([...whole, 0, 0, 0])]) {
    told.length = 0;
    await Deno.writeFile(path, spoilt);
    const log = reopen();
    assert.ok(texts(log).includes("two"));
    texts(log);
    assert.equal(told.length, 1);
    assert.match(told[0]!, new RegExp(name));
  }
});

import assert from "node:assert/strict";
import { formatRecord, LogFile } from "../../../core/daemon/log_file.ts";
import { tempFolder } from "../../kit/temp_folder.ts";

const record = (text: string, level: "debug" | "info" | "error" = "info") => ({ at: 0, level, from: "main", text });

Deno.test("lines under the level are left out; the level can change", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/homed.log`;
  const log = new LogFile(path, { level: "info", maxBytes: 1e6, keep: 2 });
  log.write(record("a", "debug"));
  log.write(record("b"));
  log.configure({ level: "error" });
  log.write(record("c"));
  log.write(record("d", "error"));
  log.close();
  assert.deepEqual(Deno.readTextFileSync(path).trim().split("\n").map((line) => line.at(-1)), ["b", "d"]);
});

Deno.test("a full file is turned over; as many as wanted are kept, and no line is lost between them", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/homed.log`;
  const log = new LogFile(path, { level: "info", maxBytes: 400, keep: 3 });
  for (let i = 0; i < 100; i++) log.write(record(`line ${i}`));
  log.close();
  const files = [...Deno.readDirSync(folder.path)].map(({ name }) => name).sort();
  assert.deepEqual(files, ["homed.log", "homed.log.1", "homed.log.2", "homed.log.3"]);
  const text = [3, 2, 1].map((n) => Deno.readTextFileSync(`${path}.${n}`)).join("") + Deno.readTextFileSync(path);
  const numbers = [...text.matchAll(/line (\d+)/g)].map(([, n]) => Number(n));
  assert.deepEqual(numbers, numbers.map((_, i) => 100 - numbers.length + i));
});

Deno.test("secrets are taken out before a line is written", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/homed.log`;
  const scrub = (text: string) => text.replaceAll("sk-secret", "••••");
  const log = new LogFile(path, { level: "info", maxBytes: 1e6, keep: 2, scrub });
  log.write({ ...record("key sk-secret refused"), fields: { header: "Bearer sk-secret" } });
  log.close();
  assert.ok(!Deno.readTextFileSync(path).includes("sk-secret"));
});

Deno.test("one record is one line, whatever is in it", () => {
  const line = formatRecord({ ...record("a\nb\r\x1b[31m\u0000"), fields: { x: "1\n2" } });
  assert.equal(/\p{Cc}/u.test(line), false);
  assert.match(line, /^1970-01-01T00:00:00\.000Z info {2}\[main\] a\\nb\\r\\u001b\[31m\\u0000 \{"x":"1\\n2"\}$/);
});

Deno.test("a disk that is full loses lines, never the daemon, and says how many once there is room", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/no/homed.log`;
  const log = new LogFile(path, { level: "info", maxBytes: 1e6, keep: 2 });
  log.write(record("lost 1"));
  log.write(record("lost 2"));
  Deno.mkdirSync(`${folder.path}/no`);
  log.write(record("there"));
  log.close();
  assert.match(Deno.readTextFileSync(path), /2 lines were lost.*\n.*there\n/);
});

import assert from "node:assert/strict";
import { type Zippable, zipSync } from "fflate";
import { HomedError } from "../../../core/base/mod.ts";
import { buildPackage } from "../../../plugins/host/mod.ts";
import { crc32, readZip } from "../../../plugins/host/zip_reader.ts";
import { isAlive, jsTool, testHost } from "./kit.ts";

const text = (value: string) => new TextEncoder().encode(value);
const manifest = (more: Record<string, unknown> = {}) =>
  text(JSON.stringify({ name: "weather", version: "1.0.0", description: "x", entry: "main.js", ...more }));
const script = (result: string) =>
  text(`export default { async start(sdk) { ${jsTool("weather_now", `return ${result};`)} } };`);
const good: Zippable = { "plugin.json": manifest(), "main.js": script('"sun"') };

/** A ZIP made by hand, with whatever lies a test needs. */
function rawZip(
  entries: {
    name: string;
    data?: Uint8Array;
    size?: number;
    crc?: number;
    attrs?: number;
    flags?: number;
    localName?: string;
    at?: number;
  }[],
) {
  const parts: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let offset = 0;
  for (
    const {
      name,
      data = text("x"),
      size = data.length,
      crc = crc32(data),
      attrs = 0o100644,
      flags = 0,
      localName = name,
      at,
    } of entries
  ) {
    const header = (signature: number, own: string, more: number) => {
      const bytes = new Uint8Array(more + text(own).length);
      const view = new DataView(bytes.buffer);
      view.setUint32(0, signature, true);
      const base = more === 46 ? 6 : 4;
      if (more === 46) view.setUint16(4, 3 << 8, true);
      view.setUint16(base + 2, flags, true);
      view.setUint32(base + 10, crc, true);
      view.setUint32(base + 14, data.length, true);
      view.setUint32(base + 18, size, true);
      view.setUint16(base + 22, text(own).length, true);
      if (more === 46) {
        view.setUint32(38, attrs * 65536, true);
        view.setUint32(42, at ?? offset, true);
      }
      bytes.set(text(own), more);
      return bytes;
    };
    central.push(header(0x02014b50, name, 46));
    const local = header(0x04034b50, localName, 30);
    parts.push(local, data);
    offset += local.length + data.length;
  }
  const size = central.reduce((sum, one) => sum + one.length, 0);
  const end = new Uint8Array(22);
  const view = new DataView(end.buffer);
  view.setUint32(0, 0x06054b50, true);
  view.setUint16(8, entries.length, true);
  view.setUint16(10, entries.length, true);
  view.setUint32(12, size, true);
  view.setUint32(16, offset, true);
  return new Uint8Array([...parts, ...central, end].flatMap((part) => [...part]));
}

const bomb = () => {
  const zeros = new Uint8Array(8 << 20);
  return zipSync({ ...good, "zeros": zeros }, { level: 9 });
};
const lying = () => {
  // A packed file that says it has ten bytes and has more.
  const bytes = zipSync({ ...good, "big": text("y".repeat(100_000)) }, { level: 9 });
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length - 4; at++) {
    if (
      view.getUint32(at, true) === 0x02014b50 && new TextDecoder().decode(bytes.subarray(at + 46, at + 49)) === "big"
    ) {
      view.setUint32(at + 24, 10, true);
    }
  }
  return bytes;
};
const named = (name: string) => rawZip([{ name: "plugin.json", data: manifest() }, { name }]);

const hostile: [what: string, make: () => Uint8Array, reason: RegExp][] = [
  ["a parent path", () => named("a/../../b"), /leads out of the package/],
  ["an absolute path", () => named("/etc/passwd"), /absolute path/],
  ["a drive path", () => named("C:evil"), /drive or a stream/],
  ["a backslash path", () => named("a\\..\\b"), /backslash/],
  ["a link", () => rawZip([{ name: "link", attrs: 0o120777 }]), /is a link/],
  ["a device file", () => rawZip([{ name: "dev", attrs: 0o020666 }]), /special file/],
  ["a duplicate name", () => rawZip([{ name: "a" }, { name: "a" }]), /is in it twice/],
  ["case-equal names", () => rawZip([{ name: "Readme" }, { name: "README" }]), /one name on some systems/],
  [
    "composed and decomposed names",
    () => rawZip([{ name: "\u00e9" }, { name: "e\u0301" }]),
    /one name on some systems/,
  ],
  ["a file that is also a folder", () => rawZip([{ name: "a" }, { name: "a/b" }]), /lies in what is a file/],
  ["a size that lies low", lying, /more bytes than it says/],
  ["a size that lies high", () => rawZip([{ name: "plugin.json", size: 99 }]), /another size than it says/],
  ["a huge size", () => rawZip([{ name: "a", size: 3e9 }]), /bytes: at most/],
  ["a ratio bomb", bomb, /grows more than 200 times/],
  ["a count bomb", () => rawZip(Array.from({ length: 2001 }, (_, i) => ({ name: `f${i}` }))), /2001 entries/],
  [
    "overlapping entries",
    () => rawZip([{ name: "a", data: text("xx") }, { name: "a2", localName: "a", at: 0 }]),
    /called otherwise|share bytes/,
  ],
  ["a device name", () => named("sub/NUL.txt"), /device on Windows/],
  ["a trailing dot", () => named("evil."), /not a name on Windows/],
  ["control characters", () => named("a\u0007b"), /control characters/],
  ["a direction override", () => named("a\u202egpj.exe"), /control characters/],
  ["a name that is called otherwise inside", () => rawZip([{ name: "a", localName: "b" }]), /called otherwise/],
  ["an encrypted file", () => rawZip([{ name: "a", flags: 1 }]), /encrypted/],
  ["a damaged file", () => rawZip([{ name: "plugin.json", data: manifest(), crc: 5 }]), /checksum is wrong/],
  ["no manifest", () => zipSync({ "main.js": script("1") }), /no plugin\.json at its root/],
  [
    "a giant manifest",
    () => zipSync({ "plugin.json": text(" ".repeat(300_000)), "main.js": script("1") }),
    /plugin\.json has 300000 bytes/,
  ],
  ["a manifest that is no JSON", () => zipSync({ "plugin.json": text("{"), "main.js": script("1") }), /no JSON/],
  ["an entry outside", () => zipSync({ ...good, "plugin.json": manifest({ entry: "../x.js" }) }), /wrong at "entry"/],
  [
    "an entry that is missing",
    () => zipSync({ ...good, "plugin.json": manifest({ entry: "other.js" }) }),
    /is not in it/,
  ],
  [
    "a wrong platform",
    () => zipSync({ ...good, "plugin.json": manifest({ platforms: ["windows-arm64"] }) }),
    /this machine is/,
  ],
  [
    "a name that shadows a built-in",
    () => zipSync({ ...good, "plugin.json": manifest({ name: "timer" }) }),
    /reserved/,
  ],
  ["a name that is no name", () => zipSync({ ...good, "plugin.json": manifest({ name: "a_b" }) }), /wrong at "name"/],
  [
    "a capability of the built-ins'",
    () => zipSync({ ...good, "plugin.json": manifest({ capabilities: ["host"] }) }),
    /capabilities/,
  ],
  [
    "code that loads other code",
    () => zipSync({ ...good, "main.js": text('export default import("./x.js")') }),
    /import\(\)/,
  ],
  ["a newer homed", () => zipSync({ ...good, "plugin.json": manifest({ min_core: "9.0.0" }) }), /needs homed 9\.0\.0/],
  ["something that is no archive", () => text("hello"), /no ZIP archive/],
];

async function listing(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of Deno.readDir(folder)) names.push(entry.name);
  return names.sort();
}

Deno.test("every hostile package is refused with its reason, and nothing is left behind", async (t) => {
  await using test = await testHost();
  const file = `${test.home}/x.hmap`;
  for (const [what, make, reason] of hostile) {
    await t.step(what, async () => {
      await Deno.writeFile(file, make());
      const refused = async () => {
        const { sha256 } = await test.host.inspect(file);
        await test.host.install(file, { sha256 });
      };
      await assert.rejects(refused, (error: Error) => error instanceof HomedError && reason.test(error.message));
      assert.deepEqual(await listing(`${test.home}/plugins`), []);
      assert.deepEqual(test.host.list(), []);
    });
  }
});

Deno.test("a package cut at any byte is refused", () => {
  const whole = zipSync(good, { level: 9 });
  for (let length = 0; length < whole.length; length++) {
    assert.throws(() => readZip(whole.slice(0, length)).forEach((entry) => entry.read()), HomedError);
  }
  assert.equal(readZip(whole).length, 2);
});

Deno.test("paths in permissions that hold or lie in the home are refused", async () => {
  await using test = await testHost();
  const file = `${test.home}/x.hmap`;
  for (const path of [test.home, `${test.home}/config.db`, "/", `${test.home}/plugin-data/other`]) {
    await Deno.writeFile(file, zipSync({ ...good, "plugin.json": manifest({ permissions: { read: [path] } }) }));
    await assert.rejects(() => test.host.inspect(file), /homed's home: refused/, path);
  }
});

Deno.test("install() shows what is asked, wants it confirmed, installs, upgrades while running and removes", async () => {
  await using test = await testHost();
  const file = `${test.home}/x.hmap`;
  const asks = { capabilities: ["memory"], permissions: { net: ["example.com"], run: true } };
  await Deno.writeFile(file, zipSync({ ...good, "plugin.json": manifest(asks) }));
  const report = await test.host.inspect(file);
  assert.deepEqual(report.asks, [
    "can read and change the memory graph",
    "can use the network: example.com",
    "can start programs: any",
  ]);
  await assert.rejects(() => test.host.install(file, { sha256: "0" }), /not the one that was confirmed/);
  assert.deepEqual(await test.host.install(file, report), { name: "weather", state: "running" });
  assert.equal((await test.tool("weather_now")).result, "sun");
  const { pid } = test.info("weather");

  await Deno.writeFile(file, zipSync({ "plugin.json": manifest({ version: "1.1.0" }), "main.js": script('"rain"') }));
  await test.host.install(file, await test.host.inspect(file));
  assert.equal((await test.tool("weather_now")).result, "rain");
  assert.equal(test.info("weather").version, "1.1.0");
  assert.equal(isAlive(pid!), false);

  // An upgrade that does not start changes nothing.
  const running = test.info("weather").pid;
  await Deno.writeFile(
    file,
    zipSync({
      "plugin.json": manifest({ version: "1.2.0" }),
      "main.js": text("export default { start() { throw new Error('no') } }"),
    }),
  );
  await assert.rejects(
    async () => await test.host.install(file, await test.host.inspect(file)),
    /is not installed: .*no/,
  );
  assert.equal(test.info("weather").pid, running);
  assert.equal((await test.tool("weather_now")).result, "rain");
  assert.deepEqual(await listing(`${test.home}/plugins`), ["weather"]);

  await test.host.remove("weather", { data: true, settings: true });
  assert.deepEqual(await listing(`${test.home}/plugins`), []);
  assert.deepEqual(await listing(`${test.home}/plugin-data`), []);
  assert.equal(test.kernel.tools.size, 0);
});

Deno.test("a package that does not start is not installed", async () => {
  await using test = await testHost({ limits: { restart_max: 0 } });
  const file = `${test.home}/x.hmap`;
  await Deno.writeFile(
    file,
    zipSync({ ...good, "main.js": text("export default { start() { throw new Error('never') } }") }),
  );
  await assert.rejects(async () => await test.host.install(file, await test.host.inspect(file)), /never/);
  assert.deepEqual(await listing(`${test.home}/plugins`), []);
});

Deno.test("reload() keeps the old process when the new one does not start", async () => {
  await using test = await testHost();
  const file = `${test.home}/x.hmap`;
  await Deno.writeFile(file, zipSync(good));
  await test.host.install(file, await test.host.inspect(file));
  const { pid } = test.info("weather");
  await Deno.writeTextFile(`${test.home}/plugins/weather/main.js`, "export default 5");
  await assert.rejects(() => test.host.reload("weather"), /default export/);
  assert.equal(test.info("weather").pid, pid);
  await Deno.writeFile(`${test.home}/plugins/weather/main.js`, script("2"));
  assert.deepEqual(await test.host.reload("weather"), { state: "running" });
  assert.equal((await test.tool("weather_now")).result, 2);
});

Deno.test("buildPackage() strips types, leaves out tests, and gives the same bytes every time", async () => {
  const dir = await Deno.makeTempDir();
  await Deno.writeFile(`${dir}/plugin.json`, manifest());
  await Deno.writeTextFile(
    `${dir}/main.ts`,
    `import type { Plugin } from "./homed.d.ts";\nexport default { start(sdk: unknown): void {} } satisfies Plugin;\n`,
  );
  await Deno.writeTextFile(`${dir}/main_test.ts`, "1");
  await Deno.writeTextFile(`${dir}/homed.d.ts`, "export type Plugin = object;");
  const built = await buildPackage(dir);
  const first = await Deno.readFile(built.path);
  const entries = readZip(first);
  assert.deepEqual(entries.map(({ path }) => path), ["main.js", "plugin.json"]);
  assert.match(new TextDecoder().decode(entries[0]!.read()), /export default \{ start\(sdk\)/);
  await Deno.utime(`${dir}/main.ts`, 1, 1);
  await buildPackage(dir);
  assert.deepEqual(await Deno.readFile(built.path), first);
  await Deno.writeTextFile(`${dir}/main.ts`, `import x from "./x.ts"; export default x;`);
  await assert.rejects(() => buildPackage(dir), /imports another module/);
  await Deno.remove(dir, { recursive: true });
});

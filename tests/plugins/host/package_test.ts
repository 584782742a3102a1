import assert from "node:assert/strict";
import { zipSync } from "fflate";
import { HomedError } from "../../../core/base/mod.ts";
import { buildPackage } from "../../../plugins/host/mod.ts";
import { readZip } from "../../../plugins/host/zip_reader.ts";
import { good, hostile, manifest, script, text } from "../../kit/hostile_packages.ts";
import { isAlive, testHost } from "./kit.ts";

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

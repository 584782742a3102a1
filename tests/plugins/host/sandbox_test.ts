import assert from "node:assert/strict";
import { landlockVersion } from "../../../plugins/host/landlock.ts";
import { seccompFilter } from "../../../plugins/host/seccomp.ts";
import { connectPorts, enforcement, workerPermissions } from "../../../plugins/host/sandbox.ts";
import { js, jsTool, raw, testHost } from "./kit.ts";

const landlock = landlockVersion();
const locked = (name: string, version: number, run: () => Promise<void>) =>
  Deno.test({
    name: landlock >= version ? name : `${name} (skipped: this kernel's Landlock is version ${landlock})`,
    ignore: landlock < version,
    fn: run,
  });

locked("a native plugin reaches only its folder, its data and what its manifest names", 6, async () => {
  const outside = await Deno.makeTempDir({ prefix: "homed-outside-" });
  await Deno.writeTextFile(`${outside}/secret`, "x");
  await Deno.mkdir(`${outside}/shared`);
  await Deno.writeTextFile(`${outside}/shared/file`, "abc");
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const other = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const unix = Deno.listen({ transport: "unix", path: `${outside}/socket` });
  await using test = await testHost({
    plugins: { "raw-touch": raw({ net: [`127.0.0.1:${listener.addr.port}`], read: [`${outside}/shared`] }) },
  });
  const touch = async (what: string, target: unknown) =>
    (await test.tool("raw-touch_run", { what, target })).result as { ok?: unknown; refused?: string };
  const data = `${test.home}/plugin-data/raw-touch`;
  assert.equal((await touch("write", `${data}/mine`)).ok, true);
  assert.equal((await touch("read", `${data}/mine`)).ok, 1);
  assert.ok((await touch("read", `${test.home}/plugins/raw-touch/plugin.json`)).ok);
  assert.equal((await touch("read", `${outside}/shared/file`)).ok, 3);
  assert.ok((await touch("connect", listener.addr.port)).ok);
  for (
    const [what, target] of [
      ["read", `${outside}/secret`],
      ["read", "/etc/passwd"],
      ["read", `/proc/${Deno.pid}/environ`],
      ["write", `${outside}/shared/file`],
      ["write", `${test.home}/plugins/raw-touch/plugin.json`],
      ["write", `${test.home}/config.db`],
      ["connect", other.addr.port],
      ["unix", `${outside}/socket`],
      ["run", "/bin/echo"],
      ["kill", Deno.pid],
    ] as const
  ) {
    const { refused } = await touch(what, target);
    assert.match(refused ?? "", /denied|permitted|PermissionDenied|NotCapable/i, `${what} ${target}`);
  }
  assert.equal((await touch("env", "HOME")).ok, data);
  for (const open of [listener, other, unix]) open.close();
  await Deno.remove(outside, { recursive: true });
});

locked("a native plugin without `net` cannot send UDP either, and `run` names what it may start", 1, async () => {
  await using test = await testHost({ plugins: { "raw-touch": raw({ run: ["echo"] }) } });
  const touch = async (what: string, target: unknown) =>
    (await test.tool("raw-touch_run", { what, target })).result as { ok?: unknown; refused?: string };
  assert.match((await touch("udp", 0)).refused ?? "", /denied/i);
  assert.equal((await touch("run", "/bin/echo")).ok, true);
  assert.ok((await touch("run", "/bin/ls")).refused);
});

Deno.test("a JS plugin without permissions is refused everything, and told which entry would allow it", async () => {
  const outside = await Deno.makeTempFile();
  const body = `
    const tries = {
      read: () => Deno.readTextFile(${JSON.stringify(outside)}),
      write: () => Deno.writeTextFile(${JSON.stringify(outside)}, "x"),
      net: () => fetch("http://127.0.0.1:6553/"),
      env: () => Deno.env.get("HOME"),
      run: () => new Deno.Command("echo").output(),
      ffi: () => Deno.dlopen("libc.so.6", {}),
      sys: () => Deno.hostname(),
      worker: () => new globalThis["Wor" + "ker"]("data:text/javascript,1", {type: "module"}),
      indirect: () => globalThis["ev" + "al"]("1"),
      constructed: () => (() => {})["construc" + "tor"]("return 1")(),
      process: () => globalThis["pro" + "cess"]["getBuiltin" + "Module"]("node:fs"),
    };
    return await tries[args.what]();`;
  await using test = await testHost({ plugins: { shut: js(jsTool("shut_try", body)) } });
  assert.equal(test.state("shut"), "running", test.info("shut").reason);
  const message = async (what: string) => {
    try {
      await test.tool("shut_try", { what });
    } catch (error) {
      return (error as Error).message;
    }
    return "allowed";
  };
  for (const kind of ["read", "write", "net", "env", "run"]) {
    assert.match(
      await message(kind),
      new RegExp(`refused ${kind} access.*"permissions\\.${kind}" of its plugin\\.json`),
    );
  }
  for (const kind of ["ffi", "sys"]) assert.match(await message(kind), /no entry of plugin\.json allows that/);
  assert.match(await message("worker"), /Plugins cannot use Worker/);
  for (const kind of ["indirect", "constructed"]) assert.match(await message(kind), /code made from a text/);
  assert.match(await message("process"), /undefined/);
  await Deno.remove(outside);
});

locked("what the system refuses a native plugin is told with the entries that would allow it", 1, async () => {
  await using test = await testHost({ plugins: { "raw-throw": raw() } });
  await assert.rejects(
    () => test.tool("raw-throw_run", { target: "/etc/passwd" }),
    /denied.*plugin\.json: .*"permissions\.read"/i,
  );
});

locked("a symbolic link in its data folder leads a JS plugin nowhere", 1, async () => {
  const outside = await Deno.makeTempFile();
  await Deno.writeTextFile(outside, "secret");
  await using test = await testHost({
    plugins: { climb: js(jsTool("climb_read", 'return await Deno.readTextFile(sdk.dataDir + "/link");')) },
  });
  await Deno.symlink(outside, `${test.home}/plugin-data/climb/link`);
  await assert.rejects(() => test.tool("climb_read"), /was refused|denied/i);
  await Deno.remove(outside);
});

Deno.test("a JS plugin may do what its manifest names", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/in`, "abc");
  const body = `await Deno.writeTextFile(sdk.dataDir + "/x", "y");
    return [await Deno.readTextFile(${JSON.stringify(folder)} + "/in"), Deno.env.get("LANG_OF_TEST") ?? null];`;
  await using test = await testHost({
    plugins: {
      wide: { ...js(jsTool("wide_try", body)), manifest: { permissions: { read: [folder], env: ["LANG_OF_TEST"] } } },
    },
    ports: { env: { ...Deno.env.toObject(), LANG_OF_TEST: "de" } },
  });
  assert.deepEqual((await test.tool("wide_try")).result, ["abc", "de"]);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("connectPorts() takes 80 and 443 where no port is named", () => {
  assert.deepEqual(connectPorts(["example.com", "127.0.0.1:8080"]), [80, 443, 8080]);
  assert.deepEqual(connectPorts([]), []);
  assert.equal(connectPorts(["*"]), "any");
});

Deno.test("workerPermissions() gives nothing that was not asked for", () => {
  const { read, write, ...rest } = workerPermissions({}, { dir: "/p", dataDir: "/d", userHome: "/u" });
  assert.deepEqual([read, write], [["/p", "/d"], ["/d"]]);
  assert.deepEqual(rest, { net: false, env: false, run: false, ffi: false, sys: false, import: false });
});

Deno.test("enforcement() says what is not enforced where there is no Landlock", () => {
  const native = enforcement("native", 0);
  assert.ok(native.every(({ enforced }) => !enforced));
  assert.ok(enforcement("js", 7).every(({ enforced }) => enforced));
});

Deno.test("seccompFilter() is made of whole instructions and ends with a refusal", () => {
  for (const arch of ["x86_64", "aarch64"] as const) {
    const filter = seccompFilter({ net: false, arch });
    assert.equal(filter.length % 8, 0);
    const last = new DataView(filter.buffer).getUint32(filter.length - 4, true);
    assert.equal(last, 0x0005000d);
  }
});

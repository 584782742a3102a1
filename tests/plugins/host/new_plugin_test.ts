import assert from "node:assert/strict";
import { LuaFactory } from "wasmoon";
import { buildPackage, newPlugin, type PluginLanguage } from "../../../plugins/host/mod.ts";
import { hasPython } from "../../kit/python.ts";
import { testHost } from "./kit.ts";

for (const lang of ["ts", "python", "lua"] as PluginLanguage[]) {
  const skipped = lang === "python" && !hasPython;
  Deno.test({
    name: `a new ${lang} plugin is built, installed and works at once${skipped ? " (skipped: no python3 here)" : ""}`,
    ignore: skipped,
    async fn() {
      await using test = await testHost();
      const dir = `${test.home}/mine`;
      await newPlugin("mine", { lang, dir });
      const { path } = await buildPackage(dir);
      const report = await test.host.inspect(path);
      assert.deepEqual(report.asks, lang === "python" ? ["is a program of its own"] : []);
      await test.host.install(path, report);
      assert.equal((await test.tool("mine_hello", { name: "Ada" })).result, "Hello, Ada!");
    },
  });
}

async function run(command: string, args: string[], cwd: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args, cwd, env: { NO_COLOR: "1" } }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assert.ok(success, text);
  return text;
}

Deno.test("the test of a new TypeScript plugin passes, and its types are the SDK's", async () => {
  const dir = `${await Deno.makeTempDir()}/mine`;
  await newPlugin("mine", { lang: "ts", dir });
  await run(Deno.execPath(), ["test", "--no-config", "--no-lock", "-A", "main_test.ts"], dir);
  const sdk = new URL("../../../plugins/sdk/plugin.ts", import.meta.url).href;
  const config = new URL("../../../deno.json", import.meta.url).pathname;
  await Deno.writeTextFile(
    `${dir}/same.ts`,
    `import type { Sdk } from "${sdk}";\nimport type * as own from "./homed.d.ts";\n` +
      `export const same = (sdk: Sdk): own.Sdk => sdk;\n`,
  );
  await run(Deno.execPath(), ["check", "--config", config, "same.ts"], dir);
  await Deno.remove(dir, { recursive: true });
});

Deno.test({
  name: `the test of a new Python plugin passes${hasPython ? "" : " (skipped: no python3 here)"}`,
  ignore: !hasPython,
  async fn() {
    const dir = `${await Deno.makeTempDir()}/mine`;
    await newPlugin("mine", { lang: "python", dir });
    assert.match(await run("python3", ["main_test.py"], dir), /OK/);
    await Deno.remove(dir, { recursive: true });
  },
});

/** Runs the stand-alone mock over a plugin's file, as `lua homed_mock.lua main.lua …` would. Answers what it printed. */
async function mockLua(
  { files, args, settings }: { files: Record<string, string>; args: string[]; settings: Record<string, string> },
): Promise<string[]> {
  const factory = new LuaFactory();
  for (const [name, text] of Object.entries(files)) await factory.mountFile(name, text);
  const engine = await factory.createEngine();
  const printed: string[] = [];
  engine.global.set("print", (text: string) => void printed.push(text));
  const variables = Object.entries(settings).map(([name, value]) => `HOMED_SETTING_${name} = [==[${value}]==]`);
  const words = args.map((word) => `[==[${word}]==]`);
  try {
    await engine.doString(`local variables = {${variables.join(", ")}}
      os.getenv = function(name) return variables[name] end
      arg = {[0] = "tests/homed_mock.lua", ${words.join(", ")}}
      dofile(arg[0])`);
  } finally {
    engine.global.close();
  }
  return printed;
}

const LUA_SDK = new URL("../../../plugins/sdk/lua/", import.meta.url);

Deno.test("the Lua mock runs a plugin's file outside homed", async () => {
  const dir = `${await Deno.makeTempDir()}/mine`;
  await newPlugin("mine", { lang: "lua", dir });
  const files: Record<string, string> = {};
  for (const name of ["main.lua", "tests/homed_mock.lua", "tests/prelude.lua"]) {
    files[name] = await Deno.readTextFile(`${dir}/${name}`);
  }
  const args = ["main.lua", "tool", "mine_hello", '{"name": "Ada"}'];
  const printed = await mockLua({ files, args, settings: { greeting: "Hello" } });
  assert.ok(printed.some((line) => line.startsWith("core.tool.register ")));
  assert.ok(printed.some((line) => line.includes('"result":"Hello, Ada!"')), printed.join("\n"));
  await Deno.remove(dir, { recursive: true });
});

Deno.test("the Lua mock carries out what sdk.after puts off, once all else is done", async () => {
  const files = {
    "main.lua": await Deno.readTextFile(new URL("../../../docs/plugins/nudge/main.lua", import.meta.url)),
    "tests/homed_mock.lua": await Deno.readTextFile(new URL("homed_mock.lua", LUA_SDK)),
    "tests/prelude.lua": await Deno.readTextFile(new URL("prelude.lua", LUA_SDK)),
  };
  const args = ["main.lua", "tool", "nudge_me", '{"text": "tea", "minutes": 2}'];
  const printed = await mockLua({ files, args, settings: { waiting: "[]" } });
  const at = (part: string) => printed.findIndex((line) => line.includes(part));
  assert.ok(printed.some((line) => /^after 1(?:19|20)\.?0? s$/.test(line)), printed.join("\n"));
  const order = [at("after "), at("I will come back to: tea"), at('core.io.injectInterrupt {"')];
  assert.ok(order.every((place) => place >= 0), printed.join("\n"));
  assert.deepEqual(order, order.toSorted((a, b) => a - b), "first the answer, then what was put off");
  assert.match(printed[order[2]!]!, /Nudge: tea/);
});

Deno.test("newPlugin() refuses names that cannot be and folders that are there", async () => {
  const dir = await Deno.makeTempDir();
  for (const name of ["Timer", "timer", "a_b", "x", "core"]) {
    await assert.rejects(() => newPlugin(name, { lang: "ts", dir: `${dir}/new` }), /Cannot call a plugin/);
  }
  await assert.rejects(() => newPlugin("mine", { lang: "ts", dir }), /something else of that name is there/);
  await Deno.remove(dir, { recursive: true });
});

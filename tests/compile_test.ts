import assert from "node:assert/strict";
import { compileArguments, readArguments, TARGETS } from "../compile.ts";
import { embeddedPaths } from "../compile/bundle.ts";
import { fileInTar, withoutProgram } from "../compile/denort.ts";

const ROOT = new URL("../", import.meta.url);

function* workers(folder: URL, prefix: string): Generator<string> {
  for (const entry of Deno.readDirSync(folder)) {
    if (entry.isDirectory) yield* workers(new URL(`${entry.name}/`, folder), `${prefix}${entry.name}/`);
    else if (entry.name === "worker.ts") yield prefix + entry.name;
  }
}

Deno.test("every worker.ts of every room is embedded, and the walk finds some", () => {
  const embedded = embeddedPaths(decodeURIComponent(ROOT.pathname));
  const found = ["core", "memory", "plugins", "adapters"].flatMap((room) => [
    ...workers(new URL(`${room}/`, ROOT), `${room}/`),
  ]);
  assert.ok(found.length >= 3, `found only ${found}`);
  for (const worker of found) assert.ok(embedded.includes(worker), `${worker} is started by nobody or not embedded`);
});

Deno.test("all adapter scripts are embedded", () => {
  const embedded = embeddedPaths(decodeURIComponent(ROOT.pathname));
  const scripts = [...Deno.readDirSync(new URL("adapters/scripts/", ROOT))].filter((entry) =>
    entry.name.endsWith(".lua")
  );
  assert.ok(scripts.length >= 8);
  for (const { name } of scripts) {
    const path = `adapters/scripts/${name}`;
    assert.ok(embedded.some((item) => path === item || path.startsWith(`${item}/`)), `${path} is not embedded`);
  }
});

Deno.test("each target gets its command line: no prompt, its own name, the executable's ending", () => {
  for (const [target, name] of Object.entries(TARGETS)) {
    const request = readArguments(["--target", target], "x86_64-unknown-linux-gnu");
    assert.ok(request.output.endsWith(`/${name}`));
    const args = compileArguments({
      ...request,
      bundled: { folder: "/", main: "main.js", include: ["core.kernel.worker.js"] },
    });
    assert.equal(args[args.indexOf("--include") + 1], "core.kernel.worker.js");
    assert.equal(args[0], "compile");
    assert.ok(args.includes("--no-prompt"));
    assert.match(
      args.find((arg) => arg.startsWith("--v8-flags="))!,
      /--max-semi-space-size=\d+,--heap-growing-percent=/,
    );
    assert.equal(args[args.indexOf("--target") + 1], target);
    assert.equal(args.at(-1), "main.js");
  }
  assert.equal(readArguments([], "x86_64-unknown-linux-gnu").output, "dist/homed");
  assert.equal(readArguments(["--target=x86_64-pc-windows-msvc"], "x86_64-unknown-linux-gnu").output.slice(-4), ".exe");
});

Deno.test("a wrong option or target is a sentence that names what there is", () => {
  assert.throws(() => readArguments(["--fast"]), /no option "--fast".*--target/);
  assert.throws(() => readArguments(["--target", "amiga"]), /"amiga".*x86_64-unknown-linux-gnu/);
  assert.throws(() => readArguments(["--output"]), /--output wants a value/);
});

Deno.test("the runtime is cut out only where its section headers end", () => {
  const program = new Uint8Array(400);
  const view = new DataView(program.buffer);
  view.setBigUint64(0x28, 200n, true); // section headers begin
  view.setUint16(0x3a, 40, true); // bytes each
  view.setUint16(0x3c, 2, true); // how many: they end at 280
  view.setUint32(384, 0x501e, true);
  view.setBigUint64(392, 120n, true); // 400 − 120 = 280
  assert.equal(withoutProgram(program).length, 280);
  view.setBigUint64(392, 100n, true);
  assert.throws(() => withoutProgram(program), /should end at 280, not at 300/);
  view.setUint32(384, 7, true);
  assert.throws(() => withoutProgram(program), /no program of deno compile/);
});

Deno.test("a file is found in a tar archive behind others of any size", () => {
  const entry = (name: string, body: string) => {
    const block = new Uint8Array(512 + Math.ceil(body.length / 512) * 512);
    new TextEncoder().encodeInto(name, block);
    new TextEncoder().encodeInto(body.length.toString(8).padStart(11, "0"), block.subarray(124));
    new TextEncoder().encodeInto(body, block.subarray(512));
    return [...block];
  };
  const tar = new Uint8Array([...entry("a", "x".repeat(513)), ...entry("b", "wanted"), ...new Uint8Array(1024)]);
  assert.equal(new TextDecoder().decode(fileInTar(tar, "b")), "wanted");
  assert.throws(() => fileInTar(tar, "c"), /holds no c/);
});

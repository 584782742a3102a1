/** homed as a few JavaScript files: what an entry loads in one file, what several share in files between them, all in one
 * folder. An executable made from these starts in less than half the time of one made from the sources, which carries
 * every package with all its files. @module */
import { builtinModules } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import * as esbuild from "esbuild";
import { isThere } from "../core/base/files.ts";
import { checkIntegrity, filesInTar, gunzip, type Run } from "./denort.ts";

/** Rooms whose sources go into the executable. */
const ROOMS = ["core", "memory", "plugins", "adapters"];

/** The package that stays one: its native code, a package of its own for each platform, is found beside its files. */
const NATIVE = "@lydell/node-pty";

/** What npm calls Deno's targets. */
const PLATFORMS: Record<string, string> = {
  "x86_64-unknown-linux-gnu": "linux-x64",
  "aarch64-unknown-linux-gnu": "linux-arm64",
  "x86_64-apple-darwin": "darwin-x64",
  "aarch64-apple-darwin": "darwin-arm64",
  "x86_64-pc-windows-msvc": "win32-x64",
};

/** A file that a module opens by `new URL("./…", import.meta.url)`, or out of a package. */
const LOCAL_URL = /new URL\(\s*"(\.\.?\/[^"]+)",\s*import\.meta\.url,?\s*\)/g;
const PACKAGE_URL = /new URL\(\s*"([^"]+)",\s*import\.meta\.resolve\("([^"]+)"\),?\s*\)/g;

/** Every path that the rooms' sources name with `new URL("./…", import.meta.url)`, relative to the root, sorted: workers,
 * adapters, templates, pages. */
export function embeddedPaths(root: string): string[] {
  const found = new Set<string>();
  for (const room of ROOMS) {
    for (const file of filesBelow(join(root, room))) {
      if (!file.endsWith(".ts")) continue;
      for (const [, path] of Deno.readTextFileSync(file).matchAll(LOCAL_URL)) {
        const inside = insideOf(root, resolve(dirname(file), path!));
        if (inside !== undefined && isThere(join(root, inside))) found.add(inside);
      }
    }
  }
  return [...found].sort();
}

/** The path relative to the root; undefined for the root itself and its rooms: who names those wants to know where they
 * are, not what is in them. */
function insideOf(root: string, path: string): string | undefined {
  const inside = relative(root, path).replaceAll("\\", "/");
  return inside === "" || inside.startsWith("..") || ROOMS.includes(inside) ? undefined : inside;
}

/** One name in a flat folder for a path of the tree. */
const flat = (path: string) => path.replaceAll("/", ".");

export interface Bundled {
  folder: string;
  /** The program, and what else goes into the executable, below the folder. */
  main: string;
  include: string[];
}

/** Builds everything for `target` into the empty folder `out`. `run` runs programs.
 * @throws {Error} when a module does not bundle */
export async function bundle(options: { root: string; out: string; target: string; run: Run }): Promise<Bundled> {
  const { root, out, target, run } = options;
  const packages = await installPackages(root, join(out, "packages"), run);
  const paths = embeddedPaths(root);
  const workers = paths.filter((path) => path.endsWith(".ts"));
  const assets = new Map(paths.filter((path) => !path.endsWith(".ts")).map((path) => [join(root, path), flat(path)]));
  const files = join(out, "files");
  await esbuild.build({
    entryPoints: ["main.ts", ...workers].map((path) => ({
      in: join(root, path),
      out: flat(path).replace(/\.ts$/, ""),
    })),
    outdir: files,
    bundle: true,
    splitting: true,
    chunkNames: "shared-[hash]",
    format: "esm",
    platform: "neutral",
    target: "esnext",
    mainFields: ["module", "main"],
    conditions: ["deno", "import", "module"],
    nodePaths: [join(packages, "node_modules")],
    external: [NATIVE],
    legalComments: "eof",
    logLevel: "error",
    plugins: [flatUrls(root, packages, assets)],
  });
  await esbuild.stop();
  await giveCommonJs(files);
  for (const [from, name] of assets) await copy(from, join(files, name));
  await placeNative({ root, packages, files, platform: PLATFORMS[target]!, run });
  await Deno.writeTextFile(join(files, "deno.json"), await settings(root));
  return {
    folder: files,
    main: "main.js",
    include: [...workers.map((path) => flat(path).replace(/\.ts$/, ".js")), ...assets.values()],
  };
}

/** CommonJS packages ask for Node's own modules by `require`, and for `__filename`, which a module does not have by itself.
 * Only the files that ask get them: loading Node's loader takes time. */
async function giveCommonJs(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (!name.endsWith(".js")) continue;
    const text = await Deno.readTextFile(path);
    const head = [
      /\b__require = /.test(text) &&
      'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);',
      /\b__filename\b/.test(text) && "const __filename = import.meta.filename;",
    ].filter((line) => line !== false);
    if (head.length > 0) await Deno.writeTextFile(path, `${head.join("\n")}\n${text}`);
  }
}

/** Rewrites what modules open to where it lies in the flat folder; what comes out of packages joins the assets. */
function flatUrls(root: string, packages: string, assets: Map<string, string>): esbuild.Plugin {
  return {
    name: "flat-urls",
    setup(build) {
      const builtins = new RegExp(`^(node:)?(${builtinModules.join("|")})$`);
      build.onResolve(
        { filter: builtins },
        ({ path }) => ({ path: `node:${path.replace(/^node:/, "")}`, external: true }),
      );
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (insideOf(root, path) === undefined) return undefined;
        const text = await Deno.readTextFile(path);
        const contents = text
          .replace(LOCAL_URL, (whole, named: string) => {
            const target = resolve(dirname(path), named);
            const inside = insideOf(root, target);
            if (inside === undefined || !isThere(target)) return whole;
            const name = flat(inside.replace(/\.ts$/, ".js")) + (named.endsWith("/") ? "/" : "");
            return `new URL("./${name}", import.meta.url)`;
          })
          .replace(PACKAGE_URL, (_, file: string, specifier: string) => {
            // Not `.wasm`: what is included under that name is taken for a module.
            const name = `${flat(specifier)}.${file}.bin`;
            assets.set(join(packageFolder(packages, specifier), file), name);
            return `new URL("./${name}", import.meta.url)`;
          });
        return { contents, loader: "ts", resolveDir: dirname(path) };
      });
    },
  };
}

/** Where a package's main module lies: what it names beside itself is found there. */
function packageFolder(packages: string, specifier: string): string {
  const [, name, rest] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.*))?$/.exec(specifier)!;
  const folder = join(packages, "node_modules", name!);
  const { exports, module, main } = JSON.parse(Deno.readTextFileSync(join(folder, "package.json")));
  const entry = exports?.[rest ? `./${rest}` : "."];
  const file = typeof entry === "string"
    ? entry
    : entry?.import?.default ?? entry?.import ?? entry?.default ?? module ?? main;
  return dirname(join(folder, file));
}

/** The packages of the lock file as a `node_modules` that the bundler can read. */
async function installPackages(root: string, folder: string, run: Run): Promise<string> {
  const { imports } = JSON.parse(await Deno.readTextFile(join(root, "import_map.json")));
  await Deno.mkdir(folder, { recursive: true });
  const lock = { path: "./deno.lock", frozen: true };
  await Deno.writeTextFile(join(folder, "deno.json"), JSON.stringify({ nodeModulesDir: "auto", lock, imports }));
  await Deno.copyFile(join(root, "deno.lock"), join(folder, "deno.lock"));
  await run(Deno.execPath(), ["install", "--quiet"], { cwd: folder });
  return folder;
}

/** The native package with the code of one platform, as the flat folder's only `node_modules`. That of another platform
 * comes from npm, checked against the lock file. */
async function placeNative(
  options: { root: string; packages: string; files: string; platform: string; run: Run },
): Promise<void> {
  const { root, packages, files, platform, run } = options;
  const { npm } = JSON.parse(await Deno.readTextFile(join(root, "deno.lock")));
  const version = Object.keys(npm).find((name) => name.startsWith(`${NATIVE}@`))!.slice(NATIVE.length + 1);
  const modules = join(files, "node_modules");
  await copy(join(packages, "node_modules", NATIVE), join(modules, NATIVE));
  const code = `${NATIVE}-${platform}`;
  const installed = join(packages, `node_modules/.deno/${code.replace("/", "+")}@${version}/node_modules`, code);
  const from = isThere(installed) ? installed : await unpackPackage({
    spec: `${code}@${version}`,
    integrity: npm[`${code}@${version}`].integrity,
    folder: packages,
    run,
  });
  await copy(from, join(modules, code));
  await Deno.writeTextFile(join(files, "package.json"), JSON.stringify({ dependencies: { [NATIVE]: version } }));
}

async function unpackPackage(options: { spec: string; integrity: string; folder: string; run: Run }): Promise<string> {
  const { spec, integrity, folder, run } = options;
  const packed = join(folder, "packed");
  await Deno.mkdir(packed, { recursive: true });
  await run("npm", ["pack", spec, "--pack-destination", packed, "--silent"], { cwd: folder });
  const [archive] = [...Deno.readDirSync(packed)];
  const bytes = await Deno.readFile(join(packed, archive!.name));
  checkIntegrity(spec, bytes, integrity);
  const to = join(folder, "unpacked");
  for (const { name, body } of filesInTar(await gunzip(bytes))) {
    const path = join(to, name);
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeFile(path, body);
  }
  return join(to, "package");
}

/** The settings of the flat folder: those of the project that the program needs. */
async function settings(root: string): Promise<string> {
  const { unstable } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
  return JSON.stringify({ nodeModulesDir: "manual", unstable, lock: false });
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of Deno.readDirSync(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) yield* filesBelow(path);
    else yield path;
  }
}

async function copy(from: string, to: string): Promise<void> {
  if (!(await Deno.stat(from)).isDirectory) return await Deno.copyFile(from, to);
  await Deno.mkdir(to, { recursive: true });
  for await (const entry of Deno.readDir(from)) await copy(join(from, entry.name), join(to, entry.name));
}

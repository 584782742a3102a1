import { HomedError } from "../../core/base/mod.ts";
import type { InstalledPlugin } from "./manifest.ts";

/** How a plugin's process is started, and what that needs to be readable and startable. */
export interface Program {
  command: string;
  args: string[];
  /** Paths that are read besides the system's. */
  reads: string[];
  /** Files that may be started: the program itself and its interpreter. */
  runs: string[];
  /** Programs that the manifest's `run` list names, as found. */
  declared: string[];
  /** Environment that it needs. */
  env: Record<string, string>;
}

export interface ProgramOptions {
  plugin: InstalledPlugin;
  /** How homed is run again. */
  homed: string[];
  /** What the script host is told: the JSON argument of `__plugin-host`. */
  hostArgument: string;
  env: Record<string, string>;
}

/** Finds out how to start a plugin: JS and Lua in homed re-run as their host, an executable by itself or by the
 * interpreter in its first line.
 * @throws {HomedError} `program`, when its interpreter is not there */
export async function programFor(options: ProgramOptions): Promise<Program> {
  const { plugin, homed, env } = options;
  const declared = declaredPrograms(plugin.manifest.permissions?.run, env);
  if (plugin.kind === "native") {
    return { ...await nativeProgram(`${plugin.dir}/${plugin.manifest.entry}`, env), declared };
  }
  return { ...homedProgram(homed, ["__plugin-host", options.hostArgument], env), declared };
}

/** homed itself as the program. From source it needs its tree and Deno's cache; compiled, its own file. */
export function homedProgram(homed: string[], args: string[], env: Record<string, string>): Omit<Program, "declared"> {
  const [command, ...before] = homed as [string, ...string[]];
  const program = { command, args: [...before, ...args], runs: [Deno.realPathSync(command)] };
  if (before.length === 0) return { ...program, reads: [command], env: { NO_COLOR: "1" } };
  const cache = env.DENO_DIR ??
    (Deno.build.os === "darwin"
      ? `${env.HOME}/Library/Caches/deno`
      : `${env.XDG_CACHE_HOME ?? `${env.HOME}/.cache`}/deno`);
  const root = new URL("../../", import.meta.url).pathname;
  return {
    ...program,
    reads: [command, decodeURIComponent(root), cache, ...sourceRoots(before)],
    env: { NO_COLOR: "1", DENO_DIR: cache, DENO_NO_UPDATE_CHECK: "1" },
  };
}

/** Folders of the scripts on the command line. */
function sourceRoots(args: string[]): string[] {
  return args.filter((arg) => arg.endsWith(".ts")).map((arg) => arg.slice(0, arg.lastIndexOf("/") + 1) || ".");
}

async function nativeProgram(entry: string, env: Record<string, string>): Promise<Omit<Program, "declared">> {
  const real = Deno.realPathSync(entry);
  const line = await firstLine(real);
  if (!line.startsWith("#!")) return { command: real, args: [], reads: [], runs: [real], env: {} };
  const words = line.slice(2).trim().split(/\s+/);
  if (/(^|\/)env$/.test(words[0] ?? "")) {
    words.shift();
    if (words[0] === "-S") words.shift();
  }
  const [name, ...args] = words;
  const interpreter = name && findProgram(name, env);
  if (!interpreter) {
    throw new HomedError("program", `Cannot start ${entry}: there is no "${name ?? ""}" on this machine`, {
      fix: `install ${name ?? "its interpreter"}`,
    });
  }
  const found = /python/.test(name) ? await pythonHome(interpreter) : undefined;
  const command = found?.executable ?? Deno.realPathSync(interpreter);
  return {
    command,
    args: [...args, real],
    reads: [...found?.prefixes ?? [], ...prefixOf(command)],
    runs: [command, real],
    env: found ? { PYTHONDONTWRITEBYTECODE: "1", PYTHONUNBUFFERED: "1", PYTHONNOUSERSITE: "1" } : {},
  };
}

async function firstLine(path: string): Promise<string> {
  using file = await Deno.open(path);
  const bytes = new Uint8Array(256);
  const read = await file.read(bytes) ?? 0;
  return new TextDecoder().decode(bytes.subarray(0, read)).split("\n")[0] ?? "";
}

/** A program by its name in PATH, or by its path. */
export function findProgram(name: string, env: Record<string, string>): string | undefined {
  const candidates = name.includes("/") ? [name] : (env.PATH ?? "").split(":").map((folder) => `${folder}/${name}`);
  return candidates.find((path) => {
    try {
      const stat = Deno.statSync(path);
      return stat.isFile && ((stat.mode ?? 0o111) & 0o111) !== 0;
    } catch {
      // Not there: the next folder may have it.
      return false;
    }
  });
}

const pythons = new Map<string, Promise<{ executable: string; prefixes: string[] } | undefined>>();

/** Where a Python really lives: what is in PATH may be a shim. */
function pythonHome(path: string): Promise<{ executable: string; prefixes: string[] } | undefined> {
  const known = pythons.get(path);
  if (known) return known;
  const asked = (async () => {
    const code = "import sys; print(sys.executable); print(sys.prefix); print(sys.base_prefix)";
    const { success, stdout } = await new Deno.Command(path, { args: ["-I", "-c", code], stdin: "null" }).output();
    const [executable, ...prefixes] = new TextDecoder().decode(stdout).trim().split("\n");
    if (!success || !executable) return undefined;
    return { executable: Deno.realPathSync(executable), prefixes: [...new Set(prefixes)].filter(isPrivatePrefix) };
  })();
  pythons.set(path, asked);
  return asked;
}

const isPrivatePrefix = (prefix: string) => prefix !== "/" && !prefix.startsWith("/usr");

/** The folder that a program outside the system's belongs to. */
function prefixOf(program: string): string[] {
  const folder = program.slice(0, program.lastIndexOf("/"));
  const prefix = folder.endsWith("/bin") ? folder.slice(0, -4) : folder;
  return isPrivatePrefix(prefix) && prefix !== "" ? [prefix] : [program];
}

function declaredPrograms(run: boolean | string[] | undefined, env: Record<string, string>): string[] {
  if (!Array.isArray(run)) return [];
  return run.flatMap((name) => {
    const path = findProgram(name, env);
    return path ? [path, Deno.realPathSync(path)] : [];
  });
}

import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { HomedError } from "../base/errors.ts";
import { reasonOf } from "../base/system_error.ts";

/** Where everything of one home is. */
export class Home {
  readonly root: string;

  constructor(root: string) {
    this.root = resolve(root);
  }

  /** A path below the home folder; an absolute one stays as it is. */
  path(...parts: string[]): string {
    const last = parts.at(-1)!;
    return parts.length === 1 && isAbsolute(last) ? last : join(this.root, ...parts);
  }

  get config(): string {
    return this.path("config.db");
  }
  get lock(): string {
    return this.path("run/lock");
  }
  get socket(): string {
    return this.path("run/homed.sock");
  }
  /** Where clients find it when not at the usual place: another path, or a loopback port and a token. */
  get address(): string {
    return this.path("run/homed.addr");
  }
  get log(): string {
    return this.path("logs/homed.log");
  }
  get adapters(): string {
    return this.path("adapters");
  }
  get persona(): string {
    return this.path("persona.md");
  }
}

const FOLDERS = ["adapters", "plugins", "plugin-data", "skills", "knowledge", "memory", "models", "logs", "run"];

export interface HomeChoice {
  /** From `--home`. */
  flag?: string | undefined;
  env: Readonly<Record<string, string>>;
  os: typeof Deno.build.os;
}

/** Which home folder is meant: `--home`, `HOMED_HOME`, else the system's place for such data.
 * @throws {HomedError} code `no_home` when the system names no place */
export function resolveHome({ flag, env, os }: HomeChoice): Home {
  const named = flag ?? env.HOMED_HOME;
  if (named) return new Home(os === "windows" ? named : realPathOf(resolve(named)));
  const nowhere = (variable: string) =>
    new HomedError("no_home", `Cannot tell where the home folder is, as ${variable} is not set`, {
      fix: "name one with --home DIR or HOMED_HOME",
    });
  if (os === "windows") {
    if (!env.LOCALAPPDATA) throw nowhere("LOCALAPPDATA");
    return new Home(join(env.LOCALAPPDATA, "homed"));
  }
  if (os !== "darwin" && env.XDG_DATA_HOME && isAbsolute(env.XDG_DATA_HOME)) {
    return new Home(realPathOf(join(env.XDG_DATA_HOME, "homed")));
  }
  if (!env.HOME) throw nowhere("HOME");
  const below = os === "darwin" ? "Library/Application Support/homed" : ".local/share/homed";
  return new Home(realPathOf(join(env.HOME, below)));
}

/** The path without links, as far as it is there: the workers' rights are for real folders. */
export function realPathOf(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    // Not there yet, or not to be looked at: what is wrong is told when it is made.
    const parent = dirname(path);
    return parent === path ? path : join(realPathOf(parent), basename(path));
  }
}

/** What must not be a folder. */
const FILES = [
  "config.db",
  "schema.json",
  "persona.md",
  "run/lock",
  "run/homed.addr",
  "memory/context.json",
  "memory/context.log",
  "memory/graph.db",
  "memory/index.db",
];

/** Makes the home folder and its parts, for its owner alone. From here on, every file that this process makes is its
 * owner's alone, whatever the umask was.
 * @throws {HomedError} code `home` when it cannot be made or written */
export function prepareHome(home: Home): void {
  if (Deno.build.os !== "windows") Deno.umask(0o077);
  for (const folder of ["", ...FOLDERS]) {
    const path = folder === "" ? home.root : home.path(folder);
    try {
      Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
      if (Deno.build.os !== "windows") Deno.chmodSync(path, 0o700);
    } catch (error) {
      const where = path === home.root ? "" : ` ${path}:`;
      const reason = error instanceof Deno.errors.AlreadyExists ? "it is no folder" : reasonOf(error);
      throw new HomedError("home", `Cannot use ${home.root} as the home folder:${where} ${reason}`, {
        fix: "name another with --home DIR or HOMED_HOME, or make it a folder that you may write",
        cause: error,
      });
    }
  }
  for (const path of FILES.map((file) => home.path(file)).filter(isFolder)) {
    throw new HomedError("home", `Cannot use ${home.root} as the home folder: ${path} is a folder, not a file`, {
      fix: "move it away, or name another home with --home DIR",
    });
  }
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false; // Not there, or not to be looked at: whoever opens it tells.
  }
}

/** Whether there is a home already. */
export function homeExists(home: Home): boolean {
  try {
    return Deno.statSync(home.config).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}

import { basename, dirname, resolve, sep } from "node:path";

/** Where the plugin may work: real paths of folders, the first is where relative paths begin. */
export class Roots {
  readonly #roots: string[];

  private constructor(roots: string[]) {
    this.#roots = roots;
  }

  /** Takes the folders as configured; those that are not there are left out.
   * @throws {Error} when none is left */
  static async open(folders: readonly string[]): Promise<Roots> {
    const roots: string[] = [];
    for (const folder of folders) {
      try {
        const real = await Deno.realPath(folder);
        if ((await Deno.stat(real)).isDirectory) roots.push(real);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    if (roots.length === 0) {
      throw new Error(
        `None of the configured folders is there (${folders.join(", ") || "none is set"}): ` +
          `the owner sets them with: homed config set plugin.files.roots '["/path"]'`,
      );
    }
    return new Roots(roots);
  }

  get list(): readonly string[] {
    return this.#roots;
  }

  /** The real path that `path` means, which need not exist itself but whose folder must. Links are followed first and
   * judged by where they lead.
   * @throws {Error} when that is outside every root */
  async inside(path: string): Promise<string> {
    if (path.includes("\0")) throw new Error("A path cannot hold a NUL character");
    const wanted = resolve(this.#roots[0]!, path);
    const real = await this.#real(wanted);
    this.rootOf(real, path);
    return real;
  }

  /** The same for the entry itself: a link stays what it is, only its folder is followed. */
  async entry(path: string): Promise<string> {
    const wanted = resolve(this.#roots[0]!, path);
    return wanted === dirname(wanted)
      ? await this.inside(path)
      : resolve(await this.inside(dirname(wanted)), basename(wanted));
  }

  /** The root that holds a real path.
   * @throws {Error} when none does, naming `path` as it was asked for */
  rootOf(real: string, path: string): string {
    const root = this.#roots.find((root) => real === root || real.startsWith(root.endsWith(sep) ? root : root + sep));
    if (root === undefined) {
      throw new Error(`"${path}" is outside the folders that may be used: ${this.#roots.join(", ")}`);
    }
    return root;
  }

  /** The path as the person knows it: relative to its root when there is only one. */
  show(real: string): string {
    const [root] = this.#roots;
    return this.#roots.length === 1 && real.startsWith(root! + sep) ? real.slice(root!.length + 1) : real;
  }

  /** The real path of the deepest part that exists, with the rest as it is written. A link that leads nowhere is refused:
   * what would be made through it cannot be judged. */
  async #real(path: string): Promise<string> {
    try {
      return await Deno.realPath(path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw denied(path, error);
    }
    const isLink = await Deno.lstat(path).then((info) => info.isSymlink, () => false);
    if (isLink) throw new Error(`"${path}" is a link that leads nowhere`);
    const parent = dirname(path);
    if (parent === path) throw new Error(`"${path}" does not exist`);
    return resolve(await this.#real(parent), basename(path));
  }
}

/** What the second wall, the worker's permissions, refuses is outside for the caller too. */
export function denied(path: string, error: unknown): unknown {
  if (error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.PermissionDenied) {
    return new Error(`"${path}" is outside the folders that may be used`, { cause: error });
  }
  return error;
}

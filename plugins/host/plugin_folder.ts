import { isThere, removeFolder } from "../../core/base/files.ts";
import { type Log, messageOf, newId } from "../../core/base/mod.ts";
import { readPlugin } from "./manifest.ts";
import { type OpenPackage, unpackPackage } from "./package.ts";

/** The folder that plugins are installed in, one folder a plugin; beside them lies, for a moment, what is being unpacked
 * (`.new-…`) or replaced (`.old-…`). */
export class PluginFolder {
  readonly #path: string;
  readonly #log: Log;
  readonly #work = new Map<string, Promise<unknown>>();

  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  /** Where the plugin of this name lies, if there is one. */
  place(name: string): string {
    return `${this.#path}/${name}`;
  }

  has(name: string): boolean {
    return isThere(this.place(name));
  }

  /** The names of all that are installed, in order, once what an install that was cut off left is tidied up. */
  async names(): Promise<string[]> {
    const names: string[] = [];
    for await (const entry of Deno.readDir(this.#path)) {
      if (entry.name.startsWith(".new-")) await removeFolder(this.place(entry.name));
      else if (entry.name.startsWith(".old-")) await this.#recover(this.place(entry.name));
    }
    for await (const entry of Deno.readDir(this.#path)) {
      if (entry.isDirectory && !entry.name.startsWith(".")) names.push(entry.name);
    }
    return names.sort();
  }

  /** Puts a package in its place. `use` then takes the plugin into use, and throws when it does not run: then what was
   * there before lies there again, and `revert` is to bring that back into use. One package of a name after the other. */
  async put(
    opened: OpenPackage,
    steps: { use(isUpgrade: boolean): Promise<void>; revert(isUpgrade: boolean): Promise<void> },
  ): Promise<void> {
    const { name } = opened.manifest;
    const done = (this.#work.get(name) ?? Promise.resolve()).then(async () => {
      const staging = await unpackPackage(opened, this.#path);
      const place = this.place(name), aside = this.place(`.old-${newId()}`);
      const isUpgrade = isThere(place);
      try {
        if (isUpgrade) await Deno.rename(place, aside);
        await Deno.rename(staging, place);
      } catch (error) {
        if (isUpgrade && !isThere(place)) await Deno.rename(aside, place);
        await removeFolder(staging);
        throw error;
      }
      try {
        await steps.use(isUpgrade);
      } catch (error) {
        await removeFolder(place);
        if (isUpgrade) await Deno.rename(aside, place);
        await steps.revert(isUpgrade);
        throw error;
      }
      await removeFolder(aside);
    });
    this.#work.set(name, done.catch(() => {/* told to whoever installs */}));
    await done;
  }

  remove(name: string): Promise<void> {
    return removeFolder(this.place(name));
  }

  /** An upgrade was cut off between its two moves: the old folder goes back, unless the new one is in place. */
  async #recover(aside: string): Promise<void> {
    try {
      const place = this.place((await readPlugin(aside)).manifest.name);
      if (!isThere(place)) return await Deno.rename(aside, place);
    } catch (error) {
      this.#log.warn(`What an upgrade left in ${aside} cannot be read and is removed: ${messageOf(error)}`);
    }
    await removeFolder(aside);
  }
}

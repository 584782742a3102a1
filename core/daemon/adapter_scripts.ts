import { join } from "node:path";
import { HomedError } from "../base/errors.ts";
import type { ScriptFinder } from "../config/mod.ts";
import { readIfThere } from "../base/files.ts";
import type { Home } from "./home.ts";

/** Finds adapters: the file that is named, else one of the person's own in the home folder, else a built-in one. */
export function scriptFinder(home: Home, builtin: (name: string) => string | undefined): ScriptFinder {
  return ({ name, path }) => {
    if (path !== "") {
      const text = readIfThere(home.path(path));
      if (text !== undefined) return Promise.resolve(text);
      throw new HomedError("no_adapter", `There is no adapter file at ${home.path(path)}`);
    }
    const text = readIfThere(join(home.adapters, `${name}.lua`)) ?? builtin(name);
    if (text !== undefined) return Promise.resolve(text);
    throw new HomedError(
      "no_adapter",
      `There is no adapter "${name}": neither a built-in one nor ${name}.lua in adapters/`,
    );
  };
}

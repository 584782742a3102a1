import { Home, prepareHome } from "../../core/daemon/home.ts";
import { tempFolder } from "./temp_folder.ts";

/** A home folder of its own, with its parts made; removed when disposed. */
export async function tempHome(): Promise<Home & AsyncDisposable> {
  const folder = await tempFolder();
  const home = new Home(`${folder.path}/home`);
  prepareHome(home);
  return Object.assign(home, { [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() });
}

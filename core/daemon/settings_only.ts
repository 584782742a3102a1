import { Registry } from "../config/mod.ts";
import { type Home, prepareHome } from "./home.ts";
import { HomeLock } from "./lock.ts";
import { bringToSchema } from "./schema.ts";
import { SCHEMA, VERSION } from "./version.ts";

/** Opens the settings of a home that no homed runs for, under the home's lock.
 * @throws {HomedError} codes `home`, `locked`, `newer_home`, `migration` */
export function openSettings(
  home: Home,
  env: Readonly<Record<string, string>>,
): Disposable & { registry: Registry } {
  prepareHome(home);
  using stack = new DisposableStack();
  stack.use(HomeLock.take(home.lock));
  bringToSchema(home.root, { schema: SCHEMA, version: VERSION });
  const registry = stack.use(Registry.open(home.config, { env }));
  const held = stack.move();
  return { registry, [Symbol.dispose]: () => held.dispose() };
}

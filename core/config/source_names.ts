import { nearest } from "../base/nearest.ts";
import type { Definition, Value } from "./definition.ts";
import { CORE_DEFINITIONS } from "./definitions/mod.ts";
import type { Registry, SettingWarning } from "./registry.ts";
import { SOURCE_NAME } from "./source_defaults.ts";

/** Names of all sources that have any setting. */
export function sourceNames(registry: Registry): string[] {
  const names = registry.keys("core.llm.sources").map((key) => key.split(".")[3]!);
  return [...new Set(names)];
}

/** What the value of a setting that names a source must be, and what to do; undefined when it names one, or need not. */
export function strayName(
  registry: Registry,
  definition: Definition,
  value: Value,
): { reason: string; fix: string } | undefined {
  if (definition.names !== "source" || value === definition.default) return undefined;
  const names = sourceNames(registry), name = String(value);
  if (names.includes(name)) return undefined;
  const near = nearest(name, names);
  const list = names.join(", ");
  return {
    reason: definition.default === "" ? `the name of a source: ${list}` : `auto or the name of a source: ${list}`,
    fix: near !== undefined
      ? `did you mean ${near}?`
      : SOURCE_NAME.test(name)
      ? `a source of your own begins with homed config set core.llm.sources.${name}.base_url ADDRESS`
      : "homed config list core.llm.sources shows every source",
  };
}

/** Settings that name a source which is not there (any more, or by a variable), or which is not set up. `ready`: the names
 * of those that can be asked, and of those that are told to be broken anyway. */
export function sourceWarnings(registry: Registry, ready: readonly string[]): SettingWarning[] {
  return CORE_DEFINITIONS.filter(({ names }) => names === "source").flatMap((definition): SettingWarning[] => {
    const { key } = definition;
    const value = registry.text(key);
    const stray = strayName(registry, definition, value);
    if (stray) return [{ key, text: `${key} is "${value}", which is no source`, fix: stray.fix }];
    if (value === definition.default || ready.includes(value)) return [];
    return [{
      key,
      text: `${key} is "${value}", a source that is not set up`,
      fix: `give it what it needs (homed config list core.llm.sources.${value}), or homed config unset ${key}`,
    }];
  });
}

import { isAbsolute } from "node:path";
import { nearest } from "../base/nearest.ts";
import { fitsPattern } from "../base/pattern.ts";
import { reasonOf } from "../base/system_error.ts";
import { type Registry, type SettingWarning, sourceWarnings } from "../config/mod.ts";
import type { Home } from "./home.ts";
import { modelPlaces } from "./models/places.ts";

/** Settings that are as they may be and name what is not there at this moment: a source, a model, a folder. */
export function settingWarnings(
  { registry, home, sources, brokenSources }: {
    registry: Registry;
    home: Home;
    sources: readonly { name: string }[];
    brokenSources: readonly { source: string }[];
  },
): SettingWarning[] {
  const told = [...sources.map(({ name }) => name), ...brokenSources.map(({ source }) => source)];
  return [
    ...sourceWarnings(registry, told),
    ...modelWarnings(registry, home),
    ...folderWarnings(registry),
    ...rootWarnings(registry),
  ];
}

/** Approvals that are for no tool there is: a slip in a name would allow, or deny, nothing. */
export function approvalWarnings(registry: Registry, tools: readonly { name: string }[]): SettingWarning[] {
  const names = tools.map(({ name }) => name);
  return registry.keys("core.approval").flatMap((key): SettingWarning[] => {
    const pattern = key.slice("core.approval.".length);
    if (key === "core.approval.timeout" || names.some((name) => fitsPattern(name, pattern))) return [];
    const near = nearest(pattern, names);
    return [{
      key,
      text: `${key} is for no tool that is there now`,
      fix: near === undefined
        ? `/tools in \`homed chat\` lists the tools; homed config unset ${key} takes it back`
        : `did you mean core.approval.${near}?`,
    }];
  });
}

function modelWarnings(registry: Registry, home: Home): SettingWarning[] {
  const key = "core.agent.embedding_model_path";
  const places = modelPlaces(registry.text(key), home);
  const instead = places.some(({ problem }) => problem === undefined)
    ? "the other models are used"
    : "memory finds by words";
  return places.flatMap(({ title, problem }) =>
    problem === undefined ? [] : [{
      key,
      text: `The embedding model ${title} cannot be used, as ${problem}; ${instead}`,
      fix:
        `name a file of word vectors or a model folder in full, or a known model: homed config set ${key}; or unset it`,
    }]
  );
}

function folderWarnings(registry: Registry): SettingWarning[] {
  const key = "core.agent.workdir";
  const folder = registry.text(key);
  if (folder === "") return [];
  const why = isAbsolute(folder) ? unfitFolder(folder) : "it does not begin at the root";
  return why === undefined ? [] : [{
    key,
    text: `The working folder ${folder} cannot be used, as ${why}; commands are refused`,
    fix: `name a folder that is there with homed config set ${key}, or unset it`,
  }];
}

/** The folders that the plugin `files` may work in. */
function rootWarnings(registry: Registry): SettingWarning[] {
  const key = "plugin.files.roots";
  const roots = registry.keys(key).includes(key) ? registry.get(key) : [];
  if (!Array.isArray(roots)) return [];
  return roots.filter((root) => typeof root === "string").flatMap((root) => {
    const why = unfitFolder(root);
    return why === undefined ? [] : [{
      key,
      text: `The folder ${root} cannot be used, as ${why}; files in it are refused`,
      fix: `name folders that are there with homed config set ${key}`,
    }];
  });
}

function unfitFolder(path: string): string | undefined {
  try {
    return Deno.statSync(path).isDirectory ? undefined : "it is no folder";
  } catch (error) {
    return reasonOf(error);
  }
}

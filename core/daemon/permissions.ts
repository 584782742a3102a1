import { sep as SEPARATOR } from "node:path";
import type { Registry } from "../config/mod.ts";
import type { Permission, ProbePlan, ProbeResult, SourceSecrets } from "../wire/mod.ts";
import { parseModelPaths } from "../../memory/embedders/vector_file.ts";
import type { Home } from "./home.ts";
import { settingHere } from "./models/places.ts";

export type PartName = "kernel" | "memory" | "lua";

/** What one part may do: the lists it is limited to, and nothing else of any kind. */
export interface PartRights {
  read: string[];
  write: string[];
  net: string[];
}

/** The permission table: what each part may do in this home. */
export function rightsOf(part: PartName, home: Home, registry: Registry, sources: SourceSecrets[]): PartRights {
  switch (part) {
    case "kernel":
      return { read: [], write: [], net: [] };
    case "memory": {
      const folders = memoryFolders(home, registry);
      return { read: [...folders, ...vectorFiles(home, registry)], write: folders, net: [] };
    }
    case "lua":
      return { read: [], write: [], net: [...new Set(sources.map((source) => netTarget(source.base_url)))].sort() };
    default:
      return part satisfies never;
  }
}

/** The rights as Deno takes them: every kind is named, so that none is inherited. */
export function denoPermissions({ read, write, net }: PartRights): Deno.PermissionOptionsObject {
  const limit = (list: string[]) => list.length > 0 ? list : false;
  return {
    read: limit(read),
    write: limit(write),
    net: limit(net),
    run: false,
    ffi: false,
    env: false,
    sys: false,
    import: false,
  };
}

/** What to try in a part: all that any part may reach, so that one that has another's rights is found out. */
export function probePlan(all: PartRights[], extra: PartRights): ProbePlan {
  const merge = (kind: keyof PartRights) => [...new Set([...all, extra].flatMap((rights) => rights[kind]))];
  return { read: merge("read"), write: merge("write"), net: merge("net") };
}

/** What a part has beyond its row, as sentences; empty when it is as it should be. */
export function excessOf(rights: PartRights, found: ProbeResult): string[] {
  const excess: string[] = [];
  for (const [kind, permission] of Object.entries(found) as [keyof ProbeResult, Permission][]) {
    if (permission === "denied") continue;
    const allowed = kind === "read" || kind === "write" || kind === "net" ? rights[kind] : [];
    if (permission === "granted") excess.push(`${kind} of anything`);
    else for (const target of permission) if (!allowed.includes(target)) excess.push(`${kind} of ${target}`);
  }
  return excess;
}

/** What a part lacks of its row. */
export function lackOf(rights: PartRights, found: ProbeResult): string[] {
  const lack: string[] = [];
  for (const kind of ["read", "write", "net"] as const) {
    const permission = found[kind];
    if (permission === "granted") continue;
    for (const target of rights[kind]) {
      if (permission === "denied" || !permission.includes(target)) lack.push(`${kind} of ${target}`);
    }
  }
  return lack;
}

/** `host:port` of an address, as Deno's net permission names it. */
export function netTarget(address: string): string {
  const url = new URL(address);
  return `${url.hostname}:${url.port || (url.protocol === "https:" ? 443 : 80)}`;
}

/** What in a home is not the memory's, whatever the settings say. */
const FOREIGN =
  /^(config\.db|schema\.json|persona\.md|(run|plugins|plugin-data|adapters|skills|logs|backups|migration)\b)/;

/** Folders of the memory: those in the home, and where settings put them elsewhere. A database elsewhere is named with
 * its companions, not with its folder; a folder
 * that holds the home itself, or belongs to another part of it, is not given. */
function memoryFolders(home: Home, registry: Registry): string[] {
  const memory = home.path("memory");
  const graph = home.path(registry.text("core.memory.graph"));
  const places = [
    home.path(registry.text("core.knowledge.path")),
    home.path(registry.text("core.memory.documents")),
    home.path(registry.text("core.memory.text")),
    home.path(registry.text("core.memory.media.dir")),
    ...["", "-wal", "-shm", "-journal"].map((suffix) => graph + suffix),
  ];
  const isIn = (path: string, folder: string) =>
    path === folder || path.startsWith(folder.endsWith(SEPARATOR) ? folder : folder + SEPARATOR);
  const isForeign = (place: string) => isIn(place, home.root) && FOREIGN.test(place.slice(home.root.length + 1));
  const wanted = [
    memory,
    ...new Set(places.filter((place) => !isIn(place, memory) && !isIn(home.root, place) && !isForeign(place))),
  ];
  // A folder that the person moved to another disk and linked to: the right is for the real one, too.
  const linked = wanted.flatMap(linkTarget).filter((place) => !isIn(home.root, place) && !isForeign(place));
  return [...wanted, ...linked];
}

/** Where a folder really is, when it is a link. */
function linkTarget(path: string): string[] {
  try {
    return Deno.lstatSync(path).isSymlink ? [Deno.realPathSync(path)] : [];
  } catch {
    return []; // Not there yet.
  }
}

/** Files of word vectors that the setting names and that are here: read only. Not a folder: a neural model is the embed
 * worker's. */
function vectorFiles(home: Home, registry: Registry): string[] {
  return parseModelPaths(settingHere(registry.text("core.agent.embedding_model_path"), home)).map(({ path }) => path);
}

import { join } from "node:path";
import { HomedError, messageOf } from "../base/errors.ts";
import { isThere, readIfThere, removeIfThere, writeAtomically } from "../base/files.ts";

/** One step from a schema number to the next, on a copy of the home. */
export interface Migration {
  from: number;
  run(root: string): void;
}

/** Steps between the schemas that there were. The first schema needs none. */
export const MIGRATIONS: Migration[] = [];

/** What is not copied: it is made anew, or too large and the same in every schema. */
const LEFT_ALONE = new Set(["run", "logs", "models", "migration", "backups", "schema.json"]);

interface Mark {
  schema: number;
  homed: string;
}

/** Brings a home to this schema, under the home's lock. The steps run on a copy; only when all of them worked do old and
 * new change places, so a step that fails leaves the home as it was. What was there stays in `backups/`.
 * @returns a notice for the person when something was done
 * @throws {HomedError} codes `newer_home`, `migration` */
export function bringToSchema(
  root: string,
  options: { schema: number; version: string; migrations?: Migration[] },
): string | undefined {
  const { schema, version, migrations = MIGRATIONS } = options;
  finishSwap(root);
  const path = join(root, "schema.json");
  const mark = readMark(path);
  if (mark && mark.schema > schema) {
    throw new HomedError(
      "newer_home",
      `This home was used by homed ${mark.homed} (schema ${mark.schema}); this homed ${version} knows schemas up to ${schema}`,
      { fix: `use homed ${mark.homed} or newer, or another home` },
    );
  }
  const write = () => writeAtomically(path, JSON.stringify({ schema, homed: version } satisfies Mark) + "\n");
  if (!mark || mark.schema === schema) {
    if (!mark || mark.homed !== version) write();
    return;
  }
  const stage = stageOf(root);
  const backup = join(root, "backups", `schema-${mark.schema}-${new Date().toISOString().replace(/[:.]/g, "-")}`);
  try {
    removeIfThere(join(root, "migration"));
    Deno.mkdirSync(stage, { recursive: true });
    copyEntries(root, stage);
    for (let at = mark.schema; at < schema; at++) {
      const step = migrations.find((migration) => migration.from === at);
      if (!step) throw new Error(`there is no step from schema ${at}`);
      step.run(stage);
    }
  } catch (error) {
    removeIfThere(join(root, "migration"));
    throw new HomedError(
      "migration",
      `Cannot bring this home from schema ${mark.schema} to ${schema}: ${messageOf(error)}. Nothing was changed`,
      { fix: `go on with homed ${mark.homed}, and report this`, cause: error },
    );
  }
  exchange(root, { backup, schema, homed: version });
  return `This home was brought from schema ${mark.schema} to ${schema}; what was there is in ${backup}`;
}

/** Where the entries are made that are to take the place of a home's. */
export const stageOf = (root: string): string => join(root, "migration", "new");

/** Puts what is in the stage in the place of all the home's entries, which go to `backup`. From the moment the journal is
 * written it is done, now or at the next start. */
export function exchange(root: string, to: { backup: string; schema: number; homed: string }): void {
  Deno.mkdirSync(to.backup, { recursive: true, mode: 0o700 });
  const journal = JSON.stringify({ ...to, old: entriesOf(root) });
  writeAtomically(join(root, "migration", "swap.json"), journal);
  finishSwap(root);
}

/** Carries out, or goes on with after a crash, the exchange of old and new entries. */
function finishSwap(root: string): void {
  const journal = join(root, "migration", "swap.json");
  const text = readIfThere(journal);
  if (text === undefined) return;
  const { backup, old, schema, homed } = JSON.parse(text) as { backup: string; old: string[] } & Mark;
  const stage = stageOf(root);
  for (const name of old) {
    // What is in the backup already was moved before the crash: in its place may be the new one.
    if (isThere(join(root, name)) && !isThere(join(backup, name))) {
      Deno.renameSync(join(root, name), join(backup, name));
    }
  }
  for (const { name } of [...Deno.readDirSync(stage)]) Deno.renameSync(join(stage, name), join(root, name));
  writeAtomically(join(root, "schema.json"), JSON.stringify({ schema, homed }) + "\n");
  removeIfThere(join(root, "migration"));
}

/** The home's mark. A home without one is new, or its mark was lost: the first schema. */
function readMark(path: string): Mark | undefined {
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  try {
    const mark = JSON.parse(text) as Mark;
    if (Number.isInteger(mark.schema)) return mark;
  } catch {
    // Damaged: below.
  }
  return undefined;
}

function copyEntries(from: string, to: string): void {
  for (const name of entriesOf(from)) copyTree(join(from, name), join(to, name));
}

/** What a migration may touch of a home. */
function entriesOf(root: string): string[] {
  return [...Deno.readDirSync(root)].map(({ name }) => name).filter((name) => !LEFT_ALONE.has(name));
}

/** Copies a file or folder; links are copied as links, sockets and pipes left out. */
export function copyTree(from: string, to: string): void {
  const info = Deno.lstatSync(from);
  if (info.isSymlink) Deno.symlinkSync(Deno.readLinkSync(from), to);
  else if (info.isDirectory) {
    Deno.mkdirSync(to, { mode: 0o700 });
    for (const entry of Deno.readDirSync(from)) copyTree(join(from, entry.name), join(to, entry.name));
  } else if (info.isFile) Deno.copyFileSync(from, to);
}

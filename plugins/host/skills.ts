import { parse as parseYaml } from "yaml";
import { HomedError, type Log } from "../../core/base/mod.ts";

/** One skill in the Agent Skills format. */
export interface Skill {
  name: string;
  description: string;
  /** Absolute, on its real path. */
  dir: string;
  /** What was not as the format wants it and was let pass. */
  warnings: string[];
}

const MAX_BYTES = 1 << 20;
const MAX_FOLDERS = 2000;

/** Reads the front matter of a `SKILL.md`, leniently: a bad name, an over-long description or a missing closing line is a
 * warning, no description or no front matter at all an error.
 * @throws {HomedError} `skill` */
export function readFrontMatter(
  text: string,
  folder: string,
): { name: string; description: string; body: string; warnings: string[] } {
  const plain = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  const found = /^---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n|$)/.exec(plain);
  if (!found) throw new HomedError("skill", "SKILL.md does not begin with front matter between two lines of ---");
  const warnings: string[] = [];
  const fields = parseFields(found[1]!, warnings);
  const description = typeof fields.description === "string" ? fields.description.trim() : "";
  if (description === "") throw new HomedError("skill", "SKILL.md has no description");
  if (description.length > 1024) warnings.push("the description has more than 1024 characters");
  let name = typeof fields.name === "string" ? fields.name.trim() : "";
  if (name === "") {
    warnings.push("there is no name: the folder's is taken");
    name = folder;
  } else if (name !== folder) warnings.push(`the name "${name}" is not the folder's, "${folder}"`);
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || name.length > 64) {
    warnings.push(`the name "${name}" should be a-z, 0-9 and single hyphens, at most 64`);
  }
  return { name, description, body: plain.slice(found[0].length).trim(), warnings };
}

function parseFields(yaml: string, warnings: string[]): Record<string, unknown> {
  const parseAs = (text: string) => {
    const value: unknown = parseYaml(text, { logLevel: "error" });
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new HomedError("skill", "The front matter is no list of fields");
    }
    return value as Record<string, unknown>;
  };
  try {
    return parseAs(yaml);
  } catch {
    // The usual mistake is an unquoted colon in a value: once more with such lines quoted.
    const quoted = yaml.replace(
      /^([A-Za-z_-]+):[ \t]+(?!["'|>[{])(.*:.*)$/gm,
      (_line, key: string, value: string) => `${key}: ${JSON.stringify(value)}`,
    );
    try {
      const fields = parseAs(quoted);
      warnings.push("the front matter is no valid YAML: read with its values quoted");
      return fields;
    } catch (error) {
      throw new HomedError(
        "skill",
        `The front matter cannot be read: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
}

/** The skills of this home: names and descriptions for the prompt, bodies when they are used, files on demand. */
export class Skills {
  readonly #log: Log;
  readonly #skills = new Map<string, Skill>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Looks for skills anew: each folder below `roots` with a `SKILL.md`, or a root that has one itself. Earlier roots win
   * over later ones. */
  async scan(roots: readonly string[]): Promise<void> {
    this.#skills.clear();
    for (const root of roots) {
      for (const dir of await skillFolders(root)) {
        try {
          const skill = await readSkill(dir);
          for (const warning of skill.warnings) this.#log.warn(`Skill "${skill.name}": ${warning}`);
          if (this.#skills.has(skill.name)) {
            this.#log.warn(`Skill "${skill.name}" in ${dir} is left out: there is one with this name already`);
          } else this.#skills.set(skill.name, skill);
        } catch (error) {
          this.#log.warn(`The skill in ${dir} is left out: ${error instanceof Error ? error.message : error}`);
        }
      }
    }
  }

  /** Sorted by name. */
  list(): Skill[] {
    return [...this.#skills.values()].sort((a, b) => a.name < b.name ? -1 : 1);
  }

  /** The whole text of a skill, with what lies beside it.
   * @throws {HomedError} `not_found` */
  async activate(name: string): Promise<string> {
    const skill = this.#get(name);
    const { body } = readFrontMatter(await readLimited(`${skill.dir}/SKILL.md`), folderName(skill.dir));
    const files = await listFiles(skill.dir);
    const beside = files.length === 0 ? "" : `\n\nFiles of this skill (read on demand):\n${files.join("\n")}`;
    return body + beside;
  }

  /** A file below the skill's folder.
   * @throws {HomedError} `not_found`, and `outside` for what is elsewhere, links included */
  async file(name: string, path: string): Promise<string> {
    const skill = this.#get(name);
    const outside = () => new HomedError("outside", `"${path}" is not below the folder of the skill "${name}"`);
    if (path.startsWith("/") || path.includes("\\") || /^[A-Za-z]:/.test(path) || path.split("/").includes("..")) {
      throw outside();
    }
    let real: string;
    try {
      real = await Deno.realPath(`${skill.dir}/${path}`);
    } catch (error) {
      throw new HomedError("not_found", `The skill "${name}" has no file "${path}"`, { cause: error });
    }
    if (!real.startsWith(`${skill.dir}/`)) throw outside();
    return await readLimited(real);
  }

  #get(name: string): Skill {
    const skill = this.#skills.get(name);
    if (!skill) throw new HomedError("not_found", `There is no skill "${name}"`);
    return skill;
  }
}

async function readSkill(dir: string): Promise<Skill> {
  const { name, description, warnings } = readFrontMatter(await readLimited(`${dir}/SKILL.md`), folderName(dir));
  return { name, description, dir, warnings };
}

const folderName = (dir: string) => dir.slice(dir.lastIndexOf("/") + 1);

async function readLimited(path: string): Promise<string> {
  const { size } = await Deno.stat(path);
  if (size > MAX_BYTES) throw new HomedError("skill", `${folderName(path)} has ${size} bytes: at most ${MAX_BYTES}`);
  return await Deno.readTextFile(path);
}

async function skillFolders(root: string): Promise<string[]> {
  const found: string[] = [];
  let real: string;
  try {
    real = await Deno.realPath(root);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  if (await isFile(`${real}/SKILL.md`)) return [real];
  let seen = 0;
  for await (const entry of Deno.readDir(real)) {
    if (!entry.isDirectory || entry.name.startsWith(".") || entry.name === "node_modules") continue;
    if (++seen > MAX_FOLDERS) break;
    if (await isFile(`${real}/${entry.name}/SKILL.md`)) found.push(`${real}/${entry.name}`);
  }
  return found.sort();
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.lstat(path)).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Files below a skill's folder, as paths from it; links and hidden ones are left out. */
async function listFiles(dir: string, below = "", depth = 0): Promise<string[]> {
  if (depth > 4) return [];
  const files: string[] = [];
  for await (const entry of Deno.readDir(`${dir}/${below}`)) {
    if (entry.name.startsWith(".") || (below === "" && /^(SKILL\.md|plugin\.json)$/.test(entry.name))) continue;
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory) files.push(...await listFiles(dir, path, depth + 1));
    else if (entry.isFile) files.push(path);
    if (files.length > 500) break;
  }
  return files.sort();
}

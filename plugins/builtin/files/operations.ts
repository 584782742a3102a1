import { basename, dirname, join } from "node:path";
import { RE2JS } from "re2js";
import { denied, type Roots } from "./paths.ts";

/** Bytes of a file that are read at most, and bytes of text that one answer holds. */
const MAX_FILE = 16 << 20;
const MAX_ANSWER = 128 << 10;
/** Files that a search looks into, and bytes of each. */
const MAX_SEARCHED = 20_000;
const MAX_SEARCHED_BYTES = 2 << 20;
const LINE_SHOWN = 300;
const TRASH = ".trash";
const SKIPPED = new Set([".git", "node_modules", TRASH]);

export interface ReadResult {
  path: string;
  text: string;
  first_line: number;
  lines: number;
  total_lines: number;
  truncated: boolean;
}

/** Lines of a text file, from line `from` (1 is the first). */
export async function readText(
  roots: Roots,
  args: { path: string; from?: number; lines?: number },
): Promise<ReadResult> {
  const path = await existing(roots, args.path);
  const text = await readWhole(path, args.path);
  const all = text.split("\n");
  const from = Math.max(1, args.from ?? 1);
  const wanted = all.slice(from - 1, args.lines === undefined ? undefined : from - 1 + args.lines);
  let bytes = 0, count = 0;
  while (count < wanted.length && (bytes += wanted[count]!.length + 1) <= MAX_ANSWER) count++;
  // A single line over the limit is cut rather than refused.
  const shown = count === 0 && wanted.length > 0 ? [wanted[0]!.slice(0, MAX_ANSWER)] : wanted.slice(0, count);
  return {
    path: roots.show(path),
    text: shown.join("\n"),
    first_line: from,
    lines: shown.length,
    total_lines: all.length,
    truncated: shown.length < wanted.length || (count === 0 && wanted.length > 0),
  };
}

/** Writes a whole file: beside it, flushed, renamed into place. */
export async function writeText(roots: Roots, args: { path: string; content: string }) {
  const path = await roots.inside(args.path);
  await makeFolder(roots, dirname(path));
  await replace(path, args.path, args.content);
  return { path: roots.show(path), bytes: byteLength(args.content) };
}

export async function appendText(roots: Roots, args: { path: string; content: string }) {
  const path = await roots.inside(args.path);
  const before = await readWhole(path, args.path).catch(ifMissing(""));
  await makeFolder(roots, dirname(path));
  await replace(path, args.path, before + args.content);
  return { path: roots.show(path), bytes: byteLength(before) + byteLength(args.content) };
}

/** Replaces an exact piece of text, which must occur once unless `all` is set. */
export async function editText(roots: Roots, args: { path: string; find: string; replace: string; all?: boolean }) {
  if (args.find === "") throw new Error("Say what to find: an empty text is everywhere");
  const path = await existing(roots, args.path);
  const pieces = (await readWhole(path, args.path)).split(args.find);
  const found = pieces.length - 1;
  if (found === 0) throw new Error(`"${args.path}" does not hold that text: read it again, white space counts`);
  if (found > 1 && !args.all) {
    throw new Error(`"${args.path}" holds that text ${found} times: give more of what is around it, or set all`);
  }
  await replace(path, args.path, pieces.join(args.replace));
  return { path: roots.show(path), replaced: found };
}

/** Moves a file or folder into the trash of its root, from where a person can take it back. */
export async function toTrash(roots: Roots, args: { path: string }) {
  if (roots.list.includes(await roots.inside(args.path))) throw new Error("A whole root folder is not deleted");
  const path = await roots.entry(args.path);
  await Deno.lstat(path).catch(() => missing(args.path));
  const trash = join(roots.rootOf(path, args.path), TRASH);
  if (path === trash || path.startsWith(`${trash}/`)) throw new Error("That is in the trash already: empty it by hand");
  await makeFolder(roots, trash);
  const kept = join(trash, `${new Date().toISOString().replaceAll(/[:.]/g, "-")}-${basename(path)}`);
  await Deno.rename(path, kept);
  return { deleted: roots.show(path), kept_as: roots.show(kept) };
}

export async function listFolder(roots: Roots, args: { path?: string; depth?: number }) {
  const path = await existing(roots, args.path ?? ".");
  const entries: { path: string; kind: "file" | "folder" | "link" | "other"; bytes?: number }[] = [];
  let more = 0;
  const walk = async (folder: string, depth: number): Promise<void> => {
    const names = (await Array.fromAsync(Deno.readDir(folder))).sort((a, b) => a.name < b.name ? -1 : 1);
    for (const entry of names) {
      if (entries.length >= 1000) {
        more++;
        continue;
      }
      const full = join(folder, entry.name);
      const kind = entry.isSymlink ? "link" : entry.isDirectory ? "folder" : entry.isFile ? "file" : "other";
      const info = kind === "file" ? await Deno.lstat(full).catch(ifMissing(undefined)) : undefined;
      entries.push({ path: roots.show(full), kind, ...(info && { bytes: info.size }) });
      if (kind === "folder" && depth > 1 && !SKIPPED.has(entry.name)) await walk(full, depth - 1);
    }
  };
  if (!(await Deno.stat(path)).isDirectory) throw new Error(`"${args.path}" is no folder: files_read shows a file`);
  await walk(path, Math.min(8, args.depth ?? 1));
  return { path: roots.show(path), entries, ...(more > 0 && { not_shown: more }) };
}

export interface SearchArguments {
  pattern: string;
  path?: string;
  regex?: boolean;
  ignore_case?: boolean;
  glob?: string;
  top?: number;
}

/** Lines that hold `pattern`. Expressions run on RE2's algorithm, in time that grows with the text alone, so that no
 * pattern can hang the search. */
export async function search(roots: Roots, args: SearchArguments, signal: AbortSignal) {
  const matches = matcher(args);
  const wanted = args.glob ? globMatcher(args.glob) : () => true;
  const top = Math.min(500, args.top ?? 50);
  const start = await existing(roots, args.path ?? ".");
  const hits: { path: string; line: number; text: string }[] = [];
  let searched = 0, skipped = 0;
  const look = async (file: string): Promise<void> => {
    if (!wanted(roots.show(file))) return;
    const info = await Deno.lstat(file).catch(ifMissing(undefined));
    if (!info?.isFile || info.size > MAX_SEARCHED_BYTES || searched >= MAX_SEARCHED) {
      skipped++;
      return;
    }
    searched++;
    const text = new TextDecoder().decode(await Deno.readFile(file));
    if (text.includes("\0")) return;
    for (const [i, line] of text.split("\n").entries()) {
      if (hits.length >= top) return;
      if (matches(line)) hits.push({ path: roots.show(file), line: i + 1, text: line.trim().slice(0, LINE_SHOWN) });
    }
  };
  const walk = async (folder: string): Promise<void> => {
    for await (const entry of Deno.readDir(folder)) {
      signal.throwIfAborted();
      if (hits.length >= top) return;
      const full = join(folder, entry.name);
      if (entry.isDirectory && !SKIPPED.has(entry.name)) await walk(full);
      else if (entry.isFile) await look(full);
    }
  };
  if ((await Deno.stat(start)).isDirectory) await walk(start);
  else await look(start);
  return { hits, searched, ...(skipped > 0 && { skipped }), ...(hits.length >= top && { more: true }) };
}

function matcher({ pattern, regex, ignore_case }: SearchArguments): (line: string) => boolean {
  if (pattern === "") throw new Error("Say what to search for");
  if (!regex) {
    const needle = ignore_case ? pattern.toLowerCase() : pattern;
    return (line) => (ignore_case ? line.toLowerCase() : line).includes(needle);
  }
  try {
    const compiled = RE2JS.compile(pattern, ignore_case ? RE2JS.CASE_INSENSITIVE : 0);
    return (line) => compiled.matcher(line).find();
  } catch (error) {
    throw new Error(
      `"${pattern}" is no expression that can be searched for: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** `*` within a name, `**` across folders, `?` one character; a glob without `/` is matched against the name alone. */
export function globMatcher(glob: string): (path: string) => boolean {
  let source = "";
  for (let i = 0; i < glob.length; i++) {
    if (glob.startsWith("**/", i)) (source += "(?:.*/)?", i += 2);
    else if (glob.startsWith("**", i)) (source += ".*", i++);
    else if (glob[i] === "*") source += "[^/]*";
    else if (glob[i] === "?") source += "[^/]";
    else source += RE2JS.quote(glob[i]!);
  }
  const compiled = RE2JS.compile(`^${source}$`);
  return (path) => compiled.matcher(glob.includes("/") ? path : basename(path)).find();
}

function missing(path: string): never {
  throw new Error(`"${path}" does not exist`);
}

async function existing(roots: Roots, path: string): Promise<string> {
  const real = await roots.inside(path);
  try {
    await Deno.lstat(real);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) missing(path);
    throw denied(path, error);
  }
  return real;
}

async function readWhole(path: string, asked: string): Promise<string> {
  const info = await Deno.stat(path);
  if (!info.isFile) throw new Error(`"${asked}" is no file`);
  if (info.size > MAX_FILE) throw new Error(`"${asked}" has ${info.size} bytes: at most ${MAX_FILE} are read`);
  const bytes = await Deno.readFile(path);
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // not UTF-8: the same answer as for NUL characters
  }
  throw new Error(`"${asked}" is no text file`);
}

async function makeFolder(roots: Roots, folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  // A link may have been put in the way meanwhile.
  await roots.inside(folder);
}

async function replace(path: string, asked: string, content: string): Promise<void> {
  const info = await Deno.stat(path).catch(ifMissing(undefined));
  if (info && !info.isFile) throw new Error(`"${asked}" is there and is no file`);
  const temporary = join(dirname(path), `.${basename(path)}.${crypto.randomUUID().slice(0, 8)}.tmp`);
  try {
    using file = await Deno.open(temporary, { write: true, createNew: true, mode: info?.mode ?? 0o600 });
    const bytes = new TextEncoder().encode(content.toWellFormed());
    for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
    await file.sync();
    await Deno.rename(temporary, path);
  } catch (error) {
    await Deno.remove(temporary).catch(ifMissing(undefined));
    throw denied(asked, error);
  }
}

const byteLength = (text: string) => new TextEncoder().encode(text).length;

function ifMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Deno.errors.NotFound) return value;
    throw error;
  };
}

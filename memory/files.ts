import { dirname, join, sep } from "node:path";
import { HomedError } from "../core/base/errors.ts";

/** One file in a folder. */
export interface FileEntry {
  name: string;
  size: number;
  /** Milliseconds since the epoch. */
  modified: number;
  folder: boolean;
}

/** What memory needs of a disk. Every change is durable when its call returns; `write` is all or nothing, and a failed
 * `append` leaves the file as it was where the disk lets it. Decorators count, refuse and inject faults. */
export interface FileStore {
  /** The bytes, or null when there is no such file. */
  read(path: string): Uint8Array | null;
  /** Replaces a file: temporary file beside it, fsync, rename, fsync of the folder. Makes folders that are missing. */
  write(path: string, bytes: Uint8Array): void;
  /** Adds to the end and waits for the disk. Calls for one path are not made at the same time. */
  append(path: string, bytes: Uint8Array): Promise<void>;
  rename(from: string, to: string): void;
  /** Removes a file, or a folder with all that is in it; nothing happens when it is not there. */
  remove(path: string): void;
  /** Sorted by name; empty when there is no such folder. */
  list(folder: string): FileEntry[];
  /** Writes a file without waiting for the disk: for what a journal holds already. A store without it gets `write`. */
  draft?(path: string, bytes: Uint8Array): void;
  /** Waits for the disk with what `draft` wrote. Nothing happens when there is no such file. */
  settle?(path: string): void;
}

/** A full disk, in a sentence for the person; anything else as it is. */
export function diskError(error: unknown, doing: string): unknown {
  const { code, message } = error as { code?: unknown; message?: string };
  const full = code === "ENOSPC" || code === "EDQUOT" || /database or disk is full|No space left/i.test(message ?? "");
  if (!full) return error;
  return new HomedError("disk_full", `Cannot ${doing}: the disk is full (磁盘已满，无法保存)`, {
    fix: "Make room on the disk; reading goes on, and writing recovers by itself (请清理磁盘，之后会自动恢复)",
    cause: error,
  });
}

/** Whether an error is what `diskError` makes of a full disk. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof HomedError && error.code === "disk_full";
}

/** Appends of up to so many bytes are written without waiting. */
const AT_ONCE = 1 << 16;

const isMissing = (error: unknown) => error instanceof Deno.errors.NotFound;

/** The real disk below `roots`. A path whose real folder lies outside every root, or that is itself a symbolic link, is
 * refused: links pass the worker's permissions, so this is the first wall. */
export function diskStore(roots: string[]): FileStore {
  const realRoots = new Map<string, string>();
  function realRoot(root: string): string {
    let real = realRoots.get(root);
    if (real === undefined) {
      Deno.mkdirSync(root, { recursive: true, mode: 0o700 });
      realRoots.set(root, real = Deno.realPathSync(root));
    }
    return real;
  }
  const isBelow = (path: string, root: string) => path === root || path.startsWith(root + sep);

  function check(path: string): void {
    const root = roots.find((r) => isBelow(path, r));
    if (!root) throw new HomedError("outside", `Cannot use ${path}: it is not in a folder of the memory`);
    if (path.split(sep).includes("..")) throw new HomedError("outside", `Cannot use ${path}: it has ".." in it`);
    const top = realRoot(root);
    try {
      if (path !== root && Deno.lstatSync(path).isSymlink) throw refused(path);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    for (let folder = path === root ? root : dirname(path); isBelow(folder, root); folder = dirname(folder)) {
      let real: string;
      try {
        real = Deno.realPathSync(folder);
      } catch (error) {
        if (!isMissing(error)) throw error;
        continue;
      }
      if (!isBelow(real, top)) throw refused(path);
      return;
    }
  }

  function makeFolder(folder: string): void {
    try {
      Deno.statSync(folder);
    } catch (error) {
      if (!isMissing(error)) throw error;
      makeFolder(dirname(folder));
      Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
      syncFolder(dirname(folder));
    }
  }

  /** A folder's name may not be on the disk before `settle` has synced its parent. */
  function writeDraft(path: string, bytes: Uint8Array): void {
    try {
      Deno.writeFileSync(path, bytes, { mode: 0o600 });
    } catch (error) {
      if (!isMissing(error)) throw error;
      Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      Deno.writeFileSync(path, bytes, { mode: 0o600 });
    }
  }

  /** Opens a file for writing, and makes it and its folders where they are missing. */
  function openMaking(path: string): Deno.FsFile {
    const options = { write: true, create: true, mode: 0o600 };
    try {
      return Deno.openSync(path, options);
    } catch (error) {
      if (!isMissing(error)) throw error;
      makeFolder(dirname(path));
      return Deno.openSync(path, options);
    }
  }

  return {
    read(path) {
      check(path);
      try {
        return Deno.readFileSync(path);
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    write(path, bytes) {
      check(path);
      const temporary = `${path}.tmp`;
      try {
        makeFolder(dirname(path));
        const file = Deno.openSync(temporary, { write: true, create: true, truncate: true, mode: 0o600 });
        try {
          writeAll(file, bytes);
          file.syncSync();
        } finally {
          file.close();
        }
        Deno.renameSync(temporary, path);
        syncFolder(dirname(path));
      } catch (error) {
        removeQuietly(temporary);
        throw diskError(error, `save ${path}`);
      }
    },
    async append(path, bytes) {
      check(path);
      let file: Deno.FsFile | undefined;
      try {
        file = openMaking(path);
        const before = file.statSync().size;
        file.seekSync(before, Deno.SeekMode.Start);
        try {
          // A few bytes go to the system's cache at once; what waits for the disk does so beside other work.
          if (bytes.length <= AT_ONCE) writeAll(file, bytes);
          else for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
          await file.sync();
        } catch (error) {
          // What cannot be cut off again is half a line: whoever appends lines begins the next with a line feed.
          await file.truncate(before).catch(() => {});
          throw error;
        }
        if (before === 0) syncFolder(dirname(path));
      } catch (error) {
        throw diskError(error, `add to ${path}`);
      } finally {
        file?.close();
      }
    },
    rename(from, to) {
      check(from);
      check(to);
      Deno.renameSync(from, to);
      syncFolder(dirname(to));
    },
    remove(path) {
      check(path);
      try {
        Deno.removeSync(path, { recursive: true });
        syncFolder(dirname(path));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    },
    draft(path, bytes) {
      check(path);
      try {
        writeDraft(path, bytes);
      } catch (error) {
        throw diskError(error, `save ${path}`);
      }
    },
    settle(path) {
      check(path);
      try {
        const file = Deno.openSync(path, { read: true, write: true });
        try {
          file.syncSync();
        } finally {
          file.close();
        }
        syncFolder(dirname(path));
        syncFolder(dirname(dirname(path)));
      } catch (error) {
        if (!isMissing(error)) throw diskError(error, `save ${path}`);
      }
    },
    list(folder) {
      check(folder);
      try {
        return [...Deno.readDirSync(folder)].sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((entry) => {
          if (entry.isSymlink) return [];
          const info = Deno.lstatSync(join(folder, entry.name));
          return [{
            name: entry.name,
            size: info.size,
            modified: info.mtime?.getTime() ?? 0,
            folder: entry.isDirectory,
          }];
        });
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    },
  };
}

function refused(path: string): HomedError {
  return new HomedError("outside", `Cannot use ${path}: a symbolic link leads out of the memory's folder`, {
    fix: "Replace the link by a real folder, or set the folder in the configuration",
  });
}

function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
}

/** After a failed write, whose error is the one to tell. A temporary file that stays is overwritten by the next write. */
function removeQuietly(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // Not there, or the disk refuses this too.
  }
}

/** Makes a rename or a new name durable. Windows cannot open folders; its journal keeps the names. */
function syncFolder(folder: string): void {
  if (Deno.build.os === "windows") return;
  const handle = Deno.openSync(folder, { read: true });
  try {
    handle.syncSync();
  } finally {
    handle.close();
  }
}

/** A state file after it was read: sound, not there, or damaged. */
export type Checked<T> = { kind: "sound"; value: T } | { kind: "missing" } | { kind: "damaged"; reason: string };

/** Reads a JSON state file that may be empty, cut, full of zeros or of the wrong shape. `accept` returns undefined for a
 * value that is not this file's. */
export function readChecked<T>(store: FileStore, path: string, accept: (value: unknown) => T | undefined): Checked<T> {
  const bytes = store.read(path);
  if (bytes === null) return { kind: "missing" };
  if (bytes.length === 0) return { kind: "damaged", reason: "it is empty" };
  if (bytes.every((byte) => byte === 0)) return { kind: "damaged", reason: "it is full of zeros" };
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return { kind: "damaged", reason: "it is cut or not JSON" };
  }
  const accepted = accept(value);
  return accepted === undefined
    ? { kind: "damaged", reason: "its content is wrong" }
    : { kind: "sound", value: accepted };
}

/** What was wrong with a file, when (milliseconds since the epoch), and what is used in its place. */
export interface Damage {
  reason: string;
  now: number;
  instead: string;
}

/** Moves a damaged file aside. Returns a sentence for the person. */
export function setAside(store: FileStore, path: string, damage: Damage): string {
  const aside = asideName(path, damage.now);
  store.rename(path, aside);
  return damageNotice(path, `set aside as ${aside}`, damage);
}

/** Keeps a copy of a damaged file, whose sound part is still in use. Returns a sentence for the person. */
export function keepAside(store: FileStore, path: string, damage: Damage): string {
  const aside = asideName(path, damage.now);
  store.write(aside, store.read(path) ?? new Uint8Array());
  return damageNotice(path, `kept as ${aside}`, damage);
}

const asideName = (path: string, now: number) => `${path}.damaged-${new Date(now).toISOString().replace(/[:.]/g, "-")}`;

const damageNotice = (path: string, done: string, { reason, instead }: Damage) =>
  `${path} was damaged (${reason}) and ${done}: ${instead}（文件损坏，已另存）`;

/** The JSON of a value as the bytes of a file. */
export function jsonBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value) + "\n");
}

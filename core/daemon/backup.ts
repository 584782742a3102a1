import { join } from "node:path";
import { newId } from "../base/ids.ts";
import { HomedError } from "../base/errors.ts";
import { reasonOf } from "../base/system_error.ts";
import type { Daemon } from "./daemon.ts";
import { isThere, removeIfThere } from "../base/files.ts";
import type { Home } from "./home.ts";
import { HomeLock } from "./lock.ts";
import { copyTree, exchange, stageOf } from "./schema.ts";
import { readTar, TAR_END, type TarEntry, tarHeader, tarPadding } from "./tar.ts";
import { SCHEMA, VERSION } from "./version.ts";

/** What is not in a backup: it belongs to the process that runs, or can be had again. */
const LEFT_OUT = new Set(["run", "logs", "models", "migration", "backups", "schema.json"]);
/** The first file of every backup: which homed made it, and the number of its schema. */
const MARK = "homed-backup.json";

interface Mark {
  schema: number;
  homed: string;
}

/** Writes the whole home into one gzipped tar file at `path`, readable by its owner alone. While the home is copied
 * aside the memory is closed and messages wait, so all of it is of one moment; packing goes on beside the agent.
 * @throws {HomedError} code `backup` when the file cannot be written; nothing is left of it then */
export async function backUp(daemon: Daemon, path: string): Promise<{ files: number; bytes: number }> {
  const { home, registry } = daemon;
  const aside = home.path("run", `backup-${newId()}`);
  const fresh = `${path}.new-${Deno.pid}`;
  try {
    await daemon.whileQuiet(() => {
      Deno.mkdirSync(aside, { mode: 0o700 });
      for (const { name } of Deno.readDirSync(home.root)) {
        if (!LEFT_OUT.has(name) && !name.startsWith("config.db")) copyTree(home.path(name), join(aside, name));
      }
      registry.copyTo(join(aside, "config.db"));
      return Promise.resolve();
    });
    const files = await pack(aside, fresh);
    Deno.renameSync(fresh, path);
    return { files, bytes: Deno.statSync(path).size };
  } catch (error) {
    removeIfThere(fresh);
    throw new HomedError("backup", `Cannot write the backup ${path}: ${reasonOf(error)}`, {
      fix: "name a file in a folder that you may write, with enough room",
      cause: error,
    });
  } finally {
    removeIfThere(aside);
  }
}

/** Puts a backup in the place of a home, or makes one of it. Everything is unpacked and checked beside the home first;
 * what was there before is moved to `backups/`.
 * @throws {HomedError} codes `restore` (the file is none, or damaged), `locked`, `newer_home` */
export async function restore(home: Home, path: string): Promise<{ files: number; before: string | null }> {
  using _lock = HomeLock.take(home.lock);
  const stage = stageOf(home.root);
  const backup = home.path("backups", `before-restore-${new Date().toISOString().replace(/[:.]/g, "-")}`);
  let unpacked: { files: number; mark: Mark };
  try {
    removeIfThere(home.path("migration"));
    unpacked = await unpack(path, stage);
  } catch (error) {
    removeIfThere(home.path("migration"));
    throw error;
  }
  exchange(home.root, { backup, ...unpacked.mark });
  if ([...Deno.readDirSync(backup)].length > 0) return { files: unpacked.files, before: backup };
  removeIfThere(backup);
  return { files: unpacked.files, before: null };
}

async function pack(folder: string, path: string): Promise<number> {
  let files = 0;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const mark = new TextEncoder().encode(
      JSON.stringify({ schema: SCHEMA, homed: VERSION, at: new Date().toISOString() }),
    );
    yield* entry({ path: MARK, kind: "file", size: mark.length, mode: 0o600 }, [mark]);
    yield* below("");
    yield TAR_END;
  }
  async function* below(inner: string): AsyncGenerator<Uint8Array> {
    for (const { name, isFile, isDirectory } of [...Deno.readDirSync(join(folder, inner))]) {
      const place = inner === "" ? name : `${inner}/${name}`;
      const mode = (Deno.lstatSync(join(folder, place)).mode ?? 0o600) & 0o700;
      if (isDirectory) {
        yield* entry({ path: place, kind: "folder", size: 0, mode }, []);
        yield* below(place);
      } else if (isFile) {
        files++;
        using file = Deno.openSync(join(folder, place), { read: true });
        yield* entry({ path: place, kind: "file", size: file.statSync().size, mode }, pieces(file));
      }
    }
  }
  const out = await Deno.open(path, { create: true, truncate: true, write: true, mode: 0o600 });
  const source = ReadableStream.from(chunks()) as ReadableStream<BufferSource>;
  await source.pipeThrough(new CompressionStream("gzip")).pipeTo(out.writable);
  using written = Deno.openSync(path, { read: true });
  written.syncSync();
  return files;
}

function* entry(about: TarEntry, body: Iterable<Uint8Array>): Generator<Uint8Array> {
  yield tarHeader(about);
  yield* body;
  yield tarPadding(about.size);
}

function* pieces(file: Deno.FsFile): Generator<Uint8Array> {
  for (;;) {
    const piece = new Uint8Array(1 << 16);
    const length = file.readSync(piece);
    if (length === null) return;
    yield piece.subarray(0, length);
  }
}

async function unpack(path: string, stage: string): Promise<{ files: number; mark: Mark }> {
  const refuse = (why: string, cause?: unknown) =>
    new HomedError("restore", `Cannot restore ${path}: ${why}. Nothing was changed`, {
      fix: "name a file that `homed backup` made",
      ...(cause !== undefined && { cause }),
    });
  let archive: Deno.FsFile;
  try {
    archive = await Deno.open(path, { read: true });
  } catch (error) {
    throw refuse(reasonOf(error), error);
  }
  Deno.mkdirSync(stage, { recursive: true, mode: 0o700 });
  let files = 0, mark: Mark | undefined;
  try {
    const stream = archive.readable.pipeThrough(new DecompressionStream("gzip") as unknown as Gunzip);
    for await (const { entry, body } of readTar(stream)) {
      if (!isSafe(entry.path)) throw new Error(`it holds the path "${entry.path.slice(0, 100)}"`);
      const place = join(stage, entry.path);
      if (isThere(place)) throw new Error(`it holds ${entry.path} twice`);
      if (!mark && entry.path !== MARK) throw new Error("it is no backup of homed");
      if (entry.kind === "folder") {
        Deno.mkdirSync(place, { recursive: true, mode: 0o700 });
        continue;
      }
      using file = Deno.openSync(place, { createNew: true, write: true, mode: entry.mode | 0o600 });
      for await (const bytes of body) for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
      file.syncSync();
      if (entry.path === MARK) {
        const { schema, homed } = JSON.parse(Deno.readTextFileSync(place)) as Mark;
        Deno.removeSync(place);
        if (schema > SCHEMA) {
          throw new Error(
            `it was made by homed ${homed} (schema ${schema}), and this homed knows schemas up to ${SCHEMA}`,
          );
        }
        mark = { schema, homed };
      } else files++;
    }
  } catch (error) {
    // What is no gzip is told by the runtime in words of its own.
    throw refuse(error instanceof TypeError ? "it is damaged, or no backup of homed" : reasonOf(error), error);
  }
  if (!mark) throw refuse("it is empty");
  return { files, mark };
}

type Gunzip = TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>;

/** A path below the home: no way up, no root, and on Windows no drive or backslash. */
function isSafe(path: string): boolean {
  const forbidden = Deno.build.os === "windows" ? /[\\:\0]/ : /[\\\0]/;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== ".." && !forbidden.test(part));
}

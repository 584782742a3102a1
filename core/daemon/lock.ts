import { HomedError } from "../base/errors.ts";

/** Who holds a home. */
export interface Holder {
  pid: number;
  /** ISO 8601. */
  since: string;
}

/** The right to use a home, held by one process at a time. The system gives it back when the process ends, however it
 * ends, so a crash never blocks the next start. */
export class HomeLock {
  readonly #file: Deno.FsFile;

  private constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /** Takes the lock at `path`.
   * @throws {HomedError} code `locked` when another process has it */
  static take(path: string): HomeLock {
    const file = Deno.openSync(path, { create: true, read: true, write: true, mode: 0o600 });
    if (!file.tryLockSync(true)) {
      const holder = readHolder(file);
      file.close();
      const who = holder ? ` (process ${holder.pid}, since ${holder.since})` : "";
      throw new HomedError("locked", `Another homed${who} is using this home`, {
        fix: "talk to it with `homed chat`, or end it with `homed stop`",
      });
    }
    const holder: Holder = { pid: Deno.pid, since: new Date().toISOString() };
    file.truncateSync(0);
    file.seekSync(0, Deno.SeekMode.Start);
    file.writeSync(new TextEncoder().encode(JSON.stringify(holder)));
    return new HomeLock(file);
  }

  /** Who holds the lock at `path` now; undefined when nobody does. */
  static holder(path: string): Holder | undefined {
    let file: Deno.FsFile;
    try {
      file = Deno.openSync(path, { read: true, write: true });
    } catch (error) {
      if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
      throw error;
    }
    try {
      if (file.tryLockSync(true)) {
        file.unlockSync();
        return undefined;
      }
      return readHolder(file) ?? { pid: 0, since: "" };
    } finally {
      file.close();
    }
  }

  release(): void {
    this.#file.close();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

function readHolder(file: Deno.FsFile): Holder | undefined {
  try {
    const bytes = new Uint8Array(1024);
    file.seekSync(0, Deno.SeekMode.Start);
    const length = file.readSync(bytes) ?? 0;
    return JSON.parse(new TextDecoder().decode(bytes.subarray(0, length))) as Holder;
  } catch {
    // On Windows the locked part cannot be read, and a holder may be about to write it: that it is held is enough.
    return undefined;
  }
}

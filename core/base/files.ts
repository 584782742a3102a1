/** Writes a file so that after any crash it has either its old or its new content, for its owner alone. */
export function writeAtomically(path: string, content: string | Uint8Array): void {
  const fresh = `${path}.new-${Deno.pid}`;
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  try {
    using file = Deno.openSync(fresh, { create: true, truncate: true, write: true, mode: 0o600 });
    for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
    file.syncSync();
  } catch (error) {
    removeIfThere(fresh);
    throw error;
  }
  Deno.renameSync(fresh, path);
}

/** The text of a file, or undefined when it is not there. */
export function readIfThere(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Removes a file or folder; nothing when it is not there. */
export function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Whether there is anything at the path. */
export function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}

/** Removes a folder that may be large, without holding the thread; nothing when it is not there. */
export async function removeFolder(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

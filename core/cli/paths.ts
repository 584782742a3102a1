import { HomedError } from "../base/errors.ts";
import { reasonOf } from "../base/system_error.ts";

/** Checks that there is a file that can be read, before anything else happens.
 * @throws {HomedError} code `no_file` */
export function requireFile(path: string): void {
  const fail = (why: string, cause?: unknown) =>
    new HomedError("no_file", `Cannot read ${path}: ${why}`, { fix: "name a file that you can read", cause });
  let isFile: boolean;
  try {
    // A pipe with nobody at its other end would be waited for without end.
    isFile = Deno.statSync(path).isFile;
    if (isFile) Deno.openSync(path, { read: true }).close();
  } catch (error) {
    throw fail(reasonOf(error), error);
  }
  if (!isFile) throw fail("it is no file");
}

import { HomedError } from "../../base/errors.ts";
import { mimeOf } from "../../base/mime.ts";
import { sizeText } from "../labels.ts";
import { type CommandContext, UsageError } from "./command.ts";
import { line } from "./spans.ts";
import { visibleLine } from "./visible.ts";

/** A socket line holds 8 MiB, and base64 makes three bytes four. */
const MAX_BYTES = 5 * 1024 * 1024;

/** `/attach FILE`. */
export async function attach({ display, io, texts, attach }: CommandContext, rest: string): Promise<void> {
  // As a terminal writes a dropped file: quoted, or with escaped spaces.
  const path = rest.replace(/^(['"])(.*)\1$/, "$2").replace(/\\(.)/g, io.env.OS === "Windows_NT" ? "\\$1" : "$1");
  if (path === "") throw new UsageError("");
  const name = path.split(/[/\\]/).at(-1)!;
  const shown = visibleLine(name);
  const bytes = await io.readFile(path);
  const mime = mimeOf(bytes);
  if (!mime) throw new HomedError("attach", texts("attachType", { name: shown }));
  if (bytes.length > MAX_BYTES) {
    const values = { name: shown, size: sizeText(bytes.length), limit: sizeText(MAX_BYTES) };
    throw new HomedError("attach", texts("attachLarge", values));
  }
  attach({ mime, data: bytes.toBase64(), name });
  display.print(line(texts("attached", { name: shown, size: sizeText(bytes.length) })));
}

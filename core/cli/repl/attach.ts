import { HomedError } from "../../base/errors.ts";
import type { CommandContext } from "./command.ts";
import { UsageError } from "./command.ts";
import { line } from "./spans.ts";
import { visibleLine } from "./visible.ts";

const TYPES: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  ogg: "audio/ogg",
  m4a: "audio/mp4",
  flac: "audio/flac",
};
/** A socket line holds 8 MiB, and base64 makes three bytes four. */
const MAX_BYTES = 5 * 1024 * 1024;

/** `/attach FILE`. */
export async function attach({ display, io, texts, attach }: CommandContext, rest: string): Promise<void> {
  // As a terminal writes a dropped file: quoted, or with escaped spaces.
  const path = rest.replace(/^(['"])(.*)\1$/, "$2").replace(/\\(.)/g, io.env.OS === "Windows_NT" ? "\\$1" : "$1");
  if (path === "") throw new UsageError("");
  const name = path.split(/[/\\]/).at(-1)!;
  const mime = TYPES[name.split(".").at(-1)!.toLowerCase()];
  const shown = visibleLine(name);
  if (!mime) throw new HomedError("attach", texts("attachType", { name: shown }));
  const bytes = await io.readFile(path);
  if (bytes.length > MAX_BYTES) {
    const values = { name: shown, size: sizeText(bytes.length), limit: sizeText(MAX_BYTES) };
    throw new HomedError("attach", texts("attachLarge", values));
  }
  attach({ mime, data: bytes.toBase64(), name });
  display.print(line(texts("attached", { name: shown, size: sizeText(bytes.length) })));
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

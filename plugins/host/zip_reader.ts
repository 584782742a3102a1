/** A ZIP reader that refuses more than it reads: for packages from strangers. Sizes are what comes out, not what the
 * archive says. Format: PKWARE's APPNOTE.TXT, without encryption, ZIP64 and several disks. @module */
import { Inflate } from "fflate";
import { HomedError } from "../../core/base/mod.ts";

export interface ZipLimits {
  entries: number;
  fileBytes: number;
  totalBytes: number;
  /** How many times its packed size a file of more than a mebibyte may have. */
  ratio: number;
}

export const PACKAGE_LIMITS: ZipLimits = { entries: 2000, fileBytes: 128 << 20, totalBytes: 256 << 20, ratio: 200 };

/** One file of an archive, checked. `path` has `/` between folders and lies inside. */
export interface ZipEntry {
  path: string;
  size: number;
  /** @throws {HomedError} `package`, when it is not what the archive says */
  read(): Uint8Array;
}

const END = 0x06054b50, CENTRAL = 0x02014b50, LOCAL = 0x04034b50;
const DEVICES = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;
const TYPE_MASK = 0o170000, TYPE_FILE = 0o100000, TYPE_FOLDER = 0o040000;

const refuse = (reason: string, cause?: unknown): never => {
  throw new HomedError("package", `The package is refused: ${reason}`, { ...(cause !== undefined && { cause }) });
};

/** The files of an archive; folders are left out. Nothing is unpacked yet.
 * @throws {HomedError} `package`, with the reason */
export function readZip(bytes: Uint8Array, limits: ZipLimits = PACKAGE_LIMITS): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  const size = view.getUint32(end + 12, true);
  const start = view.getUint32(end + 16, true);
  if (view.getUint16(end + 4, true) !== 0 || view.getUint16(end + 8, true) !== count) refuse("it spans several disks");
  if (count === 0xffff || start === 0xffffffff || size === 0xffffffff) refuse("it is a ZIP64 archive");
  if (count > limits.entries) refuse(`it has ${count} entries: at most ${limits.entries}`);
  if (start + size !== end) refuse("its list of files is not where it says");
  const seen = new Map<string, string>();
  const spans: { from: number; to: number; path: string }[] = [];
  const entries: ZipEntry[] = [];
  let total = 0;
  let at = start;
  for (let i = 0; i < count; i++) {
    if (at + 46 > end || view.getUint32(at, true) !== CENTRAL) refuse("its list of files is cut");
    const header = readHeader(bytes, view, at, end);
    at = header.next;
    checkPath(header.path, seen);
    const span = checkLocal(view, bytes, header, start);
    spans.push({ ...span, path: header.path });
    if (header.isFolder) {
      if (header.size !== 0) refuse(`the folder "${header.path}" has content`);
      continue;
    }
    total += header.size;
    if (header.size > limits.fileBytes) {
      refuse(`"${header.path}" has ${header.size} bytes: at most ${limits.fileBytes}`);
    }
    if (total > limits.totalBytes) refuse(`it has more than ${limits.totalBytes} bytes unpacked`);
    if (header.size > 1 << 20 && header.size > header.packed * limits.ratio) {
      refuse(`"${header.path}" grows more than ${limits.ratio} times when it is unpacked`);
    }
    const packed = bytes.subarray(span.from, span.to);
    entries.push({ path: header.path, size: header.size, read: () => unpack(packed, header) });
  }
  if (at !== end) refuse("its list of files is longer than it says");
  checkSpans(spans);
  checkFolders(entries);
  return entries;
}

interface Header {
  path: string;
  isFolder: boolean;
  method: number;
  crc: number;
  packed: number;
  size: number;
  offset: number;
  next: number;
}

function findEnd(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 22 - 0xffff); at--) {
    if (view.getUint32(at, true) === END && at + 22 + view.getUint16(at + 20, true) === view.byteLength) return at;
  }
  return refuse("it is no ZIP archive, or cut");
}

function readHeader(bytes: Uint8Array, view: DataView, at: number, end: number): Header {
  const u16 = (offset: number) => view.getUint16(at + offset, true);
  const u32 = (offset: number) => view.getUint32(at + offset, true);
  const nameLength = u16(28);
  const next = at + 46 + nameLength + u16(30) + u16(32);
  if (next > end) refuse("its list of files is cut");
  const name = decodeName(bytes.subarray(at + 46, at + 46 + nameLength));
  const flags = u16(8), method = u16(10);
  if (flags & 1) refuse(`"${name}" is encrypted`);
  if (method !== 0 && method !== 8) refuse(`"${name}" is packed in a way that is not read here (${method})`);
  const type = u16(4) >> 8 === 3 ? (u32(38) >>> 16) & TYPE_MASK : 0;
  if (type !== 0 && type !== TYPE_FILE && type !== TYPE_FOLDER) refuse(`"${name}" is a link or a special file`);
  const isFolder = name.endsWith("/");
  if ((type === TYPE_FOLDER) !== isFolder && type !== 0) refuse(`"${name}" is no plain file`);
  const [crc, packed, size, offset] = [u32(16), u32(20), u32(24), u32(42)];
  if ([packed, size, offset].includes(0xffffffff)) refuse("it is a ZIP64 archive");
  return { path: isFolder ? name.slice(0, -1) : name, isFolder, method, crc, packed, size, offset, next };
}

function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    return refuse("a name in it is not UTF-8", error);
  }
}

function checkPath(path: string, seen: Map<string, string>): void {
  const shown = JSON.stringify(path);
  // deno-lint-ignore no-control-regex
  if (path === "" || /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(path)) {
    refuse(`the name ${shown} has control characters or is empty`);
  }
  if (path.includes("\\")) refuse(`the name ${shown} has a backslash`);
  if (path.startsWith("/")) refuse(`the name ${shown} is an absolute path`);
  if (/^[A-Za-z]:/.test(path) || path.includes(":")) refuse(`the name ${shown} names a drive or a stream`);
  if (path.length > 400) refuse(`the name ${shown.slice(0, 60)}… is too long`);
  for (const part of path.split("/")) {
    if (part === "..") refuse(`the name ${shown} leads out of the package`);
    if (part === "" || part === ".") refuse(`the name ${shown} has an empty part`);
    if (DEVICES.test(part)) refuse(`the name ${shown} is a device on Windows`);
    if (/[. ]$/.test(part) || /[<>"|?*]/.test(part)) refuse(`the name ${shown} is not a name on Windows`);
  }
  const key = path.normalize("NFC").toLowerCase();
  const other = seen.get(key);
  if (other !== undefined) {
    refuse(other === path ? `${shown} is in it twice` : `${shown} and "${other}" are one name on some systems`);
  }
  seen.set(key, path);
}

/** Where the data lies, after a check that the entry's own header says the same as the list. */
function checkLocal(view: DataView, bytes: Uint8Array, header: Header, end: number): { from: number; to: number } {
  const { offset, packed, path, isFolder, method } = header;
  if (offset + 30 > end || view.getUint32(offset, true) !== LOCAL) refuse(`"${path}" is not where the list says`);
  const nameLength = view.getUint16(offset + 26, true);
  const from = offset + 30 + nameLength + view.getUint16(offset + 28, true);
  if (from + packed > end) refuse(`"${path}" is cut`);
  const name = decodeName(bytes.subarray(offset + 30, offset + 30 + nameLength));
  if (name !== (isFolder ? `${path}/` : path) || view.getUint16(offset + 8, true) !== method) {
    refuse(`"${path}" is called otherwise in its own header`);
  }
  return { from, to: from + packed };
}

/** No two files share bytes: that is how small archives become huge. */
function checkSpans(spans: { from: number; to: number; path: string }[]): void {
  const sorted = spans.sort((a, b) => a.from - b.from);
  for (let i = 1; i < sorted.length; i++) {
    if (sorted[i]!.from < sorted[i - 1]!.to) refuse(`"${sorted[i]!.path}" and "${sorted[i - 1]!.path}" share bytes`);
  }
}

/** No file is also a folder of another. */
function checkFolders(entries: ZipEntry[]): void {
  const files = new Set(entries.map(({ path }) => path.normalize("NFC").toLowerCase()));
  for (const { path } of entries) {
    const parts = path.normalize("NFC").toLowerCase().split("/");
    for (let i = 1; i < parts.length; i++) {
      if (files.has(parts.slice(0, i).join("/"))) refuse(`"${path}" lies in what is a file`);
    }
  }
}

function unpack(packed: Uint8Array, { path, method, size, crc }: Header): Uint8Array {
  let data: Uint8Array;
  if (method === 0) {
    if (packed.length !== size) refuse(`"${path}" has another size than it says`);
    data = packed.slice();
  } else data = inflate(packed, size, path);
  if (crc32(data) !== crc) refuse(`"${path}" is damaged: its checksum is wrong`);
  return data;
}

/** Bytes handed to the inflater at a time: what it makes of them is at most about a thousand times as much. */
const STEP = 4096;

function inflate(packed: Uint8Array, size: number, path: string): Uint8Array {
  const data = new Uint8Array(size);
  let at = 0;
  const inflater = new Inflate((chunk) => {
    if (at + chunk.length > size) refuse(`"${path}" has more bytes than it says`);
    data.set(chunk, at);
    at += chunk.length;
  });
  try {
    for (let from = 0; from < packed.length; from += STEP) {
      inflater.push(packed.subarray(from, from + STEP), from + STEP >= packed.length);
    }
  } catch (error) {
    if (error instanceof HomedError) throw error;
    refuse(`"${path}" cannot be unpacked`, error);
  }
  if (at !== size) refuse(`"${path}" has fewer bytes than it says`);
  return data;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

/** CRC-32 as ZIP uses it. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = CRC_TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** Packages as an attacker makes them, each with what its refusal says. */
import { type Zippable, zipSync } from "fflate";
import { crc32 } from "../../plugins/host/zip_reader.ts";
import { jsTool } from "../plugins/host/kit.ts";

export const text = (value: string) => new TextEncoder().encode(value);
export const manifest = (more: Record<string, unknown> = {}) =>
  text(JSON.stringify({ name: "weather", version: "1.0.0", description: "x", entry: "main.js", ...more }));
export const script = (result: string) =>
  text(`export default { async start(sdk) { ${jsTool("weather_now", `return ${result};`)} } };`);
export const good: Zippable = { "plugin.json": manifest(), "main.js": script('"sun"') };

/** A ZIP made by hand, with whatever lies a test needs. */
function rawZip(
  entries: {
    name: string;
    data?: Uint8Array;
    size?: number;
    crc?: number;
    attrs?: number;
    flags?: number;
    localName?: string;
    at?: number;
  }[],
) {
  const parts: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let offset = 0;
  for (
    const {
      name,
      data = text("x"),
      size = data.length,
      crc = crc32(data),
      attrs = 0o100644,
      flags = 0,
      localName = name,
      at,
    } of entries
  ) {
    const header = (signature: number, own: string, more: number) => {
      const bytes = new Uint8Array(more + text(own).length);
      const view = new DataView(bytes.buffer);
      view.setUint32(0, signature, true);
      const base = more === 46 ? 6 : 4;
      if (more === 46) view.setUint16(4, 3 << 8, true);
      view.setUint16(base + 2, flags, true);
      view.setUint32(base + 10, crc, true);
      view.setUint32(base + 14, data.length, true);
      view.setUint32(base + 18, size, true);
      view.setUint16(base + 22, text(own).length, true);
      if (more === 46) {
        view.setUint32(38, attrs * 65536, true);
        view.setUint32(42, at ?? offset, true);
      }
      bytes.set(text(own), more);
      return bytes;
    };
    central.push(header(0x02014b50, name, 46));
    const local = header(0x04034b50, localName, 30);
    parts.push(local, data);
    offset += local.length + data.length;
  }
  const size = central.reduce((sum, one) => sum + one.length, 0);
  const end = new Uint8Array(22);
  const view = new DataView(end.buffer);
  view.setUint32(0, 0x06054b50, true);
  view.setUint16(8, entries.length, true);
  view.setUint16(10, entries.length, true);
  view.setUint32(12, size, true);
  view.setUint32(16, offset, true);
  return new Uint8Array([...parts, ...central, end].flatMap((part) => [...part]));
}

const bomb = () => {
  const zeros = new Uint8Array(8 << 20);
  return zipSync({ ...good, "zeros": zeros }, { level: 9 });
};
const lying = () => {
  // A packed file that says it has ten bytes and has more.
  const bytes = zipSync({ ...good, "big": text("y".repeat(100_000)) }, { level: 9 });
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length - 4; at++) {
    if (
      view.getUint32(at, true) === 0x02014b50 && new TextDecoder().decode(bytes.subarray(at + 46, at + 49)) === "big"
    ) {
      view.setUint32(at + 24, 10, true);
    }
  }
  return bytes;
};
const named = (name: string) => rawZip([{ name: "plugin.json", data: manifest() }, { name }]);

/** What it is, how it is made, and what its refusal says. */
export const hostile: [what: string, make: () => Uint8Array, reason: RegExp][] = [
  ["a parent path", () => named("a/../../b"), /leads out of the package/],
  ["an absolute path", () => named("/etc/passwd"), /absolute path/],
  ["a drive path", () => named("C:evil"), /drive or a stream/],
  ["a backslash path", () => named("a\\..\\b"), /backslash/],
  ["a link", () => rawZip([{ name: "link", attrs: 0o120777 }]), /is a link/],
  ["a device file", () => rawZip([{ name: "dev", attrs: 0o020666 }]), /special file/],
  ["a duplicate name", () => rawZip([{ name: "a" }, { name: "a" }]), /is in it twice/],
  ["case-equal names", () => rawZip([{ name: "Readme" }, { name: "README" }]), /one name on some systems/],
  [
    "composed and decomposed names",
    () => rawZip([{ name: "\u00e9" }, { name: "e\u0301" }]),
    /one name on some systems/,
  ],
  ["a file that is also a folder", () => rawZip([{ name: "a" }, { name: "a/b" }]), /lies in what is a file/],
  ["a size that lies low", lying, /more bytes than it says/],
  ["a size that lies high", () => rawZip([{ name: "plugin.json", size: 99 }]), /another size than it says/],
  ["a huge size", () => rawZip([{ name: "a", size: 3e9 }]), /bytes: at most/],
  ["a ratio bomb", bomb, /grows more than 200 times/],
  ["a count bomb", () => rawZip(Array.from({ length: 2001 }, (_, i) => ({ name: `f${i}` }))), /2001 entries/],
  [
    "overlapping entries",
    () => rawZip([{ name: "a", data: text("xx") }, { name: "a2", localName: "a", at: 0 }]),
    /called otherwise|share bytes/,
  ],
  ["a device name", () => named("sub/NUL.txt"), /device on Windows/],
  ["a trailing dot", () => named("evil."), /not a name on Windows/],
  ["control characters", () => named("a\u0007b"), /control characters/],
  ["a direction override", () => named("a\u202egpj.exe"), /control characters/],
  ["a name that is called otherwise inside", () => rawZip([{ name: "a", localName: "b" }]), /called otherwise/],
  ["an encrypted file", () => rawZip([{ name: "a", flags: 1 }]), /encrypted/],
  ["a damaged file", () => rawZip([{ name: "plugin.json", data: manifest(), crc: 5 }]), /checksum is wrong/],
  ["no manifest", () => zipSync({ "main.js": script("1") }), /no plugin\.json at its root/],
  [
    "a giant manifest",
    () => zipSync({ "plugin.json": text(" ".repeat(300_000)), "main.js": script("1") }),
    /plugin\.json has 300000 bytes/,
  ],
  ["a manifest that is no JSON", () => zipSync({ "plugin.json": text("{"), "main.js": script("1") }), /no JSON/],
  ["an entry outside", () => zipSync({ ...good, "plugin.json": manifest({ entry: "../x.js" }) }), /wrong at "entry"/],
  [
    "an entry that is missing",
    () => zipSync({ ...good, "plugin.json": manifest({ entry: "other.js" }) }),
    /is not in it/,
  ],
  [
    "a wrong platform",
    () => zipSync({ ...good, "plugin.json": manifest({ platforms: ["windows-arm64"] }) }),
    /this machine is/,
  ],
  [
    "a name that shadows a built-in",
    () => zipSync({ ...good, "plugin.json": manifest({ name: "timer" }) }),
    /reserved/,
  ],
  ["a name that is no name", () => zipSync({ ...good, "plugin.json": manifest({ name: "a_b" }) }), /wrong at "name"/],
  [
    "a capability of the built-ins'",
    () => zipSync({ ...good, "plugin.json": manifest({ capabilities: ["host"] }) }),
    /capabilities/,
  ],
  [
    "code that loads other code",
    () => zipSync({ ...good, "main.js": text('export default import("./x.js")') }),
    /import\(\)/,
  ],
  ["a newer homed", () => zipSync({ ...good, "plugin.json": manifest({ min_core: "9.0.0" }) }), /needs homed 9\.0\.0/],
  ["something that is no archive", () => text("hello"), /no ZIP archive/],
];

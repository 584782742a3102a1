import assert from "node:assert/strict";
import fc from "fast-check";
import { readTar, TAR_END, type TarEntry, tarHeader, tarPadding } from "../../../core/daemon/tar.ts";

function archive(files: [string, Uint8Array][]): Uint8Array<ArrayBuffer>[] {
  const parts = files.flatMap(([path, bytes]) => [
    tarHeader({ path, kind: "file", size: bytes.length, mode: 0o600 }),
    bytes,
    tarPadding(bytes.length),
  ]);
  return [...parts, TAR_END] as Uint8Array<ArrayBuffer>[];
}

async function unpack(chunks: Uint8Array<ArrayBuffer>[]): Promise<[TarEntry, Uint8Array][]> {
  const found: [TarEntry, Uint8Array][] = [];
  for await (const { entry, body } of readTar(ReadableStream.from(chunks))) {
    const parts = await Array.fromAsync(body);
    found.push([entry, new Uint8Array(parts.flatMap((part) => [...part]))]);
  }
  return found;
}

Deno.test("what was packed is unpacked: long and Chinese paths, every size, however the stream is cut", async () => {
  const paths = fc.oneof(
    fc.constantFrom("a", "b/c.json", `${"long/".repeat(40)}end`, "知识/笔记.md", "a b=c\n"),
    fc.uuid(),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(paths, { maxLength: 5 }),
      fc.uint8Array({ maxLength: 1500 }),
      fc.integer({ min: 1, max: 700 }),
      async (names, bytes, step) => {
        const files = names.map((name, i) => [name, bytes.subarray(0, i * 400)] as [string, Uint8Array]);
        const whole = new Uint8Array(archive(files).flatMap((part) => [...part]));
        const chunks = [];
        for (let at = 0; at < whole.length; at += step) chunks.push(whole.slice(at, at + step));
        const found = await unpack(chunks);
        assert.deepEqual(
          found.map(([{ path }, body]) => [path, body]),
          files.map(([path, body]) => [path, body.slice()]),
        );
      },
    ),
    { numRuns: 40 },
  );
});

Deno.test("an archive that is cut off or damaged is refused", async () => {
  const whole = archive([["a", new Uint8Array(600)]]);
  const bytes = new Uint8Array(whole.flatMap((part) => [...part]));
  for (const length of [0, 100, 512, 700, 1100]) {
    await assert.rejects(unpack([bytes.slice(0, length)]), /cut off/, String(length));
  }
  const damaged = bytes.slice();
  damaged[3] = 0xff;
  await assert.rejects(unpack([damaged]), /damaged/);
  const link = tarHeader({ path: "x", kind: "file", size: 0, mode: 0o600 }).slice();
  link[156] = "2".charCodeAt(0);
  // A checksum that fits, as a forger makes it.
  const sum = link.reduce((all, byte, i) => all + (i >= 148 && i < 156 ? 32 : byte), 0);
  link.set(new TextEncoder().encode(sum.toString(8).padStart(6, "0") + "\0 "), 148);
  await assert.rejects(unpack([link, TAR_END as Uint8Array<ArrayBuffer>]), /an entry of the kind "2"/);
});

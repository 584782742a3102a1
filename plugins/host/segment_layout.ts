/** The shared segment's layout, which `docs/protocol.md` shows as a table. All words are 32 bits, little-endian. @module */
import { ringBytes } from "../../core/bus/event_ring.ts";

export const SEGMENT_MAGIC = 0x44454d48;
export const SEGMENT_VERSION = 1;

/** Words of the header by name, with what they hold. */
export const HEADER_WORDS = [
  ["magic", '`0x44454d48` ("HMED")'],
  ["version", "layout version, 1"],
  ["size", "bytes of the whole segment"],
  ["lock", "the lock word: slot of the plugin that holds the stage context, 0 for nobody; homed writes it"],
  ["stage_seq", "`seq` of the stage whose context lies here"],
  ["ctx_version", "version of the valid context; 0 while it changes: read again"],
  ["ctx_active", "which of the two context buffers is valid, 0 or 1; the holder of the lock writes the other"],
  ["ctx_length_0", "bytes of UTF-8 JSON in buffer 0"],
  ["ctx_length_1", "bytes of UTF-8 JSON in buffer 1"],
  ["ctx_offset", "where buffer 0 begins; buffer 1 follows it"],
  ["ctx_capacity", "bytes of one buffer"],
  ["slices_offset", "where slices lie"],
  ["slices_size", "bytes for slices"],
  ["ring_offset", "where the event ring begins (layout: `core/bus/event_ring.ts`)"],
  ["ring_size", "bytes of the ring with its header"],
] as const;

export type HeaderWord = (typeof HEADER_WORDS)[number][0];

/** Index of a header word. */
export const WORD: Readonly<Record<HeaderWord, number>> = Object.fromEntries(
  HEADER_WORDS.map(([name], index) => [name, index]),
) as Record<HeaderWord, number>;

export const HEADER_BYTES = 4096;
export const CTX_CAPACITY = 2 << 20;
export const SLICES_BYTES = 64 << 20;
export const RING_CAPACITY = 4 << 20;

export const CTX_OFFSET = HEADER_BYTES;
export const SLICES_OFFSET = CTX_OFFSET + 2 * CTX_CAPACITY;
export const RING_OFFSET = SLICES_OFFSET + SLICES_BYTES;
/** A whole number of pages; pages that nobody touched take no memory. */
export const SEGMENT_BYTES = RING_OFFSET + Math.ceil(ringBytes(RING_CAPACITY) / 4096) * 4096;

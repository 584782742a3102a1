import { crc32 } from "node:zlib";
import type { FileStore } from "./files.ts";

const LINE_FEED = new Uint8Array([10]);

interface Waiting {
  bytes: Uint8Array;
  resolve(): void;
  reject(error: unknown): void;
}

/** Appends to one file at a time, durable before the promise resolves. Appends that arrive while the disk is busy go
 * down together with one fsync (group commit). When a group fails, each of its appends fails, and nothing of it stays in
 * the file; later ones are tried anew, so a full disk recovers. */
export class AppendLog {
  readonly #store: FileStore;
  #path: string;
  #waiting: Waiting[] = [];
  /** A failed append may have left half a line: the next group begins with a line feed. */
  #torn = false;
  #running: Promise<void> | undefined;

  constructor(store: FileStore, path: string) {
    this.#store = store;
    this.#path = path;
  }

  get path(): string {
    return this.#path;
  }

  append(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ bytes, resolve, reject });
      this.#running ??= this.#drain();
    });
  }

  get busy(): boolean {
    return this.#running !== undefined;
  }

  /** Waits for what is under way. Ask `busy` again afterwards: more may have come. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Later appends go to another, new file. Call it when not busy. */
  moveTo(path: string): void {
    this.#path = path;
    this.#torn = false;
  }

  async #drain(): Promise<void> {
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0);
      try {
        const parts = group.map((one) => one.bytes);
        await this.#store.append(this.#path, concat(this.#torn ? [LINE_FEED, ...parts] : parts));
        this.#torn = false;
        for (const one of group) one.resolve();
      } catch (error) {
        this.#torn = true;
        for (const one of group) one.reject(error);
      }
    }
    this.#running = undefined;
  }
}

function concat(parts: Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** CRC-32 of a text as eight hex digits. */
export function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}

/** One log line: checksum, a space, JSON, a line feed. */
export function encodeLine(value: unknown): Uint8Array {
  const json = JSON.stringify(value);
  return new TextEncoder().encode(`${checksum(json)} ${json}\n`);
}

/** The values of a checksummed log. `torn`: the last line was cut, as a kill does to an append that was never
 * acknowledged. `damaged` counts whole lines whose checksum is wrong, and an end that is no line at all: those were
 * acknowledged. */
export function decodeLines(bytes: Uint8Array): { values: unknown[]; torn: boolean; damaged: number } {
  const lines = new TextDecoder().decode(bytes).split("\n");
  const last = lines.pop()!;
  const torn = last !== "" && isBeginning(last);
  let damaged = last === "" || torn ? 0 : 1;
  const values = lines.flatMap((line) => {
    const json = line.slice(9);
    if (line[8] === " " && checksum(json) === line.slice(0, 8)) return [JSON.parse(json)];
    if (line !== "") damaged++;
    return [];
  });
  return { values, torn, damaged };
}

/** Whether a text is what a kill leaves of a line. */
function isBeginning(text: string): boolean {
  return /^(?:[0-9a-f]{0,8}|[0-9a-f]{8} .*)$/s.test(text) && !text.includes("\0");
}

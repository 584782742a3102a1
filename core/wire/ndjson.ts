/** One decoded line, or the news that one was over the limit and has been dropped up to its end. */
export type DecodedLine = { kind: "line"; text: string } | { kind: "too_large" };

/** Cuts a byte stream into lines wherever the chunks were cut, also in the middle of a character. Keeps at most
 * `maxBytes` of an unfinished line: a longer one is dropped and reported once. */
export class LineDecoder {
  readonly #maxBytes: number;
  readonly #text = new TextDecoder();
  #parts: Uint8Array[] = [];
  #length = 0;
  #dropping = false;

  /** `maxBytes` counts a line without its line feed. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that this chunk completes, in order. Keeps no hold of the chunk. */
  *push(chunk: Uint8Array): Generator<DecodedLine> {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = this.#finish(chunk.subarray(start, end));
      start = end + 1;
      if (line) yield line;
    }
    if (start === chunk.length) return;
    const tooLarge = this.#keep(chunk.slice(start));
    if (tooLarge) yield tooLarge;
  }

  /** What is left when the stream ends without a last line feed. */
  *end(): Generator<DecodedLine> {
    if (this.#length === 0) return;
    const line = this.#finish(new Uint8Array());
    if (line) yield line;
  }

  #keep(bytes: Uint8Array): DecodedLine | undefined {
    if (this.#dropping) return;
    this.#length += bytes.length;
    if (this.#length > this.#maxBytes) {
      this.#parts = [];
      this.#length = 0;
      this.#dropping = true;
      return { kind: "too_large" };
    }
    this.#parts.push(bytes);
  }

  #finish(last: Uint8Array): DecodedLine | undefined {
    if (this.#dropping) {
      this.#dropping = false;
      return;
    }
    const length = this.#length + last.length;
    if (length > this.#maxBytes) {
      this.#parts = [];
      this.#length = 0;
      return { kind: "too_large" };
    }
    let whole = last;
    if (this.#parts.length > 0) {
      whole = new Uint8Array(length);
      let at = 0;
      for (const part of [...this.#parts, last]) {
        whole.set(part, at);
        at += part.length;
      }
      this.#parts = [];
      this.#length = 0;
    }
    const text = this.#text.decode(whole);
    return { kind: "line", text: text.endsWith("\r") ? text.slice(0, -1) : text };
  }
}

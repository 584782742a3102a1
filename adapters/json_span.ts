/** Deeper than this nothing is passed over. */
const MAX_DEPTH = 100;

const QUOTE = 34, BACKSLASH = 92, COMMA = 44, COLON = 58, MINUS = 45;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Where the array or object that begins at `from` ends, when it is written just as `JSON.stringify` writes: no white
 * space, no escape but the short ones, nothing wrong. Undefined when it is not, or when it is nested too deep: whoever
 * asks then has to read it. What it passes over need not be read to be written again. */
export function jsonSpan(bytes: Uint8Array, from: number): number | undefined {
  const scan = new Scan(bytes, from);
  if (!scan.value(0)) return undefined;
  if (scan.isWide) {
    try {
      utf8.decode(bytes.subarray(from, scan.at));
    } catch {
      return undefined; // Bytes that are no UTF-8: writing them mends them.
    }
  }
  return scan.at;
}

class Scan {
  at: number;
  /** There were bytes beyond ASCII. */
  isWide = false;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, from: number) {
    this.#bytes = bytes;
    this.at = from;
  }

  value(depth: number): boolean {
    const byte = this.#bytes[this.at];
    if (byte === 123) return depth < MAX_DEPTH && this.#list(125, depth, true);
    if (byte === 91) return depth < MAX_DEPTH && this.#list(93, depth, false);
    if (byte === QUOTE) return this.#string();
    if (byte === 116) return this.#word("true");
    if (byte === 102) return this.#word("false");
    if (byte === 110) return this.#word("null");
    return this.#number();
  }

  #list(close: number, depth: number, isObject: boolean): boolean {
    const bytes = this.#bytes;
    if (bytes[++this.at] === close) {
      this.at++;
      return true;
    }
    for (;; this.at++) {
      if (isObject) {
        if (bytes[this.at] !== QUOTE || !this.#string() || bytes[this.at] !== COLON) return false;
        this.at++;
      }
      if (!this.value(depth + 1)) return false;
      const byte = bytes[this.at];
      if (byte === close) {
        this.at++;
        return true;
      }
      if (byte !== COMMA) return false;
    }
  }

  #string(): boolean {
    const bytes = this.#bytes;
    for (let at = this.at + 1; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        this.at = at + 1;
        return true;
      }
      if (byte < 32) return false;
      if (byte === BACKSLASH) {
        const escaped = bytes[++at];
        // " \ b f n r t
        const short = escaped === QUOTE || escaped === BACKSLASH || escaped === 98 || escaped === 102 ||
          escaped === 110 || escaped === 114 || escaped === 116;
        if (!short) return false;
      } else if (byte > 127) this.isWide = true;
    }
    return false;
  }

  #word(word: string): boolean {
    for (let i = 0; i < word.length; i++) if (this.#bytes[this.at + i] !== word.charCodeAt(i)) return false;
    this.at += word.length;
    return true;
  }

  #number(): boolean {
    const bytes = this.#bytes;
    const from = this.at;
    let at = from;
    if (bytes[at] === MINUS) at++;
    while (at < bytes.length && ((bytes[at]! >= 48 && bytes[at]! <= 57) || isInNumber(bytes[at]!))) at++;
    this.at = at;
    let text = "";
    for (let i = from; i < at; i++) text += String.fromCharCode(bytes[i]!);
    return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(text);
  }
}

/** . + - e E */
const isInNumber = (byte: number) => byte === 46 || byte === 43 || byte === MINUS || byte === 101 || byte === 69;

/** What a person pressed, out of the bytes a terminal sends. Names: a letter or sign for Ctrl and Alt chords, else
 * `enter tab escape backspace delete insert up down left right home end pageup pagedown f1…f12 space`. */
export type Key =
  | { kind: "text"; text: string }
  | { kind: "paste"; text: string }
  | { kind: "key"; name: string; ctrl: boolean; alt: boolean; shift: boolean };

const ESC = 0x1b;
const PASTE_END = [ESC, 0x5b, 0x32, 0x30, 0x31, 0x7e];
/** Replies of a terminal (OSC, DCS) longer than this are garbage. */
const MAX_STRING = 4096;

const LETTERS: Record<string, string> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
  M: "enter",
};
const NUMBERS: Record<number, string> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
  11: "f1",
  12: "f2",
  13: "f3",
  14: "f4",
  15: "f5",
  17: "f6",
  18: "f7",
  19: "f8",
  20: "f9",
  21: "f10",
  23: "f11",
  24: "f12",
};
const CODES: Record<number, string> = { 9: "tab", 13: "enter", 27: "escape", 32: "space", 127: "backspace" };

const key = (name: string, chord: { ctrl?: boolean; alt?: boolean; shift?: boolean } = {}): Key => ({
  kind: "key",
  name,
  ctrl: chord.ctrl ?? false,
  alt: chord.alt ?? false,
  shift: chord.shift ?? false,
});

/** What was read at the head of the buffer: how many bytes, and the key if they are one. `undefined`: more is needed. */
type Taken = { bytes: number; key?: Key } | undefined;

/** Decodes terminal input, whose chunks may end anywhere: inside a character, a sequence, a paste. */
export class KeyDecoder {
  #buffer: number[] = [];
  #paste: number[] | undefined;
  readonly #utf8 = new TextDecoder();

  /** True while the head of a sequence waits for the rest. A lone Escape looks the same: call `flush` after a pause. */
  get pending(): boolean {
    return this.#buffer.length > 0 && this.#paste === undefined;
  }

  /** The keys that are complete with these bytes. Neighbouring characters come as one text. */
  push(bytes: Uint8Array): Key[] {
    const keys: Key[] = [];
    for (const byte of bytes) {
      if (this.#paste) this.#pushPaste(byte, keys);
      else {
        this.#buffer.push(byte);
        this.#drain(keys, false);
      }
    }
    return keys;
  }

  /** Nothing more came: what waits is what it looks like, an Escape or an Alt chord; half a sequence is dropped. */
  flush(): Key[] {
    const keys: Key[] = [];
    if (this.#paste === undefined) this.#drain(keys, true);
    return keys;
  }

  #pushPaste(byte: number, keys: Key[]): void {
    const paste = this.#paste!;
    paste.push(byte);
    const from = paste.length - PASTE_END.length;
    if (byte !== 0x7e || from < 0 || !PASTE_END.every((end, i) => paste[from + i] === end)) return;
    this.#paste = undefined;
    const text = pastedText(this.#utf8.decode(new Uint8Array(paste.slice(0, from))));
    if (text) keys.push({ kind: "paste", text });
  }

  #drain(keys: Key[], final: boolean): void {
    while (this.#buffer.length > 0) {
      const taken = this.#take(this.#buffer, final);
      if (!taken) return;
      this.#buffer.splice(0, taken.bytes);
      if (taken.key) add(keys, taken.key);
    }
  }

  #take(bytes: number[], final: boolean): Taken {
    const first = bytes[0]!;
    if (first === ESC) return this.#takeEscape(bytes, final);
    if (first < 0x20 || first === 0x7f) return { bytes: 1, key: control(first) };
    return this.#takeCharacter(bytes, 0, final);
  }

  #takeEscape(bytes: number[], final: boolean): Taken {
    const second = bytes[1];
    if (second === undefined || second === ESC) {
      return second === ESC || final ? { bytes: 1, key: key("escape") } : undefined;
    }
    if (bytes.length === 2 && final && [0x5b, 0x4f, 0x5d, 0x50].includes(second)) {
      return { bytes: 2, key: key(String.fromCharCode(second), { alt: true }) };
    }
    if (second === 0x5b) return this.#takeCsi(bytes, final);
    if (second === 0x4f) {
      const third = bytes[2];
      if (third === undefined) return undefined;
      if (third < 0x20 || third > 0x7e) return { bytes: 2 };
      const name = LETTERS[String.fromCharCode(third)];
      return name ? { bytes: 3, key: key(name) } : { bytes: 3 };
    }
    // Replies of the terminal: OSC, DCS, SOS, PM, APC, up to BEL or ST.
    if ([0x5d, 0x50, 0x58, 0x5e, 0x5f].includes(second)) return takeString(bytes, final);
    if (second < 0x20 || second === 0x7f) {
      const pressed = control(second);
      return { bytes: 2, key: pressed.kind === "key" ? { ...pressed, alt: true } : pressed };
    }
    const taken = this.#takeCharacter(bytes, 1, final);
    if (!taken || taken.key?.kind !== "text") return taken;
    return { bytes: taken.bytes, key: key(taken.key.text, { alt: true }) };
  }

  #takeCsi(bytes: number[], final: boolean): Taken {
    for (let i = 2; i < bytes.length; i++) {
      const byte = bytes[i]!;
      if (byte >= 0x20 && byte <= 0x3f && i < 64) continue;
      if (byte < 0x40 || byte > 0x7e) return { bytes: i };
      // The Linux console's function keys: ESC [ [ A.
      if (byte === 0x5b && i === 2) {
        if (bytes[3] === undefined) return final ? { bytes: 3 } : undefined;
        return { bytes: 4 };
      }
      const params = String.fromCharCode(...bytes.slice(2, i));
      const letter = String.fromCharCode(byte);
      if (letter === "~" && params === "200") {
        this.#paste = [];
        return { bytes: i + 1 };
      }
      const pressed = csiKey(params, letter);
      return pressed ? { bytes: i + 1, key: pressed } : { bytes: i + 1 };
    }
    return final ? { bytes: bytes.length } : undefined;
  }

  #takeCharacter(bytes: number[], offset: number, final: boolean): Taken {
    const lead = bytes[offset]!;
    const length = lead < 0x80
      ? 1
      : lead >= 0xc2 && lead < 0xe0
      ? 2
      : lead >= 0xe0 && lead < 0xf0
      ? 3
      : lead < 0xf5
      ? 4
      : 1;
    const wanted = lead >= 0x80 && lead < 0xc2 ? 1 : length;
    for (let i = 1; i < wanted; i++) {
      const byte = bytes[offset + i];
      if (byte === undefined) return final ? { bytes: bytes.length, key: { kind: "text", text: "\ufffd" } } : undefined;
      if ((byte & 0xc0) !== 0x80) return { bytes: offset + i, key: { kind: "text", text: "\ufffd" } };
    }
    const text = this.#utf8.decode(new Uint8Array(bytes.slice(offset, offset + wanted)));
    return { bytes: offset + wanted, key: { kind: "text", text: text.length > 2 ? "\ufffd" : text } };
  }
}

function takeString(bytes: number[], final: boolean): Taken {
  const last = bytes.length - 1;
  if (bytes[last] === 0x07) return { bytes: bytes.length };
  if (last > 2 && bytes[last] === 0x5c && bytes[last - 1] === ESC) return { bytes: bytes.length };
  return final || bytes.length > MAX_STRING ? { bytes: bytes.length } : undefined;
}

function control(byte: number): Key {
  if (byte === 0x0d) return key("enter");
  if (byte === 0x09) return key("tab");
  if (byte === 0x7f || byte === 0x08) return key("backspace");
  if (byte === 0) return key("space", { ctrl: true });
  return key(byte <= 26 ? String.fromCharCode(byte + 96) : String.fromCharCode(byte + 64), { ctrl: true });
}

/** A CSI sequence as a key: xterm's letters and numbers with modifiers, `modifyOtherKeys` (`27;mod;code~`) and the
 * `code;mod u` form. Reports and mouse events are none. */
function csiKey(params: string, letter: string): Key | undefined {
  const numbers = params.split(";").map((part) => Number.parseInt(part, 10));
  const chord = (modifier: number | undefined) => {
    const bits = Number.isFinite(modifier) ? modifier! - 1 : 0;
    return { shift: (bits & 1) !== 0, alt: (bits & 2) !== 0, ctrl: (bits & 4) !== 0 };
  };
  if (letter === "Z") return key("tab", { shift: true });
  if (letter === "u") return codeKey(numbers[0], chord(numbers[1]));
  if (letter === "~") {
    if (numbers[0] === 27) return codeKey(numbers[2], chord(numbers[1]));
    const name = NUMBERS[numbers[0] ?? 0];
    return name ? key(name, chord(numbers[1])) : undefined;
  }
  if (letter === "R" || letter === "M" || !/^[0-9;]*$/.test(params)) return undefined;
  const name = LETTERS[letter];
  return name ? key(name, chord(numbers[1])) : undefined;
}

function codeKey(code: number | undefined, chord: { ctrl: boolean; alt: boolean; shift: boolean }): Key | undefined {
  if (code === undefined || !Number.isFinite(code) || code > 0x10ffff) return undefined;
  const name = CODES[code];
  if (name) return key(name, chord);
  if (code < 0x20 || (code >= 0xd800 && code < 0xe000)) return undefined;
  const text = String.fromCodePoint(code);
  return chord.ctrl || chord.alt ? key(text.toLowerCase(), chord) : { kind: "text", text };
}

/** Pasted text keeps its lines and tabs and loses every other control character. */
export function pastedText(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/\r\n?/g, "\n").replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "");
}

function add(keys: Key[], next: Key): void {
  const last = keys.at(-1);
  if (last?.kind === "text" && next.kind === "text") last.text += next.text;
  else keys.push(next.kind === "text" ? { ...next } : next);
}

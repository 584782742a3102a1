/** Lua's patterns (Lua 5.4 manual, 6.4.1) over bytes, with every step counted: the library's own matcher is C code, which
 * no hook can stop, and takes time without bound on a hard pattern. */

type Quantifier = "" | "*" | "+" | "-" | "?";

type Item =
  | { kind: "single"; is: Uint8Array; many: Quantifier }
  | { kind: "open"; position: boolean }
  | { kind: "close" }
  | { kind: "back"; index: number }
  | { kind: "balance"; from: number; to: number }
  | { kind: "frontier"; is: Uint8Array }
  | { kind: "end" };

export interface Pattern {
  anchored: boolean;
  items: Item[];
}

/** A pattern that is none; the message is Lua's. */
export class PatternError extends Error {
  override name = "PatternError";
}

const PERCENT = 37, CARET = 94, DOLLAR = 36, OPEN = 40, CLOSE = 41, DOT = 46, SET = 91, SET_END = 93, DASH = 45;
const QUANTIFIERS: Record<number, Quantifier> = { 42: "*", 43: "+", 45: "-", 63: "?" };

const between = (from: string, to: string) => (byte: number) => byte >= from.charCodeAt(0) && byte <= to.charCodeAt(0);
const digit = between("0", "9"), lower = between("a", "z"), upper = between("A", "Z");
const letter = (byte: number) => lower(byte) || upper(byte);
const graphic = (byte: number) => byte > 32 && byte < 127;
const CLASSES: Record<string, (byte: number) => boolean> = {
  a: letter,
  c: (byte) => byte < 32 || byte === 127,
  d: digit,
  g: graphic,
  l: lower,
  p: (byte) => graphic(byte) && !letter(byte) && !digit(byte),
  s: (byte) => byte === 32 || (byte >= 9 && byte <= 13),
  u: upper,
  w: (byte) => letter(byte) || digit(byte),
  x: (byte) => digit(byte) || between("a", "f")(byte) || between("A", "F")(byte),
};

function addClass(into: Uint8Array, code: number): void {
  const char = String.fromCharCode(code);
  const test = CLASSES[char.toLowerCase()];
  if (!test) {
    into[code] = 1;
    return;
  }
  const wanted = char === char.toLowerCase();
  for (let byte = 0; byte < 256; byte++) if (test(byte) === wanted) into[byte] = 1;
}

/** Reads a pattern. `literalCaret`: `^` at its start has no meaning (`gmatch`).
 * @throws {PatternError} */
export function compilePattern(pattern: Uint8Array, literalCaret: boolean): Pattern {
  const anchored = !literalCaret && pattern[0] === CARET;
  const items: Item[] = [];
  let at = anchored ? 1 : 0;

  const set = (): Uint8Array => {
    const is = new Uint8Array(256);
    at++;
    const negated = pattern[at] === CARET;
    if (negated) at++;
    let first = true;
    for (; first || pattern[at] !== SET_END; first = false) {
      if (at >= pattern.length) throw new PatternError("malformed pattern (missing ']')");
      const code = pattern[at++]!;
      if (code === PERCENT) {
        if (at >= pattern.length) throw new PatternError("malformed pattern (missing ']')");
        addClass(is, pattern[at++]!);
      } else if (pattern[at] === DASH && at + 1 < pattern.length && pattern[at + 1] !== SET_END) {
        for (let byte = code; byte <= pattern[at + 1]!; byte++) is[byte] = 1;
        at += 2;
      } else {
        is[code] = 1;
      }
    }
    at++;
    return negated ? is.map((one) => 1 - one) : is;
  };

  const single = (is: Uint8Array) => {
    const many = QUANTIFIERS[pattern[at] ?? 0] ?? "";
    if (many !== "") at++;
    items.push({ kind: "single", is, many });
  };

  while (at < pattern.length) {
    const code = pattern[at]!;
    if (code === OPEN) {
      const position = pattern[at + 1] === CLOSE;
      items.push({ kind: "open", position });
      at += position ? 2 : 1;
    } else if (code === CLOSE) {
      items.push({ kind: "close" });
      at++;
    } else if (code === DOLLAR && at === pattern.length - 1) {
      items.push({ kind: "end" });
      at++;
    } else if (code === SET) {
      single(set());
    } else if (code === PERCENT) {
      if (at + 1 >= pattern.length) throw new PatternError("malformed pattern (ends with '%')");
      const next = pattern[at + 1]!;
      at += 2;
      if (next === 98) {
        if (at + 1 >= pattern.length) throw new PatternError("malformed pattern (missing arguments to '%b')");
        items.push({ kind: "balance", from: pattern[at]!, to: pattern[at + 1]! });
        at += 2;
      } else if (next === 102) {
        if (pattern[at] !== SET) throw new PatternError("missing '[' after '%f' in pattern");
        items.push({ kind: "frontier", is: set() });
      } else if (digit(next)) {
        items.push({ kind: "back", index: next - 49 });
      } else {
        const is = new Uint8Array(256);
        addClass(is, next);
        single(is);
      }
    } else {
      const is = new Uint8Array(256);
      if (code === DOT) is.fill(1);
      else is[code] = 1;
      at++;
      single(is);
    }
  }
  return { anchored, items };
}

const OPEN_CAPTURE = -1, POSITION = -2;

/** Looks for the pattern from byte `from` on. Answers start and end (exclusive) of the match and of each capture, or, for
 * a position capture, its place and −2. A match that ends at `notTo` does not count. `step` is called with counts of
 * steps and may throw.
 * @throws {PatternError} */
export function findPattern(
  { anchored, items }: Pattern,
  text: Uint8Array,
  from: number,
  notTo: number,
  step: (count: number) => void,
): number[] | undefined {
  const starts: number[] = [];
  const ends: number[] = [];
  let steps = 0;
  const tick = (count: number) => {
    steps += count;
    if (steps > 50_000) {
      step(steps);
      steps = 0;
    }
  };
  /** The end of the match of the items from `item` on at `at`, or −1. */
  const match = (item: number, at: number): number => {
    for (;; item++) {
      tick(1);
      const now = items[item];
      if (now === undefined) return at;
      switch (now.kind) {
        case "single": {
          const { is, many } = now;
          if (many === "") {
            if (at >= text.length || is[text[at]!] === 0) return -1;
            at++;
            continue;
          }
          return repeat(is, many, item, at);
        }
        case "open": {
          starts.push(at);
          ends.push(now.position ? POSITION : OPEN_CAPTURE);
          const end = match(item + 1, at);
          if (end === -1) {
            starts.pop();
            ends.pop();
          }
          return end;
        }
        case "close": {
          const open = ends.lastIndexOf(OPEN_CAPTURE);
          if (open === -1) throw new PatternError("invalid pattern capture");
          ends[open] = at;
          const end = match(item + 1, at);
          if (end === -1) ends[open] = OPEN_CAPTURE;
          return end;
        }
        case "back": {
          const to = ends[now.index];
          if (to === undefined || to === OPEN_CAPTURE) {
            throw new PatternError(`invalid capture index %${now.index + 1}`);
          }
          // A place has no text: Lua lets it match nothing at all.
          if (to === POSITION) return -1;
          const start = starts[now.index]!;
          const length = to - start;
          if (length > text.length - at) return -1;
          tick(length);
          for (let i = 0; i < length; i++) if (text[start + i] !== text[at + i]) return -1;
          at += length;
          continue;
        }
        case "balance": {
          at = balanced(now.from, now.to, at);
          if (at === -1) return -1;
          continue;
        }
        case "frontier": {
          const before = at === 0 ? 0 : text[at - 1]!;
          const here = at < text.length ? text[at]! : 0;
          if (now.is[before] !== 0 || now.is[here] === 0) return -1;
          continue;
        }
        case "end":
          return at === text.length && item === items.length - 1 ? at : -1;
        default:
          now satisfies never;
      }
    }
  };
  const repeat = (is: Uint8Array, many: Quantifier, item: number, at: number): number => {
    if (many === "-") {
      for (;; at++) {
        const end = match(item + 1, at);
        if (end !== -1) return end;
        if (at >= text.length || is[text[at]!] === 0) return -1;
      }
    }
    const most = many === "?" ? Math.min(text.length, at + 1) : text.length;
    let to = at;
    while (to < most && is[text[to]!] !== 0) to++;
    tick(to - at);
    const least = many === "+" ? at + 1 : at;
    for (; to >= least; to--) {
      const end = match(item + 1, to);
      if (end !== -1) return end;
    }
    return -1;
  };
  const balanced = (open: number, close: number, at: number): number => {
    if (text[at] !== open) return -1;
    let depth = 1;
    for (let i = at + 1; i < text.length; i++) {
      tick(1);
      if (text[i] === close) {
        if (--depth === 0) return i + 1;
      } else if (text[i] === open) depth++;
    }
    return -1;
  };

  for (let start = from; start <= text.length; start++) {
    const end = match(0, start);
    if (end !== -1 && end !== notTo) {
      const open = ends.indexOf(OPEN_CAPTURE);
      if (open !== -1) throw new PatternError("unfinished capture");
      step(steps);
      return [start, end, ...starts.flatMap((at, i) => [at, ends[i]!])];
    }
    starts.length = 0;
    ends.length = 0;
    if (anchored) break;
  }
  step(steps);
  return undefined;
}

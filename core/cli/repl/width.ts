/** How many terminal cells text takes. Characters here are graphemes as a person counts them: an emoji made of several
 * code points is one. @module */

/** Made at the first text that needs it: the command line starts without. */
let segmenter: Intl.Segmenter | undefined;
// deno-lint-ignore no-control-regex
const ASCII = /^[\x00-\x7f]*$/;

/** The graphemes of a text, in order. Joined they are the text again. */
export function graphemes(text: string): string[] {
  // "\r\n" is one grapheme, so ASCII with CR takes the long way.
  if (ASCII.test(text) && !text.includes("\r")) return text.split("");
  segmenter ??= new Intl.Segmenter("und", { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** First and last code point of each range that Unicode's East Asian Width calls Wide or Fullwidth (UAX #11, Unicode 16),
 * without the emoji, which a property tells. Ascending. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x2fd5],
  [0x2ff0, 0x303e],
  [0x3041, 0x3247],
  [0x3250, 0x4dff],
  [0x4e00, 0xa4c6],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6b],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x16ff1],
  [0x17000, 0x18cd5],
  [0x18cff, 0x18d08],
  [0x1aff0, 0x1b2fb],
  [0x1d300, 0x1d376],
  [0x1f200, 0x1f265],
  [0x20000, 0x2fffd],
  [0x30000, 0x3fffd],
];

function isWide(code: number): boolean {
  let low = 0, high = WIDE.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last] = WIDE[middle]!;
    if (code < first) high = middle - 1;
    else if (code > last) low = middle + 1;
    else return true;
  }
  return false;
}

const ZERO = /^[\p{M}\p{Cf}\p{Cc}]$/u;
const EMOJI = /^\p{Emoji_Presentation}/u;
const PICTURE = /^[\p{Extended_Pictographic}0-9#*]/u;
const FLAG = /^\p{Regional_Indicator}/u;

/** Cells of one grapheme: 0, 1 or 2. Controls count 0: they are never written. */
export function graphemeWidth(grapheme: string): number {
  const code = grapheme.codePointAt(0);
  if (code === undefined) return 0;
  if (grapheme.length === 1 && code < 0x300) return code < 0x20 || (code >= 0x7f && code < 0xa0) ? 0 : 1;
  if (FLAG.test(grapheme)) return /^\p{Regional_Indicator}{2}/u.test(grapheme) ? 2 : 1;
  if (grapheme.includes("\ufe0e")) return 1;
  if (grapheme.includes("\ufe0f") && PICTURE.test(grapheme)) return 2;
  if (EMOJI.test(grapheme)) return 2;
  let width = 0;
  for (const character of grapheme) {
    if (ZERO.test(character)) continue;
    width += isWide(character.codePointAt(0)!) ? 2 : 1;
  }
  return Math.min(2, width);
}

/** Cells of a text on one line. */
export function textWidth(text: string): number {
  let width = 0;
  for (const grapheme of graphemes(text)) width += graphemeWidth(grapheme);
  return width;
}

/** The longest beginning of `text` that fits `width` cells, with an ellipsis when something was cut off. */
export function fit(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let taken = "", used = 0;
  for (const grapheme of graphemes(text)) {
    const cells = graphemeWidth(grapheme);
    if (used + cells > width - 1) break;
    taken += grapheme;
    used += cells;
  }
  return width < 1 ? "" : taken + "…";
}

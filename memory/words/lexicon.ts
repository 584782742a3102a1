import { Buffer } from "node:buffer";
import { brotliDecompressSync } from "node:zlib";
import { ENGLISH_FREQUENCY } from "./english_frequency.ts";
import { LEXICON_DATA } from "./lexicon_data.ts";
import { stem } from "./stem.ts";

/** Chinese words and what they are in English, both ways. */
export interface Lexicon {
  has(word: string): boolean;
  /** What part of all words in general Chinese a Simplified word is; 0 when it is not known. */
  share(word: string): number;
  /** The most common words. */
  frequent(): string[];
  /** English equivalents of a Simplified Chinese word: stems joined by blanks, best first. */
  english(word: string): string[];
  /** Chinese words for an English stem, or for two stems joined by a blank; those that mean it first come first. */
  chinese(stems: string): string[];
  /** Chinese words for which an English stem is one of several words: 泡菜, pickled cabbage, for "pickl". */
  chineseOfPart(stem: string): string[];
}

/** A lexicon whose way back, from English to Chinese, is made bit by bit: each step of `prepare` takes a few
 * milliseconds. Whoever asks before it is done waits for the rest. */
export interface PreparedLexicon extends Lexicon {
  prepare(): Iterator<void>;
}

let loaded: PreparedLexicon | undefined;

/** The bundled lexicon (CC-CEDICT, shortened); unpacked at the first call, and then kept. */
export function lexicon(): PreparedLexicon {
  return loaded ??= readLexicon(brotliDecompressSync(Buffer.from(LEXICON_DATA, "base64")));
}

/** Lines of the lexicon that one step of preparing takes. */
const STEP = 3000;
/** The way back is a sorted list of numbers: the hash of an equivalent times this, and where it stands. */
const PLACES = 2 ** 20;
const [LINE_FEED, BLANK, COMMA, ZERO] = [10, 32, 44, 48];
/** The words that the counts were taken from. */
const CHINESE_COUNTED = 60_000_000;
const ENGLISH_COUNTED = 230_000;

/** The most common words have at least this digit: some two thousand. */
const FREQUENT = 7;

const shareOf = (digit: number, counted: number) => digit === 0 ? 0 : 4 ** digit / counted;

let english: Map<string, number> | undefined;

/** What part of all words in general English a stem is; 0 when it is not among the frequent ones. */
export function englishShare(stem: string): number {
  english ??= new Map(
    ENGLISH_FREQUENCY.flatMap(([digit, stems]) =>
      stems.split(" ").map((word) => [word, shareOf(digit, ENGLISH_COUNTED)])
    ),
  );
  return english.get(stem) ?? 0;
}

/** A lexicon of lines `word5 gloss,gloss` in UTF-8, sorted by word, at most eight glosses a line, or none; the digit is how
 * common the word is, half the logarithm to the base 2 of its count among sixty million. It keeps the bytes and
 * finds lines by halving, and the way back is numbers: strings and maps would take many times the memory. */
export function readLexicon(text: Uint8Array): PreparedLexicon {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  let lines = 1, count = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === LINE_FEED) lines++;
    else if (bytes[at] === COMMA) count++;
    else if (bytes[at] === BLANK) count += 2;
  }
  count += lines;
  const starts = new Uint32Array(lines + 1);
  for (let i = 1, at = 0; at < bytes.length; at++) if (bytes[at] === LINE_FEED) starts[i++] = at + 1;
  starts[lines] = bytes.length + 1;
  /** Where the word of a line ends. `indexOf` would take several times as long for so few bytes. */
  function blankOf(i: number): number {
    let at = starts[i]!;
    while (at < bytes.length && bytes[at] !== BLANK) at++;
    return at;
  }
  const wordOf = (i: number) => bytes.subarray(starts[i]!, blankOf(i) - 1);
  const glosses = (i: number) => bytes.toString("utf8", blankOf(i) + 1, starts[i + 1]! - 1).split(",");

  function find(word: string): number | undefined {
    const wanted = Buffer.from(word, "utf8");
    let low = 0, high = lines - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const order = Buffer.compare(wordOf(middle), wanted);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  let reverse: Float64Array | undefined;
  const making = (function* () {
    const made = new Float64Array(count);
    // The same words come again and again, and a stem costs far more than a hash.
    const stems = new Map<number, number>();
    let n = 0;
    for (let i = 0; i < lines; i++) {
      let rank = 0, hash = 0, from = blankOf(i) + 1;
      const parts: number[] = [];
      for (let at = from; at < starts[i + 1]!; at++) {
        const byte = at === starts[i + 1]! - 1 ? COMMA : bytes[at]!;
        if ((byte !== COMMA && byte !== BLANK) || at === from) continue;
        const part = stemHash(from, at, stems);
        hash = joined(hash, part);
        from = at + 1;
        if (byte === BLANK || parts.length > 0) parts.push(joined(0, part));
        if (byte === BLANK) continue;
        for (const one of [hash, ...parts]) made[n++] = one * PLACES + i * 8 + rank;
        rank++;
        hash = 0;
        parts.length = 0;
      }
      if (i % STEP === STEP - 1) yield;
    }
    reverse = made.slice(0, n).sort();
  })();

  /** The hash of the stem of the word that stands there. */
  function stemHash(from: number, to: number, known: Map<number, number>): number {
    let low = 0x811c9dc5, high = 7;
    for (let at = from; at < to; at++) {
      low = Math.imul(low ^ bytes[at]!, 0x01000193);
      high = (Math.imul(high, 31) + bytes[at]!) & 0xfffff;
    }
    const key = (low >>> 0) * 2 ** 20 + high;
    let hash = known.get(key);
    if (hash === undefined) known.set(key, hash = hashOf(stem(bytes.toString("utf8", from, to))));
    return hash;
  }

  /** The places whose equivalent has this hash, in order. */
  function placesOf(hash: number): number[] {
    while (!reverse) making.next();
    let low = 0;
    for (let high = reverse.length; low < high;) {
      const middle = (low + high) >> 1;
      if (reverse[middle]! < hash * PLACES) low = middle + 1;
      else high = middle;
    }
    const places: number[] = [];
    for (; low < reverse.length && reverse[low]! < (hash + 1) * PLACES; low++) {
      places.push(reverse[low]! - hash * PLACES);
    }
    return places;
  }

  /** The words one of whose equivalents fits, those that mean it first before others. */
  function wordsFor(stems: string, fits: (gloss: string) => boolean): string[] {
    const hash = stems.split(" ").reduce((sum, word) => joined(sum, hashOf(word)), 0);
    const places = placesOf(hash).filter((place) => fits(stemsOf(glosses(place >> 3)[place % 8]!)));
    const words = places.sort((a, b) => (a % 8) - (b % 8)).map((place) => wordOf(place >> 3).toString("utf8"));
    return [...new Set(words)];
  }

  return {
    has: (word) => find(word) !== undefined,
    share(word) {
      const at = find(word);
      return at === undefined ? 0 : shareOf(bytes[blankOf(at) - 1]! - ZERO, CHINESE_COUNTED);
    },
    frequent() {
      const out: string[] = [];
      for (let i = 0; i < lines; i++) {
        if (bytes[blankOf(i) - 1]! - ZERO >= FREQUENT) out.push(wordOf(i).toString("utf8"));
      }
      return out;
    },
    english(word) {
      const at = find(word);
      return at === undefined ? [] : [...new Set(glosses(at).filter((gloss) => gloss !== "").map(stemsOf))];
    },
    chinese: (stems) => wordsFor(stems, (gloss) => gloss === stems),
    chineseOfPart: (stem) => wordsFor(stem, (gloss) => gloss !== stem && gloss.split(" ").includes(stem)),
    prepare: () => making,
  };
}

const joined = (sum: number, hash: number) => (Math.imul(sum, 31) + hash) >>> 0;

/** FNV-1a over the code units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function stemsOf(gloss: string): string {
  return gloss.split(" ").map(stem).join(" ");
}

import { inflateRawSync } from "node:zlib";
import { LEXICON_DATA } from "./lexicon_data.ts";
import { stem } from "./stem.ts";

/** Chinese words and what they are in English, both ways. */
export interface Lexicon {
  has(word: string): boolean;
  /** English equivalents of a Simplified Chinese word: stems joined by blanks, best first. */
  english(word: string): string[];
  /** Chinese words for an English stem, or for two stems joined by a blank; those that mean it first come first. */
  chinese(stems: string): string[];
}

/** A lexicon whose way back, from English to Chinese, is made bit by bit: each step of `prepare` takes a few
 * milliseconds. Whoever asks before it is done waits for the rest. */
export interface PreparedLexicon extends Lexicon {
  prepare(): Iterator<void>;
}

let loaded: PreparedLexicon | undefined;

/** The bundled lexicon (CC-CEDICT, shortened); unpacked at the first call, and then kept. */
export function lexicon(): PreparedLexicon {
  if (loaded) return loaded;
  const packed = Uint8Array.from(atob(LEXICON_DATA), (character) => character.charCodeAt(0));
  return loaded = readLexicon(inflateRawSync(packed).toString("utf8"));
}

/** Lines of the lexicon that one step of preparing takes. */
const STEP = 1000;
/** The way back is a sorted list of numbers: the hash of an equivalent times this, and where it stands. */
const PLACES = 2 ** 20;

/** A lexicon of lines `word gloss,gloss`, sorted by word. It keeps the text and finds lines by halving, and the way back
 * is numbers: maps of them would take twenty times the memory. */
export function readLexicon(text: string): PreparedLexicon {
  const starts = new Uint32Array(text.split("\n").length + 1);
  for (let i = 1, at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts[i++] = at + 1;
  starts[starts.length - 1] = text.length + 1;
  const line = (i: number) => text.slice(starts[i]!, starts[i + 1]! - 1);

  function find(word: string): string | undefined {
    let low = 0;
    let high = starts.length - 2;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const start = starts[middle]!;
      const here = text.slice(start, text.indexOf(" ", start));
      if (here === word) return line(middle).slice(word.length + 1);
      if (here < word) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  const glosses = (i: number) => {
    const entry = line(i);
    return entry.slice(entry.indexOf(" ") + 1).split(",");
  };

  let reverse: Float64Array | undefined;
  const making = (function* () {
    const made: number[] = [];
    for (let i = 0; i < starts.length - 1; i++) {
      for (const [rank, gloss] of glosses(i).entries()) made.push(hashOf(stemsOf(gloss)) * PLACES + i * 8 + rank);
      if (i % STEP === STEP - 1) yield;
    }
    reverse = Float64Array.from(made).sort();
  })();
  function reversed(): Float64Array {
    while (!reverse) making.next();
    return reverse;
  }

  /** The places whose equivalent has this hash, in order. */
  function placesOf(hash: number): number[] {
    const sorted = reversed();
    let low = 0;
    for (let high = sorted.length; low < high;) {
      const middle = (low + high) >> 1;
      if (sorted[middle]! < hash * PLACES) low = middle + 1;
      else high = middle;
    }
    const places: number[] = [];
    for (; low < sorted.length && sorted[low]! < (hash + 1) * PLACES; low++) places.push(sorted[low]! - hash * PLACES);
    return places;
  }

  return {
    has: (word) => find(word) !== undefined,
    english: (word) => [...new Set((find(word)?.split(",") ?? []).map(stemsOf))],
    chinese(stems) {
      const list = placesOf(hashOf(stems)).filter((place) => stemsOf(glosses(place >> 3)[place % 8]!) === stems);
      const words = list.sort((a, b) => (a % 8) - (b % 8)).map((place) => line(place >> 3));
      return [...new Set(words.map((entry) => entry.slice(0, entry.indexOf(" "))))];
    },
    prepare: () => making,
  };
}

/** FNV-1a over the code units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function stemsOf(gloss: string): string {
  return gloss.split(" ").map(stem).join(" ");
}

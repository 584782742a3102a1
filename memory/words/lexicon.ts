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

let loaded: Lexicon | undefined;

/** The bundled lexicon (CC-CEDICT, shortened); unpacked at the first call, and then kept. */
export function lexicon(): Lexicon {
  if (loaded) return loaded;
  const packed = Uint8Array.from(atob(LEXICON_DATA), (character) => character.charCodeAt(0));
  return loaded = readLexicon(inflateRawSync(packed).toString("utf8"));
}

/** A lexicon of lines `word gloss,gloss`, sorted by word. It keeps the text and finds lines by halving: a map of them
 * would take ten times the memory. */
export function readLexicon(text: string): Lexicon {
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

  let reverse: Map<string, number[]> | undefined;
  function reversed(): Map<string, number[]> {
    if (reverse) return reverse;
    reverse = new Map();
    for (let i = 0; i < starts.length - 1; i++) {
      const entry = line(i);
      for (const [rank, gloss] of entry.slice(entry.indexOf(" ") + 1).split(",").entries()) {
        const key = stemsOf(gloss);
        const list = reverse.get(key);
        if (list) list.push(i * 8 + rank);
        else reverse.set(key, [i * 8 + rank]);
      }
    }
    return reverse;
  }

  return {
    has: (word) => find(word) !== undefined,
    english: (word) => [...new Set((find(word)?.split(",") ?? []).map(stemsOf))],
    chinese(stems) {
      const list = reversed().get(stems) ?? [];
      const words = [...list].sort((a, b) => (a % 8) - (b % 8)).map((entry) => line(entry >> 3));
      return [...new Set(words.map((entry) => entry.slice(0, entry.indexOf(" "))))];
    },
  };
}

function stemsOf(gloss: string): string {
  return gloss.split(" ").map(stem).join(" ");
}

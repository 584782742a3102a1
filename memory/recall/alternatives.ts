import type { Predicate } from "../../core/base/predicates.ts";
import { fold, isHan } from "../words/fold.ts";
import { lexicon } from "../words/lexicon.ts";
import { tokenizeFolded } from "../words/tokens.ts";
import type { Piece } from "./pieces.ts";

/** Another way to say a concept: all its terms together count `weight` of the concept itself. */
export interface Alternative {
  terms: string[];
  weight: number;
}

/** Words whose other ways are kept; they depend on the word alone. */
const KEPT = 1000;
const kept = new Map<string, Alternative[]>();

/** Other ways to say it, best first. */
export function keptAlternatives(piece: Piece, terms: string[], predicate: Predicate | undefined): Alternative[] {
  const key = `${piece.kind} ${piece.text}`;
  let found = kept.get(key);
  if (!found) {
    if (kept.size >= KEPT) kept.clear();
    kept.set(key, found = alternativesOf(piece, terms, predicate));
  }
  return found;
}

/** What a word counts that is only a part of an equivalent, or the other way round. */
const PART = 0.4;

/** What one word counts for a name of several. */
const OF_SEVERAL = 0.5;

/** Only one word of an English form is looked for. */
const isCut = (form: string) => form.includes(" ") && tokenizeFolded(fold(form)).length === 1;

/** Other ways to say it: the predicate's forms, translations, and words that translate alike. */
function alternativesOf(piece: Piece, terms: string[], predicate: Predicate | undefined): Alternative[] {
  const words = lexicon();
  const found = new Map<string, Alternative>();
  const add = (text: string, weight: number) => {
    const all = tokenizeFolded(text);
    const kept = isHan(text.charCodeAt(0)) && text.length > 1 ? all.filter((term) => term.length > 1) : all;
    const key = kept.join(" ");
    const isTooShort = isHan(text.charCodeAt(0)) && text.length === 1 && piece.text.length > 1;
    if (kept.length === 0 || isTooShort || key === terms.join(" ")) return;
    const known = found.get(key);
    if (!known || known.weight < weight) found.set(key, { terms: kept, weight });
  };
  const addStems = (stems: string, weight: number) => {
    if (stems === terms.join(" ")) return;
    const known = found.get(stems);
    if (!known || known.weight < weight) found.set(stems, { terms: stems.split(" "), weight });
  };
  for (const form of predicate ? [...predicate.forms.zh, ...predicate.forms.en] : []) {
    // "Stands 180 cm tall" without its stop words is met by any stand.
    if (!form.includes("…")) add(fold(form), isCut(form) ? 0.5 : 0.7);
  }
  if (piece.kind === "han") {
    for (const [rank, gloss] of words.english(piece.text).entries()) {
      addStems(gloss, rank === 0 ? 0.8 : 0.65);
      if (gloss.includes(" ")) { for (const part of gloss.split(" ")) addStems(part, PART); }
      for (const other of words.chinese(gloss).slice(0, 10)) {
        if (other !== piece.text) add(other, other.length > 1 ? 0.45 : 0.25);
      }
    }
  } else if (!isHan(piece.text.charCodeAt(0))) {
    for (const stems of [terms.join(" "), ...(terms.length > 1 ? terms : [])]) {
      // A bread slicer is no bread.
      const whole = stems.includes(" ") || terms.length === 1 ? 1 : OF_SEVERAL;
      for (const [rank, other] of words.chinese(stems).slice(0, 14).entries()) {
        add(other, whole * (rank < 6 ? 0.75 : 0.6) * (other.length > 1 ? 1 : 0.6));
        for (const gloss of words.english(other).slice(0, 3)) addStems(gloss, 0.4);
      }
      if (!stems.includes(" ")) { for (const other of words.chineseOfPart(stems).slice(0, 12)) add(other, PART); }
    }
  }
  return [...found.values()].sort((a, b) => b.weight - a.weight).slice(0, 48);
}

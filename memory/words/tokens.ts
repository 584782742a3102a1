import { fold, isHan } from "./fold.ts";
import { stem } from "./stem.ts";

/** English words that say nothing about what is asked. */
const STOP = new Set(
  ("a an the and or but if of at by for with about to from in on off out over under again further then once here there " +
    "is am are was were be been being have has had having do does did doing i me my we our you your he him his she her " +
    "it its they them their this that these those as until while so than too very can will just should now would could " +
    "what which who whom whose when where why how all any both each few more most other some such no nor not only own " +
    "same s t d m re ve ll don im ive hi hey yeah oh ok let").split(" "),
);

/** Chinese characters that on their own say nothing about what is asked. */
const STOP_HAN = new Set("的了吗呢吧啊呀么嘛是在有和与及或也都就还又很把被给让从到这那哪什个些之其为以于");

const WORD = /[\p{L}\p{N}]/u;

/** The terms of a text, in order, repeats included. Latin words are stemmed and stop words left out; a string with
 * digits or inner punctuation (an address, a path, a version, a model) is one exact term and also its parts; Chinese
 * writing gives every pair of neighbours, and single characters that carry meaning. */
export function tokenize(text: string): string[] {
  return tokenizeFolded(fold(text));
}

/** The same of a text that is folded already. */
export function tokenizeFolded(text: string): string[] {
  const terms: string[] = [];
  let i = 0;
  while (i < text.length) {
    const code = text.codePointAt(i)!;
    const width = code > 0xffff ? 2 : 1;
    if (isHan(code)) {
      let end = i;
      while (end < text.length && isHan(text.charCodeAt(end))) end++;
      hanTerms(text.slice(i, end), terms);
      i = Math.max(end, i + width);
    } else if (isAscii(code) ? isAsciiWord(code) || code === 47 : WORD.test(String.fromCodePoint(code))) {
      const end = runEnd(text, i);
      latinTerms(text.slice(i, end), terms);
      i = Math.max(end, i + width);
    } else i += width;
  }
  return terms;
}

/** True when a term is one that must be met exactly: it has a digit or inner punctuation. */
export function isExactTerm(term: string): boolean {
  return /[0-9]|[./:@_-]/.test(term) && !isHan(term.charCodeAt(0));
}

const isAscii = (code: number) => code < 128;
const isAsciiWord = (code: number) => (code >= 97 && code <= 122) || (code >= 48 && code <= 57);

/** Where the run of word characters with single inner joints that begins at `from` ends. */
function runEnd(text: string, from: number): number {
  let end = from;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (isHan(code)) break;
    if (isAscii(code)) {
      if (isAsciiWord(code)) continue;
      const joins = "./:@_-'+".includes(text[end]!);
      const next = text.charCodeAt(end + 1);
      if (joins && end + 1 < text.length && !isHan(next) && (isAsciiWord(next) || (next === 47 && code !== 47))) {
        continue;
      }
      break;
    }
    if (!WORD.test(text[end]!) && !(code >= 0xd800 && code <= 0xdfff)) break;
  }
  return end;
}

function latinTerms(run: string, terms: string[]): void {
  const word = run.replace(/^[/:@_.'+-]+(?=[a-z0-9])(?<![/])/, "").replace(/'s?$|'s(?=$)/, "");
  if (/^[a-z]+$/.test(word)) {
    if (!STOP.has(word)) terms.push(stem(word));
    return;
  }
  const parts = word.split(/[./:@_'+-]+/).filter((part) => part !== "");
  if (parts.length > 1 && /^[a-z'-]+$/.test(word)) {
    for (const part of parts) if (!STOP.has(part) && part.length > 1) terms.push(stem(part));
    return;
  }
  if (parts.length > 1) terms.push(word);
  for (const part of parts) {
    if (parts.length === 1) {
      terms.push(part);
      const split = /^([0-9]+(?:st|nd|rd|th)?)$|^([0-9]+)([a-z]{2,})$|^([a-z]{2,})([0-9]+)$/.exec(part);
      if (split?.[3]) terms.push(split[2]!, stem(split[3]));
      else if (split?.[4]) terms.push(stem(split[4]));
    } else if (/^[a-z]{2,}$/.test(part)) {
      if (!STOP.has(part)) terms.push(stem(part));
    } else if (part.length >= 3 && !/^[0-9]+\.[0-9]/.test(word)) terms.push(part);
  }
}

function hanTerms(run: string, terms: string[]): void {
  for (let i = 0; i < run.length; i++) {
    const one = run[i]!;
    if (!STOP_HAN.has(one)) terms.push(one);
    if (i + 1 < run.length) terms.push(one + run[i + 1]);
  }
}

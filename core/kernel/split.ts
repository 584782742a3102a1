/** Cuts a text into parts of at most `max` UTF-16 units: at the end of a paragraph if it can be, else of a sentence,
 * else of a word, else between two graphemes. Joined again they are the text, but for white space at the cuts. */
export function splitMessage(text: string, max: number): string[] {
  if (max <= 0 || text.length <= max) return text.trim() === "" ? [] : [text];
  const parts: string[] = [];
  let rest = text.trimEnd();
  while (rest.length > max) {
    const at = cutAt(rest, max);
    const part = rest.slice(0, at).trimEnd();
    if (part !== "") parts.push(part);
    rest = rest.slice(at).trimStart();
  }
  if (rest !== "") parts.push(rest);
  return parts;
}

const SENTENCE_END = /[.!?…]["'”’)\]]*(?=\s)|[。！？；…]["”’』」）]*|\n/gu;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

function cutAt(text: string, max: number): number {
  // White space right after the limit costs nothing: the part before it is within the limit.
  const window = text.slice(0, max + 1);
  const paragraph = window.lastIndexOf("\n\n");
  if (paragraph >= max / 4) return paragraph;
  let sentence = 0;
  for (const match of window.matchAll(SENTENCE_END)) {
    const end = match.index + match[0].length;
    if (end <= max && isBoundary(text, end)) sentence = end;
  }
  if (sentence >= max / 4) return sentence;
  const word = window.search(/\s\S*$/u);
  if (word >= max / 4 && isBoundary(text, word)) return word;
  return graphemeEnd(text, max);
}

/** Whether what follows a sentence's or word's end starts anew, and is no mark that belongs to it. */
function isBoundary(text: string, at: number): boolean {
  return !/^[\p{M}\u200d\ufe0e\ufe0f]/u.test(text.slice(at, at + 2));
}

/** The last grapheme end within `max`; a single grapheme over the limit is cut between its code points. */
function graphemeEnd(text: string, max: number): number {
  let end = 0;
  for (const { index, segment } of graphemes.segment(text.slice(0, max + 64))) {
    if (index + segment.length > max) break;
    end = index + segment.length;
  }
  if (end > 0) return end;
  const code = text.charCodeAt(max - 1);
  return code >= 0xd800 && code <= 0xdbff ? Math.max(2, max - 1) : max;
}

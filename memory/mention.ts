import { fold, isHan } from "./words/fold.ts";

/** Tells whether a text names one of somebody's names. */
export type Mentions = (text: string) => boolean;

/** Whether a text names one of these, however it is written: capitals, widths, simplified or traditional. A Latin name
 * is met as a word: "Ann" is not in "Anniversary". */
export function mentionOf(names: string[]): Mentions {
  const wanted = names.map(fold).filter((name) => name !== "");
  const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}]/u.test(character);
  return (text) => {
    const folded = fold(text);
    return wanted.some((name) => {
      for (let at = folded.indexOf(name); at >= 0; at = folded.indexOf(name, at + 1)) {
        const startsInside = !isHan(name.charCodeAt(0)) && isWord(folded[at - 1]) && !isHan(folded.charCodeAt(at - 1));
        const after = at + name.length;
        const endsInside = !isHan(name.charCodeAt(name.length - 1)) && isWord(folded[after]) &&
          !isHan(folded.charCodeAt(after));
        if (!startsInside && !endsInside) return true;
      }
      return false;
    });
  };
}

/** All texts in a value, its fields' names too, a line each: JSON would hide a name behind its escapes. */
export function textsIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  if (Array.isArray(value)) return value.map(textsIn).join("\n");
  return Object.entries(value).map(([name, inner]) => `${name}\n${textsIn(inner)}`).join("\n");
}

/** Whether the bytes of a file name it: as UTF-8, as UTF-16, or behind the escapes of JSON. */
export function bytesMention(bytes: Uint8Array, mentions: Mentions): boolean {
  const text = new TextDecoder().decode(bytes);
  const unescaped = text.replace(/\\u([0-9a-f]{4})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return mentions(text) || (unescaped !== text && mentions(unescaped)) ||
    (bytes.includes(0) && mentions(new TextDecoder("utf-16le").decode(bytes)));
}

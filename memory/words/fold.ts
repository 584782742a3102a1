import { SIMPLIFIED } from "../../core/base/simplified.ts";

/** Text as it is compared: NFKC (full width becomes half), lower case, Traditional characters as Simplified, white space
 * as single blanks. */
export function fold(text: string): string {
  const plain = text.normalize("NFKC").toLowerCase();
  let out = "";
  let from = 0;
  for (let i = 0; i < plain.length; i++) {
    const code = plain.charCodeAt(i);
    if (code < 0x3400 || code > 0x9fff) continue;
    const simple = SIMPLIFIED.get(code);
    if (simple === undefined) continue;
    out += plain.slice(from, i) + simple;
    from = i + 1;
  }
  out += plain.slice(from);
  return out.replace(/\s+/g, " ").trim();
}

/** The key under which equal names are one: folded, and without the quotation marks or book marks around them. */
export function nameKey(name: string): string {
  return fold(name).replace(/^["'“”‘’「」『』《》〈〉]+|["'“”‘’「」『』《》〈〉]+$/g, "").trim() || fold(name);
}

/** True for a character of Chinese writing. */
export function isHan(code: number): boolean {
  return (code >= 0x4e00 && code <= 0x9fff) || (code >= 0x3400 && code <= 0x4dbf) || code === 0x3007;
}

import { SIMPLIFIED } from "./simplified.ts";

/** A text with Traditional characters as Simplified and full-width letters and digits as half-width: character by
 * character, so that every position stays. */
export function simplify(text: string): string {
  let out = "";
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x3400) continue;
    const other = code >= 0xff10 && code <= 0xff5a ? halfWidth(code) : SIMPLIFIED.get(code);
    if (other === undefined) continue;
    out += text.slice(from, at) + other;
    from = at + 1;
  }
  return out + text.slice(from);
}

function halfWidth(code: number): string | undefined {
  const half = String.fromCharCode(code - 0xfee0);
  return /[0-9A-Za-z]/.test(half) ? half : undefined;
}

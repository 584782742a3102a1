import { canonicalPredicate } from "../../core/base/predicates.ts";
import { fold, isHan } from "../words/fold.ts";

/** The key under which predicates that mean the same are one: the canonical identifier, else the folded text. */
export function attributeKey(predicate: string): string {
  return canonicalPredicate(predicate)?.id ?? fold(predicate).replace(/[_\s]+/g, " ");
}

/** Whether an attribute has one value at a time, as far as words tell: by the table; else by the table's word that it
 * ends in ("固件版本" ends in 版本, "tyre pressure" in pressure); else when its values are plain quantities. */
export function isSingleByWords(predicate: string, object: string): boolean {
  const exact = canonicalPredicate(predicate);
  if (exact) return exact.single;
  const text = fold(predicate);
  for (const tail of tails(text)) {
    const known = canonicalPredicate(tail);
    if (known) return known.single;
  }
  return /^[^\p{L}]*[0-9.,:/-]+\s*\p{L}{0,6}%?$/u.test(fold(object));
}

function tails(text: string): string[] {
  if (isHan(text.charCodeAt(text.length - 1))) {
    const out: string[] = [];
    for (let length = Math.min(6, text.length - 1); length >= 2; length--) out.push(text.slice(-length));
    return out;
  }
  const words = text.split(" ");
  return words.slice(1).map((_, i) => words.slice(i + 1).join(" "));
}

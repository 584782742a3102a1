/** What a term is told by where many are compared: FNV-1a over its code units, signed. Two terms share a code about once
 * in four thousand million pairs. */
export function termCode(term: string): number {
  let code = BASIS;
  for (let i = 0; i < term.length; i++) code = step(code, term.charCodeAt(i));
  return code;
}

const BASIS = 0x811c9dc5 | 0;
const BLANK = 32;
const step = (code: number, unit: number) => Math.imul(code ^ unit, 0x01000193);

/** The codes of terms that blanks stand between, in order: no string of its own is made for any of them. */
export function termCodes(terms: string, count: number): Int32Array {
  const codes = new Int32Array(count);
  let n = 0;
  let code = BASIS;
  for (let i = 0; i <= terms.length; i++) {
    const unit = i < terms.length ? terms.charCodeAt(i) : BLANK;
    if (unit !== BLANK) code = step(code, unit);
    else {
      codes[n++] = code;
      code = BASIS;
    }
  }
  return codes;
}

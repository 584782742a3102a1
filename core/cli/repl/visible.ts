/** Text from outside (model, tools, files) made safe to write to a terminal: control characters become visible signs, so
 * an escape sequence in a tool's output is read, not obeyed. Bidirectional overrides, which make text read differently
 * from what it is, and lone surrogates become U+FFFD. Line feeds stay; tabs become spaces. */
export function visible(text: string): string {
  if (SAFE.test(text)) return text;
  return text.toWellFormed().replace(/\r\n/g, "\n").replace(/\t/g, "    ").replace(DANGEROUS, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return code === 0x2028 || code === 0x2029 ? "\n" : "\ufffd";
  });
}

/** The same on one line: line feeds and runs of white space become one space. */
export function visibleLine(text: string): string {
  return visible(text.replace(/\s+/g, " ").trim());
}

const SAFE = /^[\x20-\x7e\n]*$/;
// deno-lint-ignore no-control-regex
const DANGEROUS = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u061c\u2028-\u202e\u2066-\u2069]/g;

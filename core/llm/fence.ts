/** What comes from tools, pages, files, plugins and memory is data: it reaches the model between these lines, labelled
 * with where it came from. @module */

const OPEN = "⟦data from ";
const CLOSE = "⟦end of data⟧";

/** Characters that steer a terminal or hide in a text: C0 and C1 controls but tab and line feed, zero-width and
 * bidirectional marks, tags, and lone surrogates. */
const INVISIBLE =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Lines that imitate the kernel's own markers or a chat's roles. */
const IMITATION =
  /^(\s*)(\[(?:打断消息|Memory Index|Related Memory Docs|Knowledge|System|系统)[^\]]*\]|<\|?\/?(?:im_start|im_end|system|assistant|user)\|?>|(?:system|assistant|developer)\s*:)/gim;

/** Takes control and invisible characters out of a text and mends lone surrogates. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll("\r\n", "\n").replace(INVISIBLE, "");
}

/** The text as data from `source`: cleaned, imitations of the system's marks made harmless, and fenced. */
export function fence(source: string, text: string): string {
  const harmless = cleanText(text).replaceAll("⟦", "[").replaceAll("⟧", "]").replace(IMITATION, "$1\u2057$2");
  return `${OPEN}${source.replace(/[⟦⟧\n]/g, " ")}⟧\n${harmless}\n${CLOSE}`;
}

/** What `fence` was given, but for what it made harmless; a text without a fence comes back as it is. */
export function unfence(text: string): string {
  if (!text.startsWith(OPEN)) return text;
  const from = text.indexOf("\n") + 1;
  const to = text.lastIndexOf(`\n${CLOSE}`);
  return to < from ? text.slice(from) : text.slice(from, to);
}

import type { Look, Span } from "./spans.ts";

const MAX_DEPTH = 8;
const EMPHASIS: readonly { mark: string; look: Look }[] = [
  { mark: "***", look: { bold: true, italic: true } },
  { mark: "**", look: { bold: true } },
  { mark: "__", look: { bold: true } },
  { mark: "~~", look: { strike: true } },
  { mark: "*", look: { italic: true } },
  { mark: "_", look: { italic: true } },
];

/** One line of Markdown as spans: emphasis, code, links, images, escapes. Marks that close nothing are text. Unlike
 * CommonMark an emphasis may end before a Chinese sign or character without a space, as models write it. */
export function inlineSpans(text: string, base?: Look): Span[] {
  return new InlineParser(text).parse(base, 0);
}

class InlineParser {
  readonly #text: string;
  #at = 0;
  /** Marks known to have no partner from here on, so that a line of a thousand stars is still read once. */
  readonly #alone = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  parse(base: Look | undefined, depth: number): Span[] {
    const spans: Span[] = [];
    let plain = "";
    const flush = () => {
      if (plain) spans.push(base ? { text: plain, look: base } : { text: plain });
      plain = "";
    };
    while (this.#at < this.#text.length) {
      const found = this.#element(base, depth);
      if (found) {
        flush();
        spans.push(...found);
        continue;
      }
      const escaped = this.#text[this.#at] === "\\" && /[!-/:-@[-`{-~]/.test(this.#text[this.#at + 1] ?? "");
      if (escaped) this.#at++;
      plain += this.#text[this.#at++];
    }
    flush();
    return spans;
  }

  #element(base: Look | undefined, depth: number): Span[] | undefined {
    switch (this.#text[this.#at]) {
      case "`":
        return this.#code(base);
      case "*":
      case "_":
      case "~":
        return depth < MAX_DEPTH ? this.#emphasis(base, depth) : undefined;
      case "[":
      case "!":
        return depth < MAX_DEPTH ? this.#link(base, depth) : undefined;
      case "<":
        return this.#autolink(base);
      default:
        return undefined;
    }
  }

  #code(base: Look | undefined): Span[] | undefined {
    const ticks = /^`+/.exec(this.#text.slice(this.#at, this.#at + 64))![0];
    if (this.#alone.has(ticks)) {
      return this.#literal(ticks, base);
    }
    let end = this.#at + ticks.length;
    for (;;) {
      end = this.#text.indexOf(ticks, end);
      if (end < 0) {
        this.#alone.add(ticks);
        return this.#literal(ticks, base);
      }
      let length = 0;
      while (this.#text[end + length] === "`") length++;
      if (length === ticks.length) break;
      end += length;
    }
    let code = this.#text.slice(this.#at + ticks.length, end);
    if (code.length > 2 && code.startsWith(" ") && code.endsWith(" ")) code = code.slice(1, -1);
    this.#at = end + ticks.length;
    return [{ text: code, look: { ...base, color: "cyan" } }];
  }

  #emphasis(base: Look | undefined, depth: number): Span[] | undefined {
    for (const { mark, look } of EMPHASIS) {
      if (!this.#text.startsWith(mark, this.#at) || this.#alone.has(mark)) continue;
      const end = this.#closing(mark);
      if (end < 0) continue;
      const inner = new InlineParser(this.#text.slice(this.#at + mark.length, end)).parse(
        { ...base, ...look },
        depth + 1,
      );
      this.#at = end + mark.length;
      return inner;
    }
    const run = /^[*_~]+/.exec(this.#text.slice(this.#at, this.#at + 64))![0];
    return this.#literal(run, base);
  }

  /** Where the emphasis that opens here closes, or −1. Spaces inside the marks, and `_` inside a word, make none. */
  #closing(mark: string): number {
    const from = this.#at + mark.length, sign = mark[0]!;
    if (/[\s]|^$/.test(this.#text[from] ?? "") || this.#text[from] === sign) return -1;
    if (sign === "_" && isWord(this.#text[this.#at - 1])) return -1;
    for (let end = this.#text.indexOf(mark, from + 1); end >= 0; end = this.#text.indexOf(mark, end + 1)) {
      let run = mark.length;
      while (this.#text[end + run] === sign) run++;
      const before = this.#text[end - 1]!;
      const fits = run === mark.length || (run > mark.length && mark.length < 3 && run !== 2 * mark.length);
      if (
        fits && !/\s/.test(before) && before !== "\\" && before !== sign &&
        !(sign === "_" && isWord(this.#text[end + mark.length]))
      ) return run === 3 && mark.length < 3 ? end + 3 - mark.length : end;
      end += run - 1;
    }
    this.#alone.add(mark);
    return -1;
  }

  #link(base: Look | undefined, depth: number): Span[] | undefined {
    const image = this.#text[this.#at] === "!";
    const found =
      /^!?\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]\(\s*<?([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)>?(?:\s+"[^"]*")?\s*\)/
        .exec(this.#text.slice(this.#at, this.#at + 4096));
    if (!found) return undefined;
    this.#at += found[0].length;
    const label = found[1]!, url = found[2]!;
    const shown = new InlineParser(label).parse({ ...base, underline: true }, depth + 1);
    const title: Span[] = image ? [{ text: "🖼 ", ...(base && { look: base }) }, ...shown] : shown;
    return url === "" || url === label ? title : [...title, { text: ` (${url})`, look: { ...base, dim: true } }];
  }

  #autolink(base: Look | undefined): Span[] | undefined {
    const found = /^<((?:https?|mailto):[^\s<>]+)>/.exec(this.#text.slice(this.#at, this.#at + 2048));
    if (!found) return undefined;
    this.#at += found[0].length;
    return [{ text: found[1]!, look: { ...base, underline: true } }];
  }

  #literal(text: string, base: Look | undefined): Span[] {
    this.#at += text.length;
    return [base ? { text, look: base } : { text }];
  }
}

const isWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}]/u.test(character);

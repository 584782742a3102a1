/** A lexer for JavaScript modules, just deep enough to tell code from strings, templates, comments and regular
 * expressions. When in doubt it refuses. @module */

/** One token that matters: names (with escapes decoded) and punctuation; strings and numbers by their kind. */
export interface Token {
  kind: "name" | "punctuation" | "string" | "number" | "regex" | "template";
  text: string;
  /** From 1. */
  line: number;
}

/** After these a slash begins a regular expression. */
const KEYWORDS_BEFORE_REGEX = new Set([
  "return",
  "typeof",
  "instanceof",
  "in",
  "of",
  "new",
  "delete",
  "void",
  "throw",
  "case",
  "do",
  "else",
  "await",
  "yield",
]);
const PARENS_BEFORE_REGEX = new Set(["if", "while", "for", "with"]);
const NAME_START = /[\p{ID_Start}$_\\#]/u;
const NAME_PART = /[\p{ID_Continue}$\u200c\u200d\\]/u;

/** Tokens of a module.
 * @throws {SyntaxError} with the line, when the text cannot be told apart */
export function lex(source: string): Token[] {
  return new Lexer(source).run();
}

class Lexer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  /** For each open bracket: what stood before it, and for `${` that a template goes on after it. */
  readonly #open: { text: string; before: Token | undefined; template: boolean }[] = [];
  #afterParens: Token | undefined;
  #at = 0;
  #line = 1;

  constructor(source: string) {
    this.#source = source;
  }

  run(): Token[] {
    if (this.#source.startsWith("#!")) this.#skipLine();
    while (this.#at < this.#source.length) this.#next();
    if (this.#open.length > 0) this.#fail(`a "${this.#open.at(-1)!.text}" is not closed`);
    return this.#tokens;
  }

  #next(): void {
    const source = this.#source, at = this.#at, char = source[at]!;
    if (/[\n\u2028\u2029]/.test(char)) {
      this.#line++;
      this.#at++;
    } else if (/[\s\ufeff]/.test(char)) this.#at++;
    else if (source.startsWith("//", at)) this.#skipLine();
    else if (source.startsWith("/*", at)) this.#skipComment();
    else if (char === '"' || char === "'") this.#string(char);
    else if (char === "`") {
      this.#at++;
      this.#template();
    } else if (/[0-9]/.test(char) || (char === "." && /[0-9]/.test(source[at + 1] ?? ""))) this.#number();
    else if (char === "/" && this.#regexMayStart()) this.#regex();
    else if (NAME_START.test(String.fromCodePoint(source.codePointAt(at)!))) this.#name();
    else this.#punctuation(char);
  }

  #push(kind: Token["kind"], text: string): void {
    this.#tokens.push({ kind, text, line: this.#line });
  }

  #skipLine(): void {
    while (this.#at < this.#source.length && !/[\n\r\u2028\u2029]/.test(this.#source[this.#at]!)) this.#at++;
  }

  #skipComment(): void {
    const end = this.#source.indexOf("*/", this.#at + 2);
    if (end === -1) this.#fail("a comment is not closed");
    this.#line += this.#source.slice(this.#at, end).split("\n").length - 1;
    this.#at = end + 2;
  }

  #string(quote: string): void {
    const from = ++this.#at;
    for (;; this.#at++) {
      const char = this.#source[this.#at];
      if (char === undefined || char === "\n") this.#fail("a string is not closed");
      if (char === "\\") {
        this.#at++;
        if (this.#source[this.#at] === "\n") this.#line++;
      } else if (char === quote) break;
    }
    this.#push("string", this.#source.slice(from, this.#at));
    this.#at++;
  }

  /** From behind the backquote, or behind the bracket that closed a substitution. */
  #template(): void {
    for (;; this.#at++) {
      const char = this.#source[this.#at];
      if (char === undefined) this.#fail("a template is not closed");
      if (char === "\n") this.#line++;
      else if (char === "\\") {
        this.#at++;
        if (this.#source[this.#at] === "\n") this.#line++;
      } else if (char === "`") {
        this.#push("template", "`");
        this.#at++;
        return;
      } else if (char === "$" && this.#source[this.#at + 1] === "{") {
        this.#push("punctuation", "${");
        this.#open.push({ text: "${", before: undefined, template: true });
        this.#at += 2;
        return;
      }
    }
  }

  #number(): void {
    const found =
      /^(0[xX][0-9a-fA-F_]+n?|0[bB][01_]+n?|0[oO][0-7_]+n?|(\d[\d_]*)?\.?\d[\d_]*([eE][+-]?\d+)?n?|\d[\d_]*\.)/
        .exec(this.#source.slice(this.#at, this.#at + 400));
    const text = found?.[0] ?? this.#source[this.#at]!;
    this.#push("number", text);
    this.#at += text.length;
  }

  #regexMayStart(): boolean {
    const last = this.#tokens.at(-1);
    if (!last) return true;
    if (last.kind === "name") {
      const beforeName = this.#tokens.at(-2);
      return KEYWORDS_BEFORE_REGEX.has(last.text) && beforeName?.text !== "." && beforeName?.text !== "?.";
    }
    if (last.kind !== "punctuation") return false;
    if (last.text === ")") return this.#afterParens?.kind === "name" && PARENS_BEFORE_REGEX.has(this.#afterParens.text);
    // Behind `}` it may be either: `#regex` takes it only where both readings come to the same.
    return last.text !== "]" && last.text !== "++" && last.text !== "--";
  }

  #regex(): void {
    const last = this.#tokens.at(-1);
    const ambiguous = last?.text === "}" || (last?.kind === "name" && last.text === "of");
    let inClass = false;
    const from = this.#at;
    for (this.#at++;; this.#at++) {
      const char = this.#source[this.#at];
      if (char === undefined || /[\n\r]/.test(char)) {
        if (!ambiguous) this.#fail("a regular expression is not closed");
        this.#at = from;
        return this.#punctuation("/");
      }
      if (char === "\\") this.#at++;
      else if (char === "[") inClass = true;
      else if (char === "]") inClass = false;
      else if (char === "/" && !inClass) break;
    }
    if (ambiguous) {
      // As a division, what stands between the slashes is code: it must not change how the rest is read, and its names
      // count.
      const body = this.#source.slice(from + 1, this.#at);
      if (/['"`]|\/\*/.test(body)) this.#fail("a slash here may be a division or a regular expression: use brackets");
      for (const [word] of body.matchAll(/[A-Za-z_$][\w$]*/g)) this.#push("name", word);
    }
    this.#at++;
    while (/[a-z]/.test(this.#source[this.#at] ?? "")) this.#at++;
    this.#push("regex", "/");
  }

  #name(): void {
    let text = "";
    while (this.#at < this.#source.length) {
      const char = String.fromCodePoint(this.#source.codePointAt(this.#at)!);
      if (text === "" ? !NAME_START.test(char) : !NAME_PART.test(char)) break;
      if (char === "\\") {
        const escape = /^\\u(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))/.exec(
          this.#source.slice(this.#at, this.#at + 12),
        );
        if (!escape) this.#fail("a backslash stands where none may");
        text += String.fromCodePoint(Math.min(0x10ffff, parseInt(escape[1] ?? escape[2]!, 16)));
        this.#at += escape[0].length;
      } else {
        text += char;
        this.#at += char.length;
      }
    }
    this.#push("name", text);
  }

  #punctuation(char: string): void {
    const three = this.#source.slice(this.#at, this.#at + 3);
    const text = three === "..." ? "..." : /^(\?\.|=>|\+\+|--|&&|\|\||\?\?|[=!<>]=)/.exec(three)?.[0] ?? char;
    if ("([{".includes(char)) {
      this.#open.push({ text: char, before: this.#statementWord(), template: false });
    } else if (")]}".includes(char)) {
      const opened = this.#open.pop();
      const fits = { ")": "(", "]": "[", "}": "{" }[char];
      if (!opened || (opened.text !== fits && !(opened.template && char === "}"))) {
        this.#fail(`"${char}" closes nothing`);
      }
      if (opened.template) {
        this.#push("punctuation", "}");
        this.#at++;
        return this.#template();
      }
      this.#afterParens = char === ")" ? opened.before : undefined;
    }
    this.#push("punctuation", text);
    this.#at += text.length;
  }

  /** The word before a bracket, as far as it may be a statement's: `x.if (…)` is a call, `for await (…)` a loop. */
  #statementWord(): Token | undefined {
    const word = this.#tokens.at(-1), before = this.#tokens.at(-2);
    if (before?.text === "." || before?.text === "?.") return undefined;
    return word?.text === "await" && before?.text === "for" ? before : word;
  }

  #fail(what: string): never {
    throw new SyntaxError(`Cannot read the plugin: ${what} (line ${this.#line})`);
  }
}

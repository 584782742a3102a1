import type { History } from "./history.ts";
import type { Key } from "./keys.ts";
import { type Layout, layoutInput } from "./layout.ts";
import { LineBuffer } from "./line_buffer.ts";
import { graphemes } from "./width.ts";

/** What a key came to. `interrupt` is Ctrl-C, `leave` Ctrl-D on an empty line, `complete` Tab, `refresh` Ctrl-L: the
 * editor itself did nothing for them. */
export type EditorOutcome =
  | { kind: "edited" }
  | { kind: "ignored" }
  | { kind: "submit"; text: string }
  | { kind: "interrupt" }
  | { kind: "leave" }
  | { kind: "complete" }
  | { kind: "refresh" };

export interface EditorOptions {
  /** Up, down and Ctrl-R look here; without one they do nothing. */
  history?: History;
  /** Shows a dot for each character. */
  masked?: boolean;
  /** Enter always submits, line feeds in a paste become spaces. */
  singleLine?: boolean;
}

interface Search {
  query: string;
  /** Index in the history; −1 before anything was found. */
  found: number;
  failed: boolean;
  before: string;
}

const chordOf = (key: Key & { kind: "key" }): string =>
  `${key.ctrl ? "C-" : ""}${key.alt ? "A-" : ""}${key.shift ? "S-" : ""}${key.name}`;

/** Chords that edit the buffer: the ones of Emacs and readline, and those of the arrow keys. */
const EDITS: Record<string, (buffer: LineBuffer) => boolean> = {
  "backspace": (b) => b.deleteBack(),
  "S-backspace": (b) => b.deleteBack(),
  "delete": (b) => b.deleteForward(),
  "left": (b) => b.left(),
  "C-b": (b) => b.left(),
  "right": (b) => b.right(),
  "C-f": (b) => b.right(),
  "C-left": (b) => b.wordLeft(),
  "A-left": (b) => b.wordLeft(),
  "A-b": (b) => b.wordLeft(),
  "C-right": (b) => b.wordRight(),
  "A-right": (b) => b.wordRight(),
  "A-f": (b) => b.wordRight(),
  "home": (b) => b.lineStart(),
  "C-a": (b) => b.lineStart(),
  "end": (b) => b.lineEnd(),
  "C-e": (b) => b.lineEnd(),
  "C-home": (b) => b.start(),
  "A-<": (b) => b.start(),
  "C-end": (b) => b.end(),
  "A->": (b) => b.end(),
  "C-k": (b) => b.killToEnd(),
  "C-u": (b) => b.killToStart(),
  "C-w": (b) => b.killBackToSpace(),
  "A-backspace": (b) => b.killWordBack(),
  "C-backspace": (b) => b.killWordBack(),
  "A-d": (b) => b.killWordForward(),
  "C-delete": (b) => b.killWordForward(),
  "C-y": (b) => b.yank(),
  "A-y": (b) => b.yankPop(),
  "C-t": (b) => b.transpose(),
  "C-_": (b) => b.undo(),
  "C-z": (b) => b.undo(),
};

/** Edits one message from keys. It draws nothing: `view` says how it looks. */
export class LineEditor {
  readonly #buffer = new LineBuffer();
  readonly #options: EditorOptions;
  /** Place in the history while moving through it, and the line that was being typed. */
  #at: number | undefined;
  #draft = "";
  #search: Search | undefined;

  constructor(options: EditorOptions = {}) {
    this.#options = options;
  }

  get text(): string {
    return this.#buffer.text;
  }

  get cursor(): number {
    return this.#buffer.cursor;
  }

  /** Ends this line and begins an empty one. */
  clear(): void {
    this.#buffer.reset();
    this.#at = undefined;
    this.#search = undefined;
  }

  /** Puts text in at the cursor, as completion does. */
  insert(text: string): void {
    this.#buffer.insert(text);
  }

  handle(key: Key): EditorOutcome {
    if (this.#search) {
      const outcome = this.#handleSearch(key, this.#search);
      if (outcome) return outcome;
    }
    if (key.kind !== "key") return this.#typed(key.text);
    const chord = chordOf(key);
    const edit = EDITS[chord];
    if (edit) return { kind: edit(this.#buffer) ? "edited" : "ignored" };
    switch (chord) {
      case "enter":
        return this.#enter();
      case "A-enter":
      case "S-enter":
      case "C-j":
        return this.#options.singleLine ? this.#enter() : this.#typed("\n");
      case "up":
      case "C-p":
        return { kind: this.#buffer.up() || this.#recall(-1) ? "edited" : "ignored" };
      case "down":
      case "C-n":
        return { kind: this.#buffer.down() || this.#recall(1) ? "edited" : "ignored" };
      case "C-r":
        return this.#startSearch();
      case "C-d":
        if (this.#buffer.text === "") return { kind: "leave" };
        return { kind: this.#buffer.deleteForward() ? "edited" : "ignored" };
      case "C-c":
        return { kind: "interrupt" };
      case "C-l":
        return { kind: "refresh" };
      case "tab":
        return { kind: "complete" };
      case "space":
      case "S-space":
        return this.#typed(" ");
      default:
        return { kind: "ignored" };
    }
  }

  /** How it looks: the prompt, or the search that replaces it, with the text and the cursor. */
  view(options: { prompt: string; searchPrompt: (query: string, failed: boolean) => string; columns: number }): Layout {
    const { columns } = options;
    const search = this.#search;
    if (search) {
      const prompt = options.searchPrompt(search.query, search.failed);
      return layoutInput({ prompt, text: this.#buffer.text, cursor: this.#buffer.cursor, columns });
    }
    if (!this.#options.masked) {
      return layoutInput({ prompt: options.prompt, text: this.#buffer.text, cursor: this.#buffer.cursor, columns });
    }
    const dots = (text: string) => "•".repeat(graphemes(text).length);
    const text = dots(this.#buffer.text), cursor = dots(this.#buffer.text.slice(0, this.#buffer.cursor)).length;
    return layoutInput({ prompt: options.prompt, text, cursor, columns });
  }

  #typed(text: string): EditorOutcome {
    const kept = this.#options.singleLine ? text.replace(/\n+$/, "").replace(/\n/g, " ") : text;
    return { kind: this.#buffer.insert(kept) ? "edited" : "ignored" };
  }

  #enter(): EditorOutcome {
    const { text, cursor } = this.#buffer;
    if (!this.#options.singleLine && cursor === text.length && /(^|[^\\])(\\\\)*\\$/.test(text)) {
      this.#buffer.deleteBack();
      this.#buffer.insert("\n");
      return { kind: "edited" };
    }
    this.clear();
    return { kind: "submit", text };
  }

  #recall(step: -1 | 1): boolean {
    const entries = this.#options.history?.entries ?? [];
    const at = (this.#at ?? entries.length) + step;
    if (at < 0 || at > entries.length || (this.#at === undefined && step > 0)) return false;
    if (this.#at === undefined) this.#draft = this.#buffer.text;
    this.#at = at === entries.length ? undefined : at;
    this.#buffer.set(this.#at === undefined ? this.#draft : entries[at]!);
    return true;
  }

  #startSearch(): EditorOutcome {
    if (!this.#options.history) return { kind: "ignored" };
    this.#search = { query: "", found: -1, failed: false, before: this.#buffer.text };
    return { kind: "edited" };
  }

  /** Keys of the search; undefined when the key ended it and counts for the line that was found. */
  #handleSearch(key: Key, search: Search): EditorOutcome | undefined {
    if (key.kind !== "key") return this.#find(search, search.query + key.text.replace(/\n/g, " "), undefined);
    switch (chordOf(key)) {
      case "C-r":
        return this.#find(search, search.query, search.found < 0 ? undefined : search.found);
      case "backspace":
        return this.#find(search, graphemes(search.query).slice(0, -1).join(""), undefined);
      case "C-g":
      case "C-c":
        this.#search = undefined;
        this.#buffer.set(search.before);
        return { kind: "edited" };
      case "escape":
        this.#search = undefined;
        return { kind: "edited" };
      default:
        this.#search = undefined;
        return undefined;
    }
  }

  #find(search: Search, query: string, from: number | undefined): EditorOutcome {
    const history = this.#options.history!;
    const found = history.search(query, from ?? history.entries.length);
    const failed = found < 0 && query !== "";
    this.#search = { ...search, query, found: found < 0 ? search.found : found, failed };
    if (found >= 0) this.#buffer.set(history.entries[found]!);
    else if (query === "") this.#buffer.set(search.before);
    return { kind: "edited" };
  }
}

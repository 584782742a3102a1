import { inlineSpans } from "./markdown_inline.ts";
import { isTable, tableLines } from "./markdown_table.ts";
import type { Line, Look } from "./spans.ts";
import { visible } from "./visible.ts";
import { textWidth } from "./width.ts";

/** What the lines before say about the next one. */
interface BlockState {
  fence: { mark: string; length: number } | undefined;
  /** Rows of what may be a table, not shown as finished yet. */
  table: string[];
}

export interface MarkdownOptions {
  /** Asked whenever a table is laid out: its cells are wrapped to this. */
  width: () => number;
  /** Without colours the source is shown as it stands, only tables are aligned. */
  plain: boolean;
}

/** Markdown as it arrives. Source lines become finished `lines` as soon as nothing that follows can change them (a table
 * waits for its end); `tail` shows the rest as it looks so far. Where the chunks are cut makes no difference. */
export class MarkdownStream {
  readonly lines: Line[] = [];
  #rest = "";
  #state: BlockState = { fence: undefined, table: [] };
  readonly #options: MarkdownOptions;

  constructor(options: MarkdownOptions) {
    this.#options = options;
  }

  push(text: string): void {
    const parts = (this.#rest + text).split("\n");
    this.#rest = parts.pop()!;
    for (const part of parts) this.#state = this.#take(this.#state, part, this.lines);
  }

  /** No more comes: what was unfinished is finished. */
  end(): void {
    const rest = this.#rest;
    this.#rest = "";
    if (rest !== "") this.#state = this.#take(this.#state, rest, this.lines);
    this.lines.push(...this.#tableOf(this.#state.table));
    this.#state = { ...this.#state, table: [] };
  }

  /** The unfinished part as it would look if the text ended here. */
  tail(): Line[] {
    const lines: Line[] = [];
    const state = this.#rest === "" ? this.#state : this.#take(this.#state, this.#rest, lines);
    lines.push(...this.#tableOf(state.table));
    return lines;
  }

  #take(state: BlockState, source: string, out: Line[]): BlockState {
    const text = visible(source.replace(/\r$/, "")).replaceAll("\n", " ");
    if (state.fence) return this.#inFence(state, text, out);
    if (/^\s{0,3}\|/.test(text)) return { ...state, table: [...state.table, text] };
    if (state.table.length > 0) out.push(...this.#tableOf(state.table));
    const fence = /^\s*(`{3,}|~{3,})\s*([^`]*)$/.exec(text);
    if (fence) {
      const mark = fence[1]!, name = fence[2]!.trim();
      out.push(this.#options.plain ? rawLine(text) : dimLine(name ? `┌ ${name}` : "┌"));
      return { fence: { mark: mark[0]!, length: mark.length }, table: [] };
    }
    out.push(this.#options.plain ? rawLine(text) : blockLine(text, this.#options.width()));
    return { fence: undefined, table: [] };
  }

  #inFence(state: BlockState, text: string, out: Line[]): BlockState {
    const { mark, length } = state.fence!;
    const closing = /^\s*(`+|~+)\s*$/.exec(text)?.[1];
    if (closing && closing[0] === mark && closing.length >= length) {
      out.push(this.#options.plain ? rawLine(text) : dimLine("└"));
      return { fence: undefined, table: [] };
    }
    if (this.#options.plain) out.push(rawLine(text));
    else {
      out.push({
        spans: [{ text: "│ ", look: { dim: true } }, { text, look: { color: "cyan" } }],
        hang: 2,
        hard: true,
      });
    }
    return state;
  }

  #tableOf(rows: string[]): Line[] {
    if (rows.length === 0) return [];
    const { plain, width } = this.#options;
    if (rows.length > 1 && isTable(rows[0]!, rows[1]!)) return tableLines(rows, { width: width(), plain });
    return rows.map((row) => plain ? rawLine(row) : blockLine(row, width()));
  }
}

const rawLine = (text: string): Line => ({ spans: [{ text }], hang: textWidth(/^\s*/.exec(text)![0]) });
const dimLine = (text: string): Line => ({ spans: [{ text, look: { dim: true } }] });

const MAX_QUOTES = 6;

/** One line that is no table and in no fence. `depth`: how many quotes it stands in. */
function blockLine(text: string, width: number, depth = 0): Line {
  const heading = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/.exec(text);
  if (heading) {
    const look: Look = heading[1]!.length === 1 ? { bold: true, underline: true } : { bold: true };
    return { spans: inlineSpans(heading[2]!, look) };
  }
  if (/^ {0,3}([-*_])(?:\s*\1){2,}\s*$/.test(text)) return dimLine("─".repeat(Math.min(40, Math.max(2, width))));
  const quote = /^\s{0,3}>\s?(.*)$/.exec(text);
  if (quote && depth < MAX_QUOTES) {
    const inner = blockLine(quote[1]!, width, depth + 1);
    return { ...inner, spans: [{ text: "▎ ", look: { dim: true } }, ...inner.spans], hang: 2 + (inner.hang ?? 0) };
  }
  const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/.exec(text);
  if (item) {
    const [, indent, mark, rest] = item as unknown as [string, string, string, string];
    const task = /^\[([ xX])\]\s+(.*)$/.exec(rest);
    const bullet = task ? (task[1] === " " ? "☐" : "☑") : /\d/.test(mark) ? mark : "•";
    const head = `${indent}${bullet} `;
    return { spans: [{ text: head }, ...inlineSpans(task ? task[2]! : rest)], hang: textWidth(head) };
  }
  return { spans: inlineSpans(text), hang: textWidth(/^\s*/.exec(text)![0]) };
}

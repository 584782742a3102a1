import { visible } from "./visible.ts";
import { graphemes, graphemeWidth, textWidth } from "./width.ts";

/** Where typed text stands on the screen: rows without styles, and the cursor's place in them. */
export interface Layout {
  rows: string[];
  cursor: { row: number; column: number };
}

/** Lays out a prompt and text over a screen of `columns` cells. Rows after the first are indented by the prompt's width,
 * so that a pasted paragraph stands in one block. A cursor after a full row stands on a new one: a terminal's own cursor
 * cannot be beyond its last cell. `cursor` is an offset in `text`. */
export function layoutInput(options: { prompt: string; text: string; cursor: number; columns: number }): Layout {
  const { text, cursor } = options;
  const prompt = visible(options.prompt).replaceAll("\n", " ");
  const width = Math.max(2, options.columns);
  const taken = textWidth(prompt);
  const indent = taken * 2 > width || width - taken < 2 ? 0 : taken;
  const rows: string[] = [];
  let row = "", used = 0, offset = 0;
  let at: Layout["cursor"] | undefined;
  const newRow = () => {
    rows.push(row);
    row = " ".repeat(indent);
    used = indent;
  };
  const put = (shown: string) => {
    const cells = graphemeWidth(shown);
    if (used + cells > width) newRow();
    row += shown;
    used += cells;
  };
  for (const grapheme of graphemes(prompt)) put(grapheme);
  for (const grapheme of graphemes(text)) {
    // A wide character at the edge moves down, and the cursor on it moves along.
    // Text from the history file or a completion may hold what no key types.
    const shown = grapheme === "\n" ? "" : visible(grapheme).replaceAll("\n", " ");
    if (used + (grapheme === "\t" ? 1 : graphemeWidth(shown)) > width) newRow();
    if (offset === cursor) {
      if (used >= width) newRow();
      at = { row: rows.length, column: used };
    }
    if (grapheme === "\n") newRow();
    else if (grapheme === "\t") { for (let i = 0; i < 4; i++) put(" "); }
    else put(shown);
    offset += grapheme.length;
  }
  if (!at) {
    if (used >= width) newRow();
    at = { row: rows.length, column: used };
  }
  rows.push(row);
  return { rows, cursor: at };
}

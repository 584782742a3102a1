import type { Display, Question } from "./display.ts";
import { type EditorOutcome, LineEditor } from "./editor.ts";
import type { History } from "./history.ts";
import type { ReplIo } from "./io.ts";
import type { Key } from "./keys.ts";
import { layoutInput } from "./layout.ts";
import { Screen } from "./screen.ts";
import { type Line, line, renderLines } from "./spans.ts";
import type { Texts } from "./texts.ts";
import { visible, visibleLine } from "./visible.ts";
import { fit, textWidth } from "./width.ts";

export const PROMPT = "› ";
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 120;
const MAX_MENU = 10;

/** What the keys of the main line come to; questions are answered here. */
export interface LiveHandlers {
  submit(text: string): void;
  interrupt(): void;
  leave(): void;
  complete(): void;
}

interface Asking {
  question: Question;
  editor: LineEditor;
  settle(answer: string | null): void;
}

/** A terminal with cursor movement. From the top: the draft, what is going on, the line being typed, completions. What
 * does not fit the screen any more becomes history, finished lines first. */
export class LiveDisplay implements Display {
  readonly kind = "screen";
  readonly plain: boolean;
  readonly #io: ReplIo;
  readonly #texts: Texts;
  readonly #screen: Screen;
  readonly #editor: LineEditor;
  #handlers: LiveHandlers | undefined;
  #draft: { lines: readonly Line[]; kept: number; tail: readonly Line[] } = { lines: [], kept: 0, tail: [] };
  #status: readonly string[] = [];
  #progress: readonly string[] = [];
  #frame = 0;
  #spinner: AbortController | undefined;
  #asking: Asking[] = [];
  #menu: readonly string[] = [];
  #shown: { row: string; width: number }[] = [];
  #endResize: (() => void) | undefined;

  constructor(io: ReplIo, options: { texts: Texts; history: History; plain: boolean }) {
    this.#io = io;
    this.#texts = options.texts;
    this.plain = options.plain;
    this.#screen = new Screen((text) => io.write(text));
    this.#editor = new LineEditor({ history: options.history });
  }

  get columns(): number {
    return Math.max(2, this.#io.columns());
  }

  /** The main line. */
  get editor(): LineEditor {
    return this.#editor;
  }

  /** Takes the terminal: raw mode, pastes in brackets. */
  start(handlers: LiveHandlers): void {
    this.#handlers = handlers;
    this.#io.setRaw(true);
    this.#io.write("\x1b[?2004h");
    this.#endResize = this.#io.onResize(() => this.#resized());
    this.#paint([]);
  }

  /** Gives the terminal back as it was, with the cursor on an empty row. Open questions are answered with null. */
  stop(): void {
    this.#handlers = undefined;
    this.#endResize?.();
    this.#spinner?.abort();
    for (const asking of [...this.#asking]) asking.settle(null);
    this.keepDraft();
    this.#menu = [];
    this.#status = [];
    this.#progress = [];
    this.#paint([]);
    this.#screen.leave();
    this.#io.write("\x1b[?2004l");
    this.#io.setRaw(false);
  }

  /** Keys from the terminal, in order. Painted once at the end. */
  feed(keys: Key[]): void {
    for (const key of keys) {
      this.#menu = [];
      const asking = this.#asking[0];
      if (asking) this.#answer(asking, asking.editor.handle(key));
      else this.#typed(this.#editor.handle(key));
    }
    this.#paint([]);
  }

  /** Candidates of a completion, until the next key. */
  menu(candidates: readonly string[]): void {
    this.#menu = candidates;
    this.#paint([]);
  }

  print(...lines: Line[]): void {
    this.#paint([...this.#takeFinished(), ...this.#render(lines)]);
  }

  note(...lines: Line[]): void {
    this.print(...lines);
  }

  draft(lines: readonly Line[], tail: readonly Line[]): void {
    this.#draft = { lines, kept: Math.min(this.#draft.kept, lines.length), tail };
    this.#paint([]);
  }

  keepDraft(): void {
    this.#paint(this.#takeDraft());
  }

  dropDraft(): number {
    const { kept } = this.#draft;
    this.#draft = { lines: [], kept: 0, tail: [] };
    this.#paint([]);
    return kept;
  }

  status(lines: readonly string[]): void {
    this.#status = lines.map(visibleLine);
    if (lines.length > 0) this.#spin();
    else {
      this.#spinner?.abort();
      this.#spinner = undefined;
    }
    this.#paint([]);
  }

  progress(lines: readonly string[]): void {
    this.#progress = lines;
    // It comes by itself, also before the terminal is ours and after we gave it back.
    if (this.#handlers) this.#paint([]);
  }

  ask(question: Question): Promise<string | null> {
    if (question.signal?.aborted) return Promise.resolve(null);
    return new Promise((resolve) => {
      const asking: Asking = {
        question,
        editor: new LineEditor({ masked: question.masked ?? false, singleLine: true }),
        settle: (answer) => {
          question.signal?.removeEventListener("abort", takeBack);
          this.#asking = this.#asking.filter((one) => one !== asking);
          this.#paint([]);
          resolve(answer);
        },
      };
      const takeBack = () => asking.settle(null);
      question.signal?.addEventListener("abort", takeBack, { once: true });
      this.#asking.push(asking);
      this.#paint([]);
    });
  }

  clear(): void {
    this.#screen.clear();
    this.#paint([]);
  }

  #typed(outcome: EditorOutcome): void {
    switch (outcome.kind) {
      case "submit": {
        if (outcome.text.trim() === "") return;
        const { rows } = layoutInput({
          prompt: PROMPT,
          text: visible(outcome.text),
          cursor: -1,
          columns: this.columns,
        });
        this.#paint([...this.#takeFinished(), ...rows]);
        return this.#handlers?.submit(outcome.text);
      }
      case "interrupt":
        this.#editor.clear();
        return this.#handlers?.interrupt();
      case "leave":
        return this.#handlers?.leave();
      case "complete":
        return this.#handlers?.complete();
      case "refresh":
        return this.clear();
      case "edited":
      case "ignored":
        return;
      default:
        return outcome satisfies never;
    }
  }

  #answer(asking: Asking, outcome: EditorOutcome): void {
    if (outcome.kind === "interrupt" || outcome.kind === "leave") return asking.settle(null);
    if (outcome.kind === "refresh") return this.clear();
    if (outcome.kind !== "submit") return;
    const shown = asking.question.masked ? "•".repeat(Math.min(8, outcome.text.length)) : visible(outcome.text);
    this.print(line(asking.question.prompt + shown));
    asking.settle(outcome.text);
  }

  #spin(): void {
    if (this.#spinner) return;
    const spinner = this.#spinner = new AbortController();
    const run = async () => {
      while (!spinner.signal.aborted) {
        await this.#io.clock.sleep(FRAME_MS, { signal: spinner.signal });
        this.#frame++;
        this.#paint([]);
      }
    };
    // The only way out is the abort.
    run().catch(() => {});
  }

  #render(lines: readonly Line[]): string[] {
    return renderLines([...lines], { columns: this.columns, plain: this.plain });
  }

  /** The rows of the draft's finished lines that are not history yet. */
  #takeFinished(): string[] {
    const { lines, kept, tail } = this.#draft;
    this.#draft = { lines, kept: lines.length, tail };
    return this.#render(lines.slice(kept));
  }

  /** The draft's rows that are not history yet; there is no draft after. */
  #takeDraft(): string[] {
    const { lines, kept, tail } = this.#draft;
    this.#draft = { lines: [], kept: 0, tail: [] };
    return this.#render([...lines.slice(kept), ...tail]);
  }

  #resized(): void {
    this.#screen.resized(this.#shown.map(({ width }) => width), this.columns);
    this.#paint([]);
  }

  #paint(kept: string[]): void {
    const height = Math.max(3, this.#io.rows() - 1);
    const input = this.#input(height);
    const going = [
      ...this.#status.map((text, i) => `${i === 0 ? FRAMES[this.#frame % FRAMES.length] : " "} ${text}`),
      ...this.#progress,
    ];
    const status = going.flatMap((text) => this.#render([line(fit(text, this.columns), { dim: true })]))
      .slice(0, Math.max(0, height - input.rows.length));
    const room = height - input.rows.length - status.length;
    const lines = this.#draft.lines.slice(this.#draft.kept).map((one) => this.#render([one]));
    const tail = this.#render(this.#draft.tail);
    let used = lines.reduce((sum, rows) => sum + rows.length, 0) + tail.length;
    while (used > room && lines.length > 0) {
      const first = lines.shift()!;
      used -= first.length;
      kept.push(...first);
      this.#draft.kept++;
    }
    const draft = [...lines.flat(), ...(tail.length > room ? tail.slice(tail.length - Math.max(0, room)) : tail)];
    const above = [...draft, ...status];
    const rows = [...above, ...input.rows];
    this.#screen.paint(kept, rows, { row: above.length + input.cursor.row, column: input.cursor.column });
    this.#shown = rows.map((row) => ({ row, width: textWidth(row.replace(SGR, "")) }));
  }

  /** The line being typed, or the question's, at most half the screen of it around the cursor; and the menu. */
  #input(height: number): { rows: string[]; cursor: { row: number; column: number } } {
    const asking = this.#asking[0];
    const editor = asking?.editor ?? this.#editor;
    const view = editor.view({
      prompt: asking?.question.prompt ?? PROMPT,
      searchPrompt: (query, failed) => this.#texts(failed ? "searchFailed" : "search", { query }),
      columns: this.columns,
    });
    const limit = Math.max(1, height >> 1);
    const from = Math.max(0, Math.min(view.cursor.row - (limit >> 1), view.rows.length - limit));
    const rows = view.rows.slice(from, from + limit);
    const menu = this.#menuRows().slice(0, Math.max(0, height - rows.length));
    return { rows: [...rows, ...menu], cursor: { row: view.cursor.row - from, column: view.cursor.column } };
  }

  #menuRows(): string[] {
    if (this.#menu.length === 0) return [];
    const rest = this.#menu.length - MAX_MENU;
    const shown = this.#menu.slice(0, MAX_MENU).map((text) => `  ${text}`);
    const lines = rest > 0 ? [...shown, `  … +${rest}`] : shown;
    return this.#render(lines.map((text) => line(fit(text, this.columns), { dim: true })));
  }
}

// deno-lint-ignore no-control-regex
const SGR = /\x1b\[[0-9;]*m/g;

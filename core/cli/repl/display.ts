import type { Line } from "./spans.ts";

export interface Question {
  prompt: string;
  /** What is typed is shown as dots, or not at all, and remembered nowhere. */
  masked?: boolean;
  /** Takes the question back: the answer is null. */
  signal?: AbortSignal;
}

/** Where a conversation is shown. Text that a model is still writing is a *draft*: it may yet be withdrawn. */
export interface Display {
  /** `screen`: a terminal whose last rows change; `lines`: a dumb terminal, one line after another; `pipe`: no person is
   * there, standard output has the replies and nothing else. */
  readonly kind: "screen" | "lines" | "pipe";
  /** Cells in a row. */
  readonly columns: number;
  /** No colours, no styles. */
  readonly plain: boolean;
  /** Lines that stay. They come after the draft's finished lines; its unfinished tail goes on below. */
  print(...lines: Line[]): void;
  /** The same for what is said beside the conversation: tools, notices, errors. In a pipe they go to standard error. */
  note(...lines: Line[]): void;
  /** The whole draft so far: `lines` only ever grow, `tail` may change. */
  draft(lines: readonly Line[], tail: readonly Line[]): void;
  /** The draft was meant: it stays as it is. */
  keepDraft(): void;
  /** The draft was not meant. Returns how many of its lines can no longer be taken back. */
  dropDraft(): number;
  /** What is going on now, with a spinner; none: nothing is. */
  status(lines: readonly string[]): void;
  /** How far long work is, beside whatever else is going on; none: nothing is. */
  progress(lines: readonly string[]): void;
  /** Asks the person. Null: not answered (Ctrl-C, end of input, taken back). Questions wait for one another. */
  ask(question: Question): Promise<string | null>;
  /** Empties the screen, where there is one. */
  clear(): void;
}

import type { Display, Question } from "./display.ts";
import type { ReplIo } from "./io.ts";
import { type Line, renderSpans } from "./spans.ts";

/** One line after another, without a single escape code: a dumb terminal, or a pipe. In a terminal finished lines of a
 * draft are written as they come; in a pipe a draft is written when it is kept, so what was withdrawn never was. */
export class LineDisplay implements Display {
  readonly kind: "lines" | "pipe";
  readonly plain = true;
  readonly #io: ReplIo;
  readonly #nextLine: () => Promise<string | null>;
  #draft: { lines: readonly Line[]; written: number; tail: readonly Line[] } = { lines: [], written: 0, tail: [] };
  #questions: Promise<unknown> = Promise.resolve();

  /** `nextLine` takes the next line of input for a question; null at the end. */
  constructor(io: ReplIo, nextLine: () => Promise<string | null>) {
    this.#io = io;
    this.#nextLine = nextLine;
    this.kind = io.inputIsTerminal ? "lines" : "pipe";
  }

  get columns(): number {
    return Math.max(20, this.#io.columns());
  }

  print(...lines: Line[]): void {
    this.#write(lines);
  }

  note(...lines: Line[]): void {
    if (this.kind === "lines") return this.print(...lines);
    this.#io.writeError(lines.map(textOf).join(""));
  }

  draft(lines: readonly Line[], tail: readonly Line[]): void {
    const written = Math.min(this.#draft.written, lines.length);
    this.#draft = { lines, written, tail };
    if (this.kind === "pipe") return;
    this.#write(lines.slice(written));
    this.#draft.written = lines.length;
  }

  keepDraft(): void {
    const { lines, written, tail } = this.#draft;
    this.#draft = { lines: [], written: 0, tail: [] };
    this.#write([...lines.slice(written), ...tail]);
  }

  dropDraft(): number {
    const { written } = this.#draft;
    this.#draft = { lines: [], written: 0, tail: [] };
    return written;
  }

  status(): void {
    // Nothing here can be taken back, so nothing passing is written.
  }

  progress(): void {
    // The same.
  }

  ask(question: Question): Promise<string | null> {
    const answer = this.#questions.then(() => this.#askNow(question));
    this.#questions = answer;
    return answer;
  }

  clear(): void {
    // There is no screen to empty.
  }

  async #askNow({ prompt, masked, signal }: Question): Promise<string | null> {
    if (signal?.aborted) return null;
    const hide = masked === true && this.kind === "lines";
    if (this.kind === "lines") this.#io.write(prompt);
    if (hide) this.#io.setRaw(true);
    try {
      const takenBack = Promise.withResolvers<null>();
      const takeBack = () => takenBack.resolve(null);
      signal?.addEventListener("abort", takeBack, { once: true });
      const answer = await Promise.race([this.#nextLine(), takenBack.promise]);
      signal?.removeEventListener("abort", takeBack);
      return answer;
    } finally {
      if (hide) {
        this.#io.setRaw(false);
        this.#io.write("\n");
      }
    }
  }

  #write(lines: readonly Line[]): void {
    if (lines.length > 0) this.#io.write(lines.map(textOf).join(""));
  }
}

const textOf = (one: Line): string => renderSpans(one.spans, true) + "\n";

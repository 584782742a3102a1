import { ProgressBar } from "./progress_bar.ts";

/** What the verbs have of the process's surroundings. */
export interface CliIo {
  /** Writes to stdout; resolves when it is handed on. */
  write(text: string): void;
  writeError(text: string): void;
  /** Draws how far long work is, where stderr is a terminal; what is written meanwhile stands above. */
  readonly bar: ProgressBar;
  /** All of stdin, as text. */
  readInput(): Promise<string>;
  /** One line from the terminal. */
  ask(question: string): string | null;
  inputIsTerminal: boolean;
  outputIsTerminal: boolean;
  errorIsTerminal: boolean;
  /** Cells in a row of the terminal that standard output is. */
  columns(): number;
  env: Readonly<Record<string, string>>;
  os: typeof Deno.build.os;
  /** The folder that relative paths start at. */
  cwd(): string;
}

/** The process's own. */
export function processIo(): CliIo {
  const encoder = new TextEncoder();
  const writeAll = (file: typeof Deno.stdout | typeof Deno.stderr, text: string) => {
    const bytes = encoder.encode(text);
    try {
      for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
    } catch (error) {
      // The reader has gone (`homed config list | head`): there is nobody to tell.
      if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
    }
  };
  const errorIsTerminal = Deno.stderr.isTerminal();
  const columns = () => terminalSize().columns;
  const bar = new ProgressBar({ writeError: (text) => writeAll(Deno.stderr, text), errorIsTerminal, columns });
  return {
    bar,
    write: (text) => bar.above(() => writeAll(Deno.stdout, text)),
    writeError: (text) => bar.above(() => writeAll(Deno.stderr, text)),
    readInput: () => new Response(Deno.stdin.readable).text(),
    ask: (question) =>
      bar.above(() => {
        writeAll(Deno.stderr, question);
        return readLine();
      }),
    inputIsTerminal: Deno.stdin.isTerminal(),
    outputIsTerminal: Deno.stdout.isTerminal(),
    errorIsTerminal,
    columns,
    env: Deno.env.toObject(),
    os: Deno.build.os,
    cwd: () => Deno.cwd(),
  };
}

/** Cells of the terminal, as far as it tells. */
export function terminalSize(): { columns: number; rows: number } {
  try {
    const { columns, rows } = Deno.consoleSize();
    return { columns: columns || 80, rows: rows || 24 };
  } catch {
    // Not a terminal, or one that does not tell.
    return { columns: 80, rows: 24 };
  }
}

/** A line of the terminal; null at its end. */
function readLine(): string | null {
  const bytes: number[] = [];
  const one = new Uint8Array(1);
  for (;;) {
    const length = Deno.stdin.readSync(one);
    if (length === null || length === 0) return bytes.length === 0 ? null : text(bytes);
    if (one[0] === 10) return text(bytes);
    bytes.push(one[0]!);
  }
}

const text = (bytes: number[]) => new TextDecoder().decode(new Uint8Array(bytes)).replace(/\r$/, "");

import xterm from "@xterm/headless";
import { spawn } from "@lydell/node-pty";
import { environment, HOMED } from "./homed.ts";

/** homed in a terminal of its own: a PTY, and an emulator that shows what a person would see. */
export interface HomedTerminal extends AsyncDisposable {
  /** The rows that can be seen, without blanks at their ends and empty rows below. */
  screen(): string;
  /** Where the cursor stands. */
  cursor(): { row: number; column: number };
  type(text: string): void;
  resize(columns: number, rows: number): void;
  /** Resolves with the screen once it matches; rejects with what is there instead. */
  shows(wanted: RegExp): Promise<string>;
  /** The exit status, once the program and what ran after it have ended. */
  exited: Promise<number>;
}

/** Starts homed with `args`. `after`: a shell command that is run in the same terminal when homed has ended, with its
 * exit status in `$status`. */
export function homedTerminal(args: string[], options: {
  home: string;
  env?: Record<string, string>;
  columns?: number;
  rows?: number;
  after?: string;
}): HomedTerminal {
  const { home, columns = 80, rows = 24, after = "exit $status" } = options;
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 500, allowProposedApi: true });
  const pty = spawn("/bin/sh", ["-c", `"$@"; status=$?; ${after}`, "sh", ...HOMED, "--home", home, ...args], {
    cols: columns,
    rows,
    env: { ...environment(options), TERM: "xterm-256color" },
    name: "xterm-256color",
  });
  let ended = false;
  const exited = Promise.withResolvers<number>();
  const data = pty.onData((text) => terminal.write(text));
  pty.onExit(({ exitCode }) => {
    ended = true;
    exited.resolve(exitCode);
  });
  const written = () => new Promise<void>((resolve) => terminal.write("", resolve));
  const screen = () => {
    const { active } = terminal.buffer;
    const lines = Array.from({ length: terminal.rows }, (_, row) => active.getLine(active.baseY + row));
    return lines.map((line) => line?.translateToString(true).trimEnd() ?? "").join("\n").trimEnd();
  };
  return {
    screen,
    cursor: () => ({ row: terminal.buffer.active.cursorY, column: terminal.buffer.active.cursorX }),
    type: (text) => pty.write(text),
    resize(columns, rows) {
      terminal.resize(columns, rows);
      pty.resize(columns, rows);
    },
    async shows(wanted) {
      for (let i = 0; i < 600; i++) {
        await written();
        if (wanted.test(screen())) return screen();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`The terminal does not show ${wanted}, but:\n${screen()}`);
    },
    exited: exited.promise,
    async [Symbol.asyncDispose]() {
      if (!ended) pty.kill("SIGKILL");
      await exited.promise;
      data.dispose();
      await written();
      terminal.dispose();
    },
  };
}

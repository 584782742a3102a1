type Call<P, R> = { params: P; result: R };
type Ok = Record<never, never>;

/** How a program ended. Output is text: what is no UTF-8 is shown as �. `timed_out`: it was ended with all that it had
 * started. */
export interface Ran {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  /** Bytes that were dropped from the middle of stdout and stderr together. */
  dropped: number;
  timed_out: boolean;
  ms: number;
}

export interface Screen {
  id: string;
  /** The lines of the screen, without what is empty at the end. */
  text: string;
  cursor: { row: number; column: number };
  size: { columns: number; rows: number };
  /** The exit code once the program has ended; null while it runs. */
  exit: number | null;
}

/** What the `hands` worker serves to the plugins `cmd` and `agentcli`. */
export interface HandsMethods {
  /** Runs a program to its end. Cancelling the call ends it with everything it started. */
  "cmd.run": Call<
    { argv: string[]; cwd: string; env: Record<string, string>; stdin?: string; timeout: number; max_output: number },
    Ran
  >;
  "pty.start": Call<
    { argv: string[]; cwd: string; env: Record<string, string>; columns: number; rows: number },
    { id: string }
  >;
  /** Types text; answers the screen once the program has been quiet for a moment, at most `wait` milliseconds later. */
  "pty.send": Call<{ id: string; text: string; wait: number }, Screen>;
  "pty.screen": Call<{ id: string; scrollback?: number }, Screen>;
  "pty.resize": Call<{ id: string; columns: number; rows: number }, Screen>;
  "pty.stop": Call<{ id: string }, { exit: number | null }>;
  "pty.list": Call<Ok, { sessions: { id: string; argv: string[]; exit: number | null }[] }>;
  ping: Call<Ok, Ok>;
}

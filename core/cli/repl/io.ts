import type { Clock } from "../../base/clock.ts";
import type { HistoryStore } from "./history.ts";
import type { Language } from "../language.ts";

/** Everything the REPL has of the machine. `denoReplIo` makes the real one; tests make their own. */
export interface ReplIo {
  /** Bytes as typed, or as piped in. Cancelled when the REPL is left. */
  stdin: ReadableStream<Uint8Array>;
  /** Writes to stdout at once. */
  write(text: string): void;
  /** Writes to stderr at once. */
  writeError(text: string): void;
  /** Standard input is a terminal: prompts are shown, questions can be asked. */
  inputIsTerminal: boolean;
  /** Standard output is a terminal. */
  outputIsTerminal: boolean;
  columns(): number;
  rows(): number;
  /** Raw mode: keys come one by one, unechoed, Ctrl-C as a byte. */
  setRaw(raw: boolean): void;
  /** Calls the listener when the terminal got another size. Returns what ends it. */
  onResize(listener: () => void): () => void;
  /** Calls the listener at SIGINT, which outside raw mode is Ctrl-C. Returns what ends it. */
  onInterrupt(listener: () => void): () => void;
  /** Calls the listener when the process is to end (SIGTERM, SIGHUP). Returns what ends it. */
  onTerminate(listener: () => void): () => void;
  /** `TERM` and `NO_COLOR` are read. */
  env: Record<string, string | undefined>;
  lang: Language;
  history: HistoryStore;
  /** A file for `/attach`. Rejects with an error that says why. */
  readFile(path: string): Promise<Uint8Array>;
  clock: Clock;
}

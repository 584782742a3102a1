import type { HistoryStore } from "../../../../core/cli/repl/history.ts";
import type { ReplIo } from "../../../../core/cli/repl/io.ts";
import { runRepl } from "../../../../core/cli/repl/repl.ts";
import type { FakeSession } from "./fake_session.ts";
import { ManualClock } from "../../../kit/manual_clock.ts";
import { FakeTerminal } from "./terminal.ts";

export class MemoryHistory implements HistoryStore {
  text: string;

  constructor(text = "") {
    this.text = text;
  }

  load(): Promise<string> {
    return Promise.resolve(this.text);
  }

  append(text: string): Promise<void> {
    this.text += text;
    return Promise.resolve();
  }

  replace(text: string): Promise<void> {
    this.text = text;
    return Promise.resolve();
  }
}

export interface StageOptions {
  columns?: number;
  height?: number;
  term?: string;
  noColor?: boolean;
  lang?: "en" | "zh";
  history?: MemoryHistory;
  /** Input is a pipe. */
  piped?: boolean;
  files?: Record<string, Uint8Array>;
}

/** A REPL on a fake terminal, with hands to type. */
export class Stage {
  readonly terminal: FakeTerminal;
  readonly clock = new ManualClock(1_000_000);
  readonly history: MemoryHistory;
  readonly exit: Promise<number>;
  output = "";
  errors = "";
  raw: boolean[] = [];
  #input!: ReadableStreamDefaultController<Uint8Array>;
  #resize: () => void = () => {};
  #interrupt: () => void = () => {};
  #terminate: () => void = () => {};

  constructor(session: FakeSession, options: StageOptions = {}) {
    const { columns = 60, height = 20, term = "xterm", piped = false } = options;
    this.terminal = new FakeTerminal(columns, height);
    this.history = options.history ?? new MemoryHistory();
    const screen = !piped && term !== "dumb";
    const io: ReplIo = {
      stdin: new ReadableStream({ start: (controller) => void (this.#input = controller) }),
      write: (text) => {
        this.output += text;
        if (screen) this.terminal.write(text);
      },
      writeError: (text) => void (this.errors += text),
      inputIsTerminal: !piped,
      outputIsTerminal: !piped,
      columns: () => this.terminal.columns,
      rows: () => this.terminal.height,
      setRaw: (raw) => void this.raw.push(raw),
      onResize: (listener) => {
        this.#resize = listener;
        return () => this.#resize = () => {};
      },
      onInterrupt: (listener) => {
        this.#interrupt = listener;
        return () => this.#interrupt = () => {};
      },
      onTerminate: (listener) => {
        this.#terminate = listener;
        return () => this.#terminate = () => {};
      },
      env: { TERM: term, ...(options.noColor && { NO_COLOR: "1" }) },
      lang: options.lang ?? "en",
      history: this.history,
      readFile: (path) => {
        const file = options.files?.[path];
        return file ? Promise.resolve(file) : Promise.reject(new Error(`Cannot read ${path}: no such file`));
      },
      clock: this.clock,
    };
    this.exit = runRepl(session, io);
  }

  /** Types, then lets everything that can happen without time passing happen. */
  async type(text: string): Promise<void> {
    await this.typeBytes(new TextEncoder().encode(text));
  }

  async typeBytes(bytes: Uint8Array): Promise<void> {
    this.#input.enqueue(bytes);
    await settle();
  }

  /** The input ends. */
  async end(): Promise<void> {
    this.#input.close();
    await settle();
  }

  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await settle();
  }

  async resize(columns: number): Promise<void> {
    this.terminal.resize(columns);
    this.#resize();
    await settle();
  }

  async interrupt(): Promise<void> {
    this.#interrupt();
    await settle();
  }

  async terminate(): Promise<void> {
    this.#terminate();
    await settle();
  }

  /** Leaves with Ctrl-D and says the exit status. */
  async leave(): Promise<number> {
    await this.type("\x15\x04");
    return await this.exit;
  }
}

/** Until every promise that needs no time has settled. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise<void>((resolve) => setTimeout(resolve, 0));
}

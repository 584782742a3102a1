import * as xterm from "@xterm/headless";
import { type IPty, spawn } from "@lydell/node-pty";
import type { HandsMethods, Screen } from "./methods.ts";

/** The package is CommonJS: its exports are the module itself when it was bundled, its default when it was not. */
const { Terminal } = "Terminal" in xterm ? xterm : (xterm as { default: typeof xterm }).default;

/** Sessions at the same time. */
const MOST = 8;
/** A program that has printed nothing for this long is taken to wait for us. Milliseconds. */
const QUIET = 150;

interface Session {
  id: string;
  argv: string[];
  pty: IPty;
  terminal: InstanceType<typeof Terminal>;
  lastOutput: number;
  exit: number | null;
  ended: Promise<void>;
}

/** Programs in terminals of their own, each with a screen that can be read. */
export class Terminals {
  readonly #sessions = new Map<string, Session>();
  #last = 0;

  start({ argv, cwd, env, columns, rows }: HandsMethods["pty.start"]["params"]): { id: string } {
    const running = [...this.#sessions.values()].filter(({ exit }) => exit === null).length;
    if (running >= MOST) throw new Error(`There are ${MOST} terminals already: stop one first`);
    const [command, ...args] = argv;
    const terminal = new Terminal({ cols: columns, rows, scrollback: 2000, allowProposedApi: true });
    const pty = spawn(command!, args, {
      cols: columns,
      rows,
      cwd,
      env: { ...env, TERM: "xterm-256color" },
      name: "xterm-256color",
    });
    const ended = Promise.withResolvers<void>();
    const session: Session = {
      id: `s${++this.#last}`,
      argv,
      pty,
      terminal,
      lastOutput: performance.now(),
      exit: null,
      ended: ended.promise,
    };
    pty.onData((data) => {
      session.lastOutput = performance.now();
      terminal.write(data);
    });
    // What the terminal answers by itself (cursor position, device attributes) goes back to the program.
    terminal.onData((data) => session.exit === null && pty.write(data));
    pty.onExit(({ exitCode }) => {
      session.exit = exitCode;
      ended.resolve();
    });
    this.#sessions.set(session.id, session);
    return { id: session.id };
  }

  async send({ id, text, wait }: HandsMethods["pty.send"]["params"]): Promise<Screen> {
    const session = this.#of(id);
    if (session.exit !== null) throw new Error(`The program in "${id}" has ended with ${session.exit}`);
    session.pty.write(text);
    const until = performance.now() + wait;
    await Promise.race([session.ended, pause(QUIET)]);
    while (session.exit === null && performance.now() < until && performance.now() - session.lastOutput < QUIET) {
      await Promise.race([session.ended, pause(QUIET / 3)]);
    }
    return await this.screen({ id });
  }

  async screen({ id, scrollback = 0 }: HandsMethods["pty.screen"]["params"]): Promise<Screen> {
    const { terminal, exit } = this.#of(id);
    // Output that was handed over is parsed behind this.
    await new Promise<void>((resolve) => terminal.write("", resolve));
    const buffer = terminal.buffer.active;
    const first = Math.max(0, buffer.baseY - scrollback);
    const lines: string[] = [];
    for (let row = first; row < buffer.baseY + terminal.rows; row++) {
      lines.push(buffer.getLine(row)?.translateToString(true) ?? "");
    }
    while (lines.at(-1) === "") lines.pop();
    return {
      id,
      text: lines.join("\n"),
      cursor: { row: buffer.baseY - first + buffer.cursorY, column: buffer.cursorX },
      size: { columns: terminal.cols, rows: terminal.rows },
      exit,
    };
  }

  async resize({ id, columns, rows }: HandsMethods["pty.resize"]["params"]): Promise<Screen> {
    const { pty, terminal, exit } = this.#of(id);
    if (exit === null) pty.resize(columns, rows);
    terminal.resize(columns, rows);
    await pause(QUIET);
    return await this.screen({ id });
  }

  async stop({ id }: { id: string }): Promise<{ exit: number | null }> {
    const session = this.#of(id);
    if (session.exit === null) {
      killSession(session.pty.pid, "SIGHUP");
      await Promise.race([session.ended, pause(2000)]);
    }
    killSession(session.pty.pid, "SIGKILL");
    await Promise.race([session.ended, pause(2000)]);
    session.terminal.dispose();
    this.#sessions.delete(id);
    return { exit: session.exit };
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.stop({ id })));
  }

  list() {
    return { sessions: [...this.#sessions.values()].map(({ id, argv, exit }) => ({ id, argv, exit })) };
  }

  #of(id: string): Session {
    const session = this.#sessions.get(id);
    if (!session) throw new Error(`There is no terminal "${id}": agentcli_list names them`);
    return session;
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Signals everything in the terminal: its program leads a session, whose shells put their jobs into groups of their
 * own. Where processes cannot be looked at, the program's own group. */
function killSession(leader: number, signal: Deno.Signal): void {
  const members = Deno.build.os === "linux"
    ? sessionMembers(leader)
    : Deno.build.os === "windows"
    ? [leader]
    : [-leader];
  for (const target of members) {
    try {
      Deno.kill(target, signal);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound) && !(error instanceof TypeError)) throw error;
    }
  }
}

function sessionMembers(leader: number): number[] {
  const members: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // pid (name) state ppid pgrp session …: the name may hold anything, so what counts stands behind the last ")".
      const stat = Deno.readTextFileSync(`/proc/${name}/stat`);
      if (Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]) === leader) members.push(Number(name));
    } catch {
      // ended while we looked
    }
  }
  return members;
}

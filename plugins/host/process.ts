import type { ExecSpec } from "./exec.ts";
import type { Ledger } from "./ledger.ts";
import type { Watchdog } from "./watchdog.ts";

export interface SpawnOptions {
  /** How homed is run again: the words before `__exec`. */
  homed: string[];
  spec: ExecSpec;
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** Told of the process group, so that it ends when homed is killed. */
  watchdog: Watchdog;
  ledger: Ledger;
}

/** How a process ended. */
export interface ExitInfo {
  code: number;
  signal: string | null;
}

/** One plugin's process and everything in its group. Its end is noticed by waiting for it: a grandchild that keeps the
 * pipes open fools nobody. */
export class PluginProcess {
  readonly pid: number;
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  /** Resolves when the process itself is gone; what was left of its group has been ended by then. */
  readonly exited: Promise<ExitInfo>;
  #gone = false;

  private constructor(child: Deno.ChildProcess, options: SpawnOptions) {
    this.pid = child.pid;
    this.readable = child.stdout;
    this.writable = child.stdin;
    this.stderr = child.stderr;
    this.exited = this.#waitFor(child, options);
  }

  async #waitFor(child: Deno.ChildProcess, { watchdog, ledger }: SpawnOptions): Promise<ExitInfo> {
    const { code, signal } = await child.status;
    this.#gone = true;
    this.killGroup("SIGKILL");
    watchdog.remove(child.pid);
    await ledger.remove(child.pid);
    return { code, signal };
  }

  static async spawn(options: SpawnOptions): Promise<PluginProcess> {
    const { homed, spec, command, args, cwd, env, watchdog, ledger } = options;
    const windows = Deno.build.os === "windows";
    const [program, ...before] = windows ? [command] : [...homed, "__exec", JSON.stringify(spec), command];
    const child = new Deno.Command(program!, {
      args: [...before, ...args],
      cwd,
      env,
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      detached: !windows,
    }).spawn();
    const made = new PluginProcess(child, options);
    watchdog.add(child.pid);
    await ledger.add(child.pid, command);
    return made;
  }

  get isGone(): boolean {
    return this.#gone;
  }

  /** Sends a signal to the whole group. */
  killGroup(signal: Deno.Signal): void {
    try {
      if (Deno.build.os === "windows") Deno.kill(this.pid, signal);
      else Deno.kill(-this.pid, signal);
    } catch (error) {
      // Nobody is left in the group.
      if (!(error instanceof Deno.errors.NotFound) && !(error instanceof TypeError)) {
        if (!/ESRCH|No such process/i.test(String(error))) throw error;
      }
    }
  }

  /** TERM, and KILL for what is left after `grace` milliseconds. */
  async end(grace: number): Promise<void> {
    if (!this.#gone) {
      this.killGroup("SIGTERM");
      const timer = setTimeout(() => this.killGroup("SIGKILL"), grace);
      await this.exited;
      clearTimeout(timer);
    }
    await this.exited;
  }
}

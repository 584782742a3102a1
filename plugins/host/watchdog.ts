/** A shell loop of about a megabyte that outlives homed by a moment: it is told every process group over a pipe, and when
 * the pipe ends because homed is gone, however that happened, it ends them. */
const LOOP = `trap "" INT TERM HUP
groups=""
while read -r sign group; do
  case "$sign" in
  +) groups="$groups $group" ;;
  -) rest=""
    for one in $groups; do [ "$one" = "$group" ] || rest="$rest $one"; done
    groups="$rest" ;;
  esac
done
for one in $groups; do kill -KILL "-$one" 2>/dev/null; done
`;

/** Ends the process groups of plugins when homed itself is killed. Started with the first group. Windows has none: there
 * a job of the system's does not exist for us, and the ledger ends what is left at the next start. */
export class Watchdog {
  readonly #onProblem: (text: string) => void;
  readonly #groups = new Set<number>();
  #child: Deno.ChildProcess | undefined;
  #writer: WritableStreamDefaultWriter<Uint8Array> | undefined;

  constructor(onProblem: (text: string) => void) {
    this.#onProblem = onProblem;
  }

  /** Its process, once it runs. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  add(group: number): void {
    if (Deno.build.os === "windows") return;
    this.#groups.add(group);
    if (this.#child) this.#tell(`+ ${group}\n`);
    else this.#start();
  }

  remove(group: number): void {
    this.#groups.delete(group);
    if (this.#child) this.#tell(`- ${group}\n`);
  }

  /** Ends it, and every group that was not removed. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.#child = undefined;
    await this.#writer?.close().catch((error) => this.#onProblem(`The watchdog's pipe broke: ${error}`));
    await child.status;
  }

  #start(): void {
    const child = this.#child = new Deno.Command("/bin/sh", {
      args: ["-c", LOOP],
      stdin: "piped",
      stdout: "null",
      stderr: "null",
      clearEnv: true,
      detached: true,
    }).spawn();
    const writer = this.#writer = child.stdin.getWriter();
    for (const group of this.#groups) this.#tell(`+ ${group}\n`);
    void child.status.then(() => {
      if (this.#child !== child) return;
      // Somebody ended it: the next one is told of everything that runs.
      this.#onProblem("The plugins' watchdog was ended: it is started again");
      this.#child = undefined;
      // The pipe broke with it.
      void writer.abort().catch(() => {});
      if (this.#groups.size > 0) this.#start();
    });
  }

  #tell(line: string): void {
    this.#writer!.write(new TextEncoder().encode(line))
      .catch((error) => this.#onProblem(`The watchdog cannot be told of a process: ${error}`));
  }
}

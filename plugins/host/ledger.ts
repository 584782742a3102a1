/** A line of the ledger: a process group that homed started. `start` tells it from a later process with the same id. */
interface LedgerEntry {
  pid: number;
  start: string;
  command: string;
}

/** Which plugin processes are running, on disk, so that the next start ends what a crash left behind. */
export class Ledger {
  readonly #path: string;
  #entries: LedgerEntry[] = [];
  #saving: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** Ends every process of the ledger's groups that is still the one that was written down. Answers how many. */
  async endLeftovers(): Promise<number> {
    const left = await this.#read();
    let ended = 0;
    for (const { pid, start } of left) {
      for (const member of await groupMembers(pid)) {
        const began = await startTime(member);
        // A group keeps its number while it has members: none of them began before its leader did.
        if (began === undefined || (member === pid ? began !== start : Number(began) < Number(start))) continue;
        try {
          Deno.kill(member, "SIGKILL");
          ended++;
        } catch (error) {
          // It ended by itself meanwhile.
          if (!(error instanceof Deno.errors.NotFound)) throw error;
        }
      }
    }
    this.#entries = [];
    await this.#save();
    return ended;
  }

  async add(pid: number, command: string): Promise<void> {
    this.#entries.push({ pid, start: await startTime(pid) ?? "", command });
    await this.#save();
  }

  async remove(pid: number): Promise<void> {
    this.#entries = this.#entries.filter((entry) => entry.pid !== pid);
    await this.#save();
  }

  async #read(): Promise<LedgerEntry[]> {
    try {
      const value: unknown = JSON.parse(await Deno.readTextFile(this.#path));
      if (!Array.isArray(value)) return [];
      return value.filter((one): one is LedgerEntry =>
        Number.isInteger(one?.pid) && one.pid > 1 && typeof one.start === "string" && one.start !== ""
      );
    } catch {
      // No ledger, or one that was cut while it was written: the watchdog has done the work then.
      return [];
    }
  }

  #save(): Promise<void> {
    const write = async () => {
      const temporary = `${this.#path}.new`;
      await Deno.writeTextFile(temporary, JSON.stringify(this.#entries), { mode: 0o600 });
      await Deno.rename(temporary, this.#path);
    };
    this.#saving = this.#saving.then(write, write);
    return this.#saving;
  }
}

/** When a process began, in ticks since the machine did (Linux) or as `ps` says it; undefined when it is gone. */
export async function startTime(pid: number): Promise<string | undefined> {
  if (Deno.build.os === "linux") return (await statFields(pid))?.[19];
  if (Deno.build.os === "windows") return undefined;
  const { success, stdout } = await new Deno.Command("ps", { args: ["-o", "lstart=", "-p", String(pid)] }).output();
  const text = new TextDecoder().decode(stdout).trim();
  return success && text !== "" ? String(Date.parse(text)) : undefined;
}

/** The fields of `/proc/PID/stat` after the name: state, parent, group, …; the start time is the twentieth. */
async function statFields(pid: number): Promise<string[] | undefined> {
  try {
    const text = await Deno.readTextFile(`/proc/${pid}/stat`);
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    // The process is gone.
    return undefined;
  }
}

/** Processes in a group, zombies left out. */
export async function groupMembers(group: number): Promise<number[]> {
  const members: number[] = [];
  if (Deno.build.os === "linux") {
    for await (const entry of Deno.readDir("/proc")) {
      if (!/^\d+$/.test(entry.name)) continue;
      const fields = await statFields(Number(entry.name));
      if (fields && Number(fields[2]) === group && fields[0] !== "Z") members.push(Number(entry.name));
    }
  } else if (Deno.build.os === "darwin") {
    const { stdout } = await new Deno.Command("ps", { args: ["-axo", "pid=,pgid="] }).output();
    for (const line of new TextDecoder().decode(stdout).split("\n")) {
      const [pid, own] = line.trim().split(/\s+/).map(Number);
      if (pid && own === group) members.push(pid);
    }
  }
  return members;
}

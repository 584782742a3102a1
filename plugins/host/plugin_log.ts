/** Bytes after which a plugin's log is rotated, and how many old ones are kept. */
const ROTATE_BYTES = 1 << 20;
const KEEP = 2;
/** Characters of one record, and of all that wait to be written: a flood is cut there. */
const MAX_RECORD = 16 << 10, MAX_PENDING = 1 << 20;

/** One plugin's log: a line a record, rotated. Writing never throws and never blocks; what cannot be written is lost. */
export class PluginLog {
  readonly #path: string;
  readonly #now: () => number;
  #size: number | undefined;
  #pending: string[] = [];
  #waiting = 0;
  #lost = 0;
  #writing: Promise<void> | undefined;

  constructor(path: string, now: () => number) {
    this.#path = path;
    this.#now = now;
  }

  write(level: string, text: string, fields?: Record<string, unknown>): void {
    if (this.#waiting >= MAX_PENDING) {
      this.#lost++;
      return;
    }
    // deno-lint-ignore no-control-regex
    const clean = cut(text).toWellFormed().replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "").replaceAll(
      "\n",
      "\n    ",
    );
    const extra = fields ? ` ${cut(JSON.stringify(fields))}` : "";
    this.#add(`${level} ${clean}${extra}`);
    this.#writing ??= this.#drain();
  }

  #add(line: string): void {
    const record = `${new Date(this.#now()).toISOString()} ${line}\n`;
    this.#waiting += record.length;
    this.#pending.push(record);
  }

  /** Resolves when everything so far is on disk. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  /** The last lines, oldest first. */
  async tail(lines: number): Promise<string[]> {
    await this.flush();
    const texts: string[] = [];
    for (const path of [`${this.#path}.1`, this.#path]) {
      try {
        texts.push(await Deno.readTextFile(path));
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    return texts.join("").split("\n").filter((line) => line !== "").slice(-lines);
  }

  async #drain(): Promise<void> {
    while (this.#pending.length > 0) {
      if (this.#lost > 0) {
        const lost = this.#lost;
        this.#lost = 0;
        this.#add(`warn ${lost} records were lost: they came faster than they could be written`);
      }
      const text = this.#pending.splice(0).join("");
      this.#waiting = 0;
      try {
        this.#size ??= await sizeOf(this.#path);
        if (this.#size > ROTATE_BYTES) await this.#rotate();
        await Deno.writeTextFile(this.#path, text, { append: true, mode: 0o600 });
        this.#size += text.length;
      } catch {
        // The disk is full or the folder is gone: a plugin's log is not worth more trouble than that.
        this.#size = undefined;
      }
    }
    this.#writing = undefined;
  }

  async #rotate(): Promise<void> {
    for (let age = KEEP; age >= 1; age--) {
      const from = age === 1 ? this.#path : `${this.#path}.${age - 1}`;
      if (await sizeOf(from) > 0) await Deno.rename(from, `${this.#path}.${age}`);
    }
    this.#size = 0;
  }
}

/** The text, or its beginning and how much is left out. */
function cut(text: string): string {
  return text.length <= MAX_RECORD
    ? text
    : `${text.slice(0, MAX_RECORD)}… (${text.length - MAX_RECORD} more characters)`;
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await Deno.stat(path)).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

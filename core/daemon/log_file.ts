import { LOG_LEVELS, type LogLevel, type LogRecord } from "../base/log.ts";
import { isThere } from "../base/files.ts";

export interface LogFileOptions {
  level: LogLevel;
  maxBytes: number;
  keep: number;
  /** Takes secrets out of a line. */
  scrub?: (text: string) => string;
}

/** The log of the daemon: one line a record, in files that are turned over. A full disk loses lines, never more: the
 * count of lost lines is written once there is room. */
export class LogFile {
  readonly #path: string;
  readonly #encoder = new TextEncoder();
  #options: LogFileOptions;
  #file: Deno.FsFile | undefined;
  #size = 0;
  #lost = 0;

  constructor(path: string, options: LogFileOptions) {
    this.#path = path;
    this.#options = options;
  }

  configure(options: Partial<LogFileOptions>): void {
    this.#options = { ...this.#options, ...options };
  }

  /** Writes a record that is urgent enough. Never throws. */
  write(record: LogRecord): void {
    if (LOG_LEVELS.indexOf(record.level) < LOG_LEVELS.indexOf(this.#options.level)) return;
    try {
      this.#open();
      if (this.#lost > 0) {
        const text = `${this.#lost} lines were lost: the log could not be written`;
        this.#append(formatRecord({ at: record.at, level: "warn", from: "log", text }));
        this.#lost = 0;
      }
      this.#append(formatRecord(record));
    } catch {
      // A full disk, most likely. There is nowhere to say so but in the next line that can be written.
      this.#lost++;
    }
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  #open(): void {
    if (this.#file && this.#size < this.#options.maxBytes) return;
    if (this.#file) {
      this.close();
      this.#turnOver();
    }
    this.#file = Deno.openSync(this.#path, { create: true, append: true, mode: 0o600 });
    this.#size = this.#file.statSync().size;
    if (this.#size >= this.#options.maxBytes) this.#open();
  }

  #append(line: string): void {
    const bytes = this.#encoder.encode((this.#options.scrub?.(line) ?? line) + "\n");
    for (let at = 0; at < bytes.length;) at += this.#file!.writeSync(bytes.subarray(at));
    this.#size += bytes.length;
  }

  #turnOver(): void {
    for (let n = this.#options.keep - 1; n >= 1; n--) {
      if (isThere(`${this.#path}.${n}`)) Deno.renameSync(`${this.#path}.${n}`, `${this.#path}.${n + 1}`);
    }
    Deno.renameSync(this.#path, `${this.#path}.1`);
  }
}

/** A record as one line: time, level, who, text, fields as JSON. Line breaks and control characters are escaped, so that
 * nothing a model or plugin wrote can look like a line of its own. */
export function formatRecord({ at, level, from, text, fields }: LogRecord): string {
  const rest = fields && Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : "";
  const line = `${new Date(at).toISOString()} ${level.padEnd(5)} [${from}] ${text}${rest}`;
  return line.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
}

/** Levels from the least to the most urgent. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One line of the log before it is written. `at` in milliseconds since the epoch. A field `notice: true` in a worker's line
 * says that the person should be told. */
export interface LogRecord {
  at: number;
  level: LogLevel;
  from: string;
  text: string;
  fields?: Record<string, unknown>;
}

/** Writes log lines under one name. A sink never throws and never blocks. Nothing secret is ever passed to it. */
export interface Log {
  debug(text: string, fields?: Record<string, unknown>): void;
  info(text: string, fields?: Record<string, unknown>): void;
  warn(text: string, fields?: Record<string, unknown>): void;
  error(text: string, fields?: Record<string, unknown>): void;
  /** The same sink under another name. */
  named(from: string): Log;
}

/** A log that hands every record to `sink`. */
export function createLog(from: string, sink: (record: LogRecord) => void, now: () => number = Date.now): Log {
  const write = (level: LogLevel) => (text: string, fields?: Record<string, unknown>) =>
    sink({ at: now(), level, from, text, ...(fields && { fields }) });
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    named: (name) => createLog(name, sink, now),
  };
}

/** A log that goes nowhere. */
export const silentLog: Log = createLog("", () => {});

import type { Log } from "./log.ts";

/** How far long work is, as a field of a log line: whoever has a terminal can draw it. `share` from 0 to 1. */
export interface Progress {
  title: string;
  share: number;
}

/** Tells of long work in the log: a line at every tenth, and one for who watches (debug) at every hundredth. The returned
 * function takes the share that is done, 0 to 1, and the same in words. */
export function progressLog(log: Log, title: string): (share: number, detail: string) => void {
  let hundredth = -1;
  return (share, detail) => {
    const step = Math.floor(Math.min(1, share) * 100);
    if (step <= hundredth) return;
    const level = Math.floor(step / 10) > Math.floor(hundredth / 10) ? "info" : "debug";
    hundredth = step;
    const progress: Progress = { title, share: step / 100 };
    log[level](`${title}: ${detail} (${step} %)`, { progress });
  };
}

/** The progress that a log line carries, if it does. */
export function progressOf(fields: Record<string, unknown> | undefined): Progress | undefined {
  const progress = fields?.progress as Partial<Progress> | undefined;
  return typeof progress?.title === "string" && typeof progress.share === "number" ? progress as Progress : undefined;
}

import type { Log } from "./log.ts";

/** How far long work is, as a field of a log line: whoever has a terminal can draw it. */
export interface Progress {
  title: string;
  /** From 0 to 1, at which it is done; null when it was given up. */
  share: number | null;
}

/** Tells of long work: the share that is done, 0 to 1, or null when it is given up, and the same in words. */
export type TellProgress = (share: number | null, detail: string) => void;

/** Tells of long work in the log: a line at every tenth, and one for who watches (debug) at every hundredth. */
export function progressLog(log: Log, title: string): TellProgress {
  let hundredth = -1;
  return (share, detail) => {
    if (share === null) {
      // Nobody was told that it began.
      if (hundredth < 0) return;
      const progress: Progress = { title, share };
      hundredth = -1;
      return log.info(`${title}: ${detail}`, { progress });
    }
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
  const { title, share } = progress ?? {};
  return typeof title === "string" && (typeof share === "number" || share === null) ? { title, share } : undefined;
}

/** A stream as it is, of whose `total` bytes is told how large a share was read. */
export function measured(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  total: number,
  onShare: (share: number) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let read = 0;
  return stream.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        read += chunk.length;
        onShare(Math.min(1, read / Math.max(1, total)));
        controller.enqueue(chunk);
      },
    }),
  );
}

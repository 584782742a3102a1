import { RingReader } from "../../core/bus/event_ring.ts";

const scope = self as unknown as { onmessage: (event: MessageEvent) => void; postMessage(message: unknown): void };

scope.onmessage = async ({ data: { buffer, progress, total } }) => {
  const reader = new RingReader(buffer);
  const read = new Int32Array(progress);
  scope.postMessage("ready");
  let seen = 0, missed = 0;
  while (seen + missed < total) {
    const next = reader.read();
    if (!next) await reader.wait();
    else if (next.kind === "missed") missed += next.count;
    else if (++seen % 1024 === 0) {
      Atomics.store(read, 0, seen);
      Atomics.notify(read, 0);
    }
  }
  scope.postMessage({ seen, missed });
};

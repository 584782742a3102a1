import { RingReader } from "../../../core/bus/event_ring.ts";

const scope = self as unknown as { onmessage: (event: MessageEvent) => void; postMessage(message: unknown): void };

scope.onmessage = async ({ data: { buffer, total } }) => {
  const reader = new RingReader(buffer);
  scope.postMessage("ready");
  let seen = 0, missed = 0, torn = 0;
  while (seen + missed < total) {
    const next = reader.read();
    if (!next) await reader.wait();
    else if (next.kind === "missed") missed += next.count;
    else {
      if (!next.bytes.every((byte) => byte === next.seq % 251)) torn++;
      seen++;
    }
  }
  scope.postMessage({ seen, missed, torn });
};

import type { Transport } from "../wire/transport.ts";

/** Ends a connection whose other side does not read: at most `most` frames wait for it, so that one stopped client costs
 * no memory without end. */
export function withBacklog(inner: Transport, most: number): Transport {
  let waiting = 0;
  return {
    open: (events) => inner.open(events),
    close: (reason) => inner.close(reason),
    send(frame, transfer) {
      if (waiting >= most) {
        inner.close("it does not read what it is sent");
        throw new TypeError("The other side does not read");
      }
      const sent = inner.send(frame, transfer);
      if (!sent) return;
      waiting++;
      return sent.finally(() => waiting--);
    },
  };
}

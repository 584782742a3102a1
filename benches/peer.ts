import { Peer } from "../core/wire/peer.ts";
import { portTransport } from "../core/wire/transport.ts";
import { ms, percentile, type Row, timeEach, times } from "./kit/measure.ts";

interface Echo {
  echo: { params: Record<string, unknown>; result: Record<string, unknown> };
}

const ROUNDS = 4000;

/** A peer's round trip to a worker, against the same message bounced by a bare `MessagePort` between the same threads. */
export async function peerBench(): Promise<Row[]> {
  const worker = new Worker(new URL("./workers/echo.ts", import.meta.url), { type: "module" });
  const bare = new MessageChannel(), rpc = new MessageChannel();
  worker.postMessage({ bare: bare.port2, rpc: rpc.port2 }, [bare.port2, rpc.port2]);
  const peer = new Peer<Echo>(portTransport(rpc.port1), { name: "the echo worker" }).open();
  let answered: () => void = () => {};
  bare.port1.onmessage = () => answered();
  const message = { jsonrpc: "2.0", id: 1, method: "echo", params: { text: "a line of a usual length", n: 7 } };
  const bounce = () =>
    new Promise<void>((resolve) => {
      answered = resolve;
      bare.port1.postMessage(message);
    });
  const call = () => peer.call("echo", { text: "a line of a usual length", n: 7 });
  // In turns, so that both see the same machine.
  const floor: number[] = [], ours: number[] = [];
  for (let i = 0; i < 5; i++) {
    floor.push(...await timeEach(ROUNDS / 5, bounce));
    ours.push(...await timeEach(ROUNDS / 5, call));
  }
  peer.close();
  bare.port1.close();
  worker.terminate();
  const ratio = percentile(ours, 0.5) / percentile(floor, 0.5);
  return [{
    what: "peer: round trip over MessagePort, p50",
    figure: `${ms(percentile(ours, 0.5))} = ${times(ratio)}`,
    floor: `${ms(percentile(floor, 0.5))} bare`,
    reach: "≤ 1.60×",
    ok: ratio <= 1.6,
  }];
}

if (import.meta.main) { for (const row of await peerBench()) console.log(row); }

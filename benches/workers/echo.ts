import { Peer } from "../../core/wire/peer.ts";
import { portTransport } from "../../core/wire/transport.ts";

interface Echo {
  echo: { params: Record<string, unknown>; result: Record<string, unknown> };
}

// Two ports: on the first every message comes back as it is, on the second sits a peer.
self.onmessage = ({ data: { bare, rpc } }: MessageEvent<{ bare: MessagePort; rpc: MessagePort }>) => {
  bare.onmessage = ({ data }) => bare.postMessage(data);
  new Peer<Echo>(portTransport(rpc), { name: "bench" }).serve({ echo: (params) => params }).open();
};

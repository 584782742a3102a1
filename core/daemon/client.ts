import { HomedError } from "../base/errors.ts";
import { ndjsonTransport, type OwnerClient, type OwnerMethods, Peer, RPC_CODES, RpcError } from "../wire/mod.ts";
import { readIfThere } from "../base/files.ts";
import type { Home } from "./home.ts";
import { MAX_LINE, type SocketAddress } from "./socket_server.ts";

/** Makes a client of one end of a connection to a running homed. */
export function ownerClient(peer: Peer<OwnerMethods>, close: () => Promise<void> | void = () => {}): OwnerClient {
  return {
    call: (method, params, options) => peer.call(method, params, options),
    ask: (method, params, options) => peer.call(method as keyof OwnerMethods, params as never, options),
    onNote: (method, handler) => void peer.serve({ [method]: handler }),
    closed: peer.closed,
    async close() {
      peer.close();
      await close();
    },
  };
}

/** Joins the homed that holds this home; undefined when none answers.
 * @throws {HomedError} code `socket` when there is one that does not let this user in */
export async function joinDaemon(home: Home): Promise<OwnerClient | undefined> {
  const address = readAddress(home) ?? { kind: "unix", path: home.socket } as const;
  const connection = await connect(address);
  if (!connection) return undefined;
  const peer = new Peer<OwnerMethods>(ndjsonTransport(connection, { maxBytes: 8 * MAX_LINE }), { name: "homed" })
    .open();
  if (address.kind === "tcp") {
    try {
      await peer.call("auth" as keyof OwnerMethods, { token: address.token } as never, { timeout: 5000 });
    } catch (error) {
      peer.close();
      if (error instanceof RpcError && error.code !== RPC_CODES.disconnected) return undefined;
      throw error;
    }
  }
  // The stream's two halves close after the peer does.
  return ownerClient(peer, () => new Promise((resolve) => setTimeout(resolve, 0)));
}

function readAddress(home: Home): SocketAddress | undefined {
  try {
    const text = readIfThere(home.address);
    if (text === undefined) return undefined;
    const { path, port = 0, token = "" } = JSON.parse(text) as { path?: string; port?: number; token?: string };
    return path === undefined ? { kind: "tcp", port, token } : { kind: "unix", path };
  } catch {
    // Half written by a crash, or no file, or not even a folder around it: nobody listens there. What is wrong with the
    // home is told to whoever wants to use it.
    return undefined;
  }
}

async function connect(address: SocketAddress): Promise<Deno.Conn | undefined> {
  try {
    return address.kind === "unix"
      ? await Deno.connect({ transport: "unix", path: address.path })
      : await Deno.connect({ hostname: "127.0.0.1", port: address.port });
  } catch (error) {
    if (error instanceof Deno.errors.PermissionDenied) {
      throw new HomedError("socket", "Cannot join the homed of this home: its socket belongs to another user", {
        fix: "run this as the user who runs homed",
        cause: error,
      });
    }
    // Nobody listens: not started, or a crash left the socket behind.
    return undefined;
  }
}

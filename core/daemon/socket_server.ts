import { HomedError, messageOf } from "../base/errors.ts";
import { reasonOf } from "../base/system_error.ts";
import type { Log } from "../base/log.ts";
import { ndjsonTransport, Peer, RPC_CODES, RpcError } from "../wire/mod.ts";
import type { Handler } from "../wire/peer.ts";
import { withBacklog } from "./backlog.ts";
import { ClientStreams } from "./client_streams.ts";
import { removeIfThere, writeAtomically } from "../base/files.ts";
import type { Home } from "./home.ts";

/** A line on the socket may have so many bytes. */
export const MAX_LINE = 8 * 1024 * 1024;
/** Frames that may wait for a client that does not read. */
const MAX_BACKLOG = 10_000;
/** The longest path that every system takes for a Unix socket. */
const MAX_SOCKET_PATH = 100;

export interface SocketOptions {
  home: Home;
  /** Where the socket is to be, when not at its usual place. */
  path?: string;
  log: Log;
  maxClients: number;
  /** The methods of one client; `closing` is aborted when it goes. */
  methods(client: { notify(method: string, params: Record<string, unknown>): void; closing: AbortSignal }): Record<
    string,
    Handler
  >;
}

/** Where a client finds the daemon: a Unix socket, or a port on the loopback device with a token. */
export type SocketAddress = { kind: "unix"; path: string } | { kind: "tcp"; port: number; token: string };

/** Serves the owner's clients on the home's socket. Where there are no Unix sockets, or the path is too long for one, a
 * loopback port with a token takes its place; the token is in a file that only the owner can read. */
export class SocketServer {
  readonly address: SocketAddress;
  readonly #options: SocketOptions;
  readonly #listener: Deno.Listener;
  readonly #clients = new Set<Peer<Record<never, never>>>();
  readonly #accepting: Promise<void>;

  /** Listens; a socket that a crash left is replaced (the home's lock says that nobody uses it). */
  constructor(options: SocketOptions) {
    this.#options = options;
    const { home, path = home.socket } = options;
    if (Deno.build.os === "windows" || new TextEncoder().encode(path).length > MAX_SOCKET_PATH) {
      const token = crypto.getRandomValues(new Uint8Array(24)).toHex();
      const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const { port } = listener.addr;
      writeAtomically(home.address, JSON.stringify({ port, token }));
      removeIfThere(home.socket);
      this.#listener = listener;
      this.address = { kind: "tcp", port, token };
    } else {
      // Only what a crash left is taken away: elsewhere than at its usual place, something else may be there.
      if (path === home.socket || isSocket(path)) removeIfThere(path);
      this.#listener = listenAt(path);
      Deno.chmodSync(path, 0o600);
      if (path === home.socket) removeIfThere(home.address);
      else writeAtomically(home.address, JSON.stringify({ path }));
      this.address = { kind: "unix", path };
    }
    this.#accepting = this.#accept();
  }

  /** The address as a person reads it. */
  get place(): string {
    return this.address.kind === "unix" ? this.address.path : `127.0.0.1:${this.address.port}`;
  }

  get clients(): number {
    return this.#clients.size;
  }

  /** Takes no more clients; those that are there stay. */
  stopAccepting(): void {
    try {
      this.#listener.close();
    } catch {
      // It is closed already.
    }
  }

  async close(): Promise<void> {
    this.stopAccepting();
    await this.#accepting;
    for (const client of [...this.#clients]) client.close("homed is stopping");
    if (this.address.kind === "unix" && isSocket(this.address.path)) removeIfThere(this.address.path);
    removeIfThere(this.#options.home.address);
  }

  async #accept(): Promise<void> {
    for (;;) {
      let connection: Deno.Conn;
      try {
        connection = await this.#listener.accept();
      } catch (error) {
        if (error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted) return;
        // Too many open files, say: the next client may have more luck.
        this.#options.log.warn(`Cannot take a client: ${messageOf(error)}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
        continue;
      }
      this.#welcome(connection);
    }
  }

  #welcome(connection: Deno.Conn): void {
    const { log, maxClients, methods } = this.#options;
    if (this.#clients.size >= maxClients) return void this.#turnAway(connection);
    const streams = new ClientStreams(connection);
    const lines = ndjsonTransport(streams, { maxBytes: MAX_LINE, closeOnTooLarge: true });
    const transport = withBacklog(lines, MAX_BACKLOG);
    const peer = new Peer<Record<never, never>>(transport, {
      name: "a client",
      onProblem: (text) => log.debug(text),
      answerGarbage: true,
      answerLast: true,
    });
    const closing = new AbortController();
    const serveAll = () => {
      peer.serve(methods({ notify: (method, params) => peer.notify(method, params), closing: closing.signal }));
    };
    if (this.address.kind === "unix") serveAll();
    else peer.serve({ "auth": (params: { token?: unknown }) => this.#admit(params.token, peer, serveAll) });
    this.#clients.add(peer);
    peer.open();
    void peer.closed.then((reason) => {
      this.#clients.delete(peer);
      streams.finish();
      closing.abort(new RpcError(RPC_CODES.disconnected, `The client went away: ${reason}`));
    });
  }

  async #turnAway(connection: Deno.Conn): Promise<void> {
    const reason = `homed has ${this.#options.maxClients} clients already (core.daemon.max_clients)`;
    const error = { code: RPC_CODES.internalError, message: reason };
    try {
      await connection.write(new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", id: null, error }) + "\n"));
    } catch {
      // It has gone by itself.
    } finally {
      connection.close();
    }
  }

  #admit(token: unknown, peer: Peer<Record<never, never>>, serveAll: () => void): Record<never, never> {
    if (this.address.kind === "tcp" && !isSame(String(token), this.address.token)) {
      setTimeout(() => peer.close("a wrong token"), 0);
      throw new RpcError(RPC_CODES.invalidRequest, "The token is wrong");
    }
    serveAll();
    return {};
  }
}

function isSocket(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSocket === true;
  } catch {
    return false; // Nothing is there, or not even a folder around it: listening tells.
  }
}

function listenAt(path: string): Deno.Listener {
  try {
    return Deno.listen({ transport: "unix", path });
  } catch (error) {
    const reason = error instanceof Deno.errors.AddrInUse ? "something else of that name is there" : reasonOf(error);
    throw new HomedError("socket", `Cannot serve the socket at ${path}: ${reason}`, {
      fix: "set another place with `homed config set core.daemon.socket PATH`, or unset it",
      cause: error,
    });
  }
}

/** Compares in a time that does not depend on where the difference is. */
function isSame(given: string, wanted: string): boolean {
  let difference = given.length ^ wanted.length;
  for (let i = 0; i < wanted.length; i++) difference |= (given.charCodeAt(i) || 0) ^ wanted.charCodeAt(i);
  return difference === 0;
}

import type { PluginOwner } from "./plugins.ts";

/** Who listens to what the agent says on a channel. Must not throw. */
export type OutputListener = (message: { channel: string; text: string; turn: string | undefined }) => void;

/** The channel of the local socket: what the agent sends there outside of an awaited turn reaches every client that
 * listens, a REPL above all. */
export class ConversationOutputs {
  readonly #listeners = new Map<OutputListener, string>();
  /** Turns whose `chat.send` is awaited: their reply is the call's result. */
  readonly #awaited = new Set<string>();

  listen(channel: string, listener: OutputListener): Disposable {
    this.#listeners.set(listener, channel);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Between this and its disposal, what the turn says is known to its caller. */
  awaiting(turn: string): Disposable {
    this.#awaited.add(turn);
    return { [Symbol.dispose]: () => void this.#awaited.delete(turn) };
  }

  /** The owner of the channel `cli`, as the kernel knows it. */
  readonly owner: PluginOwner = {
    name: "cli",
    channels: [{
      name: "cli",
      caps: 1 | 16,
      description: "The owner's terminal: the person who runs this agent reads what is sent here.",
    }],
    invokeOutput: (params) => {
      const turn = typeof params.meta.turn === "string" ? params.meta.turn : undefined;
      if (turn !== undefined && this.#awaited.has(turn)) return Promise.resolve({ status: "delivered" });
      let heard = 0;
      for (const [listener, channel] of this.#listeners) {
        if (channel !== params.channel) continue;
        listener({ channel, text: params.payload, turn });
        heard++;
      }
      return Promise.resolve({ status: heard > 0 ? "delivered" : "kept: nobody is listening" });
    },
  };
}

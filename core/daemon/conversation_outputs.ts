import type { ChannelDef, MainMethods } from "../wire/kernel.ts";

/** Who listens to what the agent says on a channel. Must not throw. */
export type OutputListener = (message: { channel: string; text: string; turn: string | undefined }) => void;

/** The name under which the channel of the local socket is registered with the kernel. */
export const CONVERSATION_OWNER = "cli";

/** The channel of the local socket: what the agent sends there outside of an awaited turn reaches every client that
 * listens, a REPL above all. */
export class ConversationOutputs {
  readonly #listeners = new Map<OutputListener, string>();
  /** Turns whose `chat.send` is awaited: their reply is the call's result. */
  readonly #awaited = new Set<string>();

  readonly channel: ChannelDef = {
    name: "cli",
    caps: 1 | 16,
    description: "The owner's terminal: the person who runs this agent reads what is sent here.",
  };

  listen(channel: string, listener: OutputListener): Disposable {
    this.#listeners.set(listener, channel);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Between this and its disposal, what the turn says is known to its caller. */
  awaiting(turn: string): Disposable {
    this.#awaited.add(turn);
    return { [Symbol.dispose]: () => void this.#awaited.delete(turn) };
  }

  /** Carries out a send on the channel. */
  deliver({ channel, payload, meta }: MainMethods["output.invoke"]["params"]): { status: string } {
    const turn = typeof meta.turn === "string" ? meta.turn : undefined;
    if (turn !== undefined && this.#awaited.has(turn)) return { status: "delivered" };
    let heard = 0;
    for (const [listener, wanted] of this.#listeners) {
      if (wanted !== channel) continue;
      listener({ channel, text: payload, turn });
      heard++;
    }
    return { status: heard > 0 ? "delivered" : "kept: nobody is listening" };
  }
}

import { messageOf } from "../base/errors.ts";
import type { ChannelDef } from "../wire/kernel.ts";
import { RPC_CODES, RpcError } from "../wire/rpc.ts";
import type { HostPort } from "./ports.ts";
import { splitMessage } from "./split.ts";

/** What a channel can carry: bit → type of a send. */
export const CAPABILITIES = [
  { bit: 1, type: "text" },
  { bit: 2, type: "file" },
  { bit: 4, type: "image" },
  { bit: 8, type: "audio" },
  { bit: 16, type: "structured" },
] as const;

export interface Channel {
  def: ChannelDef;
  owner: string;
}

/** How a send really went, part by part. */
export interface Delivery {
  ok: boolean;
  parts: { status: string; id?: string; already?: true }[];
  error?: string;
}

/** What one turn has already sent, so that nothing is sent twice because a later step failed. */
export class SentLedger {
  readonly #done = new Map<string, { status: string; id?: string }>();
  /** Texts that went out, by channel. */
  readonly texts = new Map<string, string[]>();

  get(key: string): { status: string; id?: string } | undefined {
    return this.#done.get(key);
  }

  record(key: string, result: { status: string; id?: string }): void {
    this.#done.set(key, result);
  }
}

/** A status that says the message did not go out. */
const FAILED_STATUS = /^(?:error|fail|failed|failure|refused|rejected|undelivered|timeout)\b/i;

/** A status that says nobody has seen it: it takes the place of no reply. */
const KEPT_STATUS = /^kept\b/i;

/** The output channels that owners offer, and sends through them. */
export class OutputChannels {
  readonly #channels = new Map<string, Channel>();
  readonly #host: HostPort;

  constructor(host: HostPort) {
    this.#host = host;
  }

  get all(): Channel[] {
    return [...this.#channels.values()];
  }

  find(name: string): Channel | undefined {
    return this.#channels.get(name);
  }

  /** @throws {RpcError} when the name cannot be one, or another owner has it */
  register(owner: string, def: ChannelDef): void {
    if (!/^[A-Za-z0-9_-]{1,46}$/.test(def.name) || def.name.endsWith("_help")) {
      throw new RpcError(
        RPC_CODES.invalidParams,
        `"${def.name}" cannot name a channel: it needs 1 to 46 letters, digits, _ or -, and no "_help" at its end`,
      );
    }
    const other = this.#channels.get(def.name);
    if (other && other.owner !== owner) {
      throw new RpcError(RPC_CODES.conflict, `The channel "${def.name}" is already registered by ${other.owner}`);
    }
    this.#channels.set(def.name, { def, owner });
  }

  detach(owner: string): void {
    for (const [name, channel] of this.#channels) if (channel.owner === owner) this.#channels.delete(name);
  }

  /** Sends in order, split at the channel's limit; stops at the first part that fails. Parts that this turn has sent
   * already are not sent again. Never throws. */
  async send(
    channel: Channel,
    message: { payload: string; meta: Record<string, unknown>; type: string },
    options: { ledger: SentLedger; signal: AbortSignal; timeout: number },
  ): Promise<Delivery> {
    const { ledger, signal, timeout } = options;
    const { name, max_length } = channel.def;
    const types = typesOf(channel.def);
    if (!types.includes(message.type)) {
      return { ok: false, parts: [], error: `"${name}" carries no ${message.type}, only ${types.join(", ")}` };
    }
    const texts = message.type === "text" && max_length !== undefined
      ? splitMessage(message.payload, max_length)
      : [message.payload];
    const parts: Delivery["parts"] = [];
    for (const [index, payload] of texts.entries()) {
      const key = JSON.stringify([name, message.type, message.meta, index, texts.length, payload]);
      const done = ledger.get(key);
      if (done) {
        parts.push({ ...done, already: true });
        continue;
      }
      try {
        const params = { owner: channel.owner, channel: name, payload, meta: message.meta, type: message.type };
        const result = await this.#host.call("output.invoke", params, { signal, timeout });
        parts.push(result);
        if (FAILED_STATUS.test(result.status)) return { ok: false, parts, error: result.status };
        ledger.record(key, result);
      } catch (error) {
        return { ok: false, parts, error: messageOf(error) };
      }
    }
    if (parts.some(({ status }) => KEPT_STATUS.test(status))) return { ok: true, parts };
    const sent = ledger.texts.get(name) ?? [];
    ledger.texts.set(name, [...sent, message.payload]);
    return { ok: true, parts };
  }
}

/** The rules of the output gate, as they stand in the system prompt. */
export function gateRules(channels: Channel[], current: string): string {
  const lines = [
    `Your final text goes back to the channel this message came from ("${current}") by itself: do not send it there too.`,
  ];
  if (channels.length > 0) {
    lines.push(
      "To write elsewhere, or to send a file, picture or sound, call output_send__<channel>; " +
        "output_send__<channel>_help tells the meta fields and types of a channel.",
      "Several calls are several messages, in order. A long text is split for you at the channel's limit.",
      "What a send returned is what happened: never say that something was sent when it was not.",
      "Channels: " + channels.map(({ def }) => `${def.name} (${typesOf(def).join(", ")})`).join("; ") + ".",
    );
  }
  return lines.join("\n");
}

/** The types a channel can carry. */
export function typesOf(def: ChannelDef): string[] {
  const types = CAPABILITIES.filter(({ bit }) => (def.caps & bit) !== 0).map(({ type }) => type as string);
  return types.length > 0 ? types : ["text"];
}

import { parseArguments } from "../history.ts";
import type { Kernel } from "../kernel.ts";
import { type Channel, typesOf } from "../output.ts";
import type { Turn } from "../turn_state.ts";
import { builtin, data, text, type Tool } from "./tool.ts";

/** The owner's own terminal: who writes there writes to nobody else. */
const OWN_CHANNEL = "cli";

/** Two tools for each output channel. A send to the channel the message came from, or to the owner's terminal, reaches
 * nobody else and needs no approval. */
export function channelTools(kernel: Kernel, turn: Turn): Tool[] {
  return kernel.channels.all.flatMap((channel) => [sendTool(channel, turn), helpTool(channel)]);
}

function sendTool(channel: Channel, turn: Turn): Tool {
  const { name, description } = channel.def;
  return builtin(
    `output_send__${name}`,
    `Send to the channel "${name}": ${description}. The result tells how the send really went. 发送到该通道。`,
    {
      properties: {
        payload: { type: "string", description: "What to send" },
        meta: { type: ["object", "string"], description: `Routing, as output_send__${name}_help tells` },
        type: { type: "string", enum: typesOf(channel.def) },
      },
      required: ["payload"],
    },
    async (args, { kernel, turn, signal }) => {
      const meta = typeof args.meta === "string" ? parseArguments(args.meta) : (args.meta ?? {});
      if (meta === null) throw new TypeError("meta must be a JSON object");
      const message = {
        payload: String(args.payload),
        meta: meta as Record<string, unknown>,
        type: String(args.type ?? typesOf(channel.def)[0]),
      };
      const options = { ledger: turn.sent, signal, timeout: kernel.settings.tool_timeout };
      const delivery = await kernel.channels.send(channel, message, options);
      kernel.emit("output", { turn: turn.id, channel: name, ok: delivery.ok, parts: delivery.parts.length });
      const summary = delivery.ok ? `${delivery.parts.length} sent` : `not sent: ${delivery.error}`;
      return { ...data(`output_send__${name}`, delivery, summary), ...(!delivery.ok && { failed: true as const }) };
    },
    { acts: name !== turn.ctx.channel && name !== OWN_CHANNEL },
  );
}

function helpTool(channel: Channel): Tool {
  const { name, description, max_length } = channel.def;
  return builtin(
    `output_send__${name}_help`,
    `How to send to the channel "${name}": its meta fields and types. 查看该通道的发送格式。`,
    { properties: { topic: text } },
    () => {
      const help = { channel: name, description, types: typesOf(channel.def), ...(max_length && { max_length }) };
      return Promise.resolve(data(`output_send__${name}_help`, help, name));
    },
  );
}

import { messageOf } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { fence } from "../llm/fence.ts";
import type { ChatReply } from "../wire/chat.ts";
import type { ChatMessage } from "../wire/llm.ts";
import type { ContextEvent } from "../wire/memory.ts";
import { RPC_CODES, RpcError } from "../wire/rpc.ts";
import { middleCut } from "./middle_cut.ts";
import { textForVector } from "./context.ts";
import { repairHistory } from "./history.ts";
import type { Kernel } from "./kernel.ts";
import { languageOf } from "./language.ts";
import { receiveMedia } from "./media.ts";
import { briefText, eventMessages, textWithMedia, userMessage } from "./prompt.ts";
import { texts } from "./texts.ts";
import { type LoopEnd, toolLoop } from "./tool_loop.ts";
import type { Turn } from "./turn_state.ts";

/** Characters of a tool's result that the history keeps. */
const MAX_STORED_RESULT = 16_000;

/** One turn, from a message to its reply: the pipeline, top to bottom. Once a stage has set `ctx.response` what is left
 * is to record it, to emit it, and after_output.
 * @throws {RpcError} when no source answered, or the conversation fits none; the message is remembered all the same */
export async function runTurn(kernel: Kernel, turn: Turn): Promise<ChatReply> {
  await begin(kernel, turn);
  await kernel.runStage("on_input", turn);
  await appendInput(kernel, turn);
  await pruneContext(kernel, turn);
  await recall(kernel, turn);
  await preAction(kernel, turn);
  const end = await think(kernel, turn);
  settle(turn, end);
  await appendReply(kernel, turn, end);
  if (end.kind === "failed") throw end.error;
  await beforeOutput(kernel, turn);
  await emitReply(kernel, turn, end);
  await kernel.runStage("after_output", turn, turn.owners);
  return replyOf(turn);
}

/** Says that the turn has started, and takes in what came with the message. */
async function begin(kernel: Kernel, turn: Turn): Promise<void> {
  const { ctx } = turn;
  turn.say({ type: "started" });
  kernel.emit("raw_input", { turn: turn.id, text: ctx.raw_message, channel: ctx.channel, source: ctx.source });
  const declared = kernel.stages.input(ctx.channel, ctx.source);
  if (declared?.no_memory) ctx.no_memory = true;
  await receiveMedia(kernel, turn, turn.media);
}

/** The message is on disk before the model sees it. */
async function appendInput(kernel: Kernel, turn: Turn): Promise<void> {
  const { ctx } = turn;
  turn.language = languageOf(ctx.raw_message);
  const declared = kernel.stages.input(ctx.channel, ctx.source);
  const cleaned = declared?.cleaner ? await kernel.cleaned(declared.owner, declared, ctx.raw_message) : undefined;
  const input = textWithMedia(ctx.raw_message, turn.attached);
  turn.event = {
    id: newId(kernel.clock.now()),
    kind: "user",
    at: kernel.clock.now(),
    turn: turn.id,
    source: ctx.source,
    channel: ctx.channel,
    input: input.toWellFormed(),
    ...(turn.attached.length > 0 && { media: turn.attached.map(({ digest }) => digest) }),
    ...(ctx.no_memory && { no_memory: true }),
    ...(!turn.trusted && { untrusted: true }),
    ...(cleaned !== undefined && { vector_text: cleaned }),
  };
  turn.vector = await appendEvent(kernel, turn, turn.event);
}

/** Adds an event to the window and to the disk. A write that fails is said, and the turn goes on. */
export async function appendEvent(
  kernel: Kernel,
  turn: Turn,
  event: ContextEvent,
): Promise<ContextEvent["vector"]> {
  let vector: ContextEvent["vector"];
  try {
    ({ vector } = await kernel.memory.call("context.append", { event }));
  } catch (error) {
    kernel.log.error(`Cannot write to memory: ${messageOf(error)}`);
    kernel.emit("error", { turn: turn.id, message: `Cannot write to memory: ${messageOf(error)}` });
    if (!turn.memoryFailed) {
      turn.say({ type: "notice", text: texts.notRemembered(turn.language, messageOf(error)) });
    }
    turn.memoryFailed = true;
  }
  kernel.context.append(vector ? { ...event, vector } : event);
  return vector;
}

/** What is far from the message at hand leaves the window, for the documents. */
async function pruneContext(kernel: Kernel, turn: Turn): Promise<void> {
  await embedMissing(kernel, turn);
  kernel.archive.add(kernel.context.prune(turn.vector, kernel.settings.max_context_size));
}

/** Events that came from the disk, or from before the embedder changed, get vectors of the space in use. */
async function embedMissing(kernel: Kernel, turn: Turn): Promise<void> {
  const space = turn.vector?.space;
  const missing = kernel.context.older(undefined)
    .map(({ event }) => event)
    .filter((event) => event.vector?.space !== space && textForVector(event) !== "");
  if (space === undefined || missing.length === 0) return;
  try {
    const { vectors } = await kernel.memory.call("memory.embed", { texts: missing.map(textForVector) });
    kernel.context.append(
      ...missing.map((event, index) => vectors[index] ? { ...event, vector: vectors[index] } : event),
    );
  } catch (error) {
    kernel.log.warn(`Cannot vectorize ${missing.length} events: ${messageOf(error)}`);
  }
}

/** One call to memory answers the index, the related documents and the knowledge together, without what the model is
 * shown anyway: events of the window, and hits that tools gave lately. */
async function recall(kernel: Kernel, turn: Turn): Promise<void> {
  if (turn.ctx.response !== null) return;
  try {
    turn.brief = await kernel.memory.call("memory.brief", {
      text: turn.ctx.raw_message,
      exclude: [...kernel.recalledIds(), ...kernel.context.events.map(({ id }) => id)],
    }, { signal: turn.cancel.signal });
    turn.ctx.memory = briefText(turn.brief);
  } catch (error) {
    if (turn.cancel.signal.aborted) return;
    kernel.log.warn(`Cannot recall: ${messageOf(error)}`);
    if (!turn.memoryFailed) turn.say({ type: "notice", text: texts.noRecall(turn.language, messageOf(error)) });
  }
}

/** The conversation so far and the message at hand, for handlers to add to. */
async function preAction(kernel: Kernel, turn: Turn): Promise<void> {
  if (turn.ctx.response !== null) return;
  const current = { turn: turn.id, channel: turn.ctx.channel };
  turn.ctx.context_msgs = [...eventMessages(kernel.context.recent(), current), userMessage(turn)];
  const recalled = turn.ctx.memory;
  await kernel.runStage("pre_action", turn);
  if (turn.ctx.memory !== recalled) turn.ctx.memory = addedData(recalled, turn.ctx.memory);
}

/** What handlers put beside the recall is data like it. */
function addedData(recalled: string, now: string): string {
  const added = now.startsWith(recalled) ? now.slice(recalled.length) : now;
  const kept = now.startsWith(recalled) ? recalled : "";
  return [kept, added.trim() && fence("plugins", added.trim())].filter((text) => text).join("\n\n");
}

async function think(kernel: Kernel, turn: Turn): Promise<LoopEnd> {
  if (turn.ctx.response !== null) return { kind: "response" };
  const end = await toolLoop(kernel, turn);
  kernel.rememberRecalled(turn);
  return end;
}

/** The final text, however the loop ended. */
function settle(turn: Turn, end: LoopEnd): void {
  const { ctx } = turn;
  switch (end.kind) {
    case "text":
      ctx.final_text = end.text.toWellFormed();
      break;
    case "response":
      ctx.final_text = (ctx.response ?? "").toWellFormed();
      turn.answeredBy = "stage";
      break;
    case "cancelled":
    case "interrupted":
      turn.say({ type: "notice", text: stopNotice(turn) });
      ctx.final_text = ("text" in end ? end.text : "").toWellFormed();
      break;
    case "failed":
      ctx.final_text = "";
      break;
    default:
      end satisfies never;
  }
}

function stopNotice({ cancel: { signal }, language }: Turn): string {
  const isEnd = signal.reason instanceof RpcError && signal.reason.code === RPC_CODES.shuttingDown;
  return isEnd ? texts.shuttingDown(language) : texts.stoppedNotice(language);
}

/** The reply, and the tool calls that led to it, are on disk before anybody is told. */
async function appendReply(kernel: Kernel, turn: Turn, end: LoopEnd): Promise<void> {
  if (end.kind === "failed" && turn.exchange.length === 0) return;
  const { ctx } = turn;
  const stopped = end.kind === "cancelled" || end.kind === "failed";
  const sentHere = turn.sent.texts.get(ctx.channel)?.join("\n\n") ?? "";
  const response = stopped
    ? [ctx.final_text, texts.stopped(turn.language)].filter((text) => text).join(" ")
    : ctx.final_text || sentHere;
  await appendAgentEvent(kernel, turn, response);
}

async function appendAgentEvent(kernel: Kernel, turn: Turn, response: string): Promise<void> {
  const { ctx } = turn;
  const messages = repairHistory(turn.exchange.splice(0).map(storedForm));
  if (response.trim() === "" && messages.length === 0) return;
  const now = kernel.clock.now();
  await appendEvent(kernel, turn, {
    id: newId(now),
    kind: "agent",
    at: now,
    turn: turn.id,
    source: "agent",
    channel: ctx.channel,
    response,
    ...(messages.length > 0 && { messages }),
    ...(ctx.no_memory && { no_memory: true }),
    ...(turn.toolTexts.length > 0 && { vector_text: [response, ...turn.toolTexts].join("\n") }),
  });
}

/** A tool's result as it is stored: what is very long without its middle, since it is sent again with each of the next
 * turns. */
function storedForm(message: ChatMessage): ChatMessage {
  if (message.role !== "tool" || typeof message.content !== "string") return message;
  return { ...message, content: middleCut(message.content, MAX_STORED_RESULT) };
}

/** Handlers may change the final text. One that short-circuits here has its response recorded after what was. */
async function beforeOutput(kernel: Kernel, turn: Turn): Promise<void> {
  const { ctx } = turn;
  if (ctx.response !== null) return;
  await kernel.runStage("before_output", turn, turn.owners);
  if (ctx.response === null) return;
  ctx.final_text = (ctx.response as string).toWellFormed();
  turn.answeredBy = "stage";
  await appendAgentEvent(kernel, turn, ctx.final_text);
}

/** The reply goes back to the channel the message came from. What did not arrive is said, and known to the next turn. */
async function emitReply(kernel: Kernel, turn: Turn, end: LoopEnd): Promise<void> {
  const { ctx } = turn;
  const text = ctx.final_text;
  const channel = kernel.channels.find(ctx.channel);
  const isSent = turn.sent.texts.get(ctx.channel)?.includes(text) ?? false;
  if (channel && text.trim() !== "" && !isSent && end.kind !== "cancelled") {
    const delivery = await kernel.channels.send(channel, { payload: text, meta: replyMeta(turn), type: "text" }, {
      ledger: turn.sent,
      signal: kernel.stages.alive(channel.owner),
      timeout: kernel.settings.tool_timeout,
    });
    kernel.emit("output", {
      turn: turn.id,
      channel: ctx.channel,
      ok: delivery.ok,
      parts: delivery.parts.length,
      ...(delivery.error !== undefined && { error: delivery.error }),
    });
    if (!delivery.ok) await tellUndelivered(kernel, turn, delivery.error ?? "unknown");
  }
  kernel.emit("response", { turn: turn.id, text, channel: ctx.channel, source: turn.answeredBy });
  turn.say({ type: "reply", text });
}

/** Where a channel finds the one to answer: what came with the message, and whose turn it is. */
function replyMeta({ id, ctx }: Turn): Record<string, unknown> {
  return {
    turn: id,
    user_id: ctx.user_id,
    ...(ctx.group_id && { group_id: ctx.group_id }),
    ...(typeof ctx.extra.meta === "object" && ctx.extra.meta !== null && { ...ctx.extra.meta }),
  };
}

async function tellUndelivered(kernel: Kernel, turn: Turn, reason: string): Promise<void> {
  const text = texts.undelivered(turn.language, turn.ctx.channel, reason);
  kernel.log.warn(text);
  kernel.emit("error", { turn: turn.id, message: text });
  turn.say({ type: "notice", text });
  const now = kernel.clock.now();
  await appendEvent(kernel, turn, {
    id: newId(now),
    kind: "self",
    at: now,
    turn: turn.id,
    source: "kernel",
    channel: turn.ctx.channel,
    input: text,
    no_memory: true,
    untrusted: true,
  });
}

function replyOf(turn: Turn): ChatReply {
  return {
    turn: turn.id,
    reply: turn.ctx.final_text,
    tools: [...turn.tools],
    usage: { ...turn.usage },
    source: turn.answeredBy,
  };
}

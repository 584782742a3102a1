import { messageOf } from "../base/errors.ts";
import type { ChatMessage, ContentPart } from "../wire/llm.ts";
import type { RpcError } from "../wire/rpc.ts";
import { ask } from "./ask.ts";
import { callMessage, repairCalls, type RepairedCall, resultMessage } from "./history.ts";
import type { Kernel } from "./kernel.ts";
import { storeBlocks } from "./media.ts";
import { texts } from "./texts.ts";
import { type CallEnd, runCall } from "./tool_call.ts";
import { collectTools } from "./tools/table.ts";
import type { Tool } from "./tools/tool.ts";
import type { Turn } from "./turn_state.ts";

/** How the loop ended. `response`: a stage set it. `interrupted`: a child agent's parent has news. */
export type LoopEnd =
  | { kind: "text"; text: string }
  | { kind: "response" }
  | { kind: "cancelled"; text: string }
  | { kind: "interrupted" }
  | { kind: "failed"; error: RpcError };

/** The same call so many times in a row is not run again; once more ends the loop. */
const SAME_CALLS = 3;

/** The tool loop: interrupts → model → post_action → each tool call → again, until there is nothing more to run. */
export async function toolLoop(kernel: Kernel, turn: Turn): Promise<LoopEnd> {
  const { ctx } = turn;
  const limit = turn.child?.limit ?? kernel.settings.max_tool_turns;
  const repeats = new Repeats();
  let retried = false;
  let interim = "";
  for (let rounds = 0;;) {
    if (!turn.child) await kernel.takeInterrupts(turn);
    if (turn.cancel.signal.aborted) return { kind: "cancelled", text: interim };
    const tools = collectTools(kernel, turn);
    const answer = await ask(kernel, turn, tools);
    switch (answer.kind) {
      case "interrupted":
        if (turn.child) return answer;
        continue;
      case "cancelled":
        return { kind: "cancelled", text: answer.spoken || interim };
      case "failed":
        return answer;
      case "answered":
        break;
      default:
        return answer satisfies never;
    }
    const { response, source, model, ms } = answer;
    const { token_usage: usage } = response;
    turn.answeredBy = source;
    for (const key of ["prompt", "completion", "total"] as const) turn.usage[key] += usage[key];
    if (usage.cached !== undefined) turn.usage.cached = (turn.usage.cached ?? 0) + usage.cached;
    const asked = repairCalls(response.tool_calls ?? [], turn.callIds);
    ctx.llm_text = response.content.toWellFormed();
    ctx.reasoning_content = (response.reasoning_content ?? "").toWellFormed();
    ctx.token_usage = usage;
    ctx.tool_calls = asked.map(({ call }) => call);
    ctx.tool_results = [];
    kernel.emit("agent_llm_chain", {
      turn: turn.id,
      depth: turn.depth,
      text: ctx.llm_text,
      reasoning: ctx.reasoning_content,
      tool_calls: ctx.tool_calls,
      usage,
      source,
      model,
      ms,
    });
    if (answer.spoken === "" && ctx.llm_text !== "") turn.say({ type: "delta", text: ctx.llm_text });
    await kernel.runStage("post_action", turn, ownersOf(ctx.tool_calls, tools));
    if (ctx.response !== null) return { kind: "response" };

    if (ctx.tool_calls.length === 0) {
      const text = ctx.llm_text;
      const usable = text.trim() !== "" && response.finish_reason !== "cut";
      if (usable || turn.sent.texts.has(ctx.channel)) {
        if (response.finish_reason === "length") turn.say({ type: "notice", text: texts.cutAtLimit(turn.language) });
        return { kind: "text", text };
      }
      if (retried) return { kind: "text", text: text.trim() || interim || texts.emptyReply(turn.language) };
      retried = true;
      if (text) turn.say({ type: "notice", text: texts.withdrawn(turn.language), withdraws: true });
      continue;
    }

    interim = ctx.llm_text.trim() || interim;
    const calls = keepMalformed(repairCalls(ctx.tool_calls, new Set()), asked);
    record(turn, callMessage(ctx.llm_text, calls.map(({ call }) => call)));
    const ends: CallEnd[] = [];
    const shown: ChatMessage[] = [];
    for (const call of calls) {
      const end = await one(call);
      const marks = await storeBlocks(kernel, end.blocks);
      record(turn, resultMessage(call.call, [end.content, ...marks].join("\n")));
      const visible = end.blocks.filter((block) => canTake(kernel, block));
      if (visible.length > 0) {
        shown.push({ role: "user", content: [{ type: "text", text: shownBy(call) }, ...visible] });
      }
      ends.push(end);
    }
    ctx.context_msgs.push(...shown);
    if (ctx.response !== null) return { kind: "response" };
    if (rounds >= limit) return { kind: "text", text: joined(interim, texts.toolLimit(turn.language, limit)) };
    if (repeats.hopeless) return { kind: "text", text: texts.runaway(turn.language, repeats.name) };
    if (ends.every(({ rejected }) => rejected !== undefined)) {
      const reasons = [...new Set(ends.map(({ rejected }) => rejected))].join("; ");
      return { kind: "text", text: interim || texts.allRejected(turn.language, reasons) };
    }
    rounds++;

    // deno-lint-ignore no-inner-declarations
    async function one(call: RepairedCall): Promise<CallEnd> {
      if (ctx.response !== null) return notRun("a stage ended the turn");
      if (turn.cancel.signal.aborted) return notRun(messageOf(turn.cancel.signal.reason));
      if (rounds >= limit) return notRun(`the limit of ${limit} rounds of tool calls is reached`);
      if (repeats.count(call) >= SAME_CALLS) {
        return notRun(
          `"${call.call.name}" was called ${repeats.times} times in a row with the same arguments. The result would be ` +
            `the same. Do something else, or answer with what you have`,
        );
      }
      return await runCall(kernel, turn, call, tools);
    }
  }
}

/** Counts the same call in a row. */
class Repeats {
  #key = "";
  times = 0;
  name = "";
  hopeless = false;

  count({ call, malformed }: RepairedCall): number {
    const key = `${call.name} ${malformed ?? canonical(call.arguments)}`;
    this.times = key === this.#key ? this.times + 1 : 1;
    this.#key = key;
    this.name = call.name;
    if (this.times > SAME_CALLS) this.hopeless = true;
    return this.times;
  }
}

/** Argument text that is equal for equal arguments, whatever the order of their names. */
function canonical(text: string): string {
  const sorted = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(sorted)
      : typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map(([k, v]) => [k, sorted(v)]))
      : value;
  return JSON.stringify(sorted(JSON.parse(text)));
}

const notRun = (why: string): CallEnd => ({ content: `Not run: ${why}.`, summary: why, ok: false, blocks: [] });

const shownBy = ({ call }: RepairedCall) => `(what ${call.name} shows)`;

/** Whether the model in use can see or hear it. */
function canTake(kernel: Kernel, block: ContentPart): boolean {
  const source = kernel.llm.first();
  return block.type === "text" || (block.type === "image_url" ? source.vision : source.audio);
}

const joined = (first: string, second: string) => first ? `${first}\n\n${second}` : second;

/** Adds to what the model sees next and to what is stored. */
function record(turn: Turn, message: ChatMessage): void {
  turn.ctx.context_msgs.push(message);
  turn.exchange.push(message);
}

function ownersOf(calls: { name: string }[], tools: ReadonlyMap<string, Tool>): Set<string> {
  return new Set(calls.flatMap(({ name }) => tools.get(name)?.owner ?? []));
}

/** Calls as post_action left them; what was malformed before still is, unless a handler mended it. */
function keepMalformed(calls: RepairedCall[], asked: RepairedCall[]): RepairedCall[] {
  return calls.map((each) => {
    const before = asked.find(({ call }) => call.id === each.call.id);
    return before?.malformed !== undefined && each.call.arguments === before.call.arguments ? before : each;
  });
}

/** A child agent's end as its parent is told of it. */
export function childAnswer(end: LoopEnd, child: Turn): { ok: boolean; text: string } {
  switch (end.kind) {
    case "text":
      return { ok: true, text: end.text };
    case "response":
      return { ok: true, text: child.ctx.response ?? "" };
    case "cancelled":
      return { ok: false, text: `The child agent was stopped. So far it said: ${end.text || "nothing"}` };
    case "interrupted":
      return { ok: false, text: "The child agent was stopped, since the person has something to say." };
    case "failed":
      return { ok: false, text: `The child agent failed: ${end.error.message}` };
    default:
      return end satisfies never;
  }
}

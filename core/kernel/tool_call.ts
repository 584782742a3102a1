import { messageOf } from "../base/errors.ts";
import { fence, unfence } from "../llm/fence.ts";
import type { ContentPart } from "../wire/llm.ts";
import type { ToolResult } from "../wire/stage.ts";
import { explainDenial } from "./approvals.ts";
import { deadline } from "./deadline.ts";
import { parseArguments, type RepairedCall } from "./history.ts";
import type { Kernel } from "./kernel.ts";
import { checkArguments } from "./schema.ts";
import type { Tool } from "./tools/tool.ts";
import type { Turn } from "./turn_state.ts";

/** How a call ended, whatever happened to it: the same ordinary value for a result, an unknown tool, bad arguments, a
 * refusal and an error. */
export interface CallEnd {
  content: string;
  summary: string;
  ok: boolean;
  /** A stage rejected it, with this reason. */
  rejected?: string;
  blocks: ContentPart[];
}

const failed = (content: string, summary = content): CallEnd => ({
  content,
  summary: summary.slice(0, 200),
  ok: false,
  blocks: [],
});

/** Runs one call: before_toolcall, checks, approval, the tool, after_toolcall. Never throws. */
export async function runCall(
  kernel: Kernel,
  turn: Turn,
  asked: RepairedCall,
  tools: ReadonlyMap<string, Tool>,
): Promise<CallEnd> {
  const { ctx } = turn;
  const { id, name } = asked.call;
  const started = kernel.clock.monotonic();
  const tool = tools.get(name);
  ctx.tool_calls = [asked.call];
  ctx.tool_results = [];
  delete ctx.extra.reject_reason;
  if (tool) await kernel.runStage("before_toolcall", turn, new Set([tool.owner]));
  if (ctx.response !== null) return failed("Not run: a stage ended the turn.");
  const call = ctx.tool_calls[0];
  if (!call) {
    const reason = String(ctx.extra.reject_reason ?? "no reason given");
    return { ...failed(`Rejected: ${reason}. Do not try it again in the same way.`, reason), rejected: reason };
  }
  const args = asked.malformed !== undefined && call.arguments === asked.call.arguments
    ? null
    : parseArguments(call.arguments);
  turn.say({ type: "tool", name, args: args ?? {} });
  kernel.emit("tool_call", { turn: turn.id, id, name, args: args ?? {}, depth: turn.depth });
  turn.tools.push(name);
  if (tool) turn.owners.add(tool.owner);
  const end = await perform(kernel, turn, { name, args, malformed: asked.malformed ?? call.arguments, tool, tools });
  if (tool) await afterCall(kernel, turn, tool, { id, name, ok: end.ok, content: end.content }, end);
  turn.say({ type: "tool_result", name, ok: end.ok, summary: end.summary });
  const ms = Math.round(kernel.clock.monotonic() - started);
  kernel.emit("tool_result", { turn: turn.id, id, name, ok: end.ok, summary: end.summary, ms, depth: turn.depth });
  return end;
}

async function perform(
  kernel: Kernel,
  turn: Turn,
  call: {
    name: string;
    args: Record<string, unknown> | null;
    malformed: string;
    tool: Tool | undefined;
    tools: ReadonlyMap<string, Tool>;
  },
): Promise<CallEnd> {
  const { name, args, tool } = call;
  if (!tool) {
    const names = [...call.tools.keys()].slice(0, 80).join(", ");
    return failed(`There is no tool named "${name}". The tools are: ${names}.`, `unknown tool ${name}`);
  }
  if (args === null) {
    const written = fence("your call", call.malformed.slice(0, 400));
    return failed(
      `Not run: the arguments were not a complete JSON object. Call "${name}" again with valid JSON. You wrote:\n${written}`,
      "malformed arguments",
    );
  }
  const problems = checkArguments(args, tool.def.parameters);
  if (problems.length > 0) {
    return failed(`Not run: ${problems.join("; ")}. Call "${name}" again with these put right.`, problems.join("; "));
  }
  const detail = () => detailOf(kernel, tool.owner, name, args);
  const approval = await kernel.approvals.decide({
    tool: name,
    acts: tool.def.acts === true,
    args,
    ...(tool.owner !== "kernel" && { detail }),
  }, {
    trusted: turn.trusted && turn.depth === 0,
    say: turn.say,
    signal: turn.cancel.signal,
  });
  if (approval.kind === "denied") return failed(explainDenial(name, approval.why), `not approved (${approval.why})`);
  try {
    const work = (signal: AbortSignal) => tool.run(args, { kernel, turn, signal });
    const signal = turn.cancel.signal;
    signal.throwIfAborted();
    const outcome = tool.untimed
      ? await work(signal)
      : await deadline(work, { clock: kernel.clock, ms: kernel.settings.tool_timeout, signal, what: `"${name}"` });
    return {
      content: outcome.content,
      summary: outcome.summary,
      ok: !outcome.failed,
      blocks: [...outcome.blocks ?? [], ...turn.blocks.splice(0)],
    };
  } catch (error) {
    const message = messageOf(error);
    kernel.log.info(`The tool ${name} failed: ${message}`);
    return failed(`"${name}" failed:\n${fence(name, message)}`, message);
  }
}

/** What the owner is told with the question. Without it the question stands all the same. */
async function detailOf(
  kernel: Kernel,
  owner: string,
  tool: string,
  args: Record<string, unknown>,
): Promise<string | undefined> {
  try {
    return (await kernel.host.call("approval.detail", { owner, tool, args })).detail;
  } catch (error) {
    kernel.log.warn(`What ${tool} is about cannot be told: ${messageOf(error)}`);
  }
}

/** Lets after_toolcall handlers see and change the result, and keeps its text for the reply's vector. */
async function afterCall(kernel: Kernel, turn: Turn, tool: Tool, result: ToolResult, end: CallEnd): Promise<void> {
  const { ctx } = turn;
  ctx.tool_results = [result];
  await kernel.runStage("after_toolcall", turn, new Set([tool.owner]));
  const changed = ctx.tool_results.find(({ id }) => id === result.id);
  if (changed) {
    end.content = changed.content;
    end.ok = changed.ok;
  }
  if (!end.ok || tool.owner === "kernel" || tool.def.no_memory) return;
  const text = unfence(end.content).slice(0, 4000);
  turn.toolTexts.push(await kernel.cleaned(tool.owner, tool.def, text));
}

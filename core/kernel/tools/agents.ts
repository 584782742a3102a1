import { cleanText, fence } from "../../llm/fence.ts";
import { childAnswer, toolLoop } from "../tool_loop.ts";
import { openTurn } from "../turn_state.ts";
import { collectTools } from "./table.ts";
import { builtin, count, text, texts, type Tool } from "./tool.ts";

/** How deep agents may spawn agents: a child may have children, and they none. */
export const MAX_DEPTH = 2;
const DEFAULT_LIMIT = 6;

/** The tool that hands a task to a child agent: with some of the parent's tools, none of its owner's trust. */
export const agentTools: Tool[] = [
  {
    ...builtin(
      "agent_spawn",
      "Hand a task that stands on its own to a child agent and get its answer. It sees only `task`; it may use the tools " +
        "you name (by default all of yours but memory writes), and nobody approves acting tools for it. 派生子智能体。",
      {
        properties: {
          task: text,
          tools: { ...texts, description: "Names of your tools it may use; sends to channels are always allowed" },
          max_turns: { ...count, description: "At most this many rounds of tool calls" },
        },
        required: ["task"],
      },
      async (args, { kernel, turn, signal }) => {
        if (turn.depth >= MAX_DEPTH) {
          throw new Error("A child agent at this depth cannot spawn another: do it yourself");
        }
        const mine = collectTools(kernel, turn);
        const wanted = args.tools as string[] | undefined;
        const unknown = (wanted ?? []).filter((name) => !mine.has(name));
        if (unknown.length > 0) throw new Error(`You have no tool named ${unknown.join(", ")}: name some of your own`);
        const allowed = new Set(
          [...mine.keys()].filter((name) =>
            wanted?.includes(name) || name.startsWith("output_send__") ||
            (wanted === undefined && !WRITES.has(name))
          ),
        );
        const asked = typeof args.max_turns === "number" ? args.max_turns : DEFAULT_LIMIT;
        const limit = Math.max(1, Math.min(asked, kernel.settings.max_tool_turns));
        const cancel = new AbortController();
        const onAbort = () => cancel.abort(signal.reason);
        signal.addEventListener("abort", onAbort, { once: true });
        const child = openTurn({ text: String(args.task), channel: turn.ctx.channel, source: "agent" }, {
          now: kernel.clock.now(),
          say: () => {},
          depth: turn.depth + 1,
          cancel,
          child: { tools: allowed, limit },
        });
        child.language = turn.language;
        child.ctx.context_msgs.push({ role: "user", content: cleanText(String(args.task)) });
        kernel.turns.set(child.id, child);
        try {
          const end = await toolLoop(kernel, child);
          for (const key of ["prompt", "completion", "total"] as const) turn.usage[key] += child.usage[key];
          const answer = childAnswer(end, child);
          return {
            content: fence("agent_spawn", answer.text),
            summary: answer.text.slice(0, 120),
            ...(!answer.ok && { failed: true as const }),
          };
        } finally {
          kernel.turns.delete(child.id);
          signal.removeEventListener("abort", onAbort);
        }
      },
    ),
    untimed: true,
  },
];

/** What a child agent gets only when it is named. */
const WRITES = new Set([
  "memory_merge",
  "memory_purge",
  "memory_edit",
  "memory_delete_entity",
  "llm_switch_source",
  "plugin_reload",
]);

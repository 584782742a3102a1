import { fence } from "../../llm/fence.ts";
import { middleCut } from "../middle_cut.ts";
import type { Kernel } from "../kernel.ts";
import { linkSignals, unlessAborted } from "../linked_signal.ts";
import type { RegisteredTool } from "../stages.ts";
import type { Turn } from "../turn_state.ts";
import { agentTools, MAX_DEPTH } from "./agents.ts";
import { channelTools } from "./channels.ts";
import { documentTools } from "./documents.ts";
import { knowledgeTools } from "./knowledge.ts";
import { llmTools } from "./llm.ts";
import { mediaTools } from "./media.ts";
import { memoryTools } from "./memory.ts";
import { pluginTools } from "./plugins.ts";
import { skillTools } from "./skills.ts";
import { socialTools } from "./social.ts";
import type { Tool, ToolOutcome } from "./tool.ts";

/** A result longer than this reaches the model without its middle. */
const MAX_RESULT = 64_000;

/** Names that nobody else may register. */
const RESERVED = new Set(["media_view", "media_describe", "skill_use", "skill_read"]);
/** What a turn that is kept out of memory has not. */
const LEARNS = new Set(["memory_commit", "doc_commit", "person_set_trait", "person_relate"]);
const GUARDED = new Set(["memory_merge", "memory_purge", "memory_edit", "memory_delete_entity", "llm_switch_source"]);
const isFixed = (name: string) => fixedTools().some(({ def }) => def.name === name);
export const isReserved = (name: string): boolean =>
  RESERVED.has(name) || name.startsWith("output_send__") || isFixed(name);

function fixedTools(): Tool[] {
  return [
    ...memoryTools,
    ...documentTools,
    ...socialTools,
    ...knowledgeTools,
    ...agentTools,
    ...llmTools,
    ...pluginTools,
  ];
}

/** Every tool the turn may use, by name, gathered anew for each call of the model: what owners registered, memory's
 * index tools, the conditional built-ins, the channels' tools, and media tools while there is media. */
export function collectTools(kernel: Kernel, turn: Turn): Map<string, Tool> {
  const all = [
    ...kernel.stages.tools.map((tool) => ownersTool(tool)),
    ...fixedTools(),
    ...skillTools(kernel),
    ...channelTools(kernel, turn),
    ...mediaTools(kernel, turn),
  ];
  const may = (name: string) =>
    !(turn.ctx.no_memory && LEARNS.has(name)) &&
    (turn.child?.tools.has(name) ?? true) && (name !== "agent_spawn" || turn.depth < MAX_DEPTH);
  return new Map(all.filter(({ def }) => may(def.name)).map((tool) => [tool.def.name, guarded(tool, turn)]));
}

/** What takes memory apart or changes who is asked is the owner's to ask for: in any other turn it acts. */
function guarded(tool: Tool, turn: Turn): Tool {
  return turn.trusted || !GUARDED.has(tool.def.name) ? tool : { ...tool, def: { ...tool.def, acts: true } };
}

/** A registered tool, run by its owner. */
function ownersTool({ def, owner }: RegisteredTool): Tool {
  return {
    def,
    owner,
    async run(args, { kernel, turn, signal }): Promise<ToolOutcome> {
      const gone = kernel.stages.alive(owner);
      using link = linkSignals(signal, gone);
      const params = { owner, name: def.name, args, turn: turn.id, deadline_ms: kernel.settings.tool_timeout };
      const invoked = kernel.host.call("tool.invoke", params, { signal: link.signal, patient: true });
      const { result, blocks } = await unlessAborted(invoked, gone);
      const text = resultText(result);
      return {
        content: fence(def.name, middleCut(text, MAX_RESULT)),
        summary: text.replace(/\s+/g, " ").slice(0, 120),
        ...(blocks?.length && { blocks }),
      };
    },
  };
}

/** A tool's result as text: a string, the `content` of a table that has one, else JSON. */
export function resultText(result: unknown): string {
  if (typeof result === "string") return result;
  if (typeof result === "object" && result !== null && "content" in result && typeof result.content === "string") {
    return result.content;
  }
  return JSON.stringify(result) ?? "";
}

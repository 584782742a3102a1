import type { ChatMessage, TokenUsage, ToolCall } from "./llm.ts";

/** The seven stages, in the order of a turn. */
export const STAGES = [
  "on_input",
  "pre_action",
  "post_action",
  "before_toolcall",
  "after_toolcall",
  "before_output",
  "after_output",
] as const;
export type Stage = (typeof STAGES)[number];

/** A tool's result as stages see it. */
export interface ToolResult {
  id: string;
  name: string;
  ok: boolean;
  content: string;
}

/** What the handlers of a stage share (CONTRACT 7). Setting `response` to a string ends the turn with it. Between
 * threads and processes it travels as JSON. In `before_toolcall`, `tool_calls` holds the one call at hand: a handler may
 * change its `arguments`, or empty the list to reject the call (with the reason in `extra.reject_reason`). In
 * `after_toolcall`, `tool_results` holds its one result. */
export interface StageContext {
  raw_message: string;
  user_id: string;
  group_id: string;
  channel: string;
  source: string;
  context_msgs: ChatMessage[];
  llm_text: string;
  reasoning_content: string;
  token_usage: TokenUsage | null;
  tool_calls: ToolCall[];
  tool_results: ToolResult[];
  final_text: string;
  /** null until a handler short-circuits. */
  response: string | null;
  phase: Stage;
  /** Text of the automatic recall, as it goes into the prompt. */
  memory: string;
  no_memory: boolean;
  extra: Record<string, unknown>;
  errors: string[];
}

/** Fields a handler changed, each with its new value. */
export type StagePatch = Partial<StageContext>;

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
/** The name of a stage; every value is in `STAGES`. */
export type Stage = (typeof STAGES)[number];

/** A tool's result as stages see it. */
export interface ToolResult {
  /** The id of the tool call that it answers. */
  id: string;
  /** The tool that ran. */
  name: string;
  /** False when the tool failed, was refused or is unknown; `content` then says why. */
  ok: boolean;
  /** What the model will read. */
  content: string;
}

/** What the handlers of a stage share (CONTRACT 7). Setting `response` to a string ends the turn with it. Between
 * threads and processes it travels as JSON. In `before_toolcall`, `tool_calls` holds the one call at hand: a handler may
 * change its `arguments`, or empty the list to reject the call (with the reason in `extra.reject_reason`). In
 * `after_toolcall`, `tool_results` holds its one result. */
export interface StageContext {
  /** What came in, before any stage. */
  raw_message: string;
  /** Who speaks: the message's `source`, unless a handler of `on_input` knows better. */
  user_id: string;
  /** The group it was said in; empty outside groups. */
  group_id: string;
  /** Where the reply goes. */
  channel: string;
  /** Where the message came from. */
  source: string;
  /** What the model gets besides the system prompt, oldest first. */
  context_msgs: ChatMessage[];
  /** The model's last text, before `before_output`; empty until it answered. */
  llm_text: string;
  /** What the model thought aloud on the way there; empty when it did not. */
  reasoning_content: string;
  /** Tokens of the last LLM call; null until the first answer. */
  token_usage: TokenUsage | null;
  /** Calls the model asked for in its last answer. */
  tool_calls: ToolCall[];
  /** Results of those calls. */
  tool_results: ToolResult[];
  /** What goes out; `before_output` may change it. */
  final_text: string;
  /** null until a handler short-circuits. */
  response: string | null;
  /** The stage that is running. */
  phase: Stage;
  /** Text of the automatic recall, as it goes into the prompt. */
  memory: string;
  /** True keeps this turn out of what is learned. */
  no_memory: boolean;
  /** Free for plugins; survives from stage to stage of one turn. */
  extra: Record<string, unknown>;
  /** What failed in earlier stages of the turn, each as a sentence. */
  errors: string[];
}

/** Fields a handler changed, each with its new value. */
export type StagePatch = Partial<StageContext>;

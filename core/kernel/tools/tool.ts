import { fence } from "../../llm/fence.ts";
import type { ToolDef } from "../../wire/kernel.ts";
import type { ContentPart } from "../../wire/llm.ts";
import type { Kernel } from "../kernel.ts";
import type { Turn } from "../turn_state.ts";

/** What a tool is given besides its arguments. */
export interface ToolRun {
  kernel: Kernel;
  turn: Turn;
  /** Aborted at the tool's time limit and when the turn is cancelled. */
  signal: AbortSignal;
}

/** What a tool gives: `content` is what the model reads, already fenced where it is data. */
export interface ToolOutcome {
  content: string;
  /** A line for people. */
  summary: string;
  /** Media for the model, beside the text. */
  blocks?: ContentPart[];
  /** The work did not succeed, though nothing was thrown. */
  failed?: true;
}

/** A tool as the loop runs it. Throwing is failing: the message is what the model is told. */
export interface Tool {
  def: ToolDef;
  owner: string;
  /** The tool's work has limits of its own: `tool_timeout` does not apply. */
  untimed?: true;
  run(args: Record<string, unknown>, run: ToolRun): Promise<ToolOutcome>;
}

/** A built-in tool: its arguments have been checked against `properties` and `required` before `run`. */
export function builtin(
  name: string,
  description: string,
  schema: { properties: Record<string, unknown>; required?: string[] },
  run: (args: Record<string, unknown>, run: ToolRun) => Promise<ToolOutcome>,
  options: { acts?: boolean; no_memory?: boolean } = {},
): Tool {
  const parameters = { type: "object", properties: schema.properties, required: schema.required ?? [] };
  return { def: { name, description, parameters, ...options }, owner: "kernel", run };
}

/** A result as data for the model: the JSON of what the part answered. */
export function data(name: string, result: unknown, summary: string): ToolOutcome {
  return { content: fence(name, JSON.stringify(result)), summary };
}

export const text = { type: "string" };
export const number = { type: "number" };
export const count = { type: "integer" };
export const texts = { type: "array", items: { type: "string" } };

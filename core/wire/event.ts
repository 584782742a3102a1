/** Bus events (CONTRACT 8): what observers may see, and may miss. */
export const EVENT_TYPES = [
  "raw_input",
  "llm_delta",
  "agent_llm_chain",
  "tool_call",
  "tool_result",
  "interrupt",
  "output",
  "response",
  "memory_commit",
  "memory_archive",
  "plugin_state",
  "config_changed",
  "timer",
  "health",
  "error",
] as const;
/** What an event is about; every value is in `EVENT_TYPES`. */
export type EventType = (typeof EVENT_TYPES)[number];

/** `seq` counts from 1 in one run of the daemon, without gaps; `at` in milliseconds since the epoch; `source` names the
 * part or plugin it came from. */
export interface BusEvent {
  /** Where an observer goes on from. */
  seq: number;
  /** Also says what the payload holds. */
  type: EventType;
  /** "kernel", "memory", "main" or a plugin's name. */
  source: string;
  /** When it was published, in milliseconds since the epoch. */
  at: number;
  /** JSON; its fields depend on `type`. */
  payload: Record<string, unknown>;
}

/** An event before the bus numbers it. */
export type NewEvent = Pick<BusEvent, "type" | "source" | "payload">;

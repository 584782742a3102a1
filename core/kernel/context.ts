import type { ContextEvent, Vector } from "../wire/memory.ts";

/** This many last events stay whatever their score: recency. */
export const PROTECTED_EVENTS = 10;

/** Events from these sources are dropped when they leave the window, not archived: terminal output is no memory. */
const DROPPED_SOURCES = new Set(["agentcli", "terminal"]);

/** The text an event's vector is made of: an agent's response, a user's input, a returned document's both. A cleaner's
 * text goes before; a `no_memory` event has none. */
export function textForVector(event: ContextEvent): string {
  if (event.no_memory) return "";
  if (event.vector_text !== undefined) return event.vector_text;
  switch (event.kind) {
    case "agent":
      return event.response ?? "";
    case "cold_storage":
      return [event.input, event.response].filter((text) => text).join("\n");
    case "user":
    case "interrupt":
    case "self":
      return event.input ?? "";
    default:
      return event.kind satisfies never;
  }
}

/** Cosine of two vectors of length 1; 0 when they live in different spaces or one is missing. */
export function cosine(a: Vector | undefined, b: Vector | undefined): number {
  if (!a || !b || a.space !== b.space) return 0;
  if (!a.at !== !b.at) return 0;
  let sum = 0;
  if (a.at && b.at) {
    for (let i = 0, j = 0; i < a.at.length && j < b.at.length;) {
      if (a.at[i]! === b.at[j]!) sum += a.values[i++]! * b.values[j++]!;
      else if (a.at[i]! < b.at[j]!) i++;
      else j++;
    }
  } else {
    const length = Math.min(a.values.length, b.values.length);
    for (let i = 0; i < length; i++) sum += a.values[i]! * b.values[i]!;
  }
  return Number.isFinite(sum) ? sum : 0;
}

/** What `prune` took out of the window. */
export interface Pruned {
  archive: ContextEvent[];
  drop: ContextEvent[];
}

/** The working window: events in the order of their times. Memory persists it; this holds it. */
export class RelevanceContext {
  #events: ContextEvent[] = [];

  get events(): readonly ContextEvent[] {
    return this.#events;
  }

  /** Replaces the window, as at the start. */
  load(events: ContextEvent[]): void {
    this.#events = chronological(dedupe(events));
  }

  /** Adds events at their own times. One that is there already is replaced. */
  append(...events: ContextEvent[]): void {
    this.#events = chronological(dedupe([...this.#events, ...events]));
  }

  /** Takes events out that have left the context on disk: archived by memory's own loop, or forgotten. */
  remove(ids: string[]): void {
    const gone = new Set(ids);
    this.#events = this.#events.filter((event) => !gone.has(event.id));
  }

  /** Keeps `topK` events: the last ten, and of the others those nearest to `query`; tells which ones left. */
  prune(query: Vector | undefined, topK: number): Pruned {
    const recent = Math.min(PROTECTED_EVENTS, this.#events.length);
    const places = Math.max(0, topK - PROTECTED_EVENTS);
    const candidates = this.#events.slice(0, this.#events.length - recent);
    if (candidates.length <= places) return { archive: [], drop: [] };
    const kept = new Set(
      candidates
        .map((event, index) => ({ event, index, score: cosine(query, event.vector) }))
        .sort((a, b) => b.score - a.score || b.index - a.index)
        .slice(0, places)
        .map(({ event }) => event),
    );
    const evicted = candidates.filter((event) => !kept.has(event));
    this.#events = [...candidates.filter((event) => kept.has(event)), ...this.#events.slice(candidates.length)];
    return {
      archive: evicted.filter((event) => !DROPPED_SOURCES.has(event.source)),
      drop: evicted.filter((event) => DROPPED_SOURCES.has(event.source)),
    };
  }

  /** The protected last events, which go to the model as messages. */
  recent(): ContextEvent[] {
    return this.#events.slice(-PROTECTED_EVENTS);
  }

  /** The others, which go into the prompt as a timeline, each with its nearness to `query`. */
  older(query: Vector | undefined): { event: ContextEvent; score: number }[] {
    return this.#events.slice(0, -PROTECTED_EVENTS).map((event) => ({ event, score: cosine(query, event.vector) }));
  }
}

function dedupe(events: ContextEvent[]): ContextEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()];
}

/** Sorted by time; equal times stay in their order. */
function chronological(events: ContextEvent[]): ContextEvent[] {
  return events.map((event, index) => ({ event, index }))
    .sort((a, b) => a.event.at - b.event.at || a.index - b.index)
    .map(({ event }) => event);
}

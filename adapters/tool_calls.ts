import type { CompletionChunk, ToolCall } from "../core/wire/llm.ts";

type Fragment = NonNullable<CompletionChunk["tool_calls"]>[number];

interface Slot {
  index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  signature: string | undefined;
}

/** Puts tool calls together from fragments of a stream. Indexes may be shared, missing, wrong or repeated, and ids
 * missing: a fragment starts a new call when it has a new id, or when it names a function while the call it would go on
 * with already has complete arguments. */
export class ToolCallAssembler {
  #slots: Slot[] = [];

  add(fragment: Fragment): void {
    const { index, id = "", signature } = fragment;
    const name = fragment.function?.name ?? "";
    const piece = argumentText(fragment.function?.arguments);
    const slot = this.#slotFor(index ?? undefined, id ?? "", name ?? "", piece) ?? this.#open(index ?? undefined);
    if (id) slot.id ||= id;
    if (name) slot.name ||= name;
    slot.arguments += piece;
    if (signature) slot.signature = (slot.signature ?? "") + signature;
  }

  get size(): number {
    return this.#slots.length;
  }

  /** The calls in the order they began; one without a name was never meant for us. */
  finish(newId: () => string): ToolCall[] {
    const seen = new Set<string>();
    return this.#slots.filter((slot) => slot.name !== "").map((slot) => {
      const id = slot.id !== "" && !seen.has(slot.id) ? slot.id : `call_${newId()}`;
      seen.add(id);
      const text = slot.arguments.trim() === "" ? "{}" : slot.arguments.toWellFormed();
      return {
        id,
        type: "function" as const,
        name: slot.name,
        arguments: text,
        ...(slot.signature !== undefined && { signature: slot.signature }),
      };
    });
  }

  #slotFor(index: number | undefined, id: string, name: string, piece: string): Slot | undefined {
    const last = this.#slots.at(-1);
    if (id !== "") {
      const same = this.#slots.findLast((slot) => slot.id === id);
      if (same) return begins(same, index, name, piece) ? undefined : same;
      // A call whose id comes late goes on where it began.
      const unnamed = index === undefined ? last : this.#slots.findLast((slot) => slot.index === index);
      return unnamed && unnamed.id === "" && !begins(unnamed, index, name, piece) ? unnamed : undefined;
    }
    if (index !== undefined) {
      const same = this.#slots.findLast((slot) => slot.index === index);
      if (same) return begins(same, index, name, piece) ? undefined : same;
      return name === "" ? last : undefined;
    }
    if (!last) return undefined;
    return begins(last, index, name, piece) ? undefined : last;
  }

  #open(index: number | undefined): Slot {
    const slot: Slot = { index, id: "", name: "", arguments: "", signature: undefined };
    this.#slots.push(slot);
    return slot;
  }
}

/** Whether a fragment begins another call than this one. */
function begins(slot: Slot, index: number | undefined, name: string, piece: string): boolean {
  if (name === "" || slot.name === "") return false;
  if (index !== undefined && slot.index !== undefined && index !== slot.index) return true;
  if (name !== slot.name) return true;
  return slot.arguments !== "" && piece !== "" && isComplete(slot.arguments);
}

function isComplete(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Arguments as JSON text: some vendors and scripts give an object. */
export function argumentText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

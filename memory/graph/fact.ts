import type { Triple } from "../../core/wire/memory.ts";
import type { GraphUndo } from "./snapshot.ts";

/** A triple with what an import may add. */
export interface Fact extends Triple {
  /** The same id again changes nothing. */
  id?: string;
  /** Milliseconds; else that of the commit. */
  at?: number;
  /** Else that of the commit. */
  sentence?: string;
  /** Fields that mean nothing here, kept for an export. */
  extra?: Record<string, unknown>;
}

export interface CommitOptions {
  /** Where the facts come from, in words: their provenance. */
  sentence?: string;
  source?: string;
  /** When it was learned, milliseconds. Default now. */
  at?: number;
  mediaDigests?: string[];
  /** Keep what it takes to undo it: for consolidations. It copies the rows around what is touched. */
  undoable?: boolean;
}

export interface CommitResult {
  /** Facts taken, one that was known already included; not those whose id was seen before. */
  committed: number;
  /** Ids of the relations, in the order of the facts. */
  ids: string[];
  /** Ids of relations that a newer value closed. */
  closed: string[];
  /** Takes it back, when it was asked for. */
  undo?: GraphUndo;
}

/** What `edit` can change. */
export interface GraphEdit {
  subject?: string;
  predicate?: string;
  object?: string;
  confidence?: number;
  type?: string;
  description?: string;
  /** ISO 8601, or "" to open it again. */
  valid_to?: string;
  many_valued?: boolean;
}

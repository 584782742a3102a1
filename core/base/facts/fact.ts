import type { Language } from "./language.ts";

/** The one subject of everything the owner says about themselves, in either language. */
export const OWNER = "user";

/** One fact that a sentence states. */
export interface ExtractedFact {
  /** `user` for the person who speaks. */
  subject: string;
  /** Readable, in the language of the sentence. */
  predicate: string;
  object: string;
  /** The canonical relation, when it is one. */
  id?: string;
  /** 0 to 1: how surely the words say it. */
  confidence: number;
  sentence: string;
  language: Language;
  subject_type?: string;
  object_type?: string;
}

/** What a sentence says to hold no longer: "we sold the Fiat", 我不在腾讯工作了. */
export interface Ending {
  /** Absent: of whomever it was told ("the Fiat is sold"). */
  subject?: string;
  /** Canonical relations that it is about; empty: whatever the subject has with the object. */
  ids: string[];
  /** Absent: every value. */
  object?: string;
  /** The value that holds on, when the others end: a new dentist ends the old one. */
  except?: string;
  /** Only values told with this word: of the doctors, the dentist. */
  predicate?: string;
  sentence: string;
}

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

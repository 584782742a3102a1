import { type Language, languageOf, nounOf, understand } from "../../base/facts/mod.ts";
import { canonicalPredicate, type Predicate } from "../../base/predicates.ts";
import { simplify } from "../../base/simplify.ts";
import { chinese } from "./ask_chinese.ts";
import { english } from "./ask_english.ts";

/** Whom a question is about. */
export type About =
  | { kind: "owner" }
  /** "my sister", "Anna's boss". */
  | { kind: "relation"; whose: About; predicate: Predicate; noun: string }
  | { kind: "named"; name: string }
  /** Nobody in particular: a thing, by the words of the question. */
  | { kind: "thing" };

/** A question as the rules understand it. */
export interface Asked {
  question: string;
  language: Language;
  about: About;
  /** Which relations would answer it, surest first; empty: anything about whom it asks. */
  attributes: Predicate[];
  /** Asks who, not what: 谁住在苏州, "who plays the cello". */
  reverse: boolean;
  /** A question to be answered with yes or no. */
  yesNo: boolean;
  /** Asks how many. */
  count: boolean;
  /** Asks what held before. */
  past: boolean;
  /** Asks for everything that is known. */
  open: boolean;
  /** The word by which someone is asked for: the dentist, of all doctors. */
  noun?: string;
  /** Meaningful words beside the person and the attribute. */
  words: string[];
  /** All meaningful words. */
  allWords: string[];
}

/** Understands a question. `topic` is whom it means by "she". */
export function understandQuestion(question: string, topic?: About): Asked {
  const language = languageOf(question);
  const asked = language === "zh" ? chinese(simplify(question), topic) : english(question, topic);
  return { ...asked, question };
}

/** Whom "she" would mean after these messages: the last person that was spoken of. */
export function topicOf(history: readonly { own: boolean; text: string }[]): About | undefined {
  let older: About | undefined;
  const said = history.filter(({ own }) => own).slice(-6);
  for (const { text } of said) {
    const facts = understand(text).facts;
    const last = facts.at(-1);
    if (last) {
      const known = canonicalPredicate(last.predicate);
      if (last.subject !== "user") older = { kind: "named", name: last.subject };
      else if (known?.inverse || known?.broader) older = { kind: "named", name: last.object };
      continue;
    }
    const asked = understandQuestion(text, older);
    const kin = asked.attributes[0];
    if (asked.about.kind === "named" || asked.about.kind === "relation") older = asked.about;
    else if (kin && (kin.broader === "relative" || kin.inverse) && kin.id !== "likes" && kin.id !== "owns") {
      older = { kind: "relation", whose: asked.about, predicate: kin, noun: kin[asked.language] };
    }
  }
  return older;
}

/** The text of an entity in a question, for a search. */
export function aboutText(about: About, language: Language): string {
  switch (about.kind) {
    case "owner":
      return "user";
    case "named":
      return about.name;
    case "relation": {
      const whose = aboutText(about.whose, language);
      const noun = nounOf(about, language);
      if (language === "zh") return whose === "user" ? `我${noun}` : `${whose}的${noun}`;
      return whose === "user" ? `my ${noun}` : `${whose}'s ${noun}`;
    }
    case "thing":
      return "";
  }
}

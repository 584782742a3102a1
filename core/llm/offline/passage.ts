import { extractFacts, isUnrealClause, languageOf, moodOf, splitSentences } from "../../base/facts/mod.ts";
import type { Asked } from "./ask.ts";
import type { Passage } from "./recalled.ts";
import { says } from "./says.ts";
import { contentWords, coverage, plain } from "./words.ts";

/** Whether a passage only imagines what is asked, or has it from somebody else where a yes or no is wanted. */
function isNoWitness({ text, kind }: Passage, { yesNo }: Asked): boolean {
  if (kind === "knowledge") return false;
  const moods = splitSentences(text).map((sentence) => {
    const language = languageOf(sentence);
    return isUnrealClause(sentence, language) ? "unreal" : moodOf(sentence, language);
  });
  return moods.length > 0 &&
    moods.every((mood) => mood === "question" || yesNo && (mood === "unreal" || mood === "reported"));
}

const isQuestion = (text: string) => /[?？]\s*$/.test(text.trim());

/** A remembered passage that has the words of the question, and the one it is about. */
export function bestPassage(asked: Asked, passages: readonly Passage[], names: Set<string>): Passage | undefined {
  let best: { passage: Passage; share: number } | undefined;
  for (const passage of passages) {
    if (isQuestion(passage.text) || plain(passage.text) === plain(asked.question) || isNoWitness(passage, asked)) {
      continue;
    }
    const text = plain(passage.text);
    if (asked.about.kind === "named" || asked.about.kind === "relation") {
      const spoken = [...names].some((name) => text.includes(name)) ||
        (asked.about.kind === "relation" && coverage(contentWords(asked.about.noun), passage.text) === 1);
      if (!spoken) continue;
    }
    if (asked.allWords.length === 0) continue;
    const share = coverage(asked.allWords, passage.text);
    const beside = asked.words.length === 0 || coverage(asked.words, passage.text) > 0;
    const enough = asked.allWords.length === 1 ? 1 : 0.5;
    if (!beside || share < enough || share <= (best?.share ?? 0)) continue;
    if (passage.kind !== "knowledge" && saysOnlyElse(passage.text, asked, names)) continue;
    best = { passage, share };
  }
  return best?.passage;
}

/** Whether everything that the rules understand of a passage is something else than what is asked. */
function saysOnlyElse(text: string, asked: Asked, names: Set<string>): boolean {
  if (asked.attributes.length === 0) return false;
  // What the passage names by the word of the question it may well say, though the rules did not understand it.
  const written = plain(text);
  const isWritten = asked.attributes.some(({ forms }) =>
    [...forms.en, ...forms.zh].some((form) =>
      form.length > 1 && plain(asked.question).includes(plain(form)) && written.includes(plain(form))
    )
  );
  const isOfThing = asked.about.kind === "thing" || asked.about.kind === "owner" && asked.words.length > 0;
  if (isWritten && isOfThing) return false;
  const facts = extractFacts(text);
  const isTheirs = (subject: string) =>
    asked.about.kind === "thing" || names.has(plain(subject)) || asked.about.kind === "owner" && asked.words.length > 0;
  return facts.length > 0 &&
    !facts.some((fact) =>
      isTheirs(fact.subject) && asked.attributes.some((attribute) => says({ ...fact, current: true }, attribute))
    );
}

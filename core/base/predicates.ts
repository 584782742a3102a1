/** The fixed vocabulary of relations: how people state and ask for them in English and 中文, and which hold one value.
 * Shared by the offline provider (which writes and asks) and memory (which closes and finds). @module */
import { PEOPLE } from "./predicates/people.ts";
import type { Predicate } from "./predicates/row.ts";
import { SELF } from "./predicates/self.ts";
import { THINGS } from "./predicates/things.ts";

export type { Predicate } from "./predicates/row.ts";

/** Every relation with a meaning fixed here. Other predicates are free text, and many-valued unless learned otherwise. */
export const CANONICAL_PREDICATES: readonly Predicate[] = [...SELF, ...PEOPLE, ...THINGS];

const byId = new Map(CANONICAL_PREDICATES.map((predicate) => [predicate.id, predicate]));

/** A surface form as it is compared: lower case, plain quotes and blanks, no ends. */
export function normalizeForm(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/[’‘]/g, "'").replace(/[_\s]+/g, " ").replace(
    /^[\s"'“”]+|[\s"'“”？?。.!！：:]+$/g,
    "",
  );
}

/** Written forms win over synonyms, and earlier rows over later ones. */
const byForm = new Map<string, Predicate>();
for (const rank of [(p: Predicate) => [p.en, p.zh, p.id], (p: Predicate) => [...p.forms.en, ...p.forms.zh]]) {
  for (const predicate of CANONICAL_PREDICATES) {
    for (const form of rank(predicate)) {
      const key = normalizeForm(form);
      if (!byForm.has(key)) byForm.set(key, predicate);
    }
  }
}

/** The relation with this identifier.
 * @throws {RangeError} There is none: identifiers are literals of the program. */
export function predicateById(id: string): Predicate {
  const found = byId.get(id);
  if (!found) throw new RangeError(`No canonical predicate has the id "${id}"`);
  return found;
}

const FAVOURITE = /^(?:favou?rite|best liked|most liked|最喜欢的|最爱的|最喜爱的|最喜欢|最爱)\s*(\p{L}.*)$/u;

/** The relation that a predicate's text names ("lives in", "住在", "my phone number"), if it is one of the table's. Each
 * kind of favourite ("favourite colour") is a single-valued relation of its own. */
export function canonicalPredicate(text: string): Predicate | undefined {
  const key = normalizeForm(text);
  const favourite = byForm.has(key) ? null : FAVOURITE.exec(key);
  if (favourite) {
    const kind = favourite[1]!.replace(/^颜色$/, "color").replace("colour", "color").replace(/^movie$/, "film");
    return { ...predicateById("favourite"), id: `favourite ${kind}`, en: text, zh: text, single: true };
  }
  return byForm.get(key) ??
    byForm.get(key.replace(/^(?:my|the|his|her|their|our|your|is|has|have) |^(?:我的?|的|是)/, ""));
}

/** The relation and every wider one that it implies: `older_sister` → sister, sibling, relative. */
export function withBroader(predicate: Predicate): Predicate[] {
  const chain = [predicate];
  for (let at = predicate.broader; at; at = byId.get(at)?.broader) chain.push(predicateById(at));
  return chain;
}

/** Every relation that says this one or a narrower thing: `sibling` → sister, older_sister, brother, … */
export function withNarrower(predicate: Predicate): Predicate[] {
  return CANONICAL_PREDICATES.filter((other) => withBroader(other).includes(predicate));
}

/** One relation that a question asks for, and the words that say so. */
export interface AskedPredicate {
  predicate: Predicate;
  phrase: string;
  /** Characters of the phrase: longer phrases are surer. */
  weight: number;
}

interface AskForm {
  predicate: Predicate;
  phrase: string;
  words: string[];
  weight: number;
}

const isHan = (text: string) => /\p{Script=Han}/u.test(text);

/** Question words alone ("when", "叫什么") say less than a relation's own name. */
const askForms: AskForm[] = CANONICAL_PREDICATES.flatMap((predicate) =>
  [...predicate.asks.en, ...predicate.asks.zh, ...predicate.forms.en, ...predicate.forms.zh].map((phrase) => {
    const form = normalizeForm(phrase);
    return {
      predicate,
      phrase: form,
      words: isHan(form) ? [] : form.split(" ").filter((word) => word !== "…"),
      weight: isHan(form) ? form.length * 3 : form.length,
    };
  })
).filter((form) => form.phrase.length > (isHan(form.phrase) ? 1 : 2) && !form.phrase.includes("…"))
  .sort((a, b) => b.weight - a.weight);

/** Words of `phrase` in `words`, in order, with at most three others between two of them. */
function hasInOrder(words: string[], phrase: string[]): boolean {
  let from = 0;
  for (const [index, word] of phrase.entries()) {
    const at = words.indexOf(word, from);
    if (at < 0 || (index > 0 && at - from > 3)) return false;
    from = at + 1;
  }
  return true;
}

/** The relations that a question asks for, surest first, each once. Phrases of the table are looked for in order. */
export function predicatesAskedFor(question: string): AskedPredicate[] {
  const text = normalizeForm(question);
  const words = text.replace(/'s\b/g, " is").replace(/[^\p{L}\p{N}'’-]+/gu, " ").trim().split(" ");
  const found = new Map<string, AskedPredicate>();
  for (const form of askForms) {
    if (found.has(form.predicate.id)) continue;
    const hit = form.words.length > 0 ? hasInOrder(words, form.words) : text.includes(form.phrase);
    if (hit) found.set(form.predicate.id, { predicate: form.predicate, phrase: form.phrase, weight: form.weight });
  }
  return [...found.values()];
}

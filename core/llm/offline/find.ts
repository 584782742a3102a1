import { OWNER } from "../../base/facts/mod.ts";
import { canonicalPredicate, type Predicate, withBroader } from "../../base/predicates.ts";
import { type About, aboutText, type Asked } from "./ask.ts";
import type { Passage, Recalled, Relation } from "./recalled.ts";
import { contentWords, coverage, plain } from "./words.ts";

/** What was found for a question. */
export type Found =
  | { kind: "relations"; relations: Relation[]; yes?: boolean }
  | { kind: "passage"; passage: Passage; source: "memory" | "knowledge" }
  | { kind: "nothing" };

const OWNER_NAMES = new Set([OWNER, "me", "i", "my", "myself", "owner", "the user", "我", "用户", "主人", "本人"]);

const idOf = (predicate: string) => canonicalPredicate(predicate)?.id;

/** Whether a relation's predicate says what is asked, itself or more narrowly. */
function says(relation: Relation, wanted: Predicate): boolean {
  const known = canonicalPredicate(relation.predicate);
  if (!known) return plain(relation.predicate) === plain(wanted.en) || plain(relation.predicate) === plain(wanted.zh);
  if (known.id === wanted.id) return true;
  if (wanted.id === "favourite") return known.id.startsWith("favourite ");
  if (wanted.id.startsWith("favourite ")) return sameFavourite(known.id, wanted.id);
  if (known.id.startsWith("favourite ")) return wanted.id === "likes";
  return withBroader(known).some((broader) => broader.id === wanted.id);
}

function sameFavourite(known: string, wanted: string): boolean {
  if (!known.startsWith("favourite ")) return false;
  const [a, b] = [known.slice(10), wanted.slice(10)];
  return a.includes(b) || b.includes(a);
}

/** Every name under which an entity may stand in the graph: "my sister" is also "我姐姐", and Anna. */
export function namesOf(about: About, relations: readonly Relation[]): Set<string> {
  switch (about.kind) {
    case "owner":
      return OWNER_NAMES;
    case "named":
      return aliases(about.name, relations);
    case "thing":
      return new Set();
    case "relation": {
      const names = new Set([
        plain(aboutText(about, "en")),
        plain(aboutText(about, "zh")),
        plain(`my ${about.noun}`),
        plain(`我${about.noun}`),
      ]);
      const whose = namesOf(about.whose, relations);
      const exact = relations.filter((relation) =>
        relation.current && whose.has(plain(relation.subject)) && says(relation, about.predicate)
      );
      for (const relation of exact) names.add(plain(relation.object));
      if (about.predicate.id === "pet") keepSpecies(about.noun, names, relations);
      return names;
    }
  }
}

/** Names of which one is the other's beginning are one person: 朵朵 has 张朵朵. */
function aliases(name: string, relations: readonly Relation[]): Set<string> {
  const names = new Set([plain(name)]);
  for (const relation of relations) {
    for (const other of [relation.subject, relation.object]) {
      if (new RegExp(`^${escaped(plain(name))}\\b`, "u").test(plain(other)) && plain(other).split(" ").length <= 3) {
        names.add(plain(other));
      }
    }
  }
  return names;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Of several pets, those of the kind that was named: "my cat" is not the dog. */
function keepSpecies(noun: string, names: Set<string>, relations: readonly Relation[]): void {
  const kinds: Record<string, string> = {
    狗: "dog",
    猫: "cat",
    小狗: "dog",
    小猫: "cat",
    猫咪: "cat",
    狗狗: "dog",
    兔子: "rabbit",
    puppy: "dog",
    kitten: "cat",
  };
  const kind = kinds[noun] ?? plain(noun);
  if (kind === "pet" || kind === "宠物") return;
  for (const relation of relations) {
    if (idOf(relation.predicate) !== "species" || !names.has(plain(relation.subject))) continue;
    const species = plain(relation.object);
    const same = species.includes(kind) ||
      Object.entries(kinds).some(([word, other]) => other === kind && species.includes(word));
    if (!same) names.delete(plain(relation.subject));
  }
}

/** The relations that answer, the current ones first; closed ones only when nothing current says anything. */
export function findAnswer(asked: Asked, memory: Recalled, knowledge: Recalled): Found {
  const names = namesOf(asked.about, memory.relations);
  if (asked.reverse) {
    const who = memory.relations.filter((relation) => relation.current && isWho(relation, asked));
    if (who.length > 0) return { kind: "relations", relations: who };
  }
  const wanted = asked.attributes.length > 0 ? asked.attributes : [undefined];
  const current = memory.relations.filter((relation) => relation.current);
  for (const attribute of wanted) {
    const found = current.filter((relation) => about(relation, asked, names, attribute));
    const best = narrowed(found, asked);
    if (best.length > 0) {
      const yes = asked.yesNo && best.every((relation) => isNamed(relation, asked));
      return { kind: "relations", relations: best, ...(yes ? { yes } : {}) };
    }
  }
  // "Who is Anna?": what she is to someone.
  if (asked.about.kind === "named" || asked.attributes.some((predicate) => predicate.id === "name")) {
    const into = current.filter((relation) => names.has(plain(relation.object)));
    if (into.length > 0 && asked.attributes.every((predicate) => predicate.id === "name")) {
      return { kind: "relations", relations: into };
    }
  }
  const spoken = current.filter((relation) => spokenOf(relation, asked));
  if (spoken.length > 0) return { kind: "relations", relations: spoken.slice(0, 2) };
  const freely = current.filter((relation) => free(relation, asked, names));
  if (freely.length > 0) return { kind: "relations", relations: freely.slice(0, 3) };
  const remembered = bestPassage(asked, memory.passages, names);
  if (remembered) return { kind: "passage", passage: remembered, source: "memory" };
  const known = bestPassage(asked, knowledge.passages, names);
  return known ? { kind: "passage", passage: known, source: "knowledge" } : { kind: "nothing" };
}

function about(relation: Relation, asked: Asked, names: Set<string>, attribute: Predicate | undefined): boolean {
  if (attribute ? !says(relation, attribute) : asked.about.kind === "owner" || asked.about.kind === "thing") {
    return false;
  }
  const subject = plain(relation.subject);
  if (names.has(subject)) return asked.about.kind !== "owner" || !needsThing(asked, attribute);
  // A thing is named by the other words of the question; "my Wi-Fi" is the Wi-Fi.
  if (asked.about.kind === "owner" || asked.about.kind === "thing") {
    if (OWNER_NAMES.has(subject)) return asked.about.kind === "thing" && asked.words.length === 0;
    return isThing(relation.subject, asked);
  }
  return false;
}

/** Whether this is the one who does what the question says. */
function isWho(relation: Relation, asked: Asked): boolean {
  const words = contentWords(relation.object);
  return words.length > 0 && coverage(words, asked.question) >= 0.99 &&
    asked.attributes.some((predicate) => says(relation, predicate));
}

/** "Where did I park?": the sentence that told where the car is has the words of the question. */
function spokenOf(relation: Relation, asked: Asked): boolean {
  if (asked.about.kind !== "owner" && asked.about.kind !== "thing" || asked.words.length === 0) return false;
  return asked.attributes.some((predicate) => says(relation, predicate)) &&
    coverage(asked.words, relation.sentence ?? "") >= 0.99;
}

/** "What colour is my car" asks about the car, not about the person. */
function needsThing(asked: Asked, attribute: Predicate | undefined): boolean {
  return attribute !== undefined &&
    ["color", "located_in", "price", "model", "password", "ip", "port", "expiry", "warranty"].includes(attribute.id) &&
    asked.words.length > 0;
}

function isThing(subject: string, asked: Asked): boolean {
  const words = contentWords(subject);
  const name = plain(subject).replace(/^(?:my |the |我的|我家的?|家里的?)/, "");
  const question = plain(asked.question);
  if (name.length > 1 && question.replace(/的/g, "").includes(name.replace(/的/g, ""))) return true;
  return words.length > 0 && coverage(words, asked.question) >= 0.99;
}

/** A relation outside the vocabulary, whose own words the question repeats. */
function free(relation: Relation, asked: Asked, names: Set<string>): boolean {
  const known = canonicalPredicate(relation.predicate);
  if (known && asked.attributes.length > 0) return false;
  const subject = plain(relation.subject);
  const person = asked.about.kind !== "thing";
  if (person && !names.has(subject) && !(asked.about.kind === "owner" && isThing(relation.subject, asked))) {
    return false;
  }
  if (!person && !isThing(relation.subject, asked)) return false;
  const words = contentWords(relation.predicate);
  return words.length > 0 && coverage(words, asked.question) >= 0.6;
}

/** Of several, those whose object the question names ("Do I like coffee?"); all of them when it names none. */
function narrowed(found: Relation[], asked: Asked): Relation[] {
  if (!asked.yesNo) return found;
  const named = found.filter((relation) => isNamed(relation, asked));
  return named.length > 0 ? named : found;
}

/** Whether the question itself says the relation's object. */
function isNamed(relation: Relation, asked: Asked): boolean {
  const words = contentWords(relation.object);
  return words.length > 0 && coverage(words, asked.question) >= 0.6;
}

const isQuestion = (text: string) => /[?？]\s*$/.test(text.trim());

/** A remembered passage that has the words of the question, and the one it is about. */
function bestPassage(asked: Asked, passages: readonly Passage[], names: Set<string>): Passage | undefined {
  let best: { passage: Passage; share: number } | undefined;
  for (const passage of passages) {
    if (isQuestion(passage.text) || plain(passage.text) === plain(asked.question)) continue;
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
    if (beside && share >= enough && share > (best?.share ?? 0)) best = { passage, share };
  }
  return best?.passage;
}

import type { Predicate } from "../../base/predicates.ts";
import type { Asked } from "./ask.ts";
import { type Found, told } from "./found.ts";
import { kindsOf, newest, ofNoun, ofQualifier, ofVerb, owned } from "./meant.ts";
import { isOwner, namesOf, ofKind } from "./names.ts";
import { bestPassage } from "./passage.ts";
import type { Recalled, Relation } from "./recalled.ts";
import { idOf, says } from "./says.ts";
import { isAbout, isForeign, isFree, isHeld, isSpokenOf } from "./subject.ts";
import { contentWords, coverage, plain } from "./words.ts";
import { verdictOf, yesOrNo } from "./yes_or_no.ts";

/** What answers a question, from memory first: what is told of the one it asks about, what it says of anyone, then
 * passages; what held once only when nothing holds. */
export function findAnswer(asked: Asked, memory: Recalled, knowledge: Recalled): Found {
  const named = asked.about.kind === "thing" && !asked.reverse ? spokenName(asked, memory.relations) : undefined;
  if (named !== undefined) {
    const words = asked.words.filter((word) => !contentWords(named).includes(word));
    return findAnswer({ ...asked, about: { kind: "named", name: named }, words }, memory, knowledge);
  }
  const current = memory.relations.filter((relation) => relation.current);
  const names = mentioned(namesOf(asked.about, memory.relations), asked);
  if (asked.past) {
    const over = formerly(asked, memory, names);
    if (over.length > 0) return told(over, "before");
  }
  if (asked.reverse) {
    const who = whoDoes(current, asked);
    if (who.length > 0) return told(who);
  }
  const isOpen = !asked.yesNo && asked.words.length === 0 && asked.attributes.every(({ id }) => id === "name");
  if (asked.about.kind === "owner" && asked.open) {
    return told(current.filter(({ subject }) => isOwner(plain(subject))).slice(0, 14));
  }
  if (asked.about.kind === "named" && isOpen) {
    const roles = current.filter((relation) => names.has(plain(relation.object)));
    const about = newest(current.filter((relation) => names.has(plain(relation.subject))), undefined).slice(0, 6);
    if (roles.length > 0) return { kind: "relations", relations: [...roles, ...about] };
  }
  const called = whatIsCalled(current, asked, names);
  if (called.length > 0) return told(called);
  if (asked.yesNo) {
    const verdict = yesOrNo(memory.relations, asked, names);
    if (verdict) return verdict;
  }
  for (const attribute of wantedOf(asked)) {
    const found = current.filter((relation) => isAbout(relation, asked, { names, attribute }));
    const best = newest(ofQualifier(ofNoun(ofKind(asked, found, memory.relations), asked), asked), attribute);
    if (best.length === 0) continue;
    if (attribute?.id === "owns") {
      const things = owned(best, asked);
      if (things.kind === "nothing") continue;
      return things;
    }
    if (attribute?.id === "likes" && !asked.yesNo) return told(ofVerb(best, asked));
    const verdict = asked.yesNo ? verdictOf(best, asked, attribute) : undefined;
    return told(verdict === "unsaid" ? best.slice(-6) : best, verdict);
  }
  const held = current.filter((relation) => isHeld(relation, asked));
  if (held.length > 0) return told(held);
  // "Who is Anna?": what she is to someone.
  if (asked.about.kind === "named" || asked.attributes.some((predicate) => predicate.id === "name")) {
    const into = current.filter((relation) => names.has(plain(relation.object)));
    if (into.length > 0 && asked.attributes.every((predicate) => predicate.id === "name")) return told(into);
  }
  const spoken = current.filter((relation) => isSpokenOf(relation, asked));
  if (spoken.length > 0) return told(spoken.slice(0, 2));
  const freely = current.filter((relation) => isFree(relation, asked, names));
  if (freely.length > 0) return told(freely.slice(0, 3));
  const foreign = current.filter((relation) => isForeign(relation, asked)).sort((a, b) => b.score! - a.score!);
  if (foreign.length > 0) return told(foreign.slice(0, 1));
  const over = formerly(asked, memory, names);
  if (over.length > 0) return told(over, "former");
  const remembered = bestPassage(asked, memory.passages, names);
  if (remembered) return { kind: "passage", passage: remembered, source: "memory" };
  const known = bestPassage(asked, knowledge.passages.map((passage) => ({ ...passage, kind: "knowledge" })), names);
  return known ? { kind: "passage", passage: known, source: "knowledge" } : { kind: "nothing" };
}

/** What somebody's thing is called: they own it by that name. */
function whatIsCalled(current: readonly Relation[], asked: Asked, names: Set<string>): Relation[] {
  const isName = asked.attributes.length > 0 && asked.attributes.every(({ id }) => id === "name");
  if (!isName || asked.yesNo || asked.words.length === 0 || asked.about.kind === "thing") return [];
  return current.filter(({ subject, predicate, object }) =>
    names.has(plain(subject)) && idOf(predicate) === "owns" && coverage(asked.words, object) === 1
  );
}

/** What held once of what is asked. */
function formerly(asked: Asked, { relations }: Recalled, names: Set<string>): Relation[] {
  for (const attribute of asked.attributes) {
    const all = relations.filter((relation) => isAbout(relation, asked, { names, attribute }));
    const now = newest(all, attribute);
    // Told under the two names of one person, a value may still count as current that a newer one has overtaken.
    const over = all.filter((relation) =>
      !relation.current || asked.past && attribute.single && !now.includes(relation)
    );
    const best = newest(ofNoun(ofKind(asked, over, relations), asked), attribute);
    const kinds = attribute.id === "owns" ? kindsOf(asked) : [];
    const fitting = kinds.length === 0
      ? best
      : best.filter(({ object, sentence = "" }) => coverage(kinds, asked.yesNo ? object : `${object} ${sentence}`) > 0);
    if (fitting.length > 0) return fitting;
  }
  return [];
}

/** Of several names, the one that the question says in its own words: "my brother luca". */
function mentioned(names: Set<string>, asked: Asked): Set<string> {
  if (asked.about.kind !== "relation") return names;
  const said = [...names].filter((name) =>
    !/^(?:my |我)/.test(name) && asked.words.length > 0 && coverage(contentWords(name), asked.words.join(" ")) === 1
  );
  return said.length > 0 ? new Set(said) : names;
}

/** What to look for, surest first. Everything of somebody only where nothing else was asked; possessions only where they
 * are what was asked first. */
function wantedOf(asked: Asked): (Predicate | undefined)[] {
  if (asked.attributes.length === 0) return asked.words.length === 0 || asked.yesNo ? [undefined] : [];
  const before = (at: number) => asked.attributes.slice(0, at).every(({ id }) => WITH_OWNS.has(id));
  return asked.attributes.filter(({ id }, at) => id !== "owns" || before(at) && !asked.reverse);
}

/** Relations whose questions also ask what one has. */
const WITH_OWNS = new Set(["quantity", "model", "pet", "species", "status", "skill"]);

/** Somebody whom the question names without a capital, if memory has told of them. */
function spokenName(asked: Asked, relations: readonly Relation[]): string | undefined {
  const words = new Set(plain(asked.question).replace(/'s\b/g, "").split(/[^\p{L}\p{N}-]+/u));
  const names = relations.flatMap(({ subject, object }) => [subject, object]);
  return names.find((name) =>
    /^\p{Lu}[\p{Ll}-]+$/u.test(name) && words.has(plain(name)) && !asked.question.includes(name) &&
    idOf(name) === undefined
  );
}

/** Who does what the question says: the relations whose object it names. */
function whoDoes(current: readonly Relation[], asked: Asked): Relation[] {
  const named = current.filter((relation) => {
    const words = contentWords(relation.object);
    return words.length > 0 && coverage(words, asked.question) >= 0.99;
  });
  const saying = named.filter((relation) => asked.attributes.some((predicate) => says(relation, predicate)));
  if (saying.length > 0) return saying;
  const byWord = named.filter((relation) => coverage(contentWords(relation.predicate), asked.question) > 0);
  return byWord.length > 0 ? byWord : asked.attributes.length === 0 ? named : [];
}

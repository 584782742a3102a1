import { type Ending, type ExtractedFact, OWNER } from "../../base/facts/mod.ts";
import { canonicalPredicate, withBroader } from "../../base/predicates.ts";
import { kinOf, nameFor } from "./names.ts";
import type { Relation } from "./recalled.ts";
import { contentWords, coverage, plain } from "./words.ts";

/** Whether a subject only says what someone is to the owner: "my sister", 我姐姐. */
const isKin = (subject: string) => /^(?:my |我(?!的))/i.test(subject);

/** Whether what a message states can only be written with what memory holds at hand. */
export function needsMemory(facts: readonly ExtractedFact[], endings: readonly Ending[]): boolean {
  return endings.length > 0 || facts.some((fact) => isKin(fact.subject) || mayOvertake(fact));
}

/** Whether a fact takes the place of one that may have been told under what someone is to the owner. */
const mayOvertake = ({ subject, id, subject_type }: ExtractedFact) =>
  subject !== OWNER && subject_type === "person" && id !== undefined && canonicalPredicate(id)?.single === true;

/** What to look for in memory before writing. */
export function keywordsFor(facts: readonly ExtractedFact[], endings: readonly Ending[]): string[] {
  const words = [
    ...facts.filter((fact) => isKin(fact.subject) || mayOvertake(fact)).map(({ subject }) => subject),
    ...endings.flatMap(({ subject, object }) => [subject, object]),
  ];
  return [...new Set([OWNER, ...words.filter((word) => word !== undefined)])];
}

/** What those whose facts may have been told before their name was are to the owner: "my mother", for Grace. */
export function otherNames(facts: readonly ExtractedFact[], relations: readonly Relation[]): string[] {
  return [...new Set(facts.filter(mayOvertake).flatMap(({ subject }) => kinOf(new Set([plain(subject)]), relations)))];
}

/** The facts with everyone whose name memory has called by it: of "my sister" who is Anna, Anna. */
export function withNames(facts: readonly ExtractedFact[], relations: readonly Relation[]): ExtractedFact[] {
  return facts.map((fact) => {
    const name = isKin(fact.subject) ? nameFor(fact.subject, relations) : undefined;
    return name === undefined || name === fact.object ? fact : { ...fact, subject: name };
  });
}

/** The relations that hold no longer, as the message says, or as one of its facts has the same person's newer value. */
export function endedBy(
  { endings: said, facts }: { endings: readonly Ending[]; facts: readonly ExtractedFact[] },
  relations: readonly Relation[],
): Relation[] {
  const current = relations.filter((relation) => relation.current);
  const overtaken = facts.filter(mayOvertake).flatMap((fact) => {
    const kin = new Set(kinOf(new Set([plain(fact.subject)]), relations).map(plain));
    return current.filter(({ subject, predicate, object }) =>
      kin.has(plain(subject)) && canonicalPredicate(predicate)?.id === fact.id && plain(object) !== plain(fact.object)
    );
  });
  const ended = [
    ...said.flatMap((ending) => current.filter((relation) => ends(ending, relation, relations))),
    ...overtaken,
  ];
  return [...new Map(ended.map((relation) => [relation.id, relation])).values()].filter(({ id }) => id !== undefined);
}

function ends(ending: Ending, relation: Relation, relations: readonly Relation[]): boolean {
  const known = canonicalPredicate(relation.predicate);
  if (ending.except !== undefined && plain(ending.except) === plain(relation.object)) return false;
  if (ending.predicate !== undefined && plain(ending.predicate) !== plain(relation.predicate)) return false;
  if (ending.ids.length > 0) {
    const ids = known ? withBroader(known).map(({ id }) => id) : [];
    const isThing = ["是", "is"].includes(relation.predicate) && ending.ids.includes("model");
    if (!isThing && !ending.ids.some((id) => ids.includes(id))) return false;
  }
  // What was sold may stand as "my car is a Fiat".
  const ofOwner = ending.subject === OWNER && ending.ids.includes("model") && /^(?:my |我的)/i.test(relation.subject);
  if (ending.subject !== undefined && !ofOwner && !isSame(ending.subject, relation.subject, relations)) return false;
  if (ending.object === undefined) return true;
  if (isSame(ending.object, relation.object, relations)) return true;
  const words = contentWords(ending.object);
  if (words.length > 0 && coverage(words, relation.object) === 1) return true;
  // "The cat died": of the pets, the one that is a cat. "Sold the car": of the things, the one told of as a car.
  if (known?.id === "pet") {
    return relations.some(({ subject, predicate, object }) =>
      canonicalPredicate(predicate)?.id === "species" && plain(subject) === plain(relation.object) &&
      words.length > 0 && coverage(words, object) === 1
    );
  }
  return known?.id === "owns" && words.length > 0 && coverage(words, relation.sentence ?? "") === 1 &&
    relations.filter((other) => other.sentence === relation.sentence && other.predicate === relation.predicate)
        .length === 1;
}

function isSame(a: string, b: string, relations: readonly Relation[]): boolean {
  if (plain(a) === plain(b)) return true;
  if (isKin(a)) return plain(nameFor(a, relations) ?? "") === plain(b);
  return isKin(b) && kinOf(new Set([plain(a)]), relations).some((kin) => plain(kin) === plain(b));
}

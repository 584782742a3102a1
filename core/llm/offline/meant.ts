import { usualNoun } from "../../base/facts/mod.ts";
import { canonicalPredicate, type Predicate, withBroader } from "../../base/predicates.ts";
import type { Asked } from "./ask.ts";
import { type Found, told } from "./found.ts";
import { isOwner } from "./names.ts";
import type { Relation } from "./recalled.ts";
import { idOf, qualified } from "./says.ts";
import { contentWords, coverage, plain } from "./words.ts";

/** Of "email" and "work email", the one that the question means. */
export function ofQualifier(found: Relation[], asked: Asked): Relation[] {
  const isFreely = ({ predicate }: Relation) => idOf(predicate) === undefined && qualified(predicate) !== undefined;
  // 护照号 is asked for, not 身份证号, though both are the number of a document.
  const said = found.filter(({ predicate }) =>
    predicate.length > 1 && plain(asked.question).includes(plain(predicate))
  );
  if (said.length > 0 && said.length < found.length) {
    const longest = Math.max(...said.map(({ predicate }) => predicate.length));
    return said.filter(({ predicate }) => predicate.length === longest);
  }
  const meant = found.filter((relation) =>
    isFreely(relation) && coverage(contentWords(relation.predicate), asked.question) === 1
  );
  if (meant.length > 0) return meant;
  const plainly = found.filter((relation) => !isFreely(relation));
  return plainly.length > 0 ? plainly : found;
}

/** Of an attribute with one value at a time, what was told last of everyone that is asked about: they may stand under
 * two names. */
export function newest(found: Relation[], attribute: Predicate | undefined): Relation[] {
  const isOne = ({ predicate }: Relation) => canonicalPredicate(predicate)?.single ?? ["是", "is"].includes(predicate);
  const single = attribute?.single === true && !attribute.id.startsWith("favourite");
  const out: Relation[] = [];
  for (const relation of found) {
    const rival = out.findIndex((other) =>
      isOne(relation) && isOne(other) && isOneSubject(other, relation) &&
      (single || attributeOf(other) === attributeOf(relation))
    );
    if (rival < 0) out.push(relation);
    else if (isNewer(relation, out[rival]!)) out[rival] = relation;
  }
  return out;
}

const attributeOf = ({ predicate }: Relation) => idOf(predicate) ?? predicate;

/** Whether two subjects of what was found are one and the same: one of them only says what they are to the owner. */
function isOneSubject(a: Relation, b: Relation): boolean {
  const kin = (subject: string) => /^(?:my |我)/i.test(subject);
  const isSelf = [a, b].some(({ subject }) => isOwner(plain(subject)));
  return plain(a.subject) === plain(b.subject) || !isSelf && kin(a.subject) !== kin(b.subject);
}

export function isNewer(a: Relation, b: Relation): boolean {
  const [from, other] = [a.from ?? "", b.from ?? ""];
  return from === other ? (a.id ?? "") > (b.id ?? "") : from > other;
}

/** Of people who are the same to somebody, those told with the word of the question: the dentist, of the doctors. */
export function ofNoun(found: Relation[], asked: Asked): Relation[] {
  const { noun } = asked;
  if (noun === undefined) return found;
  const word = plain(usualNoun(noun));
  const exact = found.filter((relation) => plain(usualNoun(relation.predicate)) === word);
  if (exact.length > 0) return exact;
  return found.filter((relation) => {
    const known = canonicalPredicate(relation.predicate);
    const generic = known && isGeneric(known, relation.predicate);
    const asksGeneric = known && isGeneric(known, word);
    const alike = known && withBroader(known).length > 2;
    return generic || asksGeneric || alike;
  });
}

/** What one likes to drink, of all that one likes: told with that verb. */
export function ofVerb(found: Relation[], asked: Asked): Relation[] {
  const verb = /[喜欢爱](吃|喝|看|听|玩|读)/.exec(asked.question)?.[1] ??
    /\blikes? (?:to )?(eat|drink|read|play|watch|cook)/i.exec(asked.question)?.[1]?.toLowerCase();
  if (verb === undefined) return found;
  const near = found.filter(({ object, sentence = "" }) =>
    new RegExp(`${verb}(?:ing)?\\s?$`).test(
      plain(sentence).slice(0, Math.max(0, plain(sentence).indexOf(plain(object)))),
    ) ||
    plain(object).startsWith(verb)
  );
  if (near.length > 0) return near;
  const fitting = found.filter(({ sentence = "" }) => plain(sentence).includes(verb));
  return fitting.length > 0 ? fitting : found;
}

/** The kind of thing that a question asks for: car, of "which cars do I own?". */
export const kindsOf = ({ allWords }: Asked) =>
  allWords.filter((word) => !["own", "drive", "driv", "buy", "bought", "posses"].includes(word));

/** Whether a word names all that its relation holds: a doctor may be a dentist, 岳父 is no 岳母. */
const isGeneric = (known: Predicate, word: string) =>
  word === known.en ||
  word === known.zh &&
    ![
      "in_law",
      "uncle",
      "aunt",
      "cousin",
      "grandmother",
      "grandfather",
      "helper",
      "partner",
      "nephew_niece",
      "grandchild",
    ].includes(known.id);

/** Things one has, of the kind that the question names, by their own words or those they were told with. */
export function owned(found: Relation[], asked: Asked): Found {
  const kinds = kindsOf(asked);
  const verdict = asked.yesNo ? "yes" : undefined;
  if (kinds.length === 0) return told(found, verdict);
  const things = found.filter(({ subject }) => !isOwner(plain(subject)));
  const named = found.filter(({ object }) => coverage(kinds, object) > 0);
  if (things.length + named.length > 0) return told([...things, ...named], verdict);
  const spoken = found.filter(({ sentence = "" }) => coverage(kinds, sentence) > 0);
  if (spoken.length > 0) return told(spoken, verdict);
  return asked.yesNo ? { kind: "nothing" } : told(found.slice(-4), "perhaps");
}

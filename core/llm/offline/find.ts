import {
  extractFacts,
  isUnrealClause,
  languageOf,
  moodOf,
  OWNER,
  splitSentences,
  usualNoun,
} from "../../base/facts/mod.ts";
import { canonicalPredicate, type Predicate, withBroader } from "../../base/predicates.ts";
import type { Asked } from "./ask.ts";
import { isOwner, namesOf, ofKind } from "./names.ts";
import type { Passage, Recalled, Relation } from "./recalled.ts";
import { contentWords, coverage, plain } from "./words.ts";

/** How a question for yes or no is answered by what was found: `unsaid` when it tells other values than the one that was
 * asked for, `perhaps` when it may be one of these, `former` when it held once, `before` when that was asked. */
export type Verdict = "yes" | "no" | "unsaid" | "perhaps" | "former" | "before";

/** What was found for a question. */
export type Found =
  | { kind: "relations"; relations: Relation[]; verdict?: Verdict }
  | { kind: "passage"; passage: Passage; source: "memory" | "knowledge" }
  | { kind: "nothing" };

const idOf = (predicate: string) => canonicalPredicate(predicate)?.id;

const IP = /\b(?:\d{1,3}\.){3}\d{1,3}\b|^[0-9a-f]*(?::[0-9a-f]*){3,}$/i;

/** Relations that answer for another one when their value looks like it: where a machine is on the network is its
 * address, and so is a street where somebody lives. */
const ALSO: Record<string, readonly { id: string; shaped?: RegExp }[]> = {
  address: [{ id: "ip" }, { id: "lives_in", shaped: /\d/ }, { id: "url" }, { id: "located_in", shaped: IP }],
  ip: [{ id: "address", shaped: IP }, { id: "located_in", shaped: IP }],
  lives_in: [{ id: "address" }, { id: "located_in" }],
  major: [{ id: "hobby" }],
  date: [{ id: "time" }, { id: "event" }, { id: "deadline" }],
  time: [{ id: "date" }, { id: "opening_hours" }],
  job: [{ id: "status", shaped: /retired|退休/ }],
  owns: [{ id: "model" }],
  marital_status: [{ id: "spouse" }],
};

/** Whether a relation's predicate says what is asked, itself or more narrowly. */
function says(relation: Relation, wanted: Predicate): boolean {
  const known = canonicalPredicate(relation.predicate);
  if (!known) {
    if (["是", "is"].includes(relation.predicate)) return wanted.id === "model" || wanted.id === "owns";
    return plain(relation.predicate) === plain(wanted.en) || plain(relation.predicate) === plain(wanted.zh) ||
      qualified(relation.predicate) === wanted.id;
  }
  if (known.id === wanted.id) return true;
  if (wanted.id === "favourite") return known.id.startsWith("favourite ");
  if (wanted.id.startsWith("favourite ")) return sameFavourite(known.id, wanted.id);
  if (known.id.startsWith("favourite ")) return wanted.id === "likes";
  if (known.id === "name" && canonicalPredicate(relation.subject.replace(/^(?:my |我的?)/, ""))?.id === wanted.id) {
    return true; // the Wi-Fi is called so: that is the Wi-Fi's name
  }
  const ids = withBroader(known).map(({ id }) => id);
  return ids.includes(wanted.id) ||
    ALSO[wanted.id]?.some(({ id, shaped }) => ids.includes(id) && (!shaped || shaped.test(relation.object))) === true;
}

/** The relation of the vocabulary that a free predicate names with something before it: "work email", 公司邮箱. */
function qualified(predicate: string): string | undefined {
  const words = predicate.split(" ");
  for (let from = 1; from < words.length; from++) {
    const known = idOf(words.slice(from).join(" "));
    if (known) return known;
  }
  for (let from = 1; /^\p{Script=Han}+$/u.test(predicate) && from < predicate.length - 1; from++) {
    const known = idOf(predicate.slice(from));
    if (known) return known;
  }
  return undefined;
}

/** Of "email" and "work email", the one that the question means. */
function ofQualifier(found: Relation[], asked: Asked): Relation[] {
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

function sameFavourite(known: string, wanted: string): boolean {
  if (!known.startsWith("favourite ")) return false;
  const [a, b] = [known.slice(10), wanted.slice(10)];
  return a.includes(b) || b.includes(a);
}

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

/** In the order in which they were told. */
function told(relations: Relation[], verdict?: Verdict): Found {
  const once = [
    ...new Map(relations.map((each) => [`${each.subject}\n${each.predicate}\n${each.object}`, each])).values(),
  ];
  const inOrder = once.toSorted((a, b) => (a.id ?? "") < (b.id ?? "") ? -1 : (a.id ?? "") > (b.id ?? "") ? 1 : 0);
  return { kind: "relations", relations: inOrder, ...(verdict ? { verdict } : {}) };
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

interface Wanted {
  names: Set<string>;
  attribute: Predicate | undefined;
}

function isAbout(relation: Relation, asked: Asked, { names, attribute }: Wanted): boolean {
  if (attribute ? !says(relation, attribute) : asked.about.kind === "owner" || asked.about.kind === "thing") {
    return false;
  }
  const subject = plain(relation.subject);
  if (names.has(subject)) return asked.about.kind !== "owner" || !needsThing(asked, attribute);
  // A thing is named by the other words of the question; "my Wi-Fi" is the Wi-Fi.
  if (asked.about.kind === "owner" || asked.about.kind === "thing") {
    if (isOwner(subject)) return asked.about.kind === "thing" && asked.words.length === 0 && attribute?.id !== "name";
    return isThing(relation.subject, asked);
  }
  return isThingOf(relation.subject, asked, names);
}

/** "Anna's car" of a question about Anna that has the car in its other words. */
function isThingOf(subject: string, asked: Asked, names: Set<string>): boolean {
  const text = plain(subject);
  const whose = [...names].find((name) => text.startsWith(`${name}'s `) || text.startsWith(`${name}的`));
  if (whose === undefined || asked.words.length === 0) return false;
  const words = contentWords(text.slice(whose.length).replace(/^'s |^的/, ""));
  return words.length > 0 && coverage(words, asked.question) >= 0.99;
}

/** Of an attribute with one value at a time, what was told last of everyone that is asked about: they may stand under
 * two names. */
function newest(found: Relation[], attribute: Predicate | undefined): Relation[] {
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

function isNewer(a: Relation, b: Relation): boolean {
  const [from, other] = [a.from ?? "", b.from ?? ""];
  return from === other ? (a.id ?? "") > (b.id ?? "") : from > other;
}

/** Of people who are the same to somebody, those told with the word of the question: the dentist, of the doctors. */
function ofNoun(found: Relation[], asked: Asked): Relation[] {
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
function ofVerb(found: Relation[], asked: Asked): Relation[] {
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
const kindsOf = ({ allWords }: Asked) =>
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
function owned(found: Relation[], asked: Asked): Found {
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

/** Relations that say what someone does not do. */
const NEGATIVE = new Set(["dislikes", "allergic_to"]);

/** The answer where the question names the value itself: "do I like olives?", "can Theo eat nuts?". */
function yesOrNo(relations: readonly Relation[], asked: Asked, names: Set<string>): Found | undefined {
  const isSubject = (relation: Relation) => {
    const subject = plain(relation.subject);
    return asked.about.kind === "thing" ? isThing(relation.subject, asked) : names.has(subject);
  };
  const named = relations.filter((relation) => isSubject(relation) && isNamed(relation, asked));
  const asksNegative = asked.attributes.some(({ id }) => NEGATIVE.has(id));
  const fits = (relation: Relation) => {
    const id = idOf(relation.predicate) ?? "";
    if (NEGATIVE.has(id)) {
      return asksNegative
        ? asked.attributes.some((attribute) => says(relation, attribute))
        : asked.attributes.length === 0 || asked.attributes.some((each) => CONTRARY.has(each.id));
    }
    return asked.attributes.length === 0 || asked.attributes.some((attribute) => says(relation, attribute)) ||
      asked.attributes.every((each) => LOOSE.has(each.id)) && !asksNegative;
  };
  const fitting = named.filter(fits);
  const current = fitting.filter((relation) => relation.current);
  const best = newestEach(current.length > 0 ? current : fitting);
  if (best.length === 0) return undefined;
  const verdict = current.length === 0
    ? "former"
    : !asksNegative && NEGATIVE.has(idOf(best.at(-1)!.predicate) ?? "")
    ? "no"
    : "yes";
  const said = verdict === "no" ? best.filter((each) => NEGATIVE.has(idOf(each.predicate) ?? "")) : best;
  return told(said, verdict);
}

/** What a dislike or an allergy is the contrary of, and verbs that say as little as "can". */
const CONTRARY = new Set(["likes", "skill", "hobby", "diet", "owns", "favourite"]);
const LOOSE = new Set(["status", "name", "skill", "diet", "job"]);

/** Of the same value liked and disliked, what was told last comes last. */
const newestEach = (relations: Relation[]) => relations.toSorted((a, b) => isNewer(a, b) ? 1 : -1);

/** What other values say to a question that named none of them. */
function verdictOf(found: Relation[], asked: Asked, attribute: Predicate | undefined): Verdict | undefined {
  if (asked.words.length === 0) return "yes";
  if (found.every((relation) => isNamed(relation, asked))) return "yes";
  return attribute?.single && !SEVERAL_TRUE.has(attribute.id) ? "no" : "unsaid";
}

/** Single-valued in the table, yet another value does not make it wrong. */
const SEVERAL_TRUE = new Set(["status", "model", "owner", "reason", "supplier", "event", "job"]);

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

/** The owner's numbers that stand at the thing they belong to, for who asks for a number without naming it. */
function isHeld(relation: Relation, asked: Asked): boolean {
  return asked.about.kind === "owner" && asked.words.length === 0 && /^(?:my |我的)/i.test(relation.subject) &&
    asked.attributes.some((attribute) =>
      ["phone", "id_number", "account", "bank_account", "plate"].includes(attribute.id) && says(relation, attribute)
    );
}

/** "Where did I park?": the sentence that told where the car is has the words of the question. */
function isSpokenOf(relation: Relation, asked: Asked): boolean {
  if (asked.about.kind !== "owner" && asked.about.kind !== "thing" || asked.words.length === 0) return false;
  return asked.attributes.some((predicate) => says(relation, predicate)) &&
    coverage(asked.words, relation.sentence ?? "") >= 0.99;
}

/** "What colour is my car" asks about the car, not about the person. */
function needsThing(asked: Asked, attribute: Predicate | undefined): boolean {
  return attribute !== undefined &&
    [
      "color",
      "located_in",
      "price",
      "model",
      "password",
      "ip",
      "port",
      "expiry",
      "warranty",
      "address",
      "phone",
      "date",
      "time",
      "url",
      "version",
    ].includes(attribute.id) &&
    asked.words.length > 0;
}

function isThing(subject: string, asked: Asked): boolean {
  const words = contentWords(subject);
  // A machine's own name says which it is: nas01, of "server nas01".
  if (words.some((word) => /\p{L}\d|\d\p{L}/u.test(word) && asked.allWords.includes(word))) return true;
  const name = plain(subject).replace(/^(?:my |the |我的|我家的?|家里的?)/, "");
  const question = plain(asked.question);
  if (name.length > 1 && question.replace(/的/g, "").includes(name.replace(/的/g, ""))) return true;
  return words.length > 0 && coverage(words, asked.question) >= 0.99;
}

/** A relation told in the other language's script, which memory finds near enough to the question to answer it. */
const ANSWERS = 0.42;

function isForeign(relation: Relation, asked: Asked): boolean {
  if (asked.about.kind !== "owner" && asked.about.kind !== "thing" || (relation.score ?? 0) < ANSWERS) return false;
  const isHan = (text: string) => /\p{Script=Han}/u.test(text);
  return relation.subject !== OWNER && isHan(relation.subject) !== isHan(asked.question) &&
    asked.attributes.some((predicate) => says(relation, predicate));
}

/** A relation outside the vocabulary, whose own words the question repeats. */
function isFree(relation: Relation, asked: Asked, names: Set<string>): boolean {
  const known = canonicalPredicate(relation.predicate);
  if (known && asked.attributes.length > 0) return false;
  const subject = plain(relation.subject);
  const person = asked.about.kind !== "thing";
  if (person && !names.has(subject) && !(asked.about.kind === "owner" && isThing(relation.subject, asked))) {
    return false;
  }
  const words = contentWords(relation.predicate);
  const isTold = words.length > 0 && asked.words.length > 0 &&
    coverage(asked.words, `${relation.subject} ${relation.predicate}`) === 1;
  if (!person && !isThing(relation.subject, asked) && !isTold) return false;
  return words.length > 0 && coverage(words, asked.question) >= 0.6;
}

/** Whether the question itself says the relation's object. */
function isNamed(relation: Relation, asked: Asked): boolean {
  const words = contentWords(relation.object);
  return words.length > 0 && coverage(words, asked.question) >= 0.6 ||
    asked.words.length > 0 && coverage(asked.words, relation.object) === 1 ||
    relation.object.length > 1 && /\p{Script=Han}/u.test(relation.object) &&
      plain(asked.question).includes(plain(relation.object)) ||
    /^\p{Script=Han}$/u.test(relation.object) && asked.question.includes(relation.object);
}

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
function bestPassage(asked: Asked, passages: readonly Passage[], names: Set<string>): Passage | undefined {
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

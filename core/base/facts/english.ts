import { canonicalPredicate, predicateById } from "../predicates.ts";
import { OWNER } from "./fact.ts";
import { tellEnglishEnding } from "./english_endings.ts";
import { withCapitals } from "./english_names.ts";
import { isAttribute, relationNoun, subjectOf } from "./english_subject.ts";
import { VERB_RULES } from "./english_rules.ts";
import { cleanObject, expandContractions, isJob, isName, listOf, NAME } from "./english_words.ts";
import { isUnrealClause } from "./mood.ts";
import { type Entity, isPerson, owner, type Scene } from "./scene.ts";

const OPENING =
  /^(?:(?:hi|hello|hey|well|oh|ok|okay|sorry|actually|by the way|btw|so|and|also|but|no|yes|yeah|yep|fyi|anyway|correction|just so you know|for the record|in fact|to be clear|as you know|good (?:morning|evening|afternoon)|nice to meet you|homed|i meant(?: to say)?(?: that)?|i mean(?: that)?|(?:i think|i guess|i believe)(?: that)?|you should know(?: that)?|i want you to know(?: that)?|i'd like you to know(?: that)?|let me tell you(?: that)?|it turns out(?: that)?|the thing is(?: that)?|these days|nowadays|currently|right now|last \w+|since \w+|in \d{4}|today|yesterday|at the moment|now|there|everyone|unfortunately|luckily|sadly|finally)\b[,:!.]? *)+(?=\S)/i;

/** Where a clause may end: before a new subject, or before a verb that shares the old one. */
const JOINT =
  /,? (?:and now|and then|and|but|while|because|who|which|so|where|though|plus) |, (?:who |which |now |then )?|; | - | – | — /gi;

const SUBJECT_START =
  /^(?:(?:my )?friends call me|everyone calls me|people call me|i|we|he|she|it|they|my|our|his|her|its|their)\b/i;

/** Understands one English telling. */
export function tellEnglish(sentence: string, scene: Scene): void {
  let text = expandContractions(withCapitals(sentence)).replace(/[.!]+$/, "").replace(/, (?:and )?not [^,]+$/i, "")
    .trim();
  text = text.replace(OPENING, (opening) => /^(?:yesterday|now)$/i.test(opening.trim()) ? "" : "").trim();
  for (const clause of clausesOf(spelledOut(text))) {
    if (isUnrealClause(clause, "en")) continue;
    tellClause(clause, scene);
  }
}

/** What a sentence leaves out, put in: "I am Ada, 36, a nurse" says three times what I am, and "Bo's birthday is 4 July and
 * mine is 9 May" tells two birthdays. */
function spelledOut(text: string): string {
  const named = text.replace(
    /\b(have|has) (?:just |recently )?had (?=an? (?:baby|little|son|daughter|boy|girl)\b)/i,
    "$1 ",
  )
    .replace(/^[^:]{3,40}: (?=(?:I|we|my|our)\b)/i, "")
    .replace(
      /,? (?:phone|tel|telephone|mobile|number)(?: number| no\.?)?:? ([+\d(][\d ()/.-]{5,})$/i,
      ", their phone is $1",
    )
    .replace(
      /^((?:my |our |the )?[\w' -]{2,40}): (?=\S)/i,
      (whole, phrase: string) =>
        isAttribute(phrase.replace(/^.*(?:'s|\bmy|\bour|\bthe) /i, "")) ? `${phrase} is ` : whole,
    )
    .replace(new RegExp(`^(I am ${NAME}),? (?:and )?(\\d{1,3})(?=,| and|$)`, "u"), "$1, I am $2")
    .replace(/^(I am .+?), (an? [^,]+)$/i, "$1, I am $2");
  const pair = new RegExp(
    `^((?:[Mm]y|[Oo]ur) [\\p{L} -]+? (?:${NAME})) and ((?:his|her|my|our) [\\p{L} -]+? (?:${NAME})) (live|work|moved|like|love|speak|play|have) (.+)$`,
    "u",
  ).exec(named);
  if (pair) return `${pair[1]} ${pair[3]} ${pair[4]} and ${pair[2]} ${pair[3]} ${pair[4]}`;
  const renewed =
    /^(?:my|our) (?:old|former|previous) ([\p{L} -]+?) (?:was|is) (.+?),? (?:and|but) (?:my|our|the) (?:new|current) (?:one|\1) is (.+)$/iu
      .exec(named);
  if (renewed) return `my ${renewed[1]} is ${renewed[3]}`;
  const both =
    /^(.*?(?:\bmy|\bour|'s) ((?:[\p{L}-]+ ){0,2}?[\p{L}-]+)) (is|are|was) (.+?),? (?:and|but) (mine|ours|his|hers|(?:my |our )?[\p{L}-]+(?: [\p{L}-]+)?'s) (?:is|are|was) (.+)$/iu
      .exec(named);
  if (!both) return named;
  const whose = { mine: "my", ours: "our", hers: "her", his: "his" }[both[5]!.toLowerCase()] ?? both[5]!;
  return `${both[1]} ${both[3]} ${both[4]} and ${whose} ${both[2]} ${both[3]} ${both[6]}`;
}

/** "my wife, Ingrid, is …" → "my wife Ingrid is …". */
function joinApposition(text: string): string {
  return text.replace(
    new RegExp(`\\b((?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er) [\\p{L} -]+?), (${NAME}),(?= )`, "gu"),
    (whole, noun, name) => {
      return relationNoun(noun.replace(/^\w+ /, "")) ? `${noun} ${name}` : whole;
    },
  );
}

function clausesOf(text: string): string[] {
  const joined = joinApposition(text);
  const clauses: string[] = [];
  let from = 0;
  for (const joint of joined.matchAll(JOINT)) {
    const rest = joined.slice(joint.index + joint[0].length).replace(/^(?:and|but|also|then) /i, "");
    const before = joined.slice(from, joint.index);
    if (before.trim() === "") continue;
    if (
      startsClause(rest) &&
      !(/ and $/i.test(joint[0]) && /^I (?:got|are|were|am|live|have|both)/.test(rest) && isName(before.trim()))
    ) {
      clauses.push(before);
      from = joint.index + joint[0].length;
    }
  }
  clauses.push(joined.slice(from));
  return clauses.map((clause) => clause.trim().replace(/^(?:and|but|also|then) /i, "")).filter((clause) =>
    clause !== ""
  );
}

/** Whether these words begin a clause of their own rather than go on with a list. */
function startsClause(rest: string): boolean {
  if (/^not /i.test(rest)) return false;
  if (SUBJECT_START.test(rest)) {
    return /\b(?:am|is|are|was|were|have|has|\w+s|live|like|love|work|hate|own|moved|joined|grew|got|prefer|drive|speak|do|does|study|call|calls)\b/i
      .test(rest);
  }
  if (/^(?:could|would|might|may|will) (?!be called)/i.test(rest)) return true;
  if (/^(?:is|are|has|have|was|am|costs?|expires?|ends|belongs|runs|listens|weighs|opens|closes) /i.test(rest)) {
    return true;
  }
  if (new RegExp(`^(?:${NAME})'s [\\p{L} -]{3,30}? (?:is|are|was) `, "u").test(rest)) return true;
  if (/^(?:sold|gave away|got rid of|threw|replaced|retired|stopped|died|broke up|quit|left) ?/i.test(rest)) {
    return true;
  }
  return VERB_RULES.some((rule) =>
    rule.who !== "thing" && rule.when.test(rest) &&
    /^(?:live|work|like|love|enjoy|hate|play|speak|stud|mov|join|grew|turn|come|teach|own|drive|go|just|cannot|do|quit|left|goes|marr|got|have|prefer|attend|wear|weigh|take|dislike|adore|was|were|collect|support|keep|bought|sold|gave|replaced|adopted|retired|stopped|died|broke|costs?)/i
      .test(rest)
  ) ||
    new RegExp(
      `^(?:${NAME}) (?:just |also |now )?(?:is|are|was|lives|works|likes|has|loves|turned|plays|goes|hates|speaks|moved|drives|studies)\\b`,
      "u",
    ).test(rest) ||
    /^(?:the|a) [\w -]{2,30}? (?:is|are|runs|costs|expires)\b/i.test(rest);
}

/** Whole clauses that have no subject to look for. */
const WHOLE: readonly { when: RegExp; tell(match: RegExpExecArray, scene: Scene): void }[] = [
  {
    when:
      /^(?:please |just |you |can |may |should |simply |everyone |people |my friends |they |friends )*calls? me (.+)$/i,
    tell(m, scene) {
      const named = scene.facts.some((fact) => fact.subject === OWNER && fact.id === "name");
      scene.say(owner, named ? "#nickname" : "#name", cleanObject(m[1]!), { confidence: 0.7 });
    },
  },
  {
    when: /^I (?:prefer|like|want|go) (?:to be |being )?(?:called|known as) (.+)$/i,
    tell: (m, scene) => scene.say(owner, "#nickname", cleanObject(m[1]!)),
  },
  {
    when: /^(?:you can |please )*(?:reach|call|text|phone|ring) (?:me|us) (?:at|on|under) ([+\d(][\d\s()/.-]{4,})/i,
    tell: (m, scene) => scene.say(owner, "#phone", cleanObject(m[1]!)),
  },
  {
    when: /^(?:you can |please )*(?:reach|e-?mail|write to|contact|mail) (?:me|us) (?:at |on |under )?(\S+@\S+)/i,
    tell: (m, scene) => scene.say(owner, "#email", cleanObject(m[1]!)),
  },
  {
    when: new RegExp(
      `^(?:(${NAME}) and I|(?:me|I) and (${NAME})) (?:got|are|were|have been|both) ?(married|engaged|friends|flatmates|roommates|colleagues|dating)\\b`,
      "iu",
    ),
    tell(m, scene) {
      const id = {
        married: "spouse",
        engaged: "partner",
        dating: "partner",
        friends: "friend",
        colleagues: "colleague",
      }[m[3]!.toLowerCase()] ?? "roommate";
      scene.topic = scene.introduce(owner, predicateById(id), (m[1] ?? m[2])!);
    },
  },
  {
    when:
      /^(?:I|we|he|she|they|my \w+) (?:have |has |just |now |recently )*(?:changed|updated|set|reset|switched|turned|renamed) ((?:my|our|the|his|her) .+?) (?:to|as) (.+)$/i,
    tell(m, scene) {
      const subject = subjectOf(m[1]!, scene);
      if (subject?.kind === "attribute") tellAttribute(subject, cleanObject(m[2]!), scene);
    },
  },
  {
    when:
      /^(?:I|we|he|she|they) (?:have |has |always |usually |normally |now |just )*(?:put|keeps?|kept|stored?|stores|hid|hide|placed?|parked?|stash(?:ed)?|filed|hung|left) ((?:my|our|the|his|her|their) .+?) ((?:in|on|under|behind|at|inside|near|next to|above|below|beside|between|by) (?!january|february|march|april|may|june|july|august|september|october|november|december|\d{4}).+)$/i,
    tell(m, scene) {
      const subject = subjectOf(m[1]!, scene);
      if (!subject || subject.kind === "attribute" || isPerson(subject)) return;
      scene.say(subject, "#located_in", cleanObject(m[2]!), { words: "is located" });
      scene.topic = subject;
    },
  },
  {
    when: new RegExp(`^(?:I|[Ww]e|[Tt]hey) (?:have )?(?:named|called) (?:my|our|the) (.+?) (${NAME})$`, "u"),
    tell(m, scene) {
      const noun = m[1]!.toLowerCase().replace(/^(?:new|little|young) /, "");
      const relation = relationNoun(noun);
      if (!relation || !isName(m[2]!)) return;
      scene.topic = scene.introduce(owner, relation, m[2]!, { noun });
      if (relation.id === "pet") scene.say(scene.topic, "#species", noun);
    },
  },
  {
    when: new RegExp(`^(?:this is|meet) (?:my|our) (.+?),? (${NAME})$`, "iu"),
    tell(m, scene) {
      const relation = relationNoun(m[1]!);
      if (relation) scene.topic = scene.introduce(owner, relation, m[2]!, { noun: m[1]!.toLowerCase() });
    },
  },
];

function tellClause(clause: string, scene: Scene): boolean {
  for (const whole of WHOLE) {
    const match = whole.when.exec(clause);
    if (match) {
      whole.tell(match, scene);
      return true;
    }
  }
  if (tellEnglishEnding(continued(clause, scene), scene, tellClause)) return true;
  // "My sister Kate", and no more: she is who the next words are about.
  const alone = new RegExp(`^(?:[Mm]y|[Oo]ur) ([\\p{L} -]+?) (?:${NAME})$`, "u").exec(clause);
  if (alone && relationNoun(alone[1]!)) {
    const subject = subjectOf(clause, scene);
    if (subject?.kind === "named" && subject.type === "person") scene.topic = subject;
    return true;
  }
  const words = clause.split(" ");
  // A verb phrase alone goes on about the clause before it.
  if (scene.topic && tryRules(clause, scene.topic, scene, true)) return true;
  for (let count = 1; count < Math.min(words.length, 10); count++) {
    const rest = words.slice(count).join(" ");
    if (!mayBeVerb(rest)) continue;
    const before = scene.facts.length;
    const phrase = words.slice(0, count).join(" ");
    const subject = subjectOf(phrase, scene);
    if (!subject) continue;
    if (tryRules(rest, subject, scene, false) || tellCopula(rest, subject, scene) || scene.facts.length > before) {
      scene.topic = subject.kind === "attribute" ? subject.of ?? subject.owner : renamed(subject, scene);
      return true;
    }
    const thing: Entity = {
      kind: "named",
      name: phrase.replace(/^(?:the|a|an) /i, "").replace(/^(?:My|Our|our) /, "my "),
      type: "thing",
    };
    if (subject.kind === "attribute" && tryRules(rest, thing, scene, false)) {
      scene.topic = thing;
      return true;
    }
    if (subject === owner && count === 1) scene.topic = owner;
  }
  return false;
}

/** A clause with the subject that it shares with the one before: "sold the Fiat" is said of whoever did the last thing. */
function continued(clause: string, scene: Scene): string {
  const shares =
    /^(?:sold|gave|got rid|threw|lost|left|quit|broke up|stopped|died|passed|returned|replaced|donated|retired|resigned|no longer|do not|does not|cannot|am not|is not|are not)\b/i
      .test(clause);
  if (!shares || !scene.topic) return clause;
  return scene.nameOf(scene.topic) === OWNER ? `I ${clause}` : `${scene.nameOf(scene.topic)} ${clause}`;
}

/** The topic after naming: "my brother is called Tomasz" leaves Tomasz. */
function renamed(subject: Entity, scene: Scene): Entity {
  if (subject.kind === "named" && subject.name !== "user") return subject;
  return scene.topic && scene.topic !== subject && scene.topic.kind !== "attribute" &&
      scene.facts.some((fact) => fact.object === scene.nameOf(scene.topic!) && fact.sentence === scene.sentence)
    ? scene.topic
    : scene.topic?.kind === "relation" && subject === owner && scene.facts.length === 0
    ? scene.topic
    : subject;
}

const VERB_START =
  /^(?:am|is|are|was|were|have|has|'ve|got|do|does|did|can|cannot|will|just|now|also|really|absolutely|currently|still|always|recently|actually|usually|never|no|live|work|like|lov|enjoy|hat|detest|prefer|mov|relocat|join|grew|turn|com|teach|stud|go|attend|suffer|tak|marr|shar|speak|play|weigh|wear|support|own|driv|bought|keep|rid|run|listen|cost|expir|due|open|start|begin|leav|depart|clos|belong|sit|hang|stand|lies?|adopt|adore|dislike|loathe|despise|quit|left|lost|resign|graduat|collect|practi|resid|stay|emigrat|finally|mostly|only|already|even|quite|totally|particularly|especially|works|been|both|end|finish|reads|says|fancy|arriv|sells|lasts|reads?|majors?|originally)/i;

function mayBeVerb(rest: string): boolean {
  return VERB_START.test(rest) || /^[a-z]+ .*\b(?:on \w+days|(?:every|each) (?:other )?\w+day)\b/i.test(rest);
}

function tryRules(rest: string, subject: Entity, scene: Scene, shared: boolean): boolean {
  if (subject.kind === "attribute") return false;
  const person = isPerson(subject) || (subject.kind === "named" && subject.type === "pet") ||
    subject.kind === "relation";
  for (const rule of VERB_RULES) {
    if (rule.who === "person" && !person) continue;
    if (rule.who === "thing" && person && isPerson(subject) && subject.kind !== "named") continue;
    const match = rule.when.exec(rest);
    if (!match) continue;
    if (rule.tell(match, subject, scene) !== false) return true;
    if (/not|never|no longer/.test(rule.when.source) && rule.who === "any") return true;
  }
  return shared ? false : false;
}

const COPULA =
  /^(?:(?:now|also|still|actually|always|currently) )?(?:is|are|was|were|am)(?: (?:now|still|currently|also|actually))? (?:set to |on the |on |at )?(.+)$/i;

/** What is said of a thing itself and gives no value: "is parked on …", "is called …". */
const ELSEWHERE = /^(?:called|named|parked|kept|stored|hidden|located|in|on|under|behind|inside|near|next to)\b/i;
const WHEN_OR_WHERE = new Set([
  "birthday",
  "date",
  "time",
  "located_in",
  "address",
  "deadline",
  "expiry",
  "opening_hours",
  "event",
  "status",
  "floor",
]);

/** "The warranty ends in May": a time that is the attribute's value. */
const UNTIL =
  /^(?:ends|ended|expires|runs out|runs until|lasts until|goes until|is valid until|finishes|costs|reads|says) (?:on |in |at )?(.+)$/i;

/** Whether an end is what an attribute's value is: of a warranty it is, of an insurance it is not. */
const mayEnd = (predicate: string) =>
  !["insurance", "id_number", "bank_account", "account", "supplier", "phone"].includes(
    canonicalPredicate(predicate)?.id ?? "",
  );

/** "X is Y" for attributes, relations and names. */
function tellCopula(rest: string, subject: Entity, scene: Scene): boolean {
  const match = COPULA.exec(rest) ??
    (subject.kind === "attribute" && mayEnd(subject.predicate) ? UNTIL.exec(rest) : null);
  if (!match) return false;
  const object = cleanObject(match[1]!);
  if (
    object === "" ||
    /^(?:not|no|the same|very|too|so|really|like|good|bad|fine|nice|great|here|there|it|that|this|ok|okay|broken|wrong|right)\b/i
        .test(object) && object.split(" ").length < 5
  ) return false;
  if (subject.kind === "attribute") {
    const called = /^(?:called|named) (.+)$/i.exec(object)?.[1];
    if (called && CALLED.has(canonicalPredicate(subject.predicate)?.id ?? "")) {
      tellAttribute(subject, called, scene);
      return true;
    }
    if (ELSEWHERE.test(object) && !WHEN_OR_WHERE.has(canonicalPredicate(subject.predicate)?.id ?? "")) return false;
    const before = scene.facts.length;
    tellAttribute(subject, object.replace(/^with (?=\p{Lu})/u, ""), scene);
    return scene.facts.length > before;
  }
  if (subject.kind === "relation") {
    const at = new RegExp(`^(${NAME}) (?:at|from|of) ((?:the )?\\p{Lu}.*)$`, "u").exec(object);
    const names = at ? [at[1]!] : listOf(object);
    if (names.length === 0 || !names.every(isName)) return false;
    for (const name of names) scene.topic = scene.introduce(subject.owner, subject.predicate, name, subject);
    if (at && scene.topic) scene.say(scene.topic, "#works_at", at[2]!);
    return true;
  }
  if (scene.nameOf(subject) === "user") {
    const introduced = new RegExp(`^(${NAME})(?:,| and|$)`, "u").exec(match[1]!);
    const title = introduced && /^\p{Lu}+$/u.test(introduced[1]!) && introduced[1]!.length < 5;
    if (introduced && isName(introduced[1]!) && !(title && isJob(introduced[1]!.toLowerCase()))) {
      scene.say(owner, "#name", introduced[1]!);
      return true;
    }
    return false;
  }
  return false;
}

/** Attributes whose value is a name, so that "is called" tells it. */
const CALLED = new Set(["school", "works_at", "team", "hotel", "insurance", "supplier", "book"]);

/** What happens once: told of the thing itself, as there are several. */
const SCHEDULED = new Set(["event", "flight", "task", "deadline"]);

function tellAttribute(subject: Extract<Entity, { kind: "attribute" }>, object: string, scene: Scene): void {
  const known = canonicalPredicate(subject.predicate);
  const words = subject.predicate.toLowerCase();
  if (subject.owner === owner && SCHEDULED.has(known?.id ?? "")) {
    scene.say({ kind: "named", name: `my ${subject.predicate}`, type: "thing" }, "#date", object);
    return;
  }
  if (known?.id === "name" && subject.owner.kind === "relation" && subject.owner.plural !== undefined) {
    for (const name of listOf(object)) scene.introduce(subject.owner.owner, subject.owner.predicate, name);
    return;
  }
  if (known?.id === "name" && subject.owner.kind === "relation") {
    scene.topic = scene.introduce(subject.owner.owner, subject.owner.predicate, object, subject.owner);
    return;
  }
  if (known && !known.single) {
    for (const item of object.split(/, (?:and )?| and /)) scene.say(subject.owner, subject.predicate, item, { words });
  } else scene.say(subject.owner, subject.predicate, object, { words });
}

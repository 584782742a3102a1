import { CANONICAL_PREDICATES, canonicalPredicate, type Predicate, predicateById } from "../predicates.ts";
import { isName, NAME } from "./english_words.ts";
import { type Entity, isPerson, owner, type Scene } from "./scene.ts";

const people = new Set(
  CANONICAL_PREDICATES.filter((predicate) => predicate.inverse || predicate.broader === "relative"),
);

const PLURAL =
  /^(?:parents|siblings|children|kids|sons|daughters|sisters|brothers|friends|cousins|pets|cats|dogs|grandparents|neighbou?rs|colleagues|horses|rabbits|hamsters|puppies|kittens|parrots)$/i;

const ANIMAL =
  /^(?:(?:little|old|new|young|baby|guide|pet) )?(?:dog|cat|puppy|kitten|horse|pony|parrot|rabbit|bunny|hamster|guinea pig|turtle|tortoise|ferret|budgie|canary|goldfish|snake|lizard|gecko|hen|goat|donkey)s?$/i;

/** The person or animal relation that a noun names: "younger brother", "best friend", "dog". */
export function relationNoun(noun: string): Predicate | undefined {
  if (ANIMAL.test(noun)) return predicateById("pet");
  const known = canonicalPredicate(noun.toLowerCase()) ??
    canonicalPredicate(
      noun.toLowerCase().replace(
        /^(?:oldest|eldest|youngest|baby|newborn|little|dear|dearest|lovely|late|ex|old|new|twin|middle|oldest|best|closest|piano|guitar|maths?|english|german|family|favou?rite) /,
        "",
      ),
    );
  const extra = [
    "boss",
    "teacher",
    "doctor",
    "lawyer",
    "landlord",
    "helper",
    "pet",
    "in_law",
    "uncle",
    "aunt",
    "nephew_niece",
  ];
  // A Spanish teacher is a teacher.
  const role = known
    ? undefined
    : /^[\p{L}-]+(?: [\p{L}-]+)? (teacher|tutor|coach|instructor|doctor|dentist|lawyer|neighbou?r|colleague|friend)$/iu
      .exec(noun);
  if (role && !/\b(?:my|our|his|her|the|a|an|and|of|is|old|new)\b/i.test(noun)) {
    return canonicalPredicate(role[1]!.toLowerCase());
  }
  if (!known) return undefined;
  return people.has(known) && known.id !== "owns" || extra.includes(known.id) ? known : undefined;
}

/** Relations whose nouns name things one has ("my car") rather than something said of one. */
const POSSESSIONS = ["owns", "likes", "dislikes", "skill", "goal", "habit"];

/** Nouns of things that happen or come: "the meeting" is not the owner's value. */
const SCHEDULED = ["event", "flight", "hotel", "parcel", "task", "book", "room", "time", "date", "account", "team"];

const isScheduled = (noun: string) => SCHEDULED.includes(canonicalPredicate(noun)?.id ?? "");

/** Whether a noun names what can be told of something: "phone number", not "car" or "sister". */
export function isAttribute(noun: string): boolean {
  const known = canonicalPredicate(noun);
  return known !== undefined && !POSSESSIONS.includes(known.id) && !relationNoun(noun);
}

/** "Wi-Fi password" → the thing and the attribute: the longest known attribute at the end of a noun phrase. */
function splitAttribute(phrase: string): { head: string; attribute: string } | undefined {
  const words = phrase.split(" ");
  for (let from = 1; from < words.length; from++) {
    if (/^(?:the|a|an|my|our|with|of|for|to|in|at|on|from)$/i.test(words[from - 1]!)) continue;
    const attribute = words.slice(from).join(" ");
    const known = canonicalPredicate(attribute);
    if (known && isAttribute(attribute)) return { head: words.slice(0, from).join(" "), attribute };
  }
  return undefined;
}

/** Understands what comes after "my" or "Anna's": a relation with or without a name, an attribute, a thing. */
function owned(whose: Entity, phrase: string, scene: Scene): Entity {
  const words = phrase.replace(/^(?:two|three|four|five|six|\d) /i, "").split(" ");
  for (let count = Math.min(words.length, 4); count > 0; count--) {
    const noun = words.slice(0, count).join(" ");
    const relation = relationNoun(noun);
    if (!relation) continue;
    const plainNoun = (/^\p{Lu}{2,4}$|^\p{Lu}\p{Ll}+ \p{Ll}/u.test(noun) ? noun : noun.toLowerCase()).replace(
      /^(?:new|current|old|dear|lovely|favou?rite) (?=.)/,
      "",
    );
    const isNew = /^(?:new|current) /i.test(noun);
    if (PLURAL.test(noun)) {
      if (count === words.length) return { kind: "relation", owner: whose, predicate: relation, plural: noun };
      continue;
    }
    const rest = words.slice(count).join(" ").replace(/^,? ?(?:called|named) /, "").replace(/^, |,$/g, "");
    if (rest === "") {
      return { kind: "relation", owner: whose, predicate: relation, noun: plainNoun, ...(isNew ? { isNew } : {}) };
    }
    if (isName(rest)) {
      const named = scene.introduce(whose, relation, rest, { noun: plainNoun, isNew });
      if (relation.id === "pet") scene.say(named, "#species", noun.toLowerCase());
      return named;
    }
  }
  if (/^names?$/i.test(phrase) && whose.kind === "relation") return attributeOf(whose, "name", scene);
  // Who someone was to another: no wife.
  const former = /^(ex-[\p{L}-]+|former (?:wife|husband|boss|partner)) (.+)$/iu.exec(phrase);
  if (former && isName(former[2]!)) {
    scene.say(whose, former[1]!.toLowerCase(), former[2]!);
    return { kind: "named", name: former[2]!, type: "person" };
  }
  if (isAttribute(phrase) || /^favou?rite /i.test(phrase)) {
    return attributeOf(whose, phrase, scene);
  }
  const current = phrase.replace(/^(?:new|current|present) /i, "");
  if (current !== phrase && isAttribute(current)) return attributeOf(whose, current, scene);
  const split = splitAttribute(phrase);
  if (
    split && whose === owner &&
    /^(?:work|home|private|mobile|office|personal|new|current|old|main|own|second)$/i.test(split.head)
  ) {
    return { kind: "attribute", owner: whose, predicate: phrase };
  }
  const name = whose === owner ? "" : `${scene.nameOf(whose)}'s `;
  if (split && isPerson(whose) && SEVERAL.has(canonicalPredicate(split.attribute)!.id) && / number$/i.test(phrase)) {
    const holder = phrase.replace(/ number$/i, "");
    return {
      kind: "attribute",
      owner: { kind: "named", name: whose === owner ? `my ${holder}` : `${name}${holder}`, type: "thing" },
      predicate: phrase.toLowerCase(),
      of: whose,
    };
  }
  if (split && !isScheduled(split.attribute)) {
    return {
      kind: "attribute",
      owner: { kind: "named", name: `${name}${split.head}`, type: "thing" },
      predicate: split.attribute,
    };
  }
  return { kind: "named", name: name === "" ? `my ${phrase}` : `${name}${phrase}`, type: "thing" };
}

/** An attribute of someone. What people have several of is kept apart: a passport's number is of "my passport". */
function attributeOf(whose: Entity, phrase: string, scene: Scene): Entity {
  const holder = holderOf(phrase);
  if (holder === undefined || !isPerson(whose)) return { kind: "attribute", owner: whose, predicate: phrase };
  const name = whose === owner ? `my ${holder}` : `${scene.nameOf(whose)}'s ${holder}`;
  return {
    kind: "attribute",
    owner: { kind: "named", name, type: "thing" },
    predicate: holder === phrase.toLowerCase() ? canonicalPredicate(phrase)!.en : phrase.toLowerCase(),
    of: whose,
  };
}

/** Relations of which one person has several, each by its own noun. */
const SEVERAL = new Set(["id_number", "account", "bank_account", "phone"]);

/** The thing that a number belongs to: the passport of "passport number". */
function holderOf(phrase: string): string | undefined {
  const known = canonicalPredicate(phrase);
  if (!known || !SEVERAL.has(known.id)) return undefined;
  const holder = phrase.toLowerCase().replace(/ (?:number|no\.?|id|code|name)$/, "");
  const generic = known.id === "phone"
    ? !/landline/.test(holder)
    : known.id === "bank_account"
    ? /^bank$/.test(holder)
    : /^(?:id|card|user|account|login|customer|tax|username|handle)$/.test(holder);
  return generic ? undefined : holder;
}

/** What a noun phrase stands for, or nothing when it is no subject that can be told about. Introduces people on the way:
 * "my sister Anna" states that she is the sister. */
export function subjectOf(phrase: string, scene: Scene): Entity | undefined {
  const text = phrase.trim().replace(/,$/, "").replace(/^(?:both|even|also|all of) /i, "");
  if (/^(?:i|we|me|us|my family|me and my family|my family and i|myself)$/i.test(text)) return owner;
  if (/^(?:he|she|they|it|him|her|them)$/i.test(text)) return isMeant(text, scene.third) ? scene.third : undefined;
  if (
    text === "" || text.length > 60 || text.endsWith("'s") || /,|\bI\b/.test(text) ||
    /^(?:you|your .*|this|that|these|those|there|here|who|what|which|everything|everyone|everybody|nobody|someone|somebody|people|one|something|nothing|life|today|tomorrow)$/i
      .test(text)
  ) {
    return undefined;
  }
  const ofPhrase = /^(?:the )?(.+?) (?:of|for|to) ((?:my|our|the|his|her) .+|.+)$/i.exec(text);
  if (ofPhrase) {
    const split = isAttribute(ofPhrase[1]!) ? { head: "", attribute: ofPhrase[1]! } : splitAttribute(ofPhrase[1]!);
    const whose = split && subjectOf(ofPhrase[2]!, scene);
    if (split && whose) {
      const part = split.head === ""
        ? whose
        : { kind: "named" as const, name: `${scene.nameOf(whose)} ${split.head}`, type: "thing" as const };
      return { kind: "attribute", owner: part, predicate: split.attribute };
    }
  }
  const mine = /^(?:my|our) (.+)$/i.exec(text);
  const theirs = /^(?:his|her|its|their) (.+)$/i.exec(text);
  const possessor = /^(.+?)'s? (.+)$/.exec(text);
  if (possessor && !/^(?:it|he|she|that)$/i.test(possessor[1]!)) {
    const whose = subjectOf(possessor[1]!, scene);
    if (!whose) return undefined;
    const thing = whose.kind === "named" && whose.type === "thing" && !isName(possessor[1]!);
    return owned(thing ? { kind: "named", name: withoutThe(whose.name), type: "thing" } : whose, possessor[2]!, scene);
  }
  if (mine) return owned(owner, mine[1]!, scene);
  if (theirs) return scene.third ? owned(scene.third, theirs[1]!, scene) : undefined;
  if (isName(text) && new RegExp(`^(?:${NAME})$`, "u").test(text)) {
    if (!canonicalPredicate(text)) {
      return {
        kind: "named",
        name: text,
        ...(text.includes(" ") || /^\p{Lu}\p{Ll}/u.test(text) ? { type: "person" } : {}),
      };
    }
  }
  const plain = withoutThe(text);
  // "The vet" of a household is its own.
  const role = /^the /i.test(text) ? relationNoun(plain) : undefined;
  if (role && ["doctor", "helper", "landlord", "lawyer"].includes(role.id) && !PLURAL.test(plain)) {
    return { kind: "relation", owner, predicate: role, noun: plain.toLowerCase() };
  }
  if (/^(?:mom|mum|dad|grandma|grandpa|grandad|granny|nana|mother|father)$/i.test(plain)) {
    return owned(owner, plain.toLowerCase(), scene);
  }
  const split = splitAttribute(plain);
  const coded = split && canonicalPredicate(split.attribute)?.id === "password";
  if (isAttribute(plain) && /^the /i.test(text) && !coded && !SCHEDULED.includes(canonicalPredicate(plain)!.id)) {
    return { kind: "attribute", owner: ownerHere(scene), predicate: plain };
  }
  if (split && !isScheduled(split.attribute)) {
    return { kind: "attribute", owner: { kind: "named", name: split.head, type: "thing" }, predicate: split.attribute };
  }
  return { kind: "named", name: plain, type: "thing" };
}

/** Whose "the password" is: of the thing that the sentence has just spoken of, else the speaker's. */
function ownerHere({ topic, facts, sentence }: Scene): Entity {
  return topic?.kind === "named" && topic.type === "thing" && facts.some((fact) => fact.sentence === sentence)
    ? topic
    : owner;
}

/** Whether a pronoun can mean this one: "it" is nobody's husband, "she" is no router. */
function isMeant(pronoun: string, third: Entity | undefined): boolean {
  if (third === undefined) return false;
  const kin = third.kind === "relation"
    ? third.predicate
    : third.kind === "named" && /^my /.test(third.name)
    ? relationNoun(third.name.slice(3))
    : undefined;
  if (/^it$/i.test(pronoun)) return kin === undefined || kin.id === "pet";
  const isThing = third.kind === "named" && (third.type === "thing" || /^my /.test(third.name) && kin === undefined);
  return /^they|them$/i.test(pronoun) || !isThing;
}

function withoutThe(text: string): string {
  return text.replace(/^(?:the|a|an) /i, "");
}

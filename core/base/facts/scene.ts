import { canonicalPredicate, type Predicate, predicateById } from "../predicates.ts";
import { type Ending, type ExtractedFact, OWNER } from "./fact.ts";
import type { Language } from "./language.ts";

/** Who or what a clause is about. */
export type Entity =
  | { kind: "named"; name: string; type?: "person" | "thing" | "pet" }
  /** "my sister": known by what they are to someone. `noun`: the word for it, where the relation has several. */
  | { kind: "relation"; owner: Entity; predicate: Predicate; plural?: string; noun?: string; isNew?: boolean }
  /** "my phone number": a value that the clause is about to tell. */
  | {
    kind: "attribute";
    owner: Entity;
    predicate: string;
    /** Whose the owner is, where the clauses after go on about them: who has the passport. */
    of?: Entity;
  };

/** Relations whose values have a number in them: "my phone is dead" tells none. */
const NUMBERED = new Set([
  "phone",
  "port",
  "ip",
  "extension",
  "height",
  "weight",
  "floor",
  "age",
  "price",
  "rent",
  "id_number",
]);

/** Relations whose values tell a time: "my day was a disaster" tells none. */
const TIMED = new Set(["date", "time", "birthday", "deadline", "expiry"]);
const TIME =
  /\d|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|\w+days?|noon|midnight|spring|summer|autumn|fall|winter|christmas|easter|new year|morning|evening|night|week|month|year|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|first|second|third|\w+th)\b|[年月日号点周天初节晚早午夜春夏秋冬末底]|星期|[一二三四五六七八九十]/i;

/** Longer than any name or value that a person states in a sentence. */
const LONGEST = 160;

export interface SceneState {
  facts: ExtractedFact[];
  endings: Ending[];
  names: Map<string, string>;
  topic: Entity | undefined;
  third: Entity | undefined;
}

export const owner: Entity = { kind: "named", name: OWNER, type: "person" };

/** What has been understood of one message so far: its facts, and who "she" or an omitted subject would be. */
export class Scene {
  facts: ExtractedFact[] = [];
  /** What the message says to be over. */
  endings: Ending[] = [];
  #names = new Map<string, string>();
  /** Whom "she" or "it" means. */
  third: Entity | undefined;
  #topic: Entity | undefined;
  language: Language = "en";
  sentence = "";
  /** The several that "the older one" picks from. */
  group: { owner: Entity; predicate: Predicate; species?: string } | undefined;
  /** The clause before is about somebody that the rules did not make out. */
  isLost = false;
  /** The kind of an animal that was spoken of before it got a name. */
  pendingSpecies: string | undefined;

  /** `third`: whom a pronoun means before anyone is spoken of. */
  constructor(third?: Entity) {
    this.third = third;
  }

  /** Whom a clause without a subject goes on about. */
  get topic(): Entity | undefined {
    return this.#topic;
  }

  set topic(entity: Entity | undefined) {
    this.#topic = entity;
    this.isLost = false;
    if (entity && this.nameOf(entity) !== OWNER) this.third = entity;
  }

  /** The text that stands for an entity in a triple. */
  nameOf(entity: Entity): string {
    if (entity.kind === "named") return entity.name;
    const noun = entity.kind === "relation" ? entity.plural ?? nounOf(entity, this.language) : entity.predicate;
    const whose = this.nameOf(entity.owner);
    if (this.language === "zh") return whose === OWNER ? `我${noun}` : `${whose}的${noun}`;
    return whose === OWNER ? `my ${noun}` : `${whose}'s ${noun}`;
  }

  /** States a fact. `predicate` is a canonical id, or free text that may name one; `words`: a form of the relation that
   * is written instead of its usual one, as it says more ("plays" of a hobby). */
  say(subject: Entity, predicate: string, object: string, { confidence = 0.9, words }: SayOptions = {}): void {
    const value = object.trim();
    if (
      value === "" || value.length > LONGEST || this.nameOf(subject).length > LONGEST || this.nameOf(subject) === value
    ) return;
    let known: Predicate | undefined;
    let text = predicate;
    if (predicate.startsWith("#")) {
      known = predicateById(predicate.slice(1));
      text = words ?? known[this.language];
    } else {
      known = canonicalPredicate(predicate);
      if (known && !known.id.startsWith("favourite ")) text = words ?? known[this.language];
    }
    if (known && TIMED.has(known.id) && !TIME.test(value)) return;
    if (
      known?.id === "phone" && (value.match(/[\d一二三四五六七八九零〇]/g) ?? []).length < 3 ||
      known && NUMBERED.has(known.id) &&
        !/\d|[一二三四五六七八九十]|one|two|three|four|five|six|ten|first|second|third|\wth\b|ground|top/i.test(value)
    ) return;
    const fact: ExtractedFact = {
      subject: this.nameOf(subject),
      predicate: text,
      object: value,
      confidence,
      sentence: this.sentence,
      language: this.language,
      ...(known ? { id: known.id } : {}),
    };
    if (fact.subject === "" || fact.object === "") return; // only punctuation was where a name should be
    if (isPerson(subject)) fact.subject_type = "person";
    const same = this.facts.some((other) =>
      other.subject === fact.subject && other.predicate === fact.predicate && other.object === fact.object
    );
    if (!same) this.facts.push(fact);
  }

  /** States that `whose` has a `predicate` of this name, and answers with the one named. */
  introduce(
    whose: Entity,
    predicate: Predicate,
    name: string,
    { noun, isNew = false }: { noun?: string | undefined; isNew?: boolean | undefined } = {},
  ): Entity {
    const relation: Entity = { kind: "relation", owner: whose, predicate, ...(noun ? { noun } : {}) };
    // A new dentist takes the place of the one before, though people may have several doctors.
    if (isNew) this.end(whose, [predicate.id], undefined, { except: name, predicate: nounOf(relation, this.language) });
    this.#names.set(this.nameOf(relation), name);
    this.say(whose, `#${predicate.id}`, name, predicate.id === "pet" ? {} : { words: nounOf(relation, this.language) });
    return { kind: "named", name, type: predicate.id === "pet" ? "pet" : "person" };
  }

  /** States that something holds no longer. */
  end(subject: Entity | undefined, ids: string[], object?: string, more: Partial<Ending> = {}): void {
    const value = object?.trim();
    if (value !== undefined && (value === "" || value.length > LONGEST)) return;
    this.endings.push({
      ids,
      sentence: this.sentence,
      ...(subject ? { subject: this.nameOf(subject) } : {}),
      ...(value !== undefined ? { object: value } : {}),
      ...more,
    });
  }

  /** What `restore` takes back: for a reading that led nowhere. */
  snapshot(): SceneState {
    return {
      facts: [...this.facts],
      endings: [...this.endings],
      names: new Map(this.#names),
      topic: this.#topic,
      third: this.third,
    };
  }

  restore(state: SceneState): void {
    this.facts = state.facts;
    this.endings = state.endings;
    this.#names = state.names;
    this.#topic = state.topic;
    this.third = state.third;
  }

  /** The facts, with everyone who got a name in this message called by it. */
  finish(): ExtractedFact[] {
    return this.facts.map((fact) => ({ ...fact, subject: this.#names.get(fact.subject) ?? fact.subject }));
  }

  /** The endings, likewise. */
  finishEndings(): Ending[] {
    return this.endings.map((ending) => {
      const name = ending.subject === undefined ? undefined : this.#names.get(ending.subject);
      return name === undefined ? ending : { ...ending, subject: name };
    });
  }
}

export interface SayOptions {
  confidence?: number;
  words?: string;
}

/** Relations whose nouns are several things: a dentist is a doctor, and another than the vet. */
const SEVERAL_NOUNS = new Set([
  "doctor",
  "teacher",
  "lawyer",
  "helper",
  "in_law",
  "uncle",
  "aunt",
  "cousin",
  "nephew_niece",
  "grandmother",
  "grandfather",
  "grandchild",
  "partner",
  "friend",
  "pet",
]);

/** Words for one and the same relative, the one that is written first. */
const SAME_WORDS = [
  "grandmother|grandma|granny|nana|gran|nan|nanna|grandmom|grandmum",
  "grandfather|grandpa|grandad|granddad|gramps|grampa",
  "aunt|auntie|aunty",
  "vet|veterinarian",
  "GP|family doctor|general practitioner",
  "岳母|丈母娘",
  "岳父|老丈人",
  "外婆|姥姥|外祖母|阿婆",
  "外公|姥爷|外祖父|阿公",
  "奶奶|祖母|阿嬷|嫲嫲",
  "爷爷|祖父|老爷子",
  "姑姑|姑妈",
  "姨妈|大姨",
  "伯伯|伯父|大伯",
  "叔叔|叔父",
  "舅舅|大舅",
  "女朋友|女友",
  "男朋友|男友",
  "狗|小狗|狗狗",
  "猫|小猫|猫咪",
].map((group) => group.split("|"));

/** The usual one of several words for the same: "grandmother" for "granny". */
export function usualNoun(noun: string): string {
  return SAME_WORDS.find((group) => group.includes(noun))?.[0] ?? noun;
}

/** The word for what someone is to another: the one that was said where the relation has several, else its usual one. */
export function nounOf({ predicate, noun }: { predicate: Predicate; noun?: string }, language: Language): string {
  const isSaid = noun !== undefined && SEVERAL_NOUNS.has(predicate.id) &&
    (predicate.id === "pet" || canonicalPredicate(noun)?.id === predicate.id ||
      canonicalPredicate(noun.split(" ").at(-1)!)?.id === predicate.id ||
      canonicalPredicate(noun.slice(-2))?.id === predicate.id);
  if (!isSaid || /\p{Script=Han}/u.test(noun) !== (language === "zh")) return predicate[language];
  return usualNoun(/^\p{Lu}{2,4}$|^\p{Lu}\p{Ll}+ /u.test(noun) ? noun : noun.toLowerCase());
}

/** Whether an entity is surely a person. */
export function isPerson(entity: Entity): boolean {
  return entity.kind === "relation"
    ? entity.predicate.id !== "pet"
    : entity.kind === "named" && entity.type === "person";
}

/** What tells a clause in the positive: "I work at Shell" of "I no longer work at Shell", 我在腾讯工作 of 我不在腾讯工作了. */
export type Tell = (clause: string, scene: Scene) => boolean;

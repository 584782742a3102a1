import { type Predicate, predicateById } from "../predicates.ts";
import { cleanObject, DATE, isJob, isName, listOf, NAME, NUMBER, numberText, withoutArticle } from "./english_words.ts";
import { relationNoun } from "./english_subject.ts";
import { type Entity, isPerson, type Scene } from "./scene.ts";

/** What a verb phrase states. `who`: the kind of subject that it can be said of. */
export interface VerbRule {
  who: "person" | "thing" | "any";
  /** Matched at the start of the verb phrase, which reaches to the clause's end. */
  when: RegExp;
  /** Returns false when the words mean something else after all. */
  tell(match: RegExpExecArray, subject: Entity, scene: Scene): boolean | void;
}

const BE = "(?:am|is|are|was|were)";
const ADV =
  "(?:(?:just|now|also|really|absolutely|currently|still|always|both|have|has|recently|actually|usually|simply|particularly|especially|totally|truly|very much|finally|mostly|only|already|even|quite|do|does) )*";

const rule = (who: VerbRule["who"], pattern: string, tell: VerbRule["tell"]): VerbRule => ({
  who,
  when: new RegExp(`^${ADV}${pattern}`, "iu"),
  tell,
});

/** Objects that point elsewhere and tell nothing by themselves. */
const EMPTY =
  /^(?:it|this|that|them|him|her|you|these|those|one|so|here|there|to|a lot|much|many things|everything|nothing|what .*|how .*|when .*|it .*|that .*|the way .*|your .*|you .*)$/i;

const many = (id: string) => (match: RegExpExecArray, subject: Entity, scene: Scene) => {
  const items = listOf(match[1]!).filter((item) => !EMPTY.test(item));
  for (const item of items) scene.say(subject, id, item);
  return items.length > 0;
};

const value =
  (id: string, shape: (text: string) => string = (text) => text) =>
  (match: RegExpExecArray, subject: Entity, scene: Scene) => {
    const text = shape(cleanObject(match[1]!));
    if (text === "" || EMPTY.test(text)) return false;
    scene.say(subject, id, text);
  };

const MONTH =
  / (?:in|at the end of|this|last|back in) (?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|fall|winter)\b.*$/i;

const MONTHS = "(?:january|february|march|april|may|june|july|august|september|october|november|december)";

/** How a time begins that stays true whenever it is read: no "tomorrow", no "next week". */
const DATED_START =
  `(?:${MONTHS}\\b|(?:the )?\\d{1,2}(?:st|nd|rd|th)\\b|\\d{1,2} (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\\d{4}-\\d\\d|(?:every |each )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?\\b)`;
const WHEN = new RegExp(
  `\\b(?:${MONTHS}|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|daily|weekly|monthly|yearly|every|each|(?:19|20)\\d\\d|\\d{1,2}:\\d\\d|\\d{1,2} ?[ap]m|the \\d{1,2}(?:st|nd|rd|th))\\b`,
  "i",
);

const cleanedDate = (text: string) => text.trim().replace(/[\s,;:.!]+$/, "");

const COMPANION = / with (?:my|our) (.+)$/i;

/** A place, and the people that the sentence says are there too. */
function lives(match: RegExpExecArray, subject: Entity, scene: Scene): boolean {
  let text = cleanObject(match[1]!);
  const companion = COMPANION.exec(text);
  if (companion) {
    text = text.slice(0, companion.index);
    for (const person of companion[1]!.split(/ and (?:my|our) /i)) introducePerson(subject, person, scene);
  }
  const place = cleanObject(
    text.replace(MONTH, "").replace(
      /^(?:a|an) (?:small |big |little |lovely |new )?(?:flat|house|apartment|place|town|village|city|room) (?:in|near|called) /i,
      "",
    ),
  );
  if (
    place === "" || EMPTY.test(place) ||
    /^(?:with|alone|together|peace|fear|hope|the (?:moment|past|present))\b/i.test(place)
  ) return companion !== null;
  if (/\bfloor$/i.test(place)) scene.say(subject, "#floor", place);
  if (/\bfloor$/i.test(place) || /^(?:an?|my|our|his|her|their|home|work|school) ?\b/.test(place)) return true;
  scene.say(subject, "#lives_in", place);
  return true;
}

function introducePerson(whose: Entity, phrase: string, scene: Scene): boolean {
  const words = cleanObject(phrase).replace(",", "").split(" ");
  for (let count = Math.min(3, words.length - 1); count > 0; count--) {
    const relation = relationNoun(words.slice(0, count).join(" "));
    const name = words.slice(count).join(" ").replace(/^,? ?(?:called|named),? /, "");
    if (relation && isName(name)) {
      scene.introduce(whose, relation, name, { noun: words.slice(0, count).join(" ").toLowerCase() });
      return true;
    }
  }
  return false;
}

/** "a dog named Biscuit", "two kids, Ella and Noah", "a red bicycle". */
function has(match: RegExpExecArray, subject: Entity, scene: Scene): boolean {
  const text = cleanObject(match[1]!);
  const dated = DATED.exec(text);
  if (dated) {
    scene.say({ kind: "named", name: withoutArticle(dated[1]!), type: "thing" }, "#date", cleanObject(dated[2]!));
    return true;
  }
  if (
    /^(?:the|to|not|no|been|had|never|any|nothing|the same|fun|lunch|dinner|breakfast|a (?:question|problem|headache|cold|meeting|fever|good|great|nice|bad|lot|look|feeling|idea|dream|chance|point|break|rest|chat|sore|stomach|hard|long day|busy)|an? (?:idea|appointment|exam|interview)|time|trouble|work|plans|you|it|that|this)\b/i
      .test(text)
  ) return false;
  const weekly =
    /^(?:an? |the |my )?([\w' -]{3,25}?),? (?:class |lessons? |practice )?((?:every|each|on) (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekday|morning|evening|day|week).*)$/i
      .exec(text);
  if (weekly) {
    const name = scene.nameOf(subject) === "user" ? `my ${weekly[1]}` : `${scene.nameOf(subject)}'s ${weekly[1]}`;
    scene.say({ kind: "named", name, type: "thing" }, "#date", cleanObject(weekly[2]!));
    return true;
  }
  const allergy = /^(?:an? )?(?:(?:severe|mild|bad) )?(.+?) allerg(?:y|ies)$/i.exec(text);
  if (allergy) return many("#allergic_to")(allergy, subject, scene) ?? true;
  if (/\b(?:meetings?|appointments?|calls?|exams?|lessons?|errands|guests|visitors|deadlines?)\b/i.test(text)) {
    return false;
  }
  const named = new RegExp(
    `^(${NUMBER}|an?|some)? ?(.+?)(?:,|:| (?:named|called)| whose names? (?:is|are)| by the names? of) (?:(?:his|her|its|their) names? (?:is|are) |named |called )?(.+)$`,
    "iu",
  ).exec(text);
  if (named) {
    const relation = relationNoun(singular(named[2]!)) ?? relationNoun(singular(named[2]!.split(" ").at(-1)!));
    const names = listOf(named[3]!).map((name) => name.replace(/^(?:little|baby|young|old|big|our|my) (?=\p{Lu})/u, ""))
      .filter(isName);
    if (relation && names.length > 0) {
      for (const name of names) {
        scene.topic = scene.introduce(subject, relation, name, { noun: singular(named[2]!).toLowerCase() });
        if (relation.id === "pet") scene.say(scene.topic, "#species", singular(named[2]!).toLowerCase());
      }
      return true;
    }
  }
  const bare = relationNoun(singular(text.replace(new RegExp(`^(?:${NUMBER}|an?|some) `, "i"), "")));
  if (bare && bare.id !== "pet") {
    scene.topic = { kind: "relation", owner: subject, predicate: bare };
    return true;
  }
  const kind = relationNoun(singular(text.split(" ").at(-1)!))?.id === "pet" ||
    /\b(?:parrot|fish|turtle|tortoise|horse|pony|snake|lizard|guinea pig|ferret|budgie|canary|goldfish|hen|chicken|goat)s?$/i
      .test(text);
  const counted = new RegExp(`^(?:${NUMBER}|some) [\\p{L} -]+?(?:,|:) (?=an? |the |one )`, "iu");
  const items = text.replace(counted, "").split(/,? and (?:also )?(?=an? |the |one )|, (?=an? |the |one )/i);
  for (const item of items.flatMap((each) => listOf(each)).filter((item) => !EMPTY.test(item))) {
    scene.say(subject, kind ? "#pet" : "#owns", withoutArticle(item));
  }
  if (kind) scene.topic = { kind: "relation", owner: subject, predicate: predicateById("pet") };
  return true;
}

/** Something that comes at a time: "a dentist appointment on 14 March at 10:30". */
const DATED = new RegExp(
  `^(?:an? |the |my |our )?([\\p{L}' -]*?\\b(?:appointment|meeting|exam|interview|flight|lesson|check-?up|reservation|viewing|party|wedding|concert|match|trip|class|delivery|visit|session|call)(?: (?:with|at|for|in|to) (?:(?!\\bon\\b).)+?)?),? (?:on |at |this |for )?((?:(?:next |every |this )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|(?:january|february|march|april|may|june|july|august|september|october|november|december)\\b|(?:the )?\\d{1,2}(?:st|nd|rd|th)\\b|\\d{1,2} (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\\d{4}-\\d|\\d{1,2}[./:]\\d{1,2}).*)$`,
  "iu",
);

/** "my cat is called Pixel": Pixel is a cat. */
function sayKind(pet: Entity, { predicate, noun }: { predicate: Predicate; noun?: string }, scene: Scene): void {
  if (predicate.id === "pet" && noun !== undefined && !/^(?:pets?|animals?)$/.test(noun)) {
    scene.say(pet, "#species", singular(noun));
  }
}

function singular(text: string): string {
  return text.replace(/\bchildren$/i, "child").replace(/(?<=[^s])s$/i, "");
}

function job(match: RegExpExecArray, subject: Entity, scene: Scene): boolean {
  const text = cleanObject(match[1]!);
  const isPet = subject.kind === "relation"
    ? subject.predicate.id === "pet"
    : subject.kind === "named" && subject.type === "pet";
  if (isPet) {
    if (text.split(" ").length > 3 || /\b(?:good|bad|sweet|lovely|nice|big|little|real|bit|lot)\b/i.test(text)) {
      return false;
    }
    scene.say(subject, "#species", withoutArticle(text));
    return true;
  }
  const based = /^(.+?),? (?:based|living|working) in (.+)$/i.exec(text);
  if (based && isJob(withoutArticle(based[1]!))) {
    scene.say(subject, "#job", withoutArticle(based[1]!));
    scene.say(subject, "#lives_in", cleanObject(based[2]!), { confidence: 0.8 });
    return true;
  }
  const at = /^(.+?) (?:at|for|with) ((?:the )?[\p{L}\d].*)$/u.exec(text);
  const title = withoutArticle((at?.[1] ?? text).replace(/ (?:in|near|from) \p{Lu}.*$/u, ""));
  if (!isJob(title)) return false;
  const place = / in (\p{Lu}[^,]*)$/u.exec(at ? at[1]! : text);
  scene.say(subject, "#job", title);
  if (at) workplace(at[2]!, subject, scene);
  if (place && !at) scene.say(subject, "#lives_in", cleanObject(place[1]!), { confidence: 0.6 });
  const from = / from (\p{Lu}[^,]*)$/u.exec(text);
  if (from) scene.say(subject, "#hometown", cleanObject(from[1]!));
  return true;
}

function workplace(text: string, subject: Entity, scene: Scene): void {
  const name = /^(?:an? )?.*?\b(?:called|named) (.+)$/i.exec(text)?.[1] ?? text;
  const as = /^(.+?) as (?:an? |the )?(.+)$/i.exec(name);
  scene.say(subject, "#works_at", cleanObject(as?.[1] ?? name));
  if (as) scene.say(subject, "#job", cleanObject(as[2]!));
}

/** Naming: of a person, of "my mother", of a thing. */
function named(match: RegExpExecArray, subject: Entity, scene: Scene): boolean {
  const name = cleanObject(match[1]!).replace(/ and (?:I|everyone) .*$/, "");
  if (subject.kind === "relation") {
    for (const each of subject.plural ? listOf(name) : [name]) {
      scene.topic = scene.introduce(subject.owner, subject.predicate, each, subject);
      sayKind(scene.topic, subject, scene);
    }
  } else if (subject.kind !== "attribute") scene.say(subject, "#name", name);
  return true;
}

function place(match: RegExpExecArray, subject: Entity, scene: Scene): boolean {
  if (isPerson(subject) && (match[1] === undefined || subject.kind === "relation")) return false;
  const text = cleanObject(match[2]!).replace(/^(?:in|on|at) (?=(?:in|on|at|under|behind|inside)\b)/i, "");
  if (
    /^in (?:an? )?(?:\w+ )?(?:state|mood|hurry|pain|condition|shape|meeting|queue|rush|panic|way)\b/i.test(text) ||
    /^(?:in (?:good|bad|a (?:mess|good|bad)|danger|trouble|love|season|stock|progress|use)|on (?:fire|sale|time|the way|holiday)|at (?:risk|least|all)|over\b|off\b|out of order)/i
      .test(text)
  ) return false;
  scene.say(subject, "#located_in", text, { words: "is located" });
  return true;
}

/** What "my car is a …" says of how somebody finds it. */
const VAGUE =
  /\b(?:mess|problem|joke|disaster|bit|lot|nightmare|good|bad|great|nice|real|total|complete|shame|pity|dream|pain|surprise|mystery|secret|must|fan|thing|way|reason|question|success|failure)\b/i;
const COLOR =
  /\b((?:dark |light |bright )?(?:red|blue|green|yellow|black|white|gr[ae]y|brown|orange|purple|pink|silver|beige|teal|turquoise))\b/i;

const NUM = `(${NUMBER})`;
const PREP =
  "(?:in|on|under|behind|at|inside|near|next to|above|below|beside|beneath|underneath|between|by|on top of|upstairs|downstairs|outside|opposite)";

/** Verb phrases in the order in which they are tried. */
export const VERB_RULES: readonly VerbRule[] = [
  // Negated first, so that nothing else reads them.
  rule(
    "person",
    `(?:not |never )?(?:do|does|did) not (?:really |particularly |much )?(?:like|enjoy|love) (.+)$`,
    many("#dislikes"),
  ),
  rule("person", `(?:cannot|could not) (?:stand|bear) (.+)$`, many("#dislikes")),
  rule("person", `(?:hate|hates|detest|detests|dislike|dislikes|loathe|loathes|despise) (.+)$`, many("#dislikes")),
  rule(
    "person",
    `${BE} not (?:a |an )?(?:really |very |big |huge )*(?:fan of|keen on|fond of|into) (.+)$`,
    many("#dislikes"),
  ),
  rule("person", `(?:do|does|can) ?not (eat|drink|smoke) (.+)$|(?:never) (eat|drink|smoke)s? (.+)$`, (m, s, scene) => {
    for (const item of listOf(m[2] ?? m[4]!).filter((item) => !EMPTY.test(item))) {
      scene.say(s, "#dislikes", item.replace(/^any /i, ""), { words: `does not ${(m[1] ?? m[3]!).toLowerCase()}` });
    }
  }),
  rule("any", `(?:${BE}|do|does|did|has|have|had|cannot|will|could) not\\b.*$`, () => false),
  rule("any", `(?:never|no longer)\\b.*$`, () => false),
  // Names and ages
  rule("any", `${BE} (?:called|named|known as) (.+)$`, named),
  rule("person", `(?:go|goes) by (.+)$`, value("#nickname")),
  rule(
    "person",
    `(?:${BE} |${BE} turning |turned |turns |will turn |just turned )${NUM}(?: years? old| years of age| y\\/?o| this year| today)?(?:,? (?:now|already|last .+|this .+|next .+|in .+|on .+|yesterday))?$`,
    (m, s, scene) => scene.say(s, "#age", numberText(m[1]!)),
  ),
  rule(
    "person",
    `${BE} (?:about |almost )?${NUM}(?:[ -]years?[ -]old| years of age)\\b`,
    (m, s, scene) => scene.say(s, "#age", numberText(m[1]!)),
  ),
  rule("any", `${BE} born (?:on |in |at )?(.+)$`, (m, s, scene) => {
    const text = cleanObject(m[1]!);
    const parts = /^(.+?) (?:in|on) (.+)$/.exec(text);
    for (const part of DATE.test(text) && parts ? [parts[1]!, parts[2]!] : [text]) {
      scene.say(s, DATE.test(part) ? "#birthday" : "#hometown", part);
    }
  }),
  // Places
  rule(
    "person",
    `(?:live|lives|living|lived|${BE} living|been living|${BE} based|${BE} settled|reside|resides|stay) (?:in|at|on|near) (.+)$`,
    lives,
  ),
  rule(
    "person",
    `(?:moved|relocated|emigrated|moved house|moved back|moved over) (?:from .+? )?to (.+)$`,
    lives,
  ),
  rule("person", `${BE} (?:in|at home in) (\\p{Lu}[\\p{L} ,'-]+) (?:now|these days|at the moment|nowadays)$`, lives),
  rule("person", `(?:come|comes|${BE}|originally come|${BE} originally) from (.+)$`, value("#hometown")),
  rule("person", `(?:grew up|was raised|were raised|grown up) in (.+)$`, value("#hometown")),
  rule(
    "person",
    `(?:${BE}|live|lives|living|stay|stays) with (?:my|our|his|her|their) (.+)$`,
    (m, s, scene) => introducePerson(s, m[1]!, scene),
  ),
  // Work and study
  rule("person", `(?:quit|left|lost|resigned)\\b.*$`, () => false),
  rule("person", `(?:work|works|working|${BE} working|${BE} employed|worked) as (.+)$`, (m, s, scene) => {
    const text = cleanObject(m[1]!);
    const at = /^(.+?) (?:at|for|with) (.+)$/i.exec(text);
    scene.say(s, "#job", withoutArticle((at?.[1] ?? text).replace(/ in \p{Lu}.*$/u, "")));
    if (at) workplace(at[2]!, s, scene);
  }),
  rule(
    "person",
    `(?:work|works|working|${BE} working|${BE} employed|have a job|has a job|got a job|started|start|started working) (?:at|for|by|with) (.+)$`,
    (m, s, scene) => workplace(cleanObject(m[1]!), s, scene),
  ),
  rule(
    "person",
    `${BE} (?:now )?(?:at|with) (\\p{Lu}.+? as (?:an? |the )?.+)$`,
    (m, s, scene) => workplace(cleanObject(m[1]!), s, scene),
  ),
  rule(
    "person",
    `(?:work|works|${BE} working) in (.+)$`,
    (m, s, scene) => scene.say(s, /^\p{Lu}/u.test(m[1]!) ? "#works_at" : "#job", cleanObject(m[1]!)),
  ),
  rule("person", `joined ((?:an? )?[\\p{L}\\d].+)$`, (m, s, scene) => workplace(cleanObject(m[1]!), s, scene)),
  rule("person", `(?:teach|teaches) (.+?)(?: at (.+))?$`, (m, s, scene) => {
    scene.say(s, "#job", `teaches ${cleanObject(m[1]!)}`);
    if (m[2]) scene.say(s, "#works_at", cleanObject(m[2]));
  }),
  rule(
    "person",
    `(?:study|studies|${BE} studying|${BE} majoring in|major in|majors in|read|reads|studied) (?!at\\b)(.+?)(?: at (?:the )?(.+))?$`,
    (m, s, scene) => {
      if (/^read/i.test(m[0]) && !m[2]) return false;
      scene.say(s, "#major", cleanObject(m[1]!));
      if (m[2]) scene.say(s, "#school", cleanObject(m[2]));
    },
  ),
  rule(
    "person",
    `(?:go|goes|${BE} going) to (.*(?:School|Elementary|High|College|University|Academy|Kindergarten|Institute|Primary|Secondary|Nursery|school at .+))$`,
    value("#school", (t) => t.replace(/^school at /i, "")),
  ),
  rule(
    "person",
    `(?:attend|attends|study at|studies at|${BE} studying at|${BE} a student at|go to school at|goes to school at) (.+)$`,
    value("#school"),
  ),
  rule("person", `${BE} in (.*(?:grade|class|year|form)\\b.*?)(?: at (.+))?$`, (m, s, scene) => {
    scene.say(s, "#school_class", cleanObject(m[1]!));
    if (m[2]) scene.say(s, "#school", cleanObject(m[2]));
  }),
  rule("person", `(?:graduated from|have a degree in|has a degree in|hold a degree in) (.+)$`, value("#education")),
  // Health and food
  rule(
    "person",
    `${BE} (?:severely |badly |very |mildly |highly )?(?:allergic|intolerant) to (.+)$`,
    many("#allergic_to"),
  ),
  rule(
    "person",
    `${BE} (?:an? )?(?:strict )?((?:vegetarian|vegan|pescatarian|lactose intolerant|gluten[- ]free|celiac|coeliac|diabetic)s?)$`,
    (m, s, scene) => scene.say(s, /diabetic|coeliac|celiac/i.test(m[1]!) ? "#illness" : "#diet", m[1]!),
  ),
  rule(
    "person",
    `(?:suffer|suffers) from (.+)$|(?:have|has) been diagnosed with (.+)$`,
    (m, s, scene) => scene.say(s, "#illness", cleanObject(m[1] ?? m[2]!)),
  ),
  rule("person", `(?:take|takes) (.+?(?:mg|pills?|tablets?|medication|insulin|ibuprofen)\\b.*)$`, value("#medicine")),
  // Likes
  rule(
    "person",
    `(?:like|likes|love|loves|enjoy|enjoys|adore|adores|prefer|prefers|liked|fancy) (.+)$`,
    (m, s, scene) => {
      const text = m[1]!.replace(/ (?:to|over) (?!\w+ing).+$/i, (tail) => /^(?:prefer)/i.test(m[0]) ? "" : tail)
        .replace(/^to /i, "");
      return many("#likes")(Object.assign([m[0], text], { index: 0, input: "" }) as RegExpExecArray, s, scene);
    },
  ),
  rule(
    "person",
    `${BE} (?:really |very |so |a |an )*(?:into|fond of|keen on|crazy about|mad about|obsessed with|passionate about|(?:big |huge |massive )*(?:fan|lover|admirer) of) (.+)$`,
    many("#likes"),
  ),
  rule("person", `${BE} (?:an? )(?:big |huge )?(.+?) (?:fan|lover|enthusiast|fanatic|buff)$`, many("#likes")),
  // Family
  rule("person", `(?:${BE} (?:happily )?|got )married to (.+)$`, (m, s, scene) => {
    scene.topic = scene.introduce(s, predicateById("spouse"), cleanObject(m[1]!));
  }),
  rule("person", `${BE} (?:dating|engaged to|going out with|seeing) (${NAME})`, (m, s, scene) => {
    scene.topic = scene.introduce(s, predicateById("partner"), cleanObject(m[1]!));
  }),
  rule("person", `(?:married|wed) (${NAME})`, (m, s, scene) => {
    if (!isName(m[1]!)) return false;
    scene.topic = scene.introduce(s, predicateById("spouse"), cleanObject(m[1]!));
  }),
  rule(
    "person",
    `share (?:a |the |my |our )?(?:flat|house|apartment|room|place) with (?:my friend )?(${NAME})`,
    (m, s, scene) => {
      scene.topic = scene.introduce(s, predicateById("roommate"), cleanObject(m[1]!));
    },
  ),
  rule("person", `${BE} (my|his|her|our|the|\\p{Lu}\\p{L}+'s) (.+)$`, (m, s, scene) => {
    const relation = relationNoun(cleanObject(m[2]!));
    if (!relation || s.kind !== "named") return false;
    const possessor = m[1]!.toLowerCase();
    const whose: Entity | undefined = /^(?:my|our)$/.test(possessor)
      ? { kind: "named", name: "user", type: "person" }
      : possessor.endsWith("'s")
      ? { kind: "named", name: m[1]!.slice(0, -2), type: "person" }
      : scene.topic;
    if (!whose || whose === s || possessor === "the") return false;
    scene.introduce(whose, relation, scene.nameOf(s), {
      noun: cleanObject(m[2]!).toLowerCase().replace(/^new /, ""),
      isNew: /^new /i.test(m[2]!) || / now$/i.test(m[2]!),
    });
  }),
  // Languages, skills, size
  rule("person", `(?:can )?(?:speak|speaks) (?:fluent |some |a little |a bit of |good )?(.+)$`, many("#speaks")),
  rule("person", `${BE} fluent in (.+)$`, many("#speaks")),
  rule(
    "person",
    `(play|collect|practi[sc]e|${BE} learning)(?:e?s)?(?: to play)? (?!with\\b|a role|for\\b)(.+)$`,
    (m, s, scene) => {
      const verb = m[1]!.toLowerCase();
      const words = verb.endsWith("learning") ? "is learning" : `${verb}s`;
      const items = listOf(m[2]!).filter((item) => !EMPTY.test(item));
      for (const item of items) scene.say(s, "#hobby", item, { words });
      return items.length > 0;
    },
  ),
  rule("person", `${BE} (?:very |really )?good at (.+)$`, many("#skill")),
  rule("person", `${BE} ((?:\\d|one|two|six|five)[^,]*?) tall$`, value("#height")),
  rule("person", `(?:weigh|weighs) (.+)$`, value("#weight")),
  rule("person", `(?:wear|wears|take|takes) (?:an? )?(?:shoe )?size (\\S+)`, value("#size")),
  rule(
    "person",
    `${BE} (?:an? )(aries|taurus|gemini|cancer|leo|virgo|libra|scorpio|sagittarius|capricorn|aquarius|pisces)$`,
    value("#zodiac"),
  ),
  rule("person", `${BE} ((?:married|single|divorced|engaged|widowed))$`, value("#marital_status")),
  rule("person", `support(?:s)? (\\p{Lu}.+)$`, value("#team")),
  // Having
  rule(
    "person",
    `(?:have|has|have got|has got|'ve got|got|own|owns|drive|drives|bought|keep|keeps|ride|rides|adopted|recently bought|has bought) (.+)$`,
    has,
  ),
  rule("any", `${BE} (?:my|our) (favou?rite .+)$`, (m, s, scene) => {
    scene.say({ kind: "named", name: "user", type: "person" }, cleanObject(m[1]!), scene.nameOf(s));
  }),
  rule("person", `${BE} (an? .+)$`, job),
  rule(
    "person",
    `(?:take|takes) (?!the |an? |my |care|part|place|it)(.+?) (?:every (?:morning|evening|day|night)|daily|(?:once|twice|three times) a day|before bed)$`,
    value("#medicine"),
  ),
  // Things
  rule("thing", `${BE} (?:an? )?((?=(?:\\S+ )*\\p{Lu}|\\S*\\d)[\\p{L}\\d][^,]*)$`, (m, s, scene) => {
    if (
      s.kind !== "named" || !s.name.startsWith("my ") ||
      /^(?:parked|kept|stored|in|on|at|under|called|named|from|by|with)\b/i.test(m[1]!) || !/\p{Lu}/u.test(m[1]!)
    ) return false;
    scene.say(s, "#model", cleanObject(m[1]!));
  }),
  rule("thing", `${BE} (an? [\\p{L}\\d][\\p{L}\\d -]{2,40})$`, (m, s, scene) => {
    if (s.kind !== "named" || !s.name.startsWith("my ") || VAGUE.test(m[1]!)) return false;
    const color = COLOR.exec(m[1]!)?.[1];
    if (color) scene.say(s, "#color", color);
    scene.say(s, "is", cleanObject(m[1]!));
  }),
  rule(
    "thing",
    `(?:run|runs|listen|listens|${BE}|${BE} running|${BE} listening|${BE} exposed|answers) (?:on |at )?(?:the )?(?:tcp )?port (\\d+)`,
    value("#port"),
  ),
  rule("thing", `(?:cost|costs|cost me|cost us|${BE} priced at|sells for) (.+)$`, value("#price")),
  rule(
    "thing",
    `(?:expire|expires|${BE} valid until|${BE} good until|run out|runs out|lasts until) (?:on |in |at )?(.+)$`,
    value("#expiry"),
  ),
  rule("thing", `(?:${BE} )?due (?:on |by |in )?(.+)$`, value("#deadline")),
  rule("thing", `(?:open|opens) (?:at |from )?(.+)$`, value("#opening_hours")),
  rule(
    "thing",
    `(?:start|starts|begin|begins|leave|leaves|depart|departs|arrive|arrives|close|closes|${BE}) at ((?:half |quarter |noon|midnight|\\d{1,2}(?::\\d\\d)?(?! ?[.\\d])).*)$`,
    value("#time"),
  ),
  rule(
    "thing",
    `(?:${BE} at|has(?: the)?(?: static)?(?: ip(?: address)?| address)?|uses(?: the)?(?: ip(?: address)?| address)?|answers at|lives at|listens at) ((?:\\d{1,3}\\.){3}\\d{1,3}|[0-9a-f]*:[0-9a-f:]+:[0-9a-f]+)\\b`,
    value("#ip"),
  ),
  rule(
    "thing",
    `(?:${BE} |comes |came )?(?:still |only |covered )?(?:under|in|with|by|has) (?:an? |the )?(?:[\\w-]+ )?(?:warranty|guarantee) (?:until|till|to|that (?:ends|runs out) (?:in|on)) (.+)$`,
    value("#warranty"),
  ),
  rule(
    "any",
    `((?:was|were|is|are|gets?) (?:last )?[a-z]+(?:ed|t|n|ght|ne)) ((?:in|on|since|every|each|at) .+|${MONTHS} .*|daily|weekly|monthly|yearly)$`,
    (m, s, scene) =>
      !WHEN.test(m[2]!) || /born|married|called/i.test(m[1]!) ? false : scene.say(s, m[1]!, cleanedDate(m[2]!)),
  ),
  rule(
    "thing",
    `${BE} (?:on |in |at |due |scheduled for |set for )?(${DATED_START}.*)$`,
    (m, s, scene) => s.kind === "named" ? scene.say(s, "#date", cleanObject(m[1]!)) : false,
  ),
  rule("thing", `(?:belong|belongs) to (.+)$`, value("#owner")),
  rule("thing", `${BE} painted (.+)$`, value("#color")),
  rule(
    "thing",
    `${BE} ((?:dark |light |bright )?(?:red|blue|green|yellow|black|white|gr[ae]y|brown|orange|purple|pink|silver|beige|teal|turquoise))$`,
    value("#color"),
  ),
  rule(
    "thing",
    `(?:${BE} (kept|stored|hidden|located|parked|placed|put|sitting|lying|hanging|stashed|filed|buried|always|usually|)? ?|sits? |hangs? |lives? |stands? |lies? )(${PREP} .+)$`,
    place,
  ),
  rule(
    "thing",
    `${BE} (?:on |every )?((?:(?:next |every |this )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\\b.*)$`,
    value("#date"),
  ),
  rule(
    "any",
    `(?!(?:${BE}|he|she|it|they|we|i|you|and|has|have|had|been|do|does|not)\\b)([a-z]+(?: [a-z]+){0,3}?) ((?:on (?:mon|tues|wednes|thurs|fri|satur|sun)days\\b|(?:every|each) (?:other )?(?:mon|tues|wednes|thurs|fri|satur|sun)day).*)$`,
    (m, s, scene) => s.kind === "attribute" ? false : scene.say(s, m[1]!.toLowerCase(), cleanedDate(m[2]!)),
  ),
];

import { predicateById } from "../predicates.ts";
import { has, sayKind } from "./english_having.ts";
import { BE, EMPTY, many, MONTH, rule, value, type VerbRule } from "./english_rule.ts";
import { relationNoun } from "./english_subject.ts";
import { THING_RULES } from "./english_thing_rules.ts";
import { cleanObject, DATE, isJob, isName, listOf, NAME, NUMBER, numberText, withoutArticle } from "./english_words.ts";
import type { Entity, Scene } from "./scene.ts";

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

const NUM = `(${NUMBER})`;

/** What verb phrases state of people, in the order in which they are tried. */
const PERSON_RULES: readonly VerbRule[] = [
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
];

/** Verb phrases in the order in which they are tried. */
export const VERB_RULES: readonly VerbRule[] = [...PERSON_RULES, ...THING_RULES];

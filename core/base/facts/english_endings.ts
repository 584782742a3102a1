import { relationNoun, subjectOf } from "./english_subject.ts";
import { cleanObject, isName, withoutArticle } from "./english_words.ts";
import { type Entity, isPerson, owner, type Scene, type Tell } from "./scene.ts";

const ANY_MORE = /,? (?:any ?more|any longer|these days|nowadays|now|since .+)$/i;
const NEGATED =
  /^(.+?) (?:(?:(?:do|does|did|am|is|are|was|were|have|has|can|could) )?no longer|(?:(?:do|does|did|am|is|are|was|were|have|has|can|cannot|could) ?)(?:not|never)?) (.+?),? (?:any ?more|any longer)\b/i;
const NO_LONGER = /^(.+?) (?:am |is |are |has |have )?no longer (.+)$/i;
const STOPPED =
  /^(.+?) (?:have |has |just |recently )*(?:stopped|quit|quitted|given up|gave up|finished with) (\w+ing)\b ?(.*)$/i;
const GONE =
  /^(.+?) (?:have |has |just |recently |finally |already |also |had to )*(?:sold|sell|gave away|given away|got rid of|gotten rid of|threw (?:away|out)|thrown (?:away|out)|scrapped|traded in|donated|returned|lost) (?:off )?(?:(?:my|our|the|his|her|their|an?) )?(.+)$/i;
const IS_GONE =
  /^(?:(?:my|our|the|his|her) )?(.+?) (?:is|was|are|were|has been|have been|got|has) (?:just |now |finally )?(?:sold|gone|stolen|scrapped|thrown away|given away)\b/i;
const STOLEN =
  /^(?:someone|somebody|thieves|they|a thief) (?:has |have )?(?:stole|stolen|took|nicked) (?:my|our) (.+)$/i;
const REPLACED =
  /^(.+?) (?:have |has |just )*(?:replaced|swapped|traded|exchanged|switched) (?:(?:my|our|the|his|her|their) )?(.+?) (?:with|for|by|to) (?:(?:an?|the|my|our) )?(.+)$/i;
const DIED =
  /^(.+?) (?:has |have |had |sadly |just )*(?:died|passed away|passed on|is dead|are dead|was put down|was put to sleep)\b ?(.*)$/i;
const APART =
  /^(?:(.+?) and (?:I|me)|(?:I|me) and (.+?)|(I|we|he|she|they)) (?:have |has |just |recently |are |got |are now |am )*(?:broke(?:n)? up|split(?: up)?|separated|divorced|no longer together|not together|no longer a couple)(?: (?:with|from) (.+?))?(?: \w+ ago| last .+| yesterday)?$/i;
const LEFT_JOB =
  /^(.+?) (?:have |has |just |recently |was |got |finally )*(?:(?:quit|left|lost|resigned from|gave up) (?:my|his|her|their|the) (?:old )?job(?: (?:at|with|as(?: an?)?) (.+))?|(?:resigned|laid off|fired|made redundant|retired)(?: from (.+?))?)(?: last .+| yesterday| in .+| \w+ ago)?$/i;
const LEFT = /^(.+?) (?:have |has |just |recently )*left ((?:the )?\p{Lu}.*)$/u;

/** Whether a word group tells since when, and not what. */
const WHEN =
  /,? (?:last|this|in|on|two|three|a few|some|a) (?:\w+ )?(?:night|week|month|year|spring|summer|autumn|fall|winter|january|february|march|april|may|june|july|august|september|october|november|december|\w+day|ago)\b.*$|,? (?:yesterday|today|recently)\b.*$|(?<=\w) to (?:an? |my |our |the |\p{Lu}).*$/iu;

/** Understands a clause that says that something is over: true when it is one. */
export function tellEnglishEnding(clause: string, scene: Scene, tell: Tell): boolean {
  return notAnyMore(clause, scene, tell) || isGone(clause, scene) || isOver(clause, scene);
}

/** "I don't play tennis any more", "she no longer works at Shell", "I stopped drinking coffee": what the positive would
 * have stated ends. */
function notAnyMore(clause: string, scene: Scene, tell: Tell): boolean {
  const stopped = STOPPED.exec(clause);
  const match = stopped ?? NO_LONGER.exec(clause) ?? NEGATED.exec(clause);
  if (!match) return false;
  const who = match[1]!.replace(/ (?:do|does|did|am|is|are|have|has|can|could)$/i, "");
  const rests = stopped
    ? bases(stopped[2]!).map((verb) => `${verb} ${stopped[3]!}`.trim())
    : [match[2]!, ...["am", "is", "are"].map((be) => `${be} ${match[2]!}`)];
  for (const rest of rests.map((text) => text.replace(ANY_MORE, ""))) {
    const taken = /^(eat|drink|smoke)s? (.+)$/i.exec(rest);
    const subject = taken && subjectOf(who, scene);
    if (taken && subject && isPerson(subject)) {
      const object = cleanObject(taken[2]!);
      scene.end(subject, ["likes"], object);
      scene.say(subject, "#dislikes", object, { words: `does not ${taken[1]!.toLowerCase()}` });
      scene.topic = subject;
      return true;
    }
    const before = scene.snapshot();
    const had = /^(?:have|has|own|owns) (?:(?:an?|any|the|our|my) )?(.+)$/i.exec(rest);
    const haver = had && subjectOf(who, scene);
    if (had && haver) {
      scene.end(haver, [], cleanObject(had[1]!));
      return true;
    }
    tell(`${who} ${rest}`, scene);
    const told = scene.facts.slice(before.facts.length);
    const { topic } = scene;
    scene.restore(before);
    if (told.length === 0) continue;
    for (const { subject, id, object } of told) {
      scene.end({ kind: "named", name: subject }, id === undefined ? [] : [id], object);
    }
    scene.topic = topic;
    return true;
  }
  return true;
}

/** "swimming" → "swim", "riding" → "ride". */
function bases(gerund: string): string[] {
  const stem = gerund.toLowerCase().slice(0, -3);
  return [stem, `${stem}e`, ...(/(\w)\1$/.test(stem) ? [stem.slice(0, -1)] : [])];
}

/** "we sold the Fiat", "the Fiat was stolen", "I replaced the Fiat with a Tesla". */
function isGone(clause: string, scene: Scene): boolean {
  const replaced = REPLACED.exec(clause);
  if (replaced) {
    const subject = subjectOf(replaced[1]!, scene);
    if (!subject || !isPerson(subject)) return false;
    scene.end(subject, ["owns", "pet", "model"], thingOf(replaced[2]!));
    scene.say(subject, "#owns", withoutArticle(cleanObject(replaced[3]!.replace(WHEN, ""))));
    scene.topic = subject;
    return true;
  }
  const gone = GONE.exec(clause);
  if (gone && !/\bjob\b/i.test(gone[2]!)) {
    const subject = subjectOf(gone[1]!, scene);
    if (!subject || !isPerson(subject)) return false;
    for (const thing of gone[2]!.split(/,? and (?:the |my |our )?/)) {
      scene.end(subject, ["owns", "pet", "model"], thingOf(thing));
    }
    scene.topic = subject;
    return true;
  }
  const away = STOLEN.exec(clause) ?? IS_GONE.exec(clause);
  if (!away) return false;
  scene.end(undefined, ["owns", "pet", "model"], thingOf(away[1]!));
  return true;
}

const thingOf = (text: string) => withoutArticle(cleanObject(text.replace(WHEN, ""))).replace(/^old /i, "");

/** A death, a parting, the end of a job. */
function isOver(clause: string, scene: Scene): boolean {
  const died = DIED.exec(clause);
  if (died) {
    const subject = subjectOf(died[1]!, scene);
    if (!subject || subject.kind === "attribute" || /^(?:of|from) /i.test(died[2]!) && !isPerson(subject)) return false;
    const at =
      /^(?:in|on) (?=.*\d|january|february|march|april|may|june|july|august|september|october|november|december)/i;
    scene.say(subject, "#status", at.test(died[2]!) ? `died ${cleanObject(died[2]!)}` : "died");
    scene.end(undefined, ["pet"], scene.nameOf(subject));
    if (subject.kind === "relation" && subject.predicate.id === "pet") scene.end(subject.owner, ["pet"], subject.noun);
    scene.topic = subject;
    return true;
  }
  const apart = APART.exec(clause);
  if (apart) {
    const other = (apart[1] ?? apart[2] ?? apart[4] ?? "").trim();
    const subject = apart[3] && !/^(?:I|we)$/i.test(apart[3]) ? subjectOf(apart[3], scene) : owner;
    if (!subject) return false;
    const ids = ["partner", "spouse", "wife", "husband"];
    const kin = relationNoun(other.replace(/^(?:my|his|her) /i, ""));
    scene.end(subject, kin ? [kin.id] : ids, isName(other) ? other : undefined);
    return true;
  }
  const job = LEFT_JOB.exec(clause);
  const left = LEFT.exec(clause);
  const subject: Entity | undefined = subjectOf((job ?? left)?.[1] ?? "", scene);
  if (!subject || !isPerson(subject)) return false;
  if (job) {
    scene.end(subject, ["job"]);
    scene.end(subject, ["works_at"]);
    if (/\bretired\b/i.test(clause)) scene.say(subject, "#status", "retired");
  } else scene.end(subject, ["works_at", "school", "lives_in"], cleanObject(left![2]!.replace(WHEN, "")));
  scene.topic = subject;
  return true;
}

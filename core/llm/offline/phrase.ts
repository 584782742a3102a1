import { type Language, languageOf, OWNER } from "../../base/facts/mod.ts";
import { canonicalPredicate, type Predicate } from "../../base/predicates.ts";
import type { Relation } from "./recalled.ts";

/** Sentences for relations that are verbs. `{o}` is the object; the first is said to the owner, the others of `{s}`. */
const VERBS: Record<string, [string, string, string]> = {
  name: ["Your name is {o}", "{s} is called {o}", "{s}叫{o}"],
  nickname: ["People call you {o}", "{s} is also called {o}", "{s}的小名是{o}"],
  surname: ["Your surname is {o}", "{s}'s surname is {o}", "{s}姓{o}"],
  lives_in: ["You live in {o}", "{s} lives in {o}", "{s}住在{o}"],
  hometown: ["You come from {o}", "{s} comes from {o}", "{s}的老家是{o}"],
  age: ["You are {o} years old", "{s} is {o} years old", "{s}{o}"],
  birthday: ["Your birthday is {o}", "{s}'s birthday is {o}", "{s}的生日是{o}"],
  job: ["You work as {o}", "{s} works as {o}", "{s}的工作是{o}"],
  works_at: ["You work at {o}", "{s} works at {o}", "{s}在{o}工作"],
  school: ["You go to {o}", "{s} goes to {o}", "{s}在{o}上学"],
  major: ["You study {o}", "{s} studies {o}", "{s}学的是{o}"],
  likes: ["You like {o}", "{s} likes {o}", "{s}喜欢{o}"],
  dislikes: ["You do not like {o}", "{s} does not like {o}", "{s}不喜欢{o}"],
  hobby: ["Your hobby is {o}", "{s}'s hobby is {o}", "{s}的爱好是{o}"],
  allergic_to: ["You are allergic to {o}", "{s} is allergic to {o}", "{s}对{o}过敏"],
  illness: ["You have {o}", "{s} has {o}", "{s}有{o}"],
  medicine: ["You take {o}", "{s} takes {o}", "{s}吃的药是{o}"],
  diet: ["Your diet: {o}", "{s}'s diet: {o}", "{s}的饮食：{o}"],
  speaks: ["You speak {o}", "{s} speaks {o}", "{s}会说{o}"],
  skill: ["You can do this: {o}", "{s} can do this: {o}", "{s}会{o}"],
  owns: ["You have {o}", "{s} has {o}", "{s}有{o}"],
  located_in: ["You are {o}", "{s} is {o}", "{s}在{o}"],
  spouse: ["You are married to {o}", "{s} is married to {o}", "{s}的爱人是{o}"],
  blood_type: ["Your blood type is {o}", "{s}'s blood type is {o}", "{s}是{o}"],
  expiry: ["That expires on {o}", "{s} expires on {o}", "{s}的有效期到{o}"],
  warranty: ["Your warranty: {o}", "{s} is under warranty until {o}", "{s}的保修期到{o}"],
  species: ["You are {o}", "{s} is {o}", "{s}是{o}"],
  price: ["That costs {o}", "{s} costs {o}", "{s}的价格是{o}"],
  date: ["Your date is {o}", "{s} is {o}", "{s}的时间是{o}"],
  status: ["You are {o}", "{s} is {o}", "{s}{o}"],
};

/** Someone's name as said to the owner: "my sister" is "your sister". */
function subjectText(subject: string, language: Language): string {
  if (language === "zh") {
    return subject === OWNER ? "你" : subject.replace(/^我的?/, (mine) => mine === "我的" ? "你的" : "你").replace(
      /^my /i,
      "你的 ",
    );
  }
  if (subject === OWNER) return "you";
  const theirs = subject.replace(/^my /i, "your ").replace(/^我的?/, "your ");
  const bare = theirs === subject &&
    (/^\p{Ll}|^[^']* \p{Ll}+$/u.test(subject) || /^(?:\p{Lu}{2,}|Wi-?Fi)\b/u.test(subject));
  return bare ? `the ${subject}` : theirs;
}

const capital = (text: string) => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());

/** Several values as one: "tea, jazz and trains". */
export function joined(values: readonly string[], language: Language): string {
  if (language === "zh") return values.join("、");
  return values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} and ${values.at(-1)}`;
}

/** A place that says itself where: "under the flowerpot"; else "in Lisbon". */
function placed(text: string): string {
  const object = text.replace(/^(?:in|on|at) (?=(?:in|on|at|under|behind|inside)\b)/i, "");
  return /^(?:in|on|under|behind|at|inside|near|next|above|below|beside|beneath|underneath|between|by|up|down|out|outside|opposite|upstairs|downstairs)\b/i
      .test(object)
    ? object
    : `in ${object}`;
}

const withArticle = (noun: string) =>
  /^(?:an? |the |some |\d)|\p{Script=Han}/iu.test(noun) ? noun : `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;

/** A thing as the sentence that told of it counts it: "a Volvo", "two bicycles", "furniture". */
function counted(object: string, sentence = ""): string {
  const at = sentence.toLowerCase().indexOf(object.toLowerCase());
  const before = at < 0
    ? undefined
    : /(?:^|\s)(an?|some|two|three|four|five|six|\d+)\s$/i.exec(sentence.slice(0, at))?.[1];
  return before ? `${before.toLowerCase()} ${object}` : object;
}

/** 两个手机, as the sentence that told of them counts them; one is not counted. */
function countedZh(object: string, sentence = ""): string {
  const at = sentence.indexOf(object);
  const before = at < 0
    ? undefined
    : /([两二三四五六七八九十\d]+(?:个|辆|台|部|只|条|把|本|间|套|张|架))$/.exec(sentence.slice(0, at))?.[1];
  return before ? `${before}${object}` : object;
}

/** "You work as a carpenter", "Anna teaches physics". */
function workText(who: string, jobs: readonly string[]): string {
  const teaches = jobs.find((job) => /^teaches /.test(job));
  if (teaches) return who === "you" ? `you ${teaches.replace("teaches", "teach")}` : `${who} ${teaches}`;
  return `${who} ${who === "you" ? "work" : "works"} as ${joined(jobs.map(withArticle), "en")}`;
}

/** A verb phrase as it is said to the owner: "plays" → "play", "does not eat" → "do not eat". */
function toOwner(verb: string): string {
  return verb.replace(
    /^(?:does|is|was|has|goes)\b/,
    (word) => ({ does: "do", is: "are", was: "were", has: "have", goes: "go" })[word]!,
  ).replace(/^(\w+?)(?:(?<=ch|sh|ss|x)es|s)\b/, "$1");
}

/** Forms of a relation that say more than its usual name, and are verbs: "plays" of a hobby. */
const VERB_EN = /^(?:plays|collects|practi[sc]es|is learning|does not \w+|(?:was|were) .+)$/;
const VERB_ZH = /^不[吃喝抽]$/;

/** Things that are several: "the passports". */
function isPlural(subject: string, sentence = ""): boolean {
  const bare = subject.replace(/^my /, "");
  const verb = sentence.slice(sentence.indexOf(bare) + bare.length).match(/^ (are|were|have|is|was|has)\b/)?.[1];
  if (sentence.includes(bare) && verb !== undefined) return /^(?:are|were|have)$/.test(verb);
  return /^(?:my )?(?:\p{Ll}.*|\p{Lu}.* \p{Ll}+)[^su'i]s$/u.test(subject) && !/'s$/.test(subject);
}

/** One of several: "children", "allergies". */
function plural(noun: string): string {
  if (/child$/.test(noun)) return `${noun}ren`;
  if (/(?:s|x|ch|sh)$/.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** One sentence for the values of one relation. */
export function sentenceOf(
  subject: string,
  predicate: string,
  objects: readonly string[],
  options: SentenceOptions,
): string {
  const { language, past = false } = options;
  const theirs = objects.map((object) => toTheirs(object, language));
  if (language === "zh") {
    const who = subjectText(subject, "zh");
    const isOwned = canonicalPredicate(predicate)?.id === "owns";
    const said = isOwned ? theirs.map((each, at) => countedZh(each, options.sentences?.[at])) : theirs;
    const text = chineseSentence(subject, predicate, said, options);
    return `${past && text.startsWith(who) ? `${who}以前${text.slice(who.length)}` : text}。`;
  }
  const text = englishSentence(subject, predicate, theirs, options);
  return `${capital(past ? inPast(text) : text)}.`;
}

export interface SentenceOptions {
  language: Language;
  /** In which the values were told. */
  sentences?: readonly (string | undefined)[];
  /** It held once. */
  past?: boolean;
  /** The word by which it was asked for: the dog, of all pets. */
  noun?: string;
}

/** Whether a free predicate is one of the vocabulary with something before it: "work email", 公司邮箱. */
const isQualified = (predicate: string) =>
  /^(?:ex-|former )/.test(predicate) ||
  canonicalPredicate(predicate.split(" ").at(-1)!) !== undefined && predicate.includes(" ") ||
  canonicalPredicate(predicate.split(" ").slice(-2).join(" ")) !== undefined && predicate.split(" ").length > 2;

/** What somebody said of themselves as it is said back to them: "in my coat" is in your coat. */
function toTheirs(object: string, language: Language): string {
  return language === "zh"
    ? object.replace(/^我们?(?=.)/, "你")
    : object.replace(/\b(?:my|our)\b/g, "your").replace(/\b(?:me|us)\b/g, "you").replace(/\bI\b/g, "you");
}

/** A sentence of the present in the past: of its first verb. */
function inPast(sentence: string): string {
  return sentence.replace(
    /\b(?:is|are|has|have|does|do|goes|go|speaks?|takes?|comes?|costs?|lives?|works?|likes?|plays?|collects?|studies|study|expires?|teach(?:es)?)\b/,
    (verb) => {
      const known: Record<string, string> = {
        is: "was",
        are: "were",
        has: "had",
        have: "had",
        does: "did",
        do: "did",
        go: "went",
        goes: "went",
        speak: "spoke",
        take: "took",
        come: "came",
        cost: "cost",
        study: "studied",
        studie: "studied",
        teach: "taught",
        teache: "taught",
      };
      const stem = verb.replace(/s$/, "");
      return known[verb] ?? known[stem] ?? (stem.endsWith("e") ? `${stem}d` : `${stem}ed`);
    },
  );
}

function chineseSentence(
  subject: string,
  predicate: string,
  objects: readonly string[],
  { noun: said }: SentenceOptions,
): string {
  const known: Predicate | undefined = canonicalPredicate(predicate);
  const who = subjectText(subject, "zh");
  const values = joined(objects, "zh");
  if (known?.id === "located_in") return `${who}在${values.replace(/^(?:in|at|on) /i, "")}`;
  // The number of 我的护照 is 你的护照号.
  const holder = subject.replace(/^我的/, "");
  if (holder !== subject && predicate.startsWith(holder)) return `你的${predicate}是${values}`;
  if (known?.id === "zodiac" && /^\p{Script=Han}$/u.test(values)) return `${who}属${values}`;
  if (VERB_ZH.test(predicate)) return `${who}${predicate}${values}`;
  if (known?.id === "status" && !/[了着过]$|\p{Script=Han}{2}/u.test(values)) return `${who}的状态是${values}`;
  const verb = known && VERBS[known.id];
  if (verb) {
    const value = known.id === "age" && /^\d+$/.test(values) ? `${values}岁` : values;
    return verb[2].replaceAll("{s}", who).replaceAll("{o}", value);
  }
  const noun = said ?? (known && !known.id.startsWith("favourite ") ? wordFor(predicate, known, "zh") : predicate);
  return `${who}${/^[是有在会最]/.test(noun) ? "" : "的"}${noun}${/[是在]$/.test(noun) ? "" : "是"}${values}`;
}

function englishSentence(
  subject: string,
  predicate: string,
  objects: readonly string[],
  { sentences = [], noun: said }: SentenceOptions,
): string {
  const known: Predicate | undefined = canonicalPredicate(predicate);
  const who = subjectText(subject, "en");
  const isOwner = subject === OWNER;
  if (VERB_EN.test(predicate)) return `${who} ${isOwner ? toOwner(predicate) : predicate} ${joined(objects, "en")}`;
  if (known?.id === "job") return workText(who, objects);
  if (known?.id === "status" && /^(?:died|went|got|has|had)\b/.test(objects[0] ?? "")) {
    return `${who} ${joined(objects, "en")}`;
  }
  const verb = known && VERBS[known.id];
  if (verb) {
    const each = objects.map((object, index) => {
      switch (known.id) {
        case "located_in":
          return placed(object);
        case "date":
          return /^(?:on|at|in|every|next|this|tomorrow)\b/i.test(object) ? object : `on ${object}`;
        case "owns":
          return counted(object, sentences[index]);
        case "species":
          return withArticle(object);
        case "age":
          return object.replace(/\s*(?:岁|years old)$/, "");
        default:
          return object;
      }
    });
    const values = joined(each, "en");
    const shape = known.id === "lives_in" && /^\d|\d+$/.test(values)
      ? verb[isOwner ? 0 : 1].replace(" in ", " at ")
      : verb[isOwner ? 0 : 1];
    const agreed = isPlural(subject, sentences[0])
      ? shape.replace(/^\{s\} (is|has|expires|costs)\b/, (_, word) => `{s} ${toOwner(word)}`)
      : shape;
    return agreed.replaceAll("{s}", who).replaceAll("{o}", values);
  }
  const values = joined(objects, "en");
  // The number of "my passport" is your passport number.
  const [, possessor, holder] = /^(my |.+'s )(.+)$/i.exec(subject) ?? [];
  if (possessor && holder && predicate.toLowerCase().startsWith(`${holder.toLowerCase()} `)) {
    return `${possessor.replace(/^my /i, "your ")}${predicate} is ${values}`;
  }
  if (!known && !isQualified(predicate)) return `${who} ${isOwner ? toOwner(predicate) : predicate} ${values}`;
  const noun = said ?? (!known || known.id.startsWith("favourite ") ? predicate : wordFor(predicate, known, "en"));
  const whose = isOwner ? "your" : who.endsWith("s") && isPlural(subject) ? `${who}'` : `${who}'s`;
  return `${whose} ${objects.length > 1 ? plural(noun) : noun} ${objects.length > 1 ? "are" : "is"} ${values}`;
}

/** The word for a relation: the one that was told, where it is of this language. */
function wordFor(predicate: string, known: Predicate, language: Language): string {
  const word = languageOf(predicate) === language && /\p{L}/u.test(predicate) ? predicate : known[language];
  return word.replace(/\b(?:ip|url|id|pin|ssid|iban)\b/g, (acronym) => acronym.toUpperCase());
}

/** Sentences for relations, values of one subject and predicate together, each said once. */
export function tellRelations(
  relations: readonly Relation[],
  language: Language,
  { past = false, noun }: { past?: boolean; noun?: string | undefined } = {},
): string {
  const groups = new Map<string, { subject: string; predicate: string; objects: string[]; sentences: string[] }>();
  for (const { subject, predicate, object, sentence = "" } of relations) {
    const id = VERB_EN.test(predicate) || VERB_ZH.test(predicate) || isRole(predicate)
      ? predicate
      : canonicalPredicate(predicate)?.id ?? predicate;
    const group = groups.get(`${subject}\n${id}`) ?? { subject, predicate, objects: [], sentences: [] };
    if (!group.objects.includes(object)) {
      group.objects.push(object);
      group.sentences.push(sentence);
    }
    groups.set(`${subject}\n${id}`, group);
  }
  return [...groups.values()].slice(0, 16).map(({ subject, predicate, objects, sentences }) =>
    sentenceOf(subject, predicate, objects, {
      language,
      sentences,
      past,
      ...(noun !== undefined && canonicalPredicate(predicate)?.id === "pet" ? { noun } : {}),
    })
  )
    .join(language === "zh" ? "" : " ");
}

/** A relation between people: each is told by the word that it was told with. */
function isRole(predicate: string): boolean {
  const known = canonicalPredicate(predicate);
  return known !== undefined && known.id !== "pet" && known.id !== "child" && known.id !== "owns" &&
    (known.inverse !== undefined || known.broader === "relative" ||
      ["doctor", "teacher", "lawyer", "helper"].includes(known.id));
}

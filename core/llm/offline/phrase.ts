import { type Language, OWNER } from "../../base/facts/mod.ts";
import { canonicalPredicate, type Predicate } from "../../base/predicates.ts";
import type { Relation } from "./recalled.ts";

/** Sentences for relations that are verbs. `{o}` is the object; the first is said to the owner, the others of `{s}`. */
const VERBS: Record<string, [string, string, string]> = {
  name: ["Your name is {o}", "{s} is called {o}", "{s}叫{o}"],
  nickname: ["People call you {o}", "{s} is also called {o}", "{s}的小名是{o}"],
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
  owns: ["You have: {o}", "{s} has: {o}", "{s}有{o}"],
  located_in: ["You are {o}", "{s} is {o}", "{s}在{o}"],
  spouse: ["You are married to {o}", "{s} is married to {o}", "{s}的爱人是{o}"],
  blood_type: ["Your blood type is {o}", "{s}'s blood type is {o}", "{s}是{o}"],
  expiry: ["That expires on {o}", "{s} expires on {o}", "{s}的有效期到{o}"],
  warranty: ["Your warranty: {o}", "{s}, warranty: {o}", "{s}的保修期到{o}"],
  species: ["You are a {o}", "{s} is a {o}", "{s}是{o}"],
  price: ["That costs {o}", "{s} costs {o}", "{s}的价格是{o}"],
};

/** Someone's name as said to the owner: "my sister" is "your sister". */
function subjectText(subject: string, language: Language): string {
  if (language === "zh") {
    return subject === OWNER ? "你" : subject.replace(/^我的?/, "你").replace(/^my /i, "你的 ");
  }
  if (subject === OWNER) return "you";
  const theirs = subject.replace(/^my /i, "your ").replace(/^我/, "your ");
  return theirs === subject && /^\p{Ll}/u.test(subject) ? `the ${subject}` : theirs;
}

const capital = (text: string) => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());

/** Several values as one: "tea, jazz and trains". */
export function joined(values: readonly string[], language: Language): string {
  if (language === "zh") return values.join("、");
  return values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} and ${values.at(-1)}`;
}

/** A place that says itself where: "under the flowerpot"; else "in Lisbon". */
function placed(object: string): string {
  return /^(?:in|on|under|behind|at|inside|near|next|above|below|beside|between|by|up|down|out)\b/i.test(object)
    ? object
    : `in ${object}`;
}

/** "You work as a carpenter", "Anna teaches physics". */
function workText(who: string, jobs: readonly string[]): string {
  const teaches = jobs.find((job) => /^teaches /.test(job));
  if (teaches) return who === "you" ? `you ${teaches.replace("teaches", "teach")}.` : `${who} ${teaches}.`;
  const named = jobs.map((job) =>
    /^(?:an? |the )|\p{Script=Han}/iu.test(job) ? job : `${/^[aeiou]/i.test(job) ? "an" : "a"} ${job}`
  );
  return `${who} ${who === "you" ? "work" : "works"} as ${joined(named, "en")}.`;
}

/** One sentence for the values of one relation. */
export function sentenceOf(subject: string, predicate: string, objects: readonly string[], language: Language): string {
  const known: Predicate | undefined = canonicalPredicate(predicate);
  const who = subjectText(subject, language);
  const values = joined(known?.id === "located_in" && language === "en" ? objects.map(placed) : objects, language);
  const verb = known && VERBS[known.id];
  if (verb) {
    if (known.id === "job" && language === "en") return capital(workText(who, objects));
    const years = known.id === "age" && language === "en" ? values.replace(/\s*(?:岁|years old)$/, "") : values;
    const age = known.id === "age" && language === "zh" && /^\d+$/.test(values) ? `${values}岁` : years;
    const shape = language === "zh" ? verb[2] : subject === OWNER ? verb[0] : verb[1];
    return capital(`${shape.replaceAll("{s}", who).replaceAll("{o}", age)}${language === "zh" ? "。" : "."}`);
  }
  if (language === "zh") {
    const noun = known && !known.id.startsWith("favourite ") ? known.zh : predicate;
    return `${who}${/^[是有在会]/.test(noun) ? "" : "的"}${noun}${/[是在]$/.test(noun) ? "" : "是"}${values}。`;
  }
  const noun = known && !known.id.startsWith("favourite ") ? known.en : predicate;
  if (!known) return capital(`${who} ${noun} ${values}.`);
  const whose = subject === OWNER ? "your" : `${who}'s`;
  return capital(`${whose} ${noun} ${objects.length > 1 ? "are" : "is"} ${values}.`);
}

/** Sentences for relations, values of one subject and predicate together, each said once. */
export function tellRelations(relations: readonly Relation[], language: Language): string {
  const groups = new Map<string, { subject: string; predicate: string; objects: string[] }>();
  for (const { subject, predicate, object } of relations) {
    const id = canonicalPredicate(predicate)?.id ?? predicate;
    const group = groups.get(`${subject}\n${id}`) ?? { subject, predicate, objects: [] };
    if (!group.objects.includes(object)) group.objects.push(object);
    groups.set(`${subject}\n${id}`, group);
  }
  return [...groups.values()].slice(0, 8).map(({ subject, predicate, objects }) =>
    sentenceOf(subject, predicate, objects, language)
  )
    .join(language === "zh" ? "" : " ");
}

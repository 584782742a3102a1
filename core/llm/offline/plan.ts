import { type ExtractedFact, type Language, languageOf, OWNER } from "../../base/facts/mod.ts";
import { canonicalPredicate } from "../../base/predicates.ts";
import { aboutText, type Asked } from "./ask.ts";
import { endedBy, keywordsFor, needsMemory, otherNames, withNames } from "./endings.ts";
import { excerpt } from "./excerpt.ts";
import { findAnswer } from "./find.ts";
import { type Intent, readIntent } from "./intent.ts";
import { sentenceOf, tellRelations } from "./phrase.ts";
import { kinOf, namesOf } from "./names.ts";
import { recalledBy, type Relation } from "./recalled.ts";
import { listSkills } from "./skills_list.ts";
import * as texts from "./texts.ts";
import type { Turn } from "./turn.ts";
import { contentWords, phrasesOf } from "./words.ts";

/** One tool call that the rules want. */
export interface Call {
  name: string;
  args: Record<string, unknown>;
}

/** What to do next in a turn: ask tools, or answer. */
export type Step = { kind: "call"; calls: Call[] } | { kind: "say"; text: string };

/** The next step of a turn, from what it says and what its tools have answered so far. */
export function nextStep(turn: Turn): Step {
  const intent = readIntent(turn);
  const first = firstLook(intent, turn);
  if (first.length > 0) return { kind: "call", calls: first };
  intent.facts = withNames(intent.facts, recalledBy("memory_recall", turn).relations);
  const calls = missingCalls(intent, turn);
  if (calls.length > 0) return { kind: "call", calls };
  return { kind: "say", text: withNotice(answer(intent, turn), intent, turn) };
}

/** What has to be known before anything is written: whom "my sister" means, and what it is that ends. */
function firstLook(intent: Intent, turn: Turn): Call[] {
  const { facts, endings } = intent;
  const wrote = turn.results.some((result) => ["memory_commit", "memory_edit"].includes(result.tool));
  if (wrote || !turn.tools.has("memory_recall") || !needsMemory(facts, endings)) return [];
  const looks = turn.results.filter((result) => result.tool === "memory_recall").length;
  const keywords = looks === 0
    ? keywordsFor(facts, endings)
    : looks === 1
    ? otherNames(facts, recalledBy("memory_recall", turn).relations)
    : [];
  if (keywords.length === 0) return [];
  return [{ name: "memory_recall", args: { query: turn.text.slice(0, 500), keywords, depth: 2, top: 20 } }];
}

function missingCalls(intent: Intent, turn: Turn): Call[] {
  const done = (tool: string) => turn.results.filter((result) => result.tool === tool).length;
  const can = (tool: string) => turn.tools.has(tool);
  const calls: Call[] = [];
  if (can("memory_commit") && done("memory_commit") === 0) calls.push(...commits(intent.facts));
  if (can("memory_edit") && done("memory_edit") === 0 && done("memory_commit") === 0) {
    const valid_to = (turn.now ?? new Date()).toISOString();
    for (const { id } of endedBy(intent, recalledBy("memory_recall", turn).relations)) {
      calls.push({ name: "memory_edit", args: { id, set: { valid_to } } });
    }
  }
  if (can("doc_commit") && done("doc_commit") === 0) {
    for (const text of loose(intent)) calls.push({ name: "doc_commit", args: { content: text } });
  }
  if (intent.timer && can("timer_set") && done("timer_set") === 0) {
    calls.push({ name: "timer_set", args: { ...intent.timer } });
  }
  if (intent.timers && can("timer_list") && done("timer_list") === 0) calls.push({ name: "timer_list", args: {} });
  if (intent.knowledge?.kind === "list" && can("knowledge_list") && done("knowledge_list") === 0) {
    calls.push({ name: "knowledge_list", args: {} });
  }
  if (intent.knowledge?.kind === "search" && can("knowledge_search") && done("knowledge_search") === 0) {
    calls.push({ name: "knowledge_search", args: { query: intent.knowledge.query } });
  }
  if (calls.length > 0) return calls;
  return intent.questions.flatMap((asked) => lookUps(asked, turn));
}

/** Facts as commits, one for each sentence that they come from. */
function commits(facts: readonly ExtractedFact[]): Call[] {
  const bySentence = Map.groupBy(facts, (fact) => fact.sentence);
  return [...bySentence].map(([sentence, group]) => ({
    name: "memory_commit",
    args: {
      triples: group.map(({ subject, predicate, object, confidence, subject_type, object_type }) => ({
        subject,
        predicate,
        object,
        confidence,
        ...(subject_type ? { subject_type } : {}),
        ...(object_type ? { object_type } : {}),
      })),
      sentence_text: sentence,
    },
  }));
}

/** Sentences to be remembered in which no fact was found: kept word for word. */
function loose(intent: Intent): string[] {
  return intent.remember.filter((text) => !intent.facts.some((fact) => fact.sentence.includes(text)));
}

/** The searches that a question still needs: memory by the question, then by names that were found, then knowledge. */
function lookUps(asked: Asked, turn: Turn): Call[] {
  const recalls = turn.results.filter((result) => result.tool === "memory_recall");
  const mine = recalls.filter((result) => String(result.args["query"] ?? "").startsWith(asked.question));
  if (turn.tools.has("memory_recall")) {
    if (mine.length === 0) {
      return [{
        name: "memory_recall",
        args: { query: asked.question, keywords: keywordsOf(asked), depth: 2, top: 16 },
      }];
    }
    const found = findAnswer(asked, recalledBy("memory_recall", turn), { relations: [], passages: [] });
    if (found.kind === "relations" && asked.about.kind !== "named") return [];
    if (mine.length === 1) {
      const more = secondKeywords(asked, turn);
      if (more.length > 0) {
        return [{
          name: "memory_recall",
          args: { query: `${asked.question} ${more.join(" ")}`, keywords: more, depth: 2, top: 20 },
        }];
      }
    }
    if (found.kind !== "nothing") return [];
  }
  const searched = turn.results.some((result) =>
    result.tool === "knowledge_search" && result.args["query"] === asked.question
  );
  return turn.tools.has("knowledge_search") && !searched
    ? [{ name: "knowledge_search", args: { query: asked.question } }]
    : [];
}

/** Names and relation words of a question, in both languages: facts may have been told in the other one. */
function keywordsOf(asked: Asked): string[] {
  const names = [aboutText(asked.about, "en"), aboutText(asked.about, "zh")].filter((name) => name !== OWNER);
  if (asked.about.kind === "relation") names.push(asked.about.predicate.en, asked.about.predicate.zh);
  const attributes = asked.attributes.slice(0, 3).flatMap((predicate) => [predicate.en, predicate.zh]);
  // The owner last: memory walks from each in turn, and they have most relations.
  const all = [...names, ...phrasesOf(asked.question), ...attributes, ...asked.words, OWNER];
  return [...new Set(all)].filter((word) => word !== "");
}

/** For "my sister": the name that the first search found for her. */
function secondKeywords(asked: Asked, turn: Turn): string[] {
  const memory = recalledBy("memory_recall", turn);
  const attributes = asked.attributes.slice(0, 2).flatMap((predicate) => [predicate.en, predicate.zh]);
  if (asked.about.kind === "relation") {
    const { predicate } = asked.about;
    const names = memory.relations.filter((relation) => {
      const known = canonicalPredicate(relation.predicate);
      return known && (known.id === predicate.id || known.broader === predicate.id || known.id === predicate.broader);
    }).map((relation) => relation.object);
    return names.length > 0 ? [...new Set([...names, ...attributes])] : [];
  }
  // Anna was spoken of as "my sister" before her name was told.
  if (asked.about.kind === "named") return kinOf(namesOf(asked.about, memory.relations), memory.relations);
  return asked.about.kind === "owner" && attributes.length > 0 ? ["user", ...attributes] : [];
}

function answer(intent: Intent, turn: Turn): string {
  const { language } = turn;
  if (intent.due) return `⏰ ${intent.due}`;
  if (intent.smallTalk) return smallTalk(intent.smallTalk, turn);
  if (intent.asksSetup) return texts.SETUP[language];
  if (intent.asksSkills) return listSkills([...turn.tools.keys()], language);
  if (intent.asksForget) return texts.FORGET[language];
  if (intent.knowledge) return knowledgeAnswer(intent.knowledge, turn);
  if (intent.timers) return timersAnswer(turn);
  if (intent.timer) return timerAnswer(intent, turn);
  const parts = [...learned(intent, turn), ...intent.questions.map((asked) => questionAnswer(asked, turn))];
  if (intent.unable) parts.push(texts.CANNOT[language]);
  if (parts.length === 0) return texts.NOT_KEPT[language];
  return [...new Set(parts)].join("\n");
}

/** What was written to memory, and what it replaced; or why it was not. */
function learned(intent: Intent, turn: Turn): string[] {
  const zh = turn.language === "zh";
  const parts: string[] = [];
  const commitResults = turn.results.filter((result) =>
    result.tool === "memory_commit" || result.tool === "doc_commit"
  );
  const edits = turn.results.filter((result) => result.tool === "memory_edit");
  const failed = [...commitResults, ...edits].find((result) => result.error !== undefined);
  const wanted = intent.facts.length > 0 || intent.remember.length > 0;
  if (!wanted && intent.endings.length === 0) return [];
  if (failed) return [zh ? `没有记下来：${failed.error}` : `I could not save that: ${failed.error}`];
  if (commitResults.length === 0 && wanted) {
    return [
      zh ? "我现在没有可以写入的记忆，所以没有记下来。" : "I have no memory to write to here, so nothing was kept.",
    ];
  }
  if (intent.facts.length > 0) {
    const told = tellRelations(intent.facts.map((fact) => ({ ...fact, current: true })), turn.language);
    parts.push(zh ? `记住了：${told}` : `Noted: ${told}`);
  }
  for (const text of loose(intent)) parts.push(zh ? `记住了：“${text}”。` : `Noted: "${text}".`);
  const closed = commitResults.flatMap((result) => {
    const list = (result.value as { closed?: unknown } | null)?.closed;
    return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
  });
  const told = closed.map((text) => asSentence(text, intent.facts.map(({ subject }) => subject), turn.language));
  const { relations } = recalledBy("memory_recall", turn);
  for (const { args } of edits) {
    const ended = relations.find(({ id }) => id === args["id"]);
    if (ended) told.push(withoutEnd(ended, turn.language));
  }
  if (told.length > 0) {
    const once = [...new Set(told)];
    parts.push(zh ? `（不再成立：${once.join("；")}）` : `(No longer true: ${once.join("; ")})`);
  }
  return parts;
}

/** A relation as a part of a sentence: "you live in Paris". */
function withoutEnd({ subject, predicate, object, sentence }: Relation, language: Language): string {
  const told = sentenceOf(subject, predicate, [object], { language, sentences: [sentence] }).replace(/[.。]$/, "");
  return told.replace(/^(?:Your?|The)\b/, (word) => word.toLowerCase());
}

/** A relation that is told as "subject predicate object", as it is said to the person: "you live in Paris". */
function asSentence(relation: string, subjects: readonly string[], language: Language): string {
  const subject = [OWNER, ...subjects].filter((one) => relation.startsWith(`${one} `))
    .sort((a, b) => b.length - a.length)[0];
  if (subject === undefined) return relation;
  const words = relation.slice(subject.length + 1).split(" ");
  for (let at = words.length - 1; at > 0; at--) {
    const predicate = words.slice(0, at).join(" ");
    if (!canonicalPredicate(predicate)) continue;
    return withoutEnd({ subject, predicate, object: words.slice(at).join(" "), current: false }, language);
  }
  return relation;
}

function questionAnswer(asked: Asked, turn: Turn): string {
  const zh = asked.language === "zh";
  const found = findAnswer(asked, recalledBy("memory_recall", turn), recalledBy("knowledge_search", turn));
  switch (found.kind) {
    case "relations": {
      const past = found.verdict === "former" || found.verdict === "before";
      const told = tellRelations(found.relations, asked.language, { past, noun: theirNoun(asked) });
      if (found.verdict) return `${texts.VERDICT[found.verdict][asked.language]}${told}`;
      // "Two phones" says itself how many.
      const isCounted = found.relations.some(({ object, sentence = "" }) =>
        /(?:[两二三四五六七八九十\d]+\p{Script=Han}|\b(?:two|three|four|five|six|seven|eight|nine|ten|\d+) )$/u
          .test(sentence.slice(0, Math.max(0, sentence.indexOf(object))))
      );
      if (isCounted && asked.count) return told;
      const count = asked.count ? new Set(found.relations.map(({ object }) => object)).size : 0;
      if (count < 2 && !(asked.count && /^(?:\p{Lu}|\p{Script=Han})/u.test(found.relations[0]!.object))) return told;
      return `${zh ? `我知道的有${count}个。` : `${count} that I know of. `}${told}`;
    }
    case "passage": {
      const text = excerpt(found.passage.text, asked.allWords);
      if (found.source === "knowledge") return zh ? `知识库里有：${text}` : `From the knowledge base: ${text}`;
      return zh ? `你告诉过我：“${text}”` : `You told me: "${text}"`;
    }
    case "nothing": {
      const failed = turn.results.find((result) => result.error !== undefined && result.tool === "memory_recall");
      if (failed) return zh ? `查找记忆时出错：${failed.error}` : `I could not look that up: ${failed.error}`;
      return asked.yesNo ? texts.UNSAID[asked.language] : texts.UNKNOWN[asked.language];
    }
  }
}

/** "Your dog is Waffles" to who asked for the dog. */
function theirNoun({ noun, language }: Asked): string | undefined {
  return noun !== undefined && languageOf(noun) === language ? noun.replace(/(?<=[^s])s$/, "") : undefined;
}

function smallTalk(talk: NonNullable<Intent["smallTalk"]>, turn: Turn): string {
  const { language, now } = turn;
  const zh = language === "zh";
  const locale = zh ? "zh-CN" : "en-GB";
  switch (talk) {
    case "hello":
      return texts.HELLO[language];
    case "thanks":
      return texts.THANKS[language];
    case "bye":
      return texts.BYE[language];
    case "fine":
      return texts.FINE[language];
    case "who":
      return texts.WHO[language];
    case "yes":
      return texts.UNDERSTOOD[language];
    case "time":
      if (!now) return texts.NO_CLOCK[language];
      return `${zh ? "现在是" : "It is "}${now.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" })}${
        zh ? "。" : "."
      }`;
    case "date":
      if (!now) return zh ? "我不知道今天的日期。" : "I don't know today's date.";
      return `${zh ? "今天是" : "Today is "}${
        now.toLocaleDateString(locale, { weekday: "long", year: "numeric", month: "long", day: "numeric" })
      }${zh ? "。" : "."}`;
  }
}

function knowledgeAnswer(wanted: NonNullable<Intent["knowledge"]>, turn: Turn): string {
  const zh = turn.language === "zh";
  const result = turn.results.find((each) =>
    each.tool === (wanted.kind === "list" ? "knowledge_list" : "knowledge_search")
  );
  if (!result) return zh ? "这里没有知识库可用。" : "There is no knowledge base here.";
  if (result.error !== undefined) {
    return zh ? `知识库出错：${result.error}` : `The knowledge base failed: ${result.error}`;
  }
  if (wanted.kind === "list") {
    const items = (result.value as { items?: { name: string; title?: string }[] } | null)?.items ?? [];
    if (items.length === 0) return zh ? "知识库是空的。" : "The knowledge base is empty.";
    const lines = items.map(({ name, title }) => `- ${name}${title && title !== name ? `: ${title}` : ""}`);
    return [zh ? "知识库里有：" : "In the knowledge base:", ...lines].join("\n");
  }
  const passages = recalledBy("knowledge_search", turn).passages.slice(0, 3);
  if (passages.length === 0) {
    return zh ? `知识库里没有关于“${wanted.query}”的内容。` : `The knowledge base has nothing about "${wanted.query}".`;
  }
  return [
    zh ? "知识库里有：" : "From the knowledge base:",
    ...passages.map(({ text }) => excerpt(text, contentWords(wanted.query))),
  ].join("\n\n");
}

function timerAnswer(intent: Intent, turn: Turn): string {
  const zh = turn.language === "zh";
  const text = intent.timer!.text;
  const result = turn.results.find((each) => each.tool === "timer_set");
  if (!result) return zh ? "这里没有定时功能，所以没有设置提醒。" : "There is no timer here, so no reminder was set.";
  if (result.error !== undefined) {
    return zh ? `提醒没有设置成功：${result.error}` : `The reminder was not set: ${result.error}`;
  }
  const when = String(
    (result.value as { next_local?: unknown } | null)?.next_local ?? intent.timer!.in ?? intent.timer!.at ??
      intent.timer!.cron,
  );
  return zh ? `好的，会提醒你“${text}”（${when}）。` : `All right, I'll remind you: "${text}" (${when}).`;
}

function timersAnswer(turn: Turn): string {
  const zh = turn.language === "zh";
  const result = turn.results.find((each) => each.tool === "timer_list");
  const timers = (result?.value as { timers?: Record<string, unknown>[] } | null | undefined)?.timers ?? [];
  if (timers.length === 0) return zh ? "没有设置任何提醒。" : "No reminders are set.";
  return timers.map((timer) => `- ${timer["text"]}: ${timer["next_local"] ?? timer["next"]} (${timer["id"]})`).join(
    "\n",
  );
}

/** Says once in a conversation that there is no model, and again only where one was needed. */
function withNotice(text: string, intent: Intent, turn: Turn): string {
  if (texts.SAID_SO.test(text) || intent.due) return text;
  const said = turn.history.some((message) => message.role === "assistant" && texts.SAID_SO.test(message.text));
  if (said && !intent.unable) return text;
  return `${text}\n\n${texts.NO_MODEL[turn.language]}`;
}

import { type Language, languageOf, nounOf, understand } from "../../base/facts/mod.ts";
import { isChineseName } from "../../base/facts/chinese_words.ts";
import { leadingRelation } from "../../base/facts/chinese_subject.ts";
import { relationNoun } from "../../base/facts/english_subject.ts";
import { expandContractions, isName, NAME } from "../../base/facts/english_words.ts";
import { simplify } from "../../base/simplify.ts";
import { canonicalPredicate, type Predicate, predicateById, predicatesAskedFor } from "../../base/predicates.ts";
import { contentWords } from "./words.ts";

/** Whom a question is about. */
export type About =
  | { kind: "owner" }
  /** "my sister", "Anna's boss". */
  | { kind: "relation"; whose: About; predicate: Predicate; noun: string }
  | { kind: "named"; name: string }
  /** Nobody in particular: a thing, by the words of the question. */
  | { kind: "thing" };

/** A question as the rules understand it. */
export interface Asked {
  question: string;
  language: Language;
  about: About;
  /** Which relations would answer it, surest first; empty: anything about whom it asks. */
  attributes: Predicate[];
  /** Asks who, not what: 谁住在苏州, "who plays the cello". */
  reverse: boolean;
  /** A question to be answered with yes or no. */
  yesNo: boolean;
  /** Asks how many. */
  count: boolean;
  /** Asks what held before. */
  past: boolean;
  /** Asks for everything that is known. */
  open: boolean;
  /** The word by which someone is asked for: the dentist, of all doctors. */
  noun?: string;
  /** Meaningful words beside the person and the attribute. */
  words: string[];
  /** All meaningful words. */
  allWords: string[];
}

const POLITE_EN =
  /^(?:(?:hey|hi|hello|so|and|ok|okay|please|well|by the way|homed)[,.!]? )*(?:(?:can|could|would|will) you (?:please )?(?:tell|remind) me|(?:please )?(?:tell|remind) me|do you (?:still )?(?:know|remember|recall)|i forgot|i want to know|i'd like to know|any idea|what do you know about|what can you tell me about|tell me about|remind me of)\b,? ?/i;
const POLITE_ZH =
  /^(?:(?:你好|请问|那|那么|对了|嗨|麻烦|请)[，, ]*)*(?:你?(?:能|可以)?告诉我一?下?|你?(?:还)?(?:知道|记得|知不知道|记不记得)|我忘了|我想知道|提醒我一下|关于|说说|查一下|帮我查一?下?|帮我看看|帮我找一?下?)?[，, ]*/;

/** A verb that begins a question, and is no name though it has a capital. */
const AUXILIARY =
  /^(?:do|does|did|is|are|am|was|were|have|has|can|could|may|should|will|which|what|who|where|when|how) /i;

const OPEN_EN = /\b(?:who (?:is|was|are|were)|what (?:is|are) .*(?:name|called)|name of|called)\b/i;
const OPEN_ZH = /(?:是谁|叫什么|叫啥|什么名字|名字|怎么称呼|叫做什么|谁是|有哪些|有谁)/;
const ABOUT_ZH = /(?:的(?:事|情况|信息|资料)|怎么样|如何)[？?。]*$/;

/** Understands a question. `topic` is whom it means by "she". */
export function understandQuestion(question: string, topic?: About): Asked {
  const language = languageOf(question);
  const asked = language === "zh" ? chinese(simplify(question), topic) : english(question, topic);
  return { ...asked, question };
}

/** Each once; who asks for hobbies also means likes. */
function unique(list: Predicate[]): Predicate[] {
  const wider = list.some((predicate) => predicate.id === "hobby") ? [...list, predicateById("likes")] : list;
  return [...new Map(wider.map((predicate) => [predicate.id, predicate])).values()];
}

/** Relations asked for; those whose phrase is only a part of a longer one found are left out. */
function attributesIn(text: string, found = predicatesAskedFor(text)): Predicate[] {
  return found.filter((asked) =>
    !found.some((other) => other.weight > asked.weight && other.phrase.includes(asked.phrase))
  )
    .map((asked) => asked.predicate);
}

function english(question: string, topic?: About): Asked {
  const allWords = contentWords(question);
  const text = expandContractions(question).replace(/[?.!]+$/, "").replace(POLITE_EN, "")
    .replace(
      /\bthe ([a-z-]+(?: [a-z-]+)?)'s (?=\w)/,
      (whole, noun: string) => relationNoun(noun) ? `my ${noun}'s ` : whole,
    )
    .replace(
      /(?<!\b(?:my|our|his|her|your|the|[\w]+'s) )\b(?:mum|mom|dad|grandma|grandpa|granny|mummy|daddy)\b/gi,
      "my $&",
    )
    .trim();
  const yesNo = /^(?:do|does|did|is|are|am|was|were|have|has|can|could|may|should|will)\b/i.test(text) &&
    !/\b(?:what|where|when|who|which|how)\b/i.test(text);
  const reverse = /^who (?:else )?\w+/i.test(text) && !/^who (?:am|are|was|were|do|does|did)\b/i.test(text) &&
      !/^[Ww]ho is (?:(?:my|our|his|her|the)\b|\p{Lu})/u.test(text) ||
    /^which (?:one )?of (?:my|our|the) .+? (?:is|are|has|have|plays?|likes?|lives?|works?|speaks?)\b/i.test(text);
  let about: About | undefined;
  let rest = text;
  const possessive = /\b(my|our|his|her|their|(?:[\p{Lu}][\p{L}-]+)'s?) ((?:[\p{L}-]+ ?){1,4})/iu.exec(text);
  if (possessive) {
    const isThings = /\b(?:the|an?|my|our|his|her)\s+(?:[\w-]+\s+)?$/i.test(text.slice(0, possessive.index)) &&
      /^[a-z]/.test(possessive[1]!);
    const whose = isThings ? undefined : possessorOf(possessive[1]!, topic);
    const words = possessive[2]!.replace(/'s?$/, "").trim().split(" ");
    for (let count = Math.min(3, words.length); count > 0 && whose; count--) {
      const noun = words.slice(0, count).join(" ").replace(
        /s$/i,
        (tail) => relationNoun(words.slice(0, count).join(" ")) ? tail : "",
      );
      const relation = relationNoun(noun);
      if (!relation) continue;
      about = { kind: "relation", whose, predicate: relation, noun };
      rest = `${text.slice(0, possessive.index)} ${
        text.slice(possessive.index).replace(possessive[1]!, "").trim().slice(words.slice(0, count).join(" ").length)
      }`.replace(/'s?\b/, " ");
      break;
    }
    if (!about && whose) about = whose;
  }
  if (!about && /^(?:do|did|am|have|was) (?:i|we)\b/i.test(text)) about = { kind: "owner" };
  if (!about) {
    const name = [...text.replace(AUXILIARY, "").matchAll(new RegExp(NAME, "gu"))].map((match) =>
      match[0].replace(/'s$/, "")
    ).find((
      candidate,
    ) =>
      isName(candidate) &&
      !/^(?:Do|Does|Did|Is|Are|Can|Could|Tell|Which|Any|Wi-Fi|WiFi|NAS|IP|TV|VPN|PIN|SSH)\b/.test(candidate) &&
      !canonicalPredicate(candidate)
    );
    if (name) {
      about = { kind: "named", name };
      rest = text.replace(name, " ");
    } else if (/\b(?:he|she|him|her|his|they|them)\b/i.test(text) && topic) about = topic;
    else if (/\b(?:i|me|we|us|my|our)\b/i.test(text)) about = { kind: "owner" };
    else about = { kind: "thing" };
  }
  let attributes = attributesIn(rest);
  const verb =
    /\b(?:do|does|did) (?:\S+ ){1,3}?(speak|weigh|play|collect|practi[sc]e|own|like|love|enjoy|hate|prefer|dislike)\b/i
      .exec(text);
  const meant = verb && canonicalPredicate(`${verb[1]!.toLowerCase()}s`);
  if (meant && !attributes.some(({ id }) => id === meant.id)) attributes.unshift(meant);
  if (/^(?:is|are|am|was|were) .+? an? [\w -]+$/i.test(text) && yesNo) {
    attributes = [predicateById("job"), predicateById("species"), predicateById("diet")];
  }
  if (/\bwhat (?:has )?happened to\b|\bwhat(?: is|'s) (?:up|wrong) with\b/i.test(text)) {
    attributes = [predicateById("status")];
  }
  if (/\bwhat (?:do|does|did) (?:\S+ ){0,3}do\b/i.test(rest)) attributes.unshift(predicateById("job"));
  const tail = /(?:'s? |\b(?:the|its) )([\p{L}-]+(?: [\p{L}-]+)?)(?: of .+| for .+)?$/iu.exec(text)?.[1];
  const owned = tail === undefined ? undefined : canonicalPredicate(tail);
  if (owned && !relationNoun(tail!) && !attributes.some(({ id }) => id === owned.id)) attributes.unshift(owned);
  const favourite = /\bfavou?rite (\w+)/i.exec(text);
  if (favourite) attributes = [canonicalPredicate(`favourite ${favourite[1]}`) ?? predicateById("favourite")];
  if (/\bwho (?:am i|i am)\b|\bi am called\b/i.test(text)) attributes = [predicateById("name")];
  if (about.kind === "relation") {
    const others = attributes.filter((predicate) =>
      !["name", "nickname", "status", "species"].includes(predicate.id) && predicate.id !== about.predicate.id
    );
    const asksName = OPEN_EN.test(text) || attributes.some((predicate) => predicate.id === "name") ||
      /^(?:do|does) (?:i|we|he|she|they)\b.*\bhave\b/i.test(text);
    if (others.length === 0 && asksName) {
      return done({ about: about.whose, attributes: [about.predicate], noun: about.noun });
    }
    attributes = others;
  }
  const had = /\b(?:have|has|had|got|own|keep) (?:any |an? |the )?((?:\w+-in-law|\w+))|\bhow many (\w+)/i.exec(text);
  const kinNoun = (had?.[1] ?? had?.[2] ?? "").toLowerCase().replace(/^children$/, "child").replace(/s$/, "");
  const kin = yesNo || had?.[2] ? relationNoun(kinNoun) : undefined;
  if (kin && /\b(?:have|has|had|got|own|keep|are there)\b/i.test(text)) {
    return done({ about: about.kind === "thing" ? { kind: "owner" } : about, attributes: [kin], noun: kinNoun });
  }
  if (attributes.length === 0) attributes = whereOf(text);
  if (about.kind === "owner" && attributes.length === 0) {
    return done({ about, attributes: whereOf(text) });
  }
  if (about.kind === "owner" && !/happened/i.test(text)) {
    attributes = attributes.filter((predicate) => !["status"].includes(predicate.id));
  }
  return done({ about, attributes });

  function done(part: Part): Asked {
    return {
      question,
      language: "en",
      yesNo,
      reverse,
      allWords,
      words: wordsBeside(question, part),
      about: part.about,
      attributes: unique(part.attributes),
      count: /\bhow many\b/i.test(text),
      open: /\b(?:know|remember|tell me|say)\b.*\babout (?:me|myself|us|my family)\b/i.test(question),
      past:
        /\b(?:before|previously|formerly|earlier|in the past|used to|last time)\b|\b(?:old|former|previous) (?:\w+ )?(?:address|job|phone|number|boss|car|school)\b/i
          .test(text),
      ...(part.noun === undefined ? {} : { noun: part.noun.toLowerCase() }),
    };
  }
}

/** What "where" asks of somebody, by the verb beside it, wherever it stands. */
function whereOf(text: string): Predicate[] {
  if (!/\bwhere\b/i.test(text)) return [];
  const id = /\bliv(?:es?|ing)\b/i.test(text)
    ? "lives_in"
    : /\bwork(?:s|ing)?\b/i.test(text)
    ? "works_at"
    : "located_in";
  return [predicateById(id)];
}

function possessorOf(word: string, topic?: About): About | undefined {
  if (/^(?:my|our)$/i.test(word)) return { kind: "owner" };
  if (/^(?:his|her|their)$/i.test(word)) return topic;
  const bare = word.replace(/'s?$/, "");
  const name = /^[a-z]+'s$/.test(word) && !/^(?:what|who|where|when|how|that|it|there|here|let|the)$/.test(bare)
    ? bare.replace(/^./, (letter) => letter.toUpperCase())
    : bare;
  return isName(name) && !canonicalPredicate(name) ? { kind: "named", name } : undefined;
}

function chinese(question: string, topic?: About): Asked {
  const allWords = contentWords(question);
  const text = question.replace(/[？?。！!，,\s]+$/, "").replace(POLITE_ZH, "").replace(
    /(?<=\p{Script=Han})\s+|\s+(?=\p{Script=Han})/gu,
    "",
  );
  const yesNo = /(?:吗|没有|不)[？?。]*$|是不是|有没有|喜不喜欢|爱不爱|会不会/.test(question) &&
    !/什么|哪|谁|多少|几|怎么|啥/.test(text);
  const reverse = /^(?:我们?家?里?)?(?:有)?谁(?!是我|是他|是她)/.test(text) && !/^谁是/.test(text);
  let about: About | undefined;
  let rest = text;
  const start = /^(?:我们家的?|我家的?|家里的?|我们的?|我的?|咱家?的?|他的?|她的?|它的?)/.exec(text);
  if (start) {
    about = /^[他她它]/.test(start[0]) ? topic : { kind: "owner" };
    rest = text.slice(start[0].length).replace(/^(?:现在|今年|以前)/, "");
    const relation = leadingRelation(rest);
    if (relation && about) {
      about = { kind: "relation", whose: about, predicate: relation.predicate, noun: relation.noun };
      rest = relation.rest;
      const inner = leadingRelation(rest);
      if (inner && inner.noun.length > 1) {
        about = { kind: "relation", whose: about, predicate: inner.predicate, noun: inner.noun };
        rest = inner.rest;
      }
    }
  } else {
    const relation = leadingRelation(text);
    if (relation && relation.noun.length > 1 && relation.predicate.broader) {
      about = { kind: "relation", whose: { kind: "owner" }, predicate: relation.predicate, noun: relation.noun };
      rest = relation.rest;
    } else {
      for (let count = 4; count > 1 && !about; count--) {
        const name = text.slice(0, count);
        if (
          isChineseName(name) &&
          !/[是在叫的有做对不多住几喜今会姓上读穿开养讨哪怎干什身学能可爱想要说吃喝用去]$/.test(name) &&
          text.length > count &&
          /^(?:的|是|叫|在|今|多|几|住|做|喜|对|生|现|什|有|电|老|哪|爱|怎|会|属|穿|开|养|讨|不|姓|身|干|上|读|学|用|说|讲|去|吃|喝)/
            .test(
              text.slice(count),
            )
        ) {
          about = { kind: "named", name };
          rest = text.slice(count);
        }
      }
      const latin = /^([\p{Script=Latin}][\p{Script=Latin} .-]*[\p{Script=Latin}])/u.exec(text);
      const words = latin?.[1]!.split(" ") ?? [];
      while (words.length > 1 && canonicalPredicate(words.at(-1)!)) words.pop();
      const name = words.join(" ");
      if (!about && name !== "" && isChineseName(name) && !/^\p{Lu}{2,}$/u.test(name)) {
        about = { kind: "named", name };
        rest = text.slice(name.length);
      }
      const who = /^(?:谁是)(?:我的?)?(.+)$/.exec(text);
      const sought = who && leadingRelation(who[1]!);
      if (sought && sought.rest === "") {
        about = { kind: "relation", whose: { kind: "owner" }, predicate: sought.predicate, noun: sought.noun };
      }
    }
    if (about?.kind === "relation") {
      const nested = /^的?(.+)$/.exec(rest);
      const inner = nested && leadingRelation(nested[1]!);
      if (inner && rest.startsWith("的")) {
        about = { kind: "relation", whose: about, predicate: inner.predicate, noun: inner.noun };
        rest = inner.rest;
      }
    }
  }
  about ??= /我/.test(text) ? { kind: "owner" } : { kind: "thing" };
  let attributes = attributesIn(rest);
  const favourite = /最(?:喜欢|爱|喜爱)(?:的|什么|哪个|哪种|吃什么|喝什么)?(\p{Script=Han}*)/u.exec(text);
  if (favourite) {
    const kind = favourite[1]!.replace(/(?:是|有).*$/, "").replace(/^(?:什么|的)/, "");
    const known = kind === "" ? undefined : canonicalPredicate(`最喜欢的${kind}`);
    attributes = [known ?? predicateById("favourite")];
  }
  if (/不(?:太)?(?:喜欢|爱)|讨厌|不吃|不喝/.test(text)) attributes = [predicateById("dislikes")];
  if (about.kind === "relation") {
    const others = attributes.filter((predicate) => !["name", "nickname", "species", "surname"].includes(predicate.id));
    const asksName = OPEN_ZH.test(rest) || rest === "" || /^谁是/.test(text);
    if (asksName && others.length === 0) {
      return done({ about: about.whose, attributes: [about.predicate], noun: about.noun });
    }
    attributes = others.length > 0 ? others : attributes;
  }
  if (about.kind === "named" && ABOUT_ZH.test(rest)) attributes = [];
  if (about.kind === "owner" && /^是谁$|^叫什么|^是什么人$/.test(rest)) attributes = [predicateById("name")];
  if (
    about.kind === "owner" && /有(?:几|多少|哪些|什么)/.test(rest) && attributes.every(({ id }) => id === "quantity")
  ) {
    attributes = [predicateById("owns")];
  }
  if (/会(?!说|讲).{0,2}(?:什么|哪些)/.test(rest) && attributes.length === 0) attributes = [predicateById("skill")];
  const called = /^(?:那只|这只|家里的?)?(\p{Script=Han}{1,4}?)(?:的名字)?(?:叫|是)(?:什么|啥)(?:名字)?$/u.exec(rest)
    ?.[1];
  if (about.kind === "owner" && called && !canonicalPredicate(called) && attributes.every(({ id }) => id === "name")) {
    return done({ about, attributes: [predicateById("pet")], noun: called });
  }
  if (about.kind === "owner" && /养|宠物/.test(rest)) attributes = [predicateById("pet")];
  const had = /(?:有(?:没有)?|养(?:了|着)?)(?:一?(?:只|条|个|位))?(\p{Script=Han}{1,4}?)(?:吗|没有|么|呢)?$/u.exec(rest)
    ?.[1];
  const kin = yesNo && had !== undefined ? leadingRelation(had) : undefined;
  if (kin?.rest === "" && about.kind === "owner") return done({ about, attributes: [kin.predicate], noun: kin.noun });
  return done({ about, attributes });

  function done(part: Part): Asked {
    return {
      question,
      language: "zh",
      yesNo,
      reverse,
      allWords,
      words: wordsBeside(rest, part),
      about: part.about,
      attributes: unique(part.attributes),
      open: /(?:知道|记得|了解|记住).{0,4}(?:我|我家|我们)(?:的)?(?:什么|哪些|多少|事)|关于我/.test(question),
      past: /以前|之前|原来|原先|过去|曾经|从前/.test(text),
      count: /几|多少(?!钱|岁|号)/.test(text) && /有(?:几|多少)|几(?:个|只|条|辆|台|位|匹|本|间|套|口)/.test(text),
      ...(part.noun === undefined ? {} : { noun: part.noun }),
    };
  }
}

interface Part {
  about: About;
  attributes: Predicate[];
  noun?: string;
}

/** The meaningful words that name neither the person nor an attribute. */
function wordsBeside(text: string, { about, attributes }: { about: About; attributes: Predicate[] }): string[] {
  const known = new Set<string>();
  for (const predicate of attributes) {
    for (const form of [...predicate.forms.en, ...predicate.forms.zh, ...predicate.asks.en, ...predicate.asks.zh]) {
      for (const word of contentWords(form)) known.add(word);
    }
  }
  for (let at: About | undefined = about; at; at = at.kind === "relation" ? at.whose : undefined) {
    const name = at.kind === "named" ? at.name : at.kind === "relation" ? at.noun : "";
    for (const word of contentWords(name)) known.add(word);
  }
  // A form of the attribute goes out whole: its neighbours make no words with it.
  const forms = attributes.flatMap(({ forms, asks }) => [...forms.zh, ...asks.zh])
    .filter((form) => /^\p{Script=Han}{2,}$/u.test(form)).sort((a, b) => b.length - a.length);
  const rest = forms.reduce((left, form) => left.replaceAll(form, " "), text);
  return contentWords(rest).filter((word) => !known.has(word));
}

/** Whom "she" would mean after these messages: the last person that was spoken of. */
export function topicOf(history: readonly { own: boolean; text: string }[]): About | undefined {
  let older: About | undefined;
  const said = history.filter(({ own }) => own).slice(-6);
  for (const { text } of said) {
    const facts = understand(text).facts;
    const last = facts.at(-1);
    if (last) {
      const known = canonicalPredicate(last.predicate);
      if (last.subject !== "user") older = { kind: "named", name: last.subject };
      else if (known?.inverse || known?.broader) older = { kind: "named", name: last.object };
      continue;
    }
    const asked = understandQuestion(text, older);
    const kin = asked.attributes[0];
    if (asked.about.kind === "named" || asked.about.kind === "relation") older = asked.about;
    else if (kin && (kin.broader === "relative" || kin.inverse) && kin.id !== "likes" && kin.id !== "owns") {
      older = { kind: "relation", whose: asked.about, predicate: kin, noun: kin[asked.language] };
    }
  }
  return older;
}

/** The text of an entity in a question, for a search. */
export function aboutText(about: About, language: Language): string {
  switch (about.kind) {
    case "owner":
      return "user";
    case "named":
      return about.name;
    case "relation": {
      const whose = aboutText(about.whose, language);
      const noun = nounOf(about, language);
      if (language === "zh") return whose === "user" ? `我${noun}` : `${whose}的${noun}`;
      return whose === "user" ? `my ${noun}` : `${whose}'s ${noun}`;
    }
    case "thing":
      return "";
  }
}

import { relationNoun } from "../../base/facts/english_subject.ts";
import { expandContractions, isName, NAME } from "../../base/facts/english_words.ts";
import { canonicalPredicate, type Predicate, predicateById } from "../../base/predicates.ts";
import type { About, Asked } from "./ask.ts";
import { asksOfThing, attributesIn, type Part, unique, wordsBeside } from "./ask_parts.ts";
import { contentWords } from "./words.ts";

const POLITE =
  /^(?:(?:hey|hi|hello|so|and|ok|okay|please|well|by the way|homed)[,.!]? )*(?:(?:can|could|would|will) you (?:please )?(?:tell|remind) me|(?:please )?(?:tell|remind) me|do you (?:still )?(?:know|remember|recall)|i forgot|i want to know|i'd like to know|any idea|what do you know about|what can you tell me about|tell me about|remind me of)\b,? ?/i;

/** A verb that begins a question, and is no name though it has a capital. */
const AUXILIARY =
  /^(?:do|does|did|is|are|am|was|were|have|has|can|could|may|should|will|which|what|who|where|when|how) /i;

const OPEN = /\b(?:who (?:is|was|are|were)|what (?:is|are) .*(?:name|called)|name of|called)\b/i;

export function english(question: string, topic?: About): Asked {
  const allWords = contentWords(question);
  const text = expandContractions(question).replace(/[?.!]+$/, "").replace(POLITE, "")
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
    const asksName = OPEN.test(text) || attributes.some((predicate) => predicate.id === "name") ||
      /^(?:do|does) (?:i|we|he|she|they)\b.*\bhave\b/i.test(text);
    if (others.length === 0 && asksName && !asksOfThing(text, about)) {
      return done({ about: about.whose, attributes: [about.predicate], noun: about.noun });
    }
    attributes = others.length > 0 || !asksName ? others : [predicateById("name")];
  }
  const had = /\b(?:have|has|had|got|own|keep) (?:any |an? |the )?((?:\w+-in-law|\w+))|\bhow many (\w+)/i.exec(text);
  const kinNoun = (had?.[1] ?? had?.[2] ?? "").toLowerCase().replace(/^children$/, "child").replace(/s$/, "");
  const kin = yesNo || had?.[2] ? relationNoun(kinNoun) : undefined;
  if (kin && /\b(?:have|has|had|got|own|keep|are there)\b/i.test(text)) {
    return done({ about: about.kind === "thing" ? { kind: "owner" } : about, attributes: [kin], noun: kinNoun });
  }
  if (attributes.length === 0) attributes = whereOf(text);
  if (about.kind === "owner" && attributes.length === 0) {
    return done({ about, attributes });
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
    : /\b(?:work|teach)(?:e?s|ing)?\b/i.test(text)
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

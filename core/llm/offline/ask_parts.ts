import { type Predicate, predicateById, predicatesAskedFor } from "../../base/predicates.ts";
import type { About } from "./ask.ts";
import { contentWords } from "./words.ts";

/** Each once; who asks for hobbies also means likes. */
export function unique(list: Predicate[]): Predicate[] {
  const wider = list.some((predicate) => predicate.id === "hobby") ? [...list, predicateById("likes")] : list;
  return [...new Map(wider.map((predicate) => [predicate.id, predicate])).values()];
}

/** Relations asked for; those whose phrase is only a part of a longer one found are left out. */
export function attributesIn(text: string, found = predicatesAskedFor(text)): Predicate[] {
  return found.filter((asked) =>
    !found.some((other) => other.weight > asked.weight && other.phrase.includes(asked.phrase))
  )
    .map((asked) => asked.predicate);
}

export interface Part {
  about: About;
  attributes: Predicate[];
  noun?: string;
}

/** The meaningful words that name neither the person nor an attribute. */
export function wordsBeside(text: string, { about, attributes }: { about: About; attributes: Predicate[] }): string[] {
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

/** What somebody's thing is called is asked, not what they are: "my brother's boat", 我弟弟的船. */
export function asksOfThing(text: string, about: About): boolean {
  if (about.kind !== "relation") return false;
  const after = text.slice(text.toLowerCase().indexOf(about.noun.toLowerCase()) + about.noun.length);
  const thing = /^(?:'s?\s+([\p{L}-]+)|的(\p{Script=Han}{1,4}?)(?:叫|是|名|$))/u.exec(after);
  const noun = thing?.[1] ?? thing?.[2];
  return noun !== undefined && !/^(?:names?|called|named|名字|名)$/i.test(noun);
}

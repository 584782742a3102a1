import { relationNoun } from "./english_subject.ts";

/** Words that stand where a name might and are none. */
const NO_NAME =
  /^(?:i|we|he|she|it|they|you|my|our|his|her|its|their|the|a|an|is|are|was|were|has|have|had|do|does|did|and|or|but|so|to|of|in|on|at|for|with|from|who|that|this|not|no|yes|now|then|also|just|very|really|both|always|never|often|still|again|today|here|there|home|can|will|would|wants|needs|loves|likes|hates|lives|works|plays|goes|came|comes|called|named|turned|drives|speaks|studies|says|said|about|after|before|back|over|out|up|down|new|old|late|sorry|fine|ok|okay|good|well|great|tired|busy|happy|sad|sick|ill|ready|done|sure|free|hungry|bored|vegan|vegetarian|single|married|divorced|afraid|alone|cold|hot|awake|glad|lost|stuck|curious|interested|\w+(?:ing|ed|ly))$/;

const capital = (name: string) => name.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());

/** A list of names, each with its capital; what is none of them stays. */
const capitals = (list: string) =>
  list.replace(/[a-z][\p{L}-]*/gu, (word) => word === "and" || NO_NAME.test(word) ? word : capital(word));

/** The names that somebody typed without capitals, with them: where only a name can stand, as after "called" or between
 * "my brother" and a verb. */
export function withCapitals(sentence: string): string {
  return sentence
    .replace(
      /\b((?:is|are|am|was) (?:called|named)|called|named|names? (?:is|are)|'s called) ([a-z][\p{L}-]*(?:(?:, | and |, and )[a-z][\p{L}-]*(?![\p{L}' -]*\b(?:is|are|has|have|'ve|we)\b))*)/gu,
      (whole, verb: string, list: string) => NO_NAME.test(list.split(/[ ,]/)[0]!) ? whole : `${verb} ${capitals(list)}`,
    )
    .replace(
      /\b((?:boys|girls|kids|children|sons|daughters|brothers|sisters|cats|dogs|friends|cousins)(?:,|:)) ([a-z][\p{L}-]*(?:(?:, | and |, and )[a-z][\p{L}-]*)*)(?=[.!]?$)/gu,
      (_, noun: string, list: string) => `${noun} ${capitals(list)}`,
    )
    .replace(
      /\b((?:my|our|his|her) ((?:[a-z-]+ )?[a-z-]+)) ([a-z][\p{L}-]*)(?='s\b| (?:is|was|has|lives|works|likes|loves|hates|plays|speaks|goes|studies|moved|turned|and)\b)/giu,
      (whole, mine: string, noun: string, name: string) =>
        relationNoun(noun) && !NO_NAME.test(name) && !relationNoun(`${noun} ${name}`) && !relationNoun(name)
          ? `${mine} ${capital(name)}`
          : whole,
    )
    .replace(
      /^((?:(?:hi|hey|hello|good (?:morning|evening))(?: there| homed)?[,! ]+)(?:i'm|i am|im|this is)) ([a-z][\p{L}-]*)(?=$|[.,!]| and\b)/iu,
      (whole, lead: string, name: string) => NO_NAME.test(name) ? whole : `${lead} ${capital(name)}`,
    )
    .replace(
      /\bmy name(?:'s| is) ([a-z][\p{L}-]*(?: [a-z][\p{L}-]*)?)(?=$|[.,!]| and\b)/iu,
      (whole, name: string) =>
        NO_NAME.test(name.split(" ")[0]!) ? whole : whole.replace(name, name.split(" ").map(capital).join(" ")),
    )
    .replace(
      /^\p{Ll}(?=[\p{L}-]*(?:'s (?:birthday|age|shoe size|school|teacher|phone|class|favou?rite)| (?:just )?turned \d| is \d{1,2}\b(?! ?[.:%€$£]|\d)| is allergic| lives in| works (?:at|as|for)))/u,
      (letter) => {
        const word = /^[\p{L}-]+/u.exec(sentence)![0];
        return NO_NAME.test(word) || relationNoun(word) ? letter : letter.toUpperCase();
      },
    )
    .replace(
      /(?<=\band )\p{Ll}(?=[\p{L}-]*(?: (?:just )?turned \d| is \d{1,2}\b(?! ?[.:%€$£]|\d)| is allergic| lives in| works (?:at|as|for)))/gu,
      (letter, at: number, all: string) => {
        const word = /^[\p{L}-]+/u.exec(all.slice(at))![0];
        return NO_NAME.test(word) || relationNoun(word) ? letter : letter.toUpperCase();
      },
    );
}

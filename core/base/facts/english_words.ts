/** Small English words and shapes that the rules share. */

const TENS: Record<string, number> = {
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
};
const UNITS =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
    .split(" ");

/** A number in digits or words, as a pattern. */
export const NUMBER =
  "(?:\\d+(?:[.,]\\d+)?|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|a hundred)";

/** "forty-one" → "41"; digits stay as they are. */
export function numberText(text: string): string {
  const words = text.toLowerCase().split(/[- ]/);
  if (/^\d/.test(text)) return text;
  if (text.toLowerCase() === "a hundred") return "100";
  const value = words.reduce((sum, word) => sum + (TENS[word] ?? Math.max(0, UNITS.indexOf(word))), 0);
  return String(value);
}

/** A proper name: capitalized words, with titles, particles, initials, hyphens and apostrophes. */
export const NAME =
  "(?:(?:Dr|Mr|Mrs|Ms|Prof|Sir|Aunt|Auntie|Uncle|Grandma|Grandpa)\\.? )?\\p{Lu}[\\p{L}'’.-]*(?: (?:van|von|de|da|del|di|la|le|bin|al|el|der|den)\\b)*(?: \\p{Lu}[\\p{L}'’.-]*)*|\\p{Script=Han}{2,4}";

/** Capitalized words that are no names. */
const NOT_A_NAME =
  /^(?:I|It|This|That|These|Those|There|Here|The|A|An|My|Our|Your|His|Her|Its|Their|He|She|We|They|You|Everyone|Everybody|Somebody|Someone|Nobody|Today|Tomorrow|Yesterday|Now|Then|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December|Yes|No|Ok|Okay|Please|Thanks|Hello|Hi|Hey|What|Who|When|Where|Why|How|And|But|So|Also|In|On|At|Life|Work|People|English|Chinese)$/;

export function isName(text: string): boolean {
  return new RegExp(`^(?:${NAME})$`, "u").test(text) && !NOT_A_NAME.test(text) && !NOT_A_NAME.test(text.split(" ")[0]!);
}

/** "I'm" → "I am", so that the rules see one shape. */
export function expandContractions(text: string): string {
  return text.replace(/[’‘]/g, "'")
    .replace(/\bI'm\b/gi, "I am").replace(/\bI'm\b/gi, "I am").replace(/\bIm\b/g, "I am")
    .replace(/\b(I|we|they|you)'ve\b/gi, "$1 have").replace(/\b(we|they|you)'re\b/gi, "$1 are")
    .replace(/\b(he|she|it)'s got\b/gi, "$1 has got").replace(
      /\b(he|she|it|that|there|name|who|what|where|how|when)'s(?= )/gi,
      "$1 is",
    ).replace(/\b(\w+)'s (?=(?:called|named|allergic|been|from|born|not|now|married|turning|a |an )\b)/gi, "$1 is ")
    .replace(/\bcan't\b/gi, "cannot").replace(/\bwon't\b/gi, "will not")
    .replace(/\b(do|does|did|is|are|was|were|has|have|had)n't\b/gi, "$1 not").replace(/\bain't\b/gi, "is not");
}

/** Adverbs and time phrases at the end of an object, which say when or how and not what. */
const TRAILING =
  /(?:,? (?:now|currently|anymore|any more|too|as well|also|at the moment|these days|nowadays|right now|at present|already|again|though|by the way|btw|actually|for now|recently|lately|today|yesterday|very much|a lot|so much|since (?:\d{4}|last \w+|\w+ \d{4}|then)|for (?:\d+|\w+|a few|many) (?:years?|months?|weeks?)(?: now)?|last (?:week|month|year|spring|summer|autumn|fall|winter|night|\w+day)|(?:a|\w+) (?:years?|months?|weeks?|days?) ago|this (?:week|month|year|spring|summer|autumn|fall|winter)|in (?:19|20)\d\d|and everyone does|if that helps|just so you know|fyi))+$/i;

/** An object without end marks and trailing adverbs. */
export function cleanObject(text: string): string {
  let value = text.trim().replace(/[\s,;:.!]+$/, "").replace(/^["“”'](.*)["“”']$/, "$1");
  value = value.replace(TRAILING, "").replace(/,? (?:not|and not|rather than|instead of) [^,]+$/i, "").replace(
    /, (?:everyone|everybody|all my friends) .*$/i,
    "",
  ).replace(
    /[\s,;:.!]+$/,
    "",
  );
  return value;
}

/** "tea, jazz and long walks" → three objects. */
export function listOf(text: string): string[] {
  return cleanObject(text).split(/\s*(?:,\s*(?:and|or|&)?\s+|\s+(?:and also|and|or|&|as well as|plus)\s+)/i)
    .map((item) => cleanObject(item).replace(/^(?:both|also|a little|some|a bit of|the colou?r) /i, "")).filter((
      item,
    ) => item !== "");
}

/** "a structural engineer" → "structural engineer". */
export function withoutArticle(text: string): string {
  return text.replace(/^(?:an?|the|my|our) /i, "");
}

/** Nouns that "I'm a …" tells as an occupation, by their end or by name. */
const JOB_END =
  /(?:er|or|ist|ian|ant|ent|eer|ess|yst|man|woman|person|smith|wright|nurse|chef|cook|pilot|vet|clerk|judge|coach|guide|nun|priest|monk|au pair|nanny|mechanic|intern|ceo|cto|dj|gp|midwife|soldier|pharmacist|architect|athlete|artisan|barista|surgeon|captain|model|host|programmer|dev|sysadmin|lecturer|freelance|electrician|paramedic|rep|diplomat|musician|surveyor)$/i;
const NOT_A_JOB =
  /^(?:bit|little|lot|fan|mess|person|morning person|night person|people person|human|human being|believer|lover|dreamer|winner|loser|beginner|smoker|non-smoker|drinker|member|father|mother|parent|brother|sister|husband|grandmother|grandfather|grandparent|native speaker|speaker|foreigner|stranger|owner|user|customer|neighbou?r|twin|teenager|senior|minor|adult|resident|supporter|follower|vegetarian|number|matter|reader|runner|early riser|sleeper|swimmer|patient|tenant|cat person|dog person|homeowner|newcomer|widower|daughter|character|disaster|regular|liar|member of .*|.* (?:fan|lover|enjoyer|addict))$/i;

export function isJob(text: string): boolean {
  const noun = text.replace(/ (?:at|in|for|by|with|on|of|from|and) .*$/i, "");
  return JOB_END.test(noun) && !NOT_A_JOB.test(noun) && noun.split(" ").length <= 5;
}

export const DATE =
  /\b(?:\d{4}-\d\d|\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d|\d{1,2}[./]\d{1,2}|(?:the )?\d{1,2}(?:st|nd|rd|th)|(?:19|20)\d\d)/i;

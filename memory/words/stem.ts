const VOWEL = /^(?:[^aeiou][^aeiouy]*)?[aeiouy]/;
const MEASURE = /^(?:[^aeiou][^aeiouy]*)?[aeiouy][aeiou]*[^aeiou][^aeiouy]*/;
const MEASURE_TWO = /^(?:[^aeiou][^aeiouy]*)?[aeiouy][aeiou]*[^aeiou][^aeiouy]*[aeiouy][aeiou]*[^aeiou][^aeiouy]*/;
const SHORT = /^[^aeiou][^aeiouy]*[aeiouy][^aeiouwxy]$/;

const STEP_TWO: [string, string][] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["ization", "ize"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["biliti", "ble"],
  ["ation", "ate"],
  ["alism", "al"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["entli", "ent"],
  ["ousli", "ous"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["abli", "able"],
  ["alli", "al"],
  ["ator", "ate"],
  ["eli", "e"],
];
const STEP_THREE: [string, string][] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
];
const STEP_FOUR = /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|ou)$|(?<=[st])ion$/;

/** Forms that no rule reaches and people use every day. */
const IRREGULAR: Record<string, string> = {
  went: "go",
  gone: "go",
  goes: "go",
  bought: "buy",
  taught: "teach",
  thought: "think",
  brought: "bring",
  caught: "catch",
  ate: "eat",
  eaten: "eat",
  took: "take",
  taken: "take",
  gave: "give",
  given: "give",
  wrote: "write",
  written: "write",
  drove: "drive",
  driven: "drive",
  rode: "ride",
  ridden: "ride",
  ran: "run",
  swam: "swim",
  began: "begin",
  begun: "begin",
  broke: "break",
  broken: "break",
  chose: "choose",
  chosen: "choose",
  spoke: "speak",
  spoken: "speak",
  told: "tell",
  said: "say",
  sold: "sell",
  paid: "pay",
  met: "meet",
  left: "leave",
  lost: "lose",
  made: "make",
  kept: "keep",
  slept: "sleep",
  felt: "feel",
  found: "find",
  held: "hold",
  heard: "hear",
  sent: "send",
  spent: "spend",
  built: "build",
  saw: "see",
  seen: "see",
  knew: "know",
  known: "know",
  grew: "grow",
  grown: "grow",
  flew: "fly",
  won: "win",
  wore: "wear",
  worn: "wear",
  came: "come",
  became: "become",
  got: "get",
  gotten: "get",
  sang: "sing",
  drank: "drink",
  children: "child",
  kids: "child",
  kid: "child",
  men: "man",
  women: "woman",
  mice: "mouse",
  feet: "foot",
  teeth: "tooth",
  wives: "wife",
  knives: "knife",
  lives: "live",
  leaves: "leaf",
  shelves: "shelf",
  better: "good",
  best: "good",
  dying: "die",
  tyre: "tire",
  tyres: "tire",
  odour: "odor",
  odours: "odor",
  colour: "color",
  colours: "color",
  favourite: "favorit",
  favourites: "favorit",
  neighbour: "neighbor",
  neighbours: "neighbor",
  grey: "gray",
  programme: "program",
  mum: "mother",
  mom: "mother",
  dad: "father",
  grandma: "grandmoth",
  grandpa: "grandfath",
};

/** The stem of an English word in lower case (M. F. Porter, "An algorithm for suffix stripping", 1980), after everyday
 * irregular forms and British spellings. */
export function stem(word: string): string {
  const known = Object.hasOwn(IRREGULAR, word) ? IRREGULAR[word]! : word;
  if (known.length < 3) return known;
  let w = known;
  if (w.endsWith("sses") || w.endsWith("ies")) w = w.slice(0, -2);
  else if (w.length > 3 && w.endsWith("s") && !w.endsWith("ss")) w = w.slice(0, -1);
  w = stepOneB(w);
  if (w.endsWith("y") && VOWEL.test(w.slice(0, -1))) w = w.slice(0, -1) + "i";
  w = replaceSuffix(w, STEP_TWO);
  w = replaceSuffix(w, STEP_THREE);
  const four = w.replace(STEP_FOUR, "");
  if (four !== w && MEASURE_TWO.test(four)) w = four;
  if (w.endsWith("e")) {
    const base = w.slice(0, -1);
    if (MEASURE_TWO.test(base) || (MEASURE.test(base) && !SHORT.test(base))) w = base;
  }
  return w.endsWith("ll") && MEASURE_TWO.test(w) ? w.slice(0, -1) : w;
}

function stepOneB(w: string): string {
  if (w.endsWith("eed")) return MEASURE.test(w.slice(0, -3)) ? w.slice(0, -1) : w;
  const base = w.endsWith("ed") ? w.slice(0, -2) : w.endsWith("ing") ? w.slice(0, -3) : undefined;
  if (base === undefined || !VOWEL.test(base)) return w;
  if (/(?:at|bl|iz)$/.test(base)) return base + "e";
  if (/([^aeiouylsz])\1$/.test(base)) return base.slice(0, -1);
  return SHORT.test(base) ? base + "e" : base;
}

function replaceSuffix(w: string, rules: [string, string][]): string {
  for (const [suffix, by] of rules) {
    if (!w.endsWith(suffix)) continue;
    const base = w.slice(0, -suffix.length);
    return MEASURE.test(base) ? base + by : w;
  }
  return w;
}

import { BE, cleanedDate, DATED_START, MONTHS, rule, value, type VerbRule, WHEN } from "./english_rule.ts";
import { cleanObject } from "./english_words.ts";
import { type Entity, isPerson, type Scene } from "./scene.ts";

/** Where a thing is; not how it is ("in a mess"). */
function place(match: RegExpExecArray, subject: Entity, scene: Scene): boolean {
  if (isPerson(subject) && (match[1] === undefined || subject.kind === "relation")) return false;
  const text = cleanObject(match[2]!).replace(/^(?:in|on|at) (?=(?:in|on|at|under|behind|inside)\b)/i, "");
  if (
    /^in (?:an? )?(?:\w+ )?(?:state|mood|hurry|pain|condition|shape|meeting|queue|rush|panic|way)\b/i.test(text) ||
    /^(?:in (?:good|bad|a (?:mess|good|bad)|danger|trouble|love|season|stock|progress|use)|on (?:fire|sale|time|the way|holiday)|at (?:risk|least|all)|over\b|off\b|out of order)/i
      .test(text)
  ) return false;
  scene.say(subject, "#located_in", text, { words: "is located" });
  return true;
}

const PREP =
  "(?:in|on|under|behind|at|inside|near|next to|above|below|beside|beneath|underneath|between|by|on top of|upstairs|downstairs|outside|opposite)";

/** What "my car is a …" says of how somebody finds it. */
const VAGUE =
  /\b(?:mess|problem|joke|disaster|bit|lot|nightmare|good|bad|great|nice|real|total|complete|shame|pity|dream|pain|surprise|mystery|secret|must|fan|thing|way|reason|question|success|failure)\b/i;
const COLOR =
  /\b((?:dark |light |bright )?(?:red|blue|green|yellow|black|white|gr[ae]y|brown|orange|purple|pink|silver|beige|teal|turquoise))\b/i;

/** What verb phrases state of things, and of anyone again and again. */
export const THING_RULES: readonly VerbRule[] = [
  rule("thing", `${BE} (?:an? )?((?=(?:\\S+ )*\\p{Lu}|\\S*\\d)[\\p{L}\\d][^,]*)$`, (m, s, scene) => {
    if (
      s.kind !== "named" || !s.name.startsWith("my ") ||
      /^(?:\w+ed\b|due|set|next|this|every|tomorrow|kept|in|on|at|under|called|named|from|by|with)\b/i.test(m[1]!) ||
      !/\p{Lu}/u.test(m[1]!)
    ) return false;
    scene.say(s, "#model", cleanObject(m[1]!));
  }),
  rule("thing", `${BE} (an? [\\p{L}\\d][\\p{L}\\d -]{2,40})$`, (m, s, scene) => {
    if (s.kind !== "named" || !s.name.startsWith("my ") || VAGUE.test(m[1]!)) return false;
    const color = COLOR.exec(m[1]!)?.[1];
    if (color) scene.say(s, "#color", color);
    scene.say(s, "is", cleanObject(m[1]!));
  }),
  rule(
    "thing",
    `(?:run|runs|listen|listens|${BE}|${BE} running|${BE} listening|${BE} exposed|answers) (?:on |at )?(?:the )?(?:tcp )?port (\\d+)`,
    value("#port"),
  ),
  rule("thing", `(?:cost|costs|cost me|cost us|${BE} priced at|sells for) (.+)$`, value("#price")),
  rule(
    "thing",
    `(?:expire|expires|${BE} valid until|${BE} good until|run out|runs out|lasts until) (?:on |in |at )?(.+)$`,
    value("#expiry"),
  ),
  rule("thing", `(?:${BE} )?due (?:on |by |in )?(.+)$`, value("#deadline")),
  rule("thing", `(?:open|opens) (?:at |from )?(.+)$`, value("#opening_hours")),
  rule(
    "thing",
    `(?:start|starts|begin|begins|leave|leaves|depart|departs|arrive|arrives|close|closes|${BE}) at ((?:half |quarter |noon|midnight|\\d{1,2}(?::\\d\\d)?(?! ?[.\\d])).*)$`,
    value("#time"),
  ),
  rule(
    "thing",
    `(?:${BE} at|has(?: the)?(?: static)?(?: ip(?: address)?| address)?|uses(?: the)?(?: ip(?: address)?| address)?|answers at|lives at|listens at) ((?:\\d{1,3}\\.){3}\\d{1,3}|[0-9a-f]*:[0-9a-f:]+:[0-9a-f]+)\\b`,
    value("#ip"),
  ),
  rule(
    "thing",
    `(?:${BE} |comes |came )?(?:still |only |covered )?(?:under|in|with|by|has) (?:an? |the )?(?:[\\w-]+ )?(?:warranty|guarantee) (?:until|till|to|that (?:ends|runs out) (?:in|on)) (.+)$`,
    value("#warranty"),
  ),
  rule(
    "any",
    `((?:was|were|is|are|gets?) (?:last )?[a-z]+(?:ed|t|n|ght|ne)) ((?:in|on|since|every|each|at) .+|${MONTHS} .*|daily|weekly|monthly|yearly)$`,
    (m, s, scene) =>
      !WHEN.test(m[2]!) || /born|married|called/i.test(m[1]!) ? false : scene.say(s, m[1]!, cleanedDate(m[2]!)),
  ),
  rule(
    "thing",
    `${BE} (?:on |in |at |due |scheduled for |set for )?(${DATED_START}.*)$`,
    (m, s, scene) => s.kind === "named" ? scene.say(s, "#date", cleanObject(m[1]!)) : false,
  ),
  rule("thing", `(?:belong|belongs) to (.+)$`, value("#owner")),
  rule("thing", `${BE} painted (.+)$`, value("#color")),
  rule(
    "thing",
    `${BE} ((?:dark |light |bright )?(?:red|blue|green|yellow|black|white|gr[ae]y|brown|orange|purple|pink|silver|beige|teal|turquoise))$`,
    value("#color"),
  ),
  rule(
    "thing",
    `(?:${BE} (kept|stored|hidden|located|parked|placed|put|sitting|lying|hanging|stashed|filed|buried|always|usually|)? ?|sits? |hangs? |lives? |stands? |lies? )(${PREP} .+|upstairs|downstairs|outside)$`,
    place,
  ),
  rule(
    "thing",
    `${BE} (?:on |every )?((?:(?:next |every |this )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\\b.*)$`,
    value("#date"),
  ),
  rule(
    "any",
    `(?!(?:${BE}|he|she|it|they|we|i|you|and|has|have|had|been|do|does|not)\\b)([a-z]+(?: (?!${BE}\\b)[a-z]+){0,3}?) ((?:on (?:mon|tues|wednes|thurs|fri|satur|sun)days\\b|(?:every|each) (?:other )?(?:mon|tues|wednes|thurs|fri|satur|sun)day).*)$`,
    (m, s, scene) => s.kind === "attribute" ? false : scene.say(s, m[1]!.toLowerCase(), cleanedDate(m[2]!)),
  ),
];

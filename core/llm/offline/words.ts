import { simplify } from "../../base/simplify.ts";

/** Words of a question that carry meaning, for comparing a question with what is remembered. */

const STOP_EN = new Set(
  "a an the is are am was were be been do does did done have has had i me my mine we our us you your he she his her him it its they their them who whom whose what which when where why how of in on at to for from with and or not no so that this these those there here can could would will shall should may might please tell know remember about say said again now currently much many long old any some s t m re ve d ll get got one if by as just up out let there's what's called name called find show give need want see use used still yet ever also too anymore already"
    .split(" "),
);

const STOP_ZH =
  /(?:请问|请|告诉我|你知道|你记得|你还记得|记不记得|知不知道|是不是|有没有|我们家?的?|我家的?|我的|你的|他的|她的|它的|我|你|您|他|她|它|吗|呢|吧|啊|呀|么|了|的|是|在|有|什么时候|什么|多少|哪里|哪儿|哪个|哪天|哪|怎么|怎样|几|谁|啥|这个|那个|现在|还|也|都|就|叫|做|会|要|和|跟|与|把|被|给|到|从|用|一下|一个|一只|个|说|过)/g;

/** One spelling for things people write in many ways. */
export function plain(text: string): string {
  return simplify(text.normalize("NFKC")).toLowerCase().replace(/[’‘]/g, "'").replace(/wi-fi|无线网络?|wlan/g, "wifi")
    .replace(/\bcolour/g, "color").replace(/\bfavourite/g, "favorite").replace(/licence/g, "license");
}

/** Pasts that no rule of spelling leads back: told "broke", asked "break". */
const PASTS = new Map(
  "broke:break broken:break bought:buy brought:bring built:build caught:catch chose:choose came:come cut:cut drove:drive ate:eat fell:fall felt:feel found:find flew:fly gave:give given:give went:go gone:go grew:grow hung:hang heard:hear held:hold hid:hide kept:keep knew:know learnt:learn left:leave lent:lend lost:lose made:make met:meet paid:pay put:put ran:run rode:ride sent:send sold:sell spent:spend stole:steal stolen:steal swam:swim taken:take took:take taught:teach told:tell thought:think threw:throw wore:wear won:win wrote:write written:write"
    .split(" ").map((pair) => pair.split(":") as [string, string]),
);

function stem(word: string): string {
  const bare = PASTS.get(word.replace(/'s$/, "")) ?? word.replace(/'s$/, "");
  if (bare.length === 3) return bare.replace(/e$/, "");
  if (bare.length < 4 || /\d/.test(bare)) return bare;
  return bare.replace(/ies$/, "y").replace(/(?<=ss|sh|ch|x|z)es$/, "").replace(/(?<=[^su])s$/, "").replace(
    /(?<=...)(?:ing|ed)$/,
    "",
  ).replace(/(?<=..)e$/, "");
}

/** The meaningful units of a text: stemmed English words, and pairs of Chinese characters. */
export function contentWords(text: string): string[] {
  const lower = plain(text);
  const latin = (lower.match(/[\p{Script=Latin}\p{N}][\p{Script=Latin}\p{N}'._-]*/gu) ?? []).map((word) =>
    word.replace(/[._'-]+$/, "")
  )
    .filter((word) => !STOP_EN.has(word.replace(/'s$/, ""))).map(stem);
  const han = (lower.replace(STOP_ZH, " ").match(/\p{Script=Han}+/gu) ?? []).flatMap((run) =>
    run.length < 2 ? [run] : Array.from({ length: run.length - 1 }, (_, index) => run.slice(index, index + 2))
  );
  return [...new Set([...latin, ...han])];
}

const NO_NAME_ZH = /[的是了吗呢什么哪多少谁几怎请在有我你他她它？。，]/;

/** What a question may call a thing by, as memory may have it: "router" and "my router" of "my router's IP". */
export function phrasesOf(question: string): string[] {
  const phrases = new Set<string>();
  const words = question.normalize("NFKC").match(/[\p{Script=Latin}\p{N}][\p{Script=Latin}\p{N}._-]*/gu) ?? [];
  const isStop = (word: string) => STOP_EN.has(word.toLowerCase());
  for (let from = 0; from < words.length && phrases.size < 60; from++) {
    for (let to = from + 1; to <= Math.min(words.length, from + 3); to++) {
      if (isStop(words[from]!) || isStop(words[to - 1]!)) continue;
      const phrase = words.slice(from, to).join(" ");
      phrases.add(phrase).add(`my ${phrase}`);
    }
  }
  // "My son's football training" stands as it was told.
  for (const [, phrase] of question.matchAll(/\b(?:my|our) ([a-z-]+'s(?: [a-z-]+){1,3})/gi)) {
    phrases.add(`my ${phrase}`);
  }
  for (const run of question.match(/\p{Script=Han}+/gu) ?? []) {
    for (let from = 0; from < run.length && phrases.size < 160; from++) {
      for (let length = 2; length <= 6 && from + length <= run.length; length++) {
        const phrase = run.slice(from, from + length);
        if (!NO_NAME_ZH.test(phrase)) phrases.add(phrase).add(`我的${phrase}`);
      }
      const one = run.slice(from, from + 1);
      if (run.slice(from - 2, from) === "我的" || run.slice(from - 1, from) === "我") phrases.add(`我的${one}`);
    }
  }
  return [...phrases];
}

/** The share of the words that a text has. */
export function coverage(words: readonly string[], text: string): number {
  if (words.length === 0) return 0;
  const lower = plain(text);
  const have = new Set(contentWords(text));
  return words.filter((word) => have.has(word) || (/\p{Script=Han}/u.test(word) && lower.includes(word))).length /
    words.length;
}

import { canonicalPredicate } from "../../core/base/predicates.ts";
import { isHan } from "../words/fold.ts";
import { lexicon } from "../words/lexicon.ts";

/** Chinese words that every question may have. */
export const HAN_STOP = new Set(
  ("什么 多少 多大 哪 哪个 哪里 哪儿 哪些 哪家 哪天 哪年 哪月 哪位 哪种 哪条 哪所 哪台 哪几 几 几个 几号 几点 几月 几只 几台 几楼 谁 谁的 " +
    "怎么 怎样 怎么样 如何 为什么 为何 何 何时 何地 是 是不是 的 了 吗 呢 啊 叫 叫做 在 有 有没有 用 我 我们 你 你们 他 她 它 他们 自己 本人 " +
    "家里 我家 我们家 请问 一下 上次 记得 我记得 说 说过 说的 那 那个 那次 那年 这 这个 那天 现在 目前 如今 当前 分别 各 各是 都 要 得 需要 " +
    "来着 到底 个 台 只 次 一个 一次 存过 一共 总共 会 能 可以 该 应该 给 把 被 和 与 跟 对 从 到 去 来 也 就 还 又 很 最 吧 呀 么 之 所 " +
    "时候 每次 每天 每 年 月 时 两 啥 请 时间 遇到 称 其 此 该 分钟 几分钟 原因 情况 方法 内容 问题 地方 所在 法子 办法 一趟 一片 一天 一年 一 不 号 子 以前 之前 原来 上 下 里 中 出现 就是 还是 我的 东西 哪一 知道 告诉 属于 称为 指 哪部 因为 由于")
    .split(" "),
);
/** English words that say how or what is asked, and nothing of what is asked about. */
export const EN_ASK = new Set(
  "into onto per each another someone something anything two three four five six seven eight nine ten during besides every day time up before after number belong many much long often old kind type name call go get use make take happen like thing still ever way tell know want"
    .split(" "),
);

/** A part of a question that stands for one thing. */
export interface Piece {
  text: string;
  kind: "han" | "latin";
  /** No dictionary has it. */
  isLoose?: boolean;
}

/** The text in names, dictionary words, Latin words and what is left between them. */
export function pieces(text: string, known: { names: string[]; count: (term: string) => number }): Piece[] {
  const { names } = known;
  const out: Piece[] = [];
  const latinNames = names.filter((name) => !isHan(name.charCodeAt(0)));
  let rest = text;
  for (const name of latinNames) {
    const at = rest.search(
      new RegExp(`(?<![\\p{L}\\p{N}])${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\p{L}\\p{N}])`, "u"),
    );
    if (at < 0 || EN_ASK.has(name)) continue;
    out.push({ text: name, kind: "latin" });
    rest = rest.slice(0, at) + " " + rest.slice(at + name.length);
  }
  for (const run of rest.match(/[\u3400-\u9fff]+|[^\u3400-\u9fff]+/g) ?? []) {
    if (isHan(run.charCodeAt(0))) out.push(...hanPieces(run, known));
    else {
      for (const word of run.replace(/'s?(?![a-z])/g, " ").split(/[^\p{L}\p{N}.:/@_+'-]+/u)) {
        if (word !== "") out.push({ text: word, kind: "latin" });
      }
    }
  }
  return out;
}

/** A run of Chinese in the likeliest words: those whose shares of the language, multiplied, come to most. Characters that
 * no longer word takes are cut by what memory has. */
function hanPieces(run: string, { names, count }: { names: string[]; count: (term: string) => number }): Piece[] {
  const out: Piece[] = [];
  let loose = "";
  const flush = () => {
    if (loose !== "") out.push(...loosePieces(loose, count));
    loose = "";
  };
  for (const word of likeliestWords(run, names)) {
    const joins = word.length === 1 && loose !== "" && !PARTICLES.has(word) && count(loose.at(-1)! + word) >= 2;
    if (word.length === 1 && (joins || !HAN_STOP.has(word))) {
      loose += word;
      continue;
    }
    flush();
    if (!HAN_STOP.has(word) && !MEASURE.test(word)) out.push({ text: word, kind: "han" });
  }
  flush();
  return out;
}

/** Characters that never belong to a name or a thing. */
const PARTICLES = new Set("的是了在吗呢把被");

/** What the logarithm of a word's share counts as: a name that memory has, words of questions, forms of relations, and
 * a character that is in no dictionary. */
const AS_NAME = -2;
const AS_STOP = -6;
const AS_FORM = -9;
const AS_NEW = -17;
const LONGEST_WORD = 4;

function likeliestWords(run: string, names: string[]): string[] {
  const words = lexicon();
  const best: { score: number; from: number }[] = [{ score: 0, from: 0 }];
  const offer = (from: number, length: number, score: number) => {
    const known = best[from + length];
    const total = best[from]!.score + score;
    if (known === undefined || total > known.score) best[from + length] = { score: total, from };
  };
  for (let i = 0; i < run.length; i++) {
    for (const name of names) if (run.startsWith(name, i)) offer(i, name.length, AS_NAME);
    const single = words.share(run[i]!);
    offer(i, 1, single > 0 ? Math.log(single) : AS_NEW);
    for (let length = 2; length <= LONGEST_WORD && i + length <= run.length; length++) {
      const word = run.slice(i, i + length);
      if (HAN_STOP.has(word)) offer(i, length, AS_STOP);
      else if (/^[的是我在]|^什么|^哪|[的是到]$/.test(word)) continue;
      else if (words.has(word)) offer(i, length, Math.log(Math.max(words.share(word), 1e-7)));
      else if (length > 2 && canonicalPredicate(word)) offer(i, length, AS_FORM);
    }
  }
  const out: string[] = [];
  for (let end = run.length; end > 0; end = best[end]!.from) out.unshift(run.slice(best[end]!.from, end));
  return out;
}

/** A number or pointer with its measure word: 那条, 一节, 两个. */
const MEASURE = /^[那这一二两三几每某各][个条台只位家间所本张块件次回节天年月种款双盒杯瓶层楼栋辆架场份群些]$/;

/** Characters that are words of their own are at least this part of the language. */
const OWN_WORD = 5e-5;

/** What no dictionary has, cut into the pairs that memory has most of. */
function loosePieces(run: string, count: (term: string) => number): Piece[] {
  const isTwoWords = run.length === 2 && count(run) === 0 && !/^[小老阿大]/.test(run) &&
    [...run].every((one) => lexicon().share(one) > OWN_WORD);
  if (isTwoWords) {
    return [...run].filter((one) => !HAN_STOP.has(one)).map((text) => ({ text, kind: "han", isLoose: true }));
  }
  if (run.length <= 2) return [{ text: run, kind: "han", isLoose: true }];
  const best: { score: number; cut: number }[] = [{ score: 0, cut: 0 }];
  for (let end = 1; end <= run.length; end++) {
    const single = { score: best[end - 1]!.score, cut: end - 1 };
    const found = end >= 2 ? count(run.slice(end - 2, end)) : 0;
    const pair = { score: (best[end - 2]?.score ?? 0) + Math.log(1 + found), cut: end - 2 };
    best.push(found > 0 && pair.score >= single.score ? pair : single);
  }
  if (best[run.length]!.score === 0) return [{ text: run, kind: "han", isLoose: true }];
  const out: Piece[] = [];
  for (let end = run.length; end > 0; end = best[end]!.cut) {
    const text = run.slice(best[end]!.cut, end);
    if (!HAN_STOP.has(text)) out.unshift({ text, kind: "han", isLoose: true });
  }
  return out;
}

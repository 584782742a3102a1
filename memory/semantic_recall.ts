import type { Brief, Hit, RecallResult } from "../core/wire/memory.ts";
import type { VectorIndex } from "./embedders/vector_index.ts";
import type { IndexedUnit, SearchIndex } from "./index/search_index.ts";
import type { Recall, RecallOptions } from "./recall/recall.ts";

/** A cosine at which two texts are about the same: below it a hit by meaning alone is noise. */
const NEAR = 0.6;
/** A cosine that answers by itself when no word was met. */
const ANSWERS = 0.7;

/** Recall by words, with what only the meaning finds added behind it: paraphrases, other languages. Without a model of
 * word vectors it is recall by words and nothing else. */
export class SemanticRecall {
  readonly #words: Recall;
  readonly #vectors: VectorIndex;
  readonly #index: SearchIndex;
  readonly #now: () => number;

  constructor(options: { words: Recall; vectors: VectorIndex; index: SearchIndex; now: () => number }) {
    this.#words = options.words;
    this.#vectors = options.vectors;
    this.#index = options.index;
    this.#now = options.now;
  }

  /** Brings the index up to the graph's last change. */
  sync(): void {
    this.#words.sync();
  }

  async recall(query: string, options: RecallOptions = {}): Promise<RecallResult> {
    const { top = 8, threshold = 0, kinds } = options;
    const found = await this.#words.recall(query, options);
    const near = (await this.#vectors.search(query, top * 4)).filter(({ cosine }) => cosine >= NEAR);
    if (near.length === 0) return found;
    const excluded = new Set(options.exclude);
    const units = new Map(this.#index.many(near.map(({ num }) => num)).map((unit) => [unit.num, unit]));
    const hits = new Map(found.hits.map((hit) => [`${hit.kind} ${hit.id}`, hit]));
    for (const { num, cosine } of near) {
      const unit = units.get(num);
      if (!unit || excluded.has(unit.id) || (kinds && !kinds.includes(unit.kind))) continue;
      const known = hits.get(`${unit.kind} ${unit.id}`);
      if (known) {
        if (!known.why.includes("vector")) known.why.push("vector");
      } else if (scoreOf(cosine) >= threshold) hits.set(`${unit.kind} ${unit.id}`, this.#hit(unit, cosine));
    }
    const all = [...hits.values()].slice(0, top);
    const answers = near.some(({ num, cosine }) => cosine >= ANSWERS && units.has(num));
    return { answerable: all.length > 0 && (found.answerable || answers), hits: all };
  }

  async brief(text: string, options: { exclude?: string[]; top?: number } = {}): Promise<Brief> {
    const { top = 8, exclude = [] } = options;
    if (!this.#vectors.isOn) return await this.#words.brief(text, options);
    const { hits } = await this.recall(text, { top: top * 3, exclude });
    const of = (kinds: Hit["kind"][], most: number) => hits.filter((hit) => kinds.includes(hit.kind)).slice(0, most);
    return {
      index: of(["relation", "sentence"], top),
      documents: of(["document"], 3),
      knowledge: of(["knowledge"], 3),
    };
  }

  /** A hit that only the meaning found. */
  #hit({ kind, id, title, text, at, until }: IndexedUnit, cosine: number): Hit {
    return {
      id,
      kind,
      text: title && kind !== "relation" ? `${title}\n${text}` : text,
      score: scoreOf(cosine),
      why: ["vector"],
      at: new Date(at).toISOString(),
      ...(kind === "relation" && { current: until === undefined || until > this.#now() }),
    };
  }
}

/** Below what words that were met would give. */
const scoreOf = (cosine: number) => Math.round(cosine * 700) / 1000;

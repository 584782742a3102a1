import type { Brief, RecallResult } from "../core/wire/memory.ts";
import type { VectorIndex } from "./embedders/vector_index.ts";
import type { Near, Recall, RecallOptions } from "./recall/recall.ts";

/** A cosine at which two texts are about the same: below it a hit by meaning alone is noise. */
const NEAR = 0.6;
/** Units near in meaning that are compared beside those that share words. */
const COMPARED = 32;

/** Recall by words and by meaning in one ranking: paraphrases and other languages are found, and what both find comes
 * first. Without a model of word vectors it is recall by words and nothing else. */
export class SemanticRecall {
  readonly #words: Recall;
  readonly #vectors: VectorIndex;

  constructor(options: { words: Recall; vectors: VectorIndex }) {
    this.#words = options.words;
    this.#vectors = options.vectors;
  }

  /** Brings the index up to the graph's last change. */
  sync(): void {
    this.#words.sync();
  }

  async recall(query: string, options: Omit<RecallOptions, "near"> = {}): Promise<RecallResult> {
    return this.#words.recall(query, { ...options, near: await this.#near(query) });
  }

  async brief(text: string, options: { exclude?: string[]; top?: number } = {}): Promise<Brief> {
    return this.#words.brief(text, { ...options, near: await this.#near(text) });
  }

  async #near(text: string): Promise<Near[]> {
    if (!this.#vectors.isOn) return [];
    this.#words.sync();
    const found = await this.#vectors.search(text, COMPARED);
    return found.filter(({ cosine }) => cosine >= NEAR).map(({ num, cosine }) => ({ num, closeness: cosine }));
  }
}
